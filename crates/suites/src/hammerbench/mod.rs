//! HammerBench: its files, its scorers, its tables.

mod board;
mod driver;
pub mod layout;
mod lines;
pub mod lint;
pub mod metric;
mod profile;
mod rules;
#[cfg(feature = "generate")]
pub mod stage;
mod tables;
mod vectors;

pub use board::{Board, Conversation, Counts, Figures, Found};
pub use driver::{Options, score};
pub use profile::{Profile, label_of, load_words, said_of};
pub(crate) use rules::verdict_words;
pub use rules::{LocaleRules, RulesError, question_words};
pub use tables::tables;
pub use vectors::verdicts;
