//! The authors' released evaluator, to the bit and with its faults, so that figures compare with published tables.
//!
//! Its two generations differ: the older looks at conversations, the newer at snapshots and no name but the own one.

mod arguments;
mod figures;
mod reply;
mod rouge;
mod verdict;

pub use arguments::{Comparer, Metric};
pub use figures::{ConversationFigures, Conversations, Flag, SnapshotFigures, Snapshots, progress};
pub use reply::{Call, Parser};
pub use verdict::{Facts, Label, Rules, Said, Verdict, Words};
