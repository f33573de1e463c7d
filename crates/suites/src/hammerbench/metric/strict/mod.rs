//! Our own profile: the name counts on every turn, values are typed, and every failed snapshot says why.

mod figures;
mod verdict;

pub use figures::{Outcome, Sums};
pub use verdict::{Answer, ErrorClass, Rules, Status, Verdict, Wanted};
