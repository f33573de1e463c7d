//! CallNavi: its files, its scorers, its tables.

mod answers;
mod authors;
mod board;
mod driver;
mod lines;
mod profile;
mod questions;
mod tables;
mod vectors;

pub use answers::{Answers, Key, Task};
pub use board::{Board, Counts, Found, Level, Steadiness, Tally};
pub use driver::{Options, Scored, score};
pub use profile::Profile;
pub use tables::tables;
pub use vectors::verdicts;
