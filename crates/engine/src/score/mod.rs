//! Scorers: machines without files, sockets and clocks. None of them knows which model it looks at.

pub(crate) mod difference;
pub mod extract;
pub(crate) mod interval;
pub(crate) mod paired;
pub(crate) mod question;
pub mod refusal;
pub(crate) mod value;

pub use difference::{Differences, Gold, WrongValue};
pub use interval::{Correlation, Estimate, Mean, Pairs, wilson, wilson_around};
pub use paired::{Difference, Paired, RESAMPLES};
pub use question::{QuestionWords, is_given, missing_of, missing_required, topics, words_of};
pub use refusal::{RefusalRule, RefusalWords, Refusals};
pub use value::ValueWords;
