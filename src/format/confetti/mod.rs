//! CONFETTI's own files: accepted calls and dialog acts, with the questions where they are there.

mod derive;
mod export;
mod facts;
mod files;
mod import;
#[cfg(test)]
pub(crate) mod testing;
mod told;

pub use derive::derived;
pub use export::{Export, Lines};
pub use facts::{COMPLEXITY_FACT, OBSERVED_FACT, TURN_CALLS_FACT, TURN_TEXT_FACT};
pub use files::{ConfettiError, ConfettiFiles};
pub use import::{ACTS, CALLS};
