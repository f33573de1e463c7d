//! CONFETTI: its files, its scores, its tables.

mod board;
mod calls;
mod driver;
mod gold;
mod helpers;
mod judged_tables;
pub mod layout;
pub mod lint;
pub mod metric;
mod options;
mod profile;
mod questions;
pub(crate) mod solver;
#[cfg(feature = "generate")]
pub(crate) mod stage;
mod summary;
mod tables;
mod turns;
mod vectors;

pub use board::{Acts, Board, Chains};
pub use calls::{Wanted, call_text};
pub use driver::score;
pub use gold::{Entry, Gold, Turn, item_of};
pub use helpers::Helpers;
pub use options::{Options, Rule};
pub use profile::{ProfileError, guard, string_score};
pub use summary::summary;
pub use tables::tables;
pub use turns::{Reference, reference};
pub use vectors::verdicts;
