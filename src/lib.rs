//! fcgen makes function-calling benchmarks and fine-tuning data from TOML pipelines.

pub mod config;
pub mod data;
pub mod format;
pub mod gate;
pub mod llm;
pub mod locale;
pub mod record;
pub mod run;
pub mod stage;
pub mod toolset;
