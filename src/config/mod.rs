//! A pipeline file becomes a checked plan.
//!
//! The text is parsed to a table in which every value knows its place; the overrides of the command line change the
//! table; each part is read on its own, so that a fault in the fifth stage is shown in the fifth stage; then the parts
//! are compared with one another and with the files that they name. All faults come together, and no model is asked.

pub(crate) mod check;
pub(crate) mod declared;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod overrides;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod problems;
pub(crate) mod roles;
pub(crate) mod schema;

pub use crate::config::check::prompt::prompt_variables;
pub use crate::live::WorldConfig;
pub use crate::llm::{ConfigFault, ModelConfig, Price, ProviderKind, StructuredOutput, TextDuration};
pub use fcgen_engine::settings::{Amount, Breadth, Count, Factor, Located, Measure, Problem, Share, did_you_mean};
pub(crate) use fcgen_engine::settings::{located, number, problem, section, words};
pub use files::Files;
pub use overrides::Overrides;
pub use pipeline::{BfclVersion, Format, PipelineConfig};
pub(crate) use pipeline::{NONE, REFERENCE_TIME};
pub use plan::{Plan, PlannedStage, Recipe, load, load_with};
pub use problems::{Problems, Source};
pub use roles::ROLES;
pub use schema::pipeline_schema;
