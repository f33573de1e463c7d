//! CallNavi: its files, its scorers, its tables.

mod answers;
mod authors;
mod board;
mod driver;
pub mod layout;
mod lines;
pub mod lint;
pub mod metric;
mod profile;
mod questions;
pub(crate) mod solver;
#[cfg(feature = "generate")]
pub(crate) mod stage;
mod tables;
mod vectors;

pub use answers::{Answers, Key, Task};
pub use board::{Board, Counts, Found, Level, Steadiness, Tally};
pub use driver::{Options, Scored, score};
pub use profile::Profile;
pub use tables::tables;
pub use vectors::verdicts;
