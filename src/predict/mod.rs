//! Puts the samples of a benchmark to a model and keeps what it says.
//!
//! How a sample becomes requests, and replies a prediction, is an [`Asking`]'s business; the rest is the same for every
//! suite: the limits, the journal, the order of the rows, the file that appears whole.

mod asking;
mod bfcl;
mod callnavi;
mod complexfunc;
mod confetti;
mod desk;
mod direct;
mod drive;
mod functionchat;
mod help;
mod locales;
mod render;
mod samples;
mod shape;
mod snapshots;
mod summary;
#[cfg(test)]
mod testing;

pub use asking::{Addressee, Asking, Learnt, Wanted};
pub use bfcl::Questions;
pub use callnavi::{Approach, Declared, Goal, Navigation, Plan};
pub use complexfunc::Episodes;
pub use confetti::{Dialogs, Place, Policy, Scenes};
pub use desk::{Job, journal_folder};
pub use drive::predict;
pub use functionchat::{Chats, System};
pub use locales::{Ground, Locales};
pub use render::{CandidateForm, render};
pub use samples::{Samples, read_samples, samples_file};
pub use snapshots::{Candidates, Mode, Snapshots};
pub use summary::{Live, RoutingCounts, Summary, Tally};
