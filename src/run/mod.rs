//! Drives the stages of a plan: sets up models, runs every root, keeps state in `run.db`, writes what comes out.

mod anew;
mod aside;
mod benchmark;
mod callnavi_files;
mod complexfunc_files;
mod counts;
mod defects;
mod drawer;
mod drive;
mod emit;
mod error;
mod functionchat_files;
mod graph;
mod ground;
mod keeper;
mod lock;
mod manifest;
mod merge;
mod options;
mod progress;
mod root;
mod roots;
mod setup;
mod shards;
mod shelf;
mod store;
mod table;
mod task;
#[cfg(test)]
mod testing;
mod work;

pub use aside::Aside;
pub(crate) use aside::make_folder;
pub use counts::StageCounts;
pub use defects::{DefectCount, DefectReport};
pub use drive::run;
pub use error::RunError;
pub(crate) use lock::Lock;
pub use manifest::{Manifest, ManifestModel, ManifestStage};
pub use merge::merge;
pub use options::{Live, Options, Summary};
pub use progress::{Progress, StageProgress};
pub use setup::{SetupError, folder_name};
