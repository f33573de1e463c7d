//! FunctionChat-Bench: its files, its scorers, its judge, its tables.

mod board;
mod driver;
mod grounds;
pub mod layout;
mod lines;
pub mod lint;
pub mod metric;
mod profile;
mod questions;
mod review;
mod review_tables;
mod said;
pub(crate) mod solver;
#[cfg(feature = "generate")]
pub(crate) mod stage;
mod tables;
mod totals;
mod vectors;

pub use board::{Board, Counts, Found, Judging, Reviewed, Verdict};
pub use driver::{Options, Scope, ruled, score};
pub use grounds::{Ground, Grounds};
pub use profile::{Profile, load_words};
pub use questions::{QUESTIONS, question};
pub use review::{Review, ReviewError, ReviewRow};
pub use said::{Answer, Line};
pub use tables::{odd_dialog_turns, tables};
pub use totals::totals;
pub use vectors::verdicts;
