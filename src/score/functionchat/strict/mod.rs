//! Our own profile: everything that can be decided without a judge is decided, with its reason.

mod call;
mod outcome;
mod reply;
mod same;
mod words;

pub use call::{Gold, judge_call};
pub use outcome::{Outcome, Reason, Ruled};
pub use reply::{Judgement, VerdictWords, Votes, read_reply};
pub use same::Same;
pub use words::{GoldWords, judge_words};
