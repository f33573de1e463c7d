//! Runs the stages of a plan: sets up models, processes every source item, keeps state in `run.db`, writes the output.

pub(crate) mod drive;
pub(crate) mod folder;
pub(crate) mod keeper;
pub(crate) mod localize;
pub(crate) mod merge;
pub(crate) mod options;
pub(crate) mod output;
pub(crate) mod prepare;
pub(crate) mod progress;
pub(crate) mod reporter;
pub(crate) mod roots;
pub(crate) mod shards;
pub(crate) mod store;
#[cfg(test)]
pub(crate) mod testing;

pub use crate::failure::{RunError, SetupError};
pub use crate::run::output::defects::{DefectCount, DefectReport};
pub use crate::run::output::empty::{EmptyType, Taken};
pub use crate::run::output::manifest::{FORMAT, Manifest, ManifestModel, ManifestStage, PerThousand};
pub use crate::run::prepare::ground::check;
pub use crate::run::prepare::setup::folder_name;
pub use crate::run::prepare::unfinished::Unfinished;
pub use crate::run::roots::counts::StageCounts;
pub use crate::run::roots::follow::{Follow, Localized};
pub use drive::run;
pub use localize::localize;
pub use merge::merge;
pub use options::{Live, Options, Preview, Summary};
pub use progress::{Phase, Progress, Rates, Spent, StageProgress};
