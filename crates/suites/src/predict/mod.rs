//! Puts the samples of a benchmark to a model and keeps what it says.
//!
//! How a sample becomes requests, and replies a prediction, is an [`Asking`]'s business; the rest is the same for every
//! suite: the limits, the journal, the order of the rows, the file that appears whole.

pub(crate) mod asking;
pub(crate) mod desk;
pub(crate) mod direct;
pub(crate) mod drive;
pub(crate) mod help;
pub(crate) mod locales;
pub(crate) mod render;
pub(crate) mod samples;
pub(crate) mod shape;
pub(crate) mod snapshots;
pub(crate) mod summary;
#[cfg(test)]
pub(crate) mod testing;

pub use crate::bfcl::solver::Questions;
pub use crate::callnavi::solver::{Approach, Declared, Goal, Navigation, Plan};
pub use crate::complexfunc::solver::Episodes;
pub use crate::confetti::solver::{Dialogs, Place, Policy, Scenes};
pub use crate::functionchat::solver::{Chats, System};
pub use asking::{Addressee, Asking, Learnt, Wanted};
pub use desk::{Job, journal_folder};
pub use drive::predict;
pub use locales::{Ground, Locales};
pub use render::{CandidateForm, render};
pub use samples::{Samples, read_samples, samples_file};
pub use snapshots::{Candidates, Mode, Snapshots};
pub use summary::{Live, RoutingCounts, Summary, Tally};
