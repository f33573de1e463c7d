//! CallNavi: its files, its scorers, its tables.

mod answers;
mod authors;
mod board;
mod driver;
mod lines;
mod profile;
mod questions;
mod tables;
mod tally;
mod truth;
mod vectors;

pub use crate::suite::ask::{AskError, Asked, Keep, ask, ask_each};
pub use crate::suite::replies::{Bare, Ledger, Pending, Question, Recorded, Replies, append};
pub use answers::{Answers, Key, Task};
pub use board::{Board, Counts, Found, Steadiness};
pub use driver::{Missing, Options, ScoreError, Scored, score};
pub use profile::Profile;
pub use tables::tables;
pub use tally::{Level, Tally};
pub use vectors::verdicts;
