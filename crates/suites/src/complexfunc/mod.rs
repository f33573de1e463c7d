//! ComplexFuncBench: its files, its evaluator, its tables.

mod answers;
mod board;
mod composition;
mod driver;
mod golden_replay;
mod helpers;
pub mod layout;
mod lines;
pub mod lint;
pub mod metric;
mod profile;
mod questions;
mod script;
pub(crate) mod solver;
#[cfg(feature = "generate")]
pub mod stage;
mod tables;
mod toolset_file;
mod vectors;

pub use answers::{Answers, Recordings, Spoken, data_of, turn_of, turns_of};
pub use board::{Board, Counts, Sums};
pub use composition::{Composition, CompositionTally, ContextTokens, DomainRow, LongValues};
pub use driver::{Options, golden_answer, score};
pub use golden_replay::{GoldenFault, GoldenReplay, Pace};
pub use helpers::{Embedded, Helpers};
pub use profile::{ArgumentTypes, Profile, SettingsError, generic_error, own_settings, read_settings, settings_of};
pub use questions::{dialogue, same_call, told};
pub use script::JudgeRule;
pub use tables::tables;
pub use toolset_file::{FunctionFacts, declared_settings, toolset_file, undeclared_settings};
pub use vectors::verdicts;
