//! BFCL: its files, its checker, its tables.

mod board;
mod driver;
mod gold;
pub mod layout;
mod lines;
pub mod metric;
mod results;
pub(crate) mod solver;
mod tables;
mod vectors;

pub use board::{Board, Counts, Tally};
pub use driver::{Options, Profile, score};
pub use gold::{Gold, item_of};
pub(super) use lines::{absent, judged};
pub use results::Results;
pub use tables::tables;
pub use vectors::verdicts;
