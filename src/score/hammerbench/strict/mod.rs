//! Our own profile: the name counts on every turn, values are typed, and every failed snapshot says why.

mod error;
mod figures;
mod verdict;

pub use error::ErrorClass;
pub use figures::{Outcome, Sums};
pub use verdict::{Answer, Rules, Status, Verdict, Wanted};
