//! Scorers: machines without files, sockets and clocks. None of them knows which model it looks at.

pub mod bfcl;
pub mod callnavi;
pub mod complexfunc;
pub mod confetti;
mod correlation;
mod difference;
pub mod extract;
pub mod functionchat;
pub mod hammerbench;
mod interval;
mod paired;
mod question;
mod refusal;
mod value;

pub use correlation::Correlation;
pub use difference::{Differences, Gold, WrongValue};
pub use interval::{Estimate, Mean, Pairs, wilson, wilson_around};
pub use paired::{Difference, Paired, RESAMPLES};
pub use question::{QuestionWords, is_given, missing_of, missing_required, topics, words_of};
pub use refusal::{RefusalRule, RefusalWords, Refusals};
pub use value::ValueWords;
