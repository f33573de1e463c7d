//! CONFETTI: its files, its scores, its tables.

mod board;
mod driver;
mod gold;
mod profile;
mod repair;
mod tables;
mod vectors;

pub use board::{Acts, Board, Chains};
pub use driver::{Options, score};
pub use gold::{Entry, Gold};
pub use profile::{ProfileError, guard, string_score};
pub use tables::tables;
pub use vectors::verdicts;
