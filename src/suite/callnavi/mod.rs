//! CallNavi: its files, its scorers, its tables.

mod answers;
mod ask;
mod authors;
mod board;
mod driver;
mod lines;
mod profile;
mod questions;
mod replies;
mod tables;
mod tally;
mod truth;
mod vectors;

pub use answers::{Answers, Key, Task};
pub use ask::{AskError, Asked, ask};
pub use board::{Board, Counts, Found, Steadiness};
pub use driver::{Give, Missing, Options, ScoreError, Scored, score};
pub use profile::Profile;
pub use replies::{Pending, Question, Recorded, Replies, append};
pub use tables::tables;
pub use tally::{Level, Tally};
pub use vectors::verdicts;
