//! Our own profile: everything that can be decided without a judge is decided, with its reason.

mod call;
mod outcome;
mod reply;

pub use call::{Gold, Same, judge_call};
pub use outcome::{GoldWords, Outcome, Reason, Ruled, judge_words};
pub use reply::{Judgement, VerdictWords, Votes, read_reply};
