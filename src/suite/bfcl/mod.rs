//! BFCL: its files, its checker, its tables.

mod board;
mod driver;
mod gold;
mod lines;
mod results;
mod tables;
mod vectors;

pub use board::{Board, Counts, Tally};
pub use driver::{Options, Profile, score};
pub use gold::{Gold, item_of};
pub(super) use lines::{absent, judged};
pub use results::Results;
pub use tables::tables;
pub use vectors::verdicts;
