//! fcgen makes function-calling benchmarks and fine-tuning data from TOML pipelines.

pub mod data;
pub mod llm;
pub mod locale;
pub mod record;
