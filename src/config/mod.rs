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
pub(crate) mod problem;
pub(crate) mod problems;
pub(crate) mod roles;
pub(crate) mod schema;
pub(crate) mod section;
pub(crate) mod value;

pub use crate::config::check::prompt::prompt_variables;
pub use crate::config::value::located::Located;
pub use crate::config::value::number::{Amount, Breadth, Count, Factor, Measure, Share};
pub(crate) use crate::config::value::number::{amount, breadth, count, measure, share};
pub use crate::live::WorldConfig;
pub use crate::llm::{ConfigFault, ModelConfig, Price, ProviderKind, StructuredOutput, TextDuration};
pub use files::Files;
pub use overrides::Overrides;
pub use pipeline::{BfclVersion, Format, PipelineConfig};
pub(crate) use pipeline::{NONE, REFERENCE_TIME};
pub use plan::{Plan, PlannedStage, Recipe, load, load_with};
pub use problem::{Problem, did_you_mean};
pub use problems::{Problems, Source};
pub use roles::ROLES;
pub use schema::pipeline_schema;
pub(crate) use section::Section;
