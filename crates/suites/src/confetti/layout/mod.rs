//! CONFETTI's own files: accepted calls and dialog acts, with the questions where they are there.

mod export;
mod files;
mod import;
#[cfg(any(test, feature = "fixtures"))]
pub mod testing;

pub use export::{Export, Lines};
pub use files::ConfettiFiles;
pub use import::{ACTS, CALLS, COMPLEXITY_FACT, OBSERVED_FACT, TURN_CALLS_FACT, TURN_TEXT_FACT, derived};
