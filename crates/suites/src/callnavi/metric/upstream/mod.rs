//! The authors' released scripts, to the bit and with their faults, and the paper's two measures of stability.

mod levenshtein;
mod stability;
mod verdict;
mod wash;

pub use levenshtein::levenshtein;
pub use stability::{Stability, election};
pub use verdict::{Abort, Route, Triple, cleaned, judge, judge_score};
pub use wash::{Form, Washed, Washer};
