//! Scores of CONFETTI: how much of a call is right, string by string; which dialog acts a reply performs; and slices.

mod acts;
mod agreement;
mod guard;
mod overlap;
mod slices;
mod soft;
mod text;
mod validity;

pub use acts::{Act, Confusion, acts_match, read_acts};
pub use agreement::{Agreement, Hits};
pub use guard::Guard;
pub use overlap::{chrf, rouge_l, token_f1};
pub use slices::{chain_length, functions_offered, user_turns};
pub use soft::{Combine, call_score};
pub use text::{Measure, StringScore};
pub use validity::{Validity, read_hallucinated, read_unit};
