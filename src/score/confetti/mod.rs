//! Scores of CONFETTI: how much of a call is right, string by string; which dialog acts a reply performs; and slices.

mod acts;
mod guard;
mod overlap;
mod slices;
mod soft;
mod text;

pub use acts::{Act, Confusion, acts_match, read_acts};
pub use guard::Guard;
pub use overlap::{chrf, rouge_l, token_f1};
pub use slices::{chain_length, functions_offered, user_turns};
pub use soft::{Combine, call_score};
pub use text::{Measure, StringScore};
