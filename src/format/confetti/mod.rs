//! CONFETTI's own files: accepted calls and dialog acts, with the questions where they are there.

mod derive;
mod files;
mod import;

pub use derive::derived;
pub use files::{ConfettiError, ConfettiFiles};
pub use import::{ACTS, CALLS, SUITE};
