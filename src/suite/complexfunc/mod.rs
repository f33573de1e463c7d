//! ComplexFuncBench: its files, its evaluator, its tables.

mod answers;
mod board;
mod driver;
mod lines;
mod profile;
mod questions;
mod recordings;
mod script;
mod spoken;
mod tables;
mod vectors;

pub use crate::suite::replies::Replies;
pub use answers::{Answers, AnswersError, data_of};
pub use board::{Board, Counts, Sums};
pub use driver::{Give, Missing, Options, ScoreError, golden_answer, score};
pub use profile::{ArgumentTypes, Profile, SettingsError, generic_error, own_settings, read_settings, settings_of};
pub use recordings::Recordings;
pub use script::JudgeRule;
pub use spoken::{Spoken, turn_of, turns_of};
pub use tables::tables;
pub use vectors::verdicts;
