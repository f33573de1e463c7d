//! The authors' released scripts, to the bit and with their faults, and the paper's two measures of stability.

mod judge;
mod levenshtein;
mod routing;
mod stability;
mod verdict;
mod wash;

pub use judge::judge_score;
pub use levenshtein::levenshtein;
pub use routing::{Route, cleaned};
pub use stability::{Stability, election};
pub use verdict::{Abort, Triple, judge};
pub use wash::{Form, Washed, Washer};
