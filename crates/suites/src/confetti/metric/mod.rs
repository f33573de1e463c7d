//! Scores of CONFETTI: how much of a call is right, string by string; which dialog acts a reply performs; and slices.

mod acts;
mod soft;

pub use acts::{
    Act, Agreement, Confusion, Hits, Validity, acts_match, chain_length, functions_offered, read_acts,
    read_hallucinated, read_unit, user_turns,
};
pub use soft::{Combine, Guard, Measure, StringScore, call_score, chrf, rouge_l, token_f1};
