//! The authors' released evaluator to the bit (v2.0.0), faults included.

mod figures;
mod reply;
mod rule;

pub use figures::{Counted, Sections, Tallied, section};
pub use reply::{Read, Words};
pub use rule::{Crash, Rule, judge};
