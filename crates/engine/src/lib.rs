//! What every benchmark is made with: stages and the context in which they run, the gates, the parts that scorers share,
//! tables of figures. It knows no suite.

pub mod failure;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
pub mod gate;
pub mod report;
pub mod score;
pub mod settings;
pub mod stage;

// The crates below, by the names under which all modules know them.
pub(crate) use fcgen_core::{assets, fs, locale, memo, python, record, text};
pub(crate) use fcgen_llm as llm;
pub(crate) use fcgen_model as model;
pub(crate) use fcgen_tools::{live, toolset, world};
