//! BFCL's categories judged soundly: types at every depth, the best matching of calls, and no credit for calls that cannot
//! be read.

mod alike;
mod attempt;
mod call;
mod dict;
mod item;
mod matching;
mod types;

pub use attempt::is_attempt;
pub use call::check_call;
pub use item::{Judged, check_calls, judge};
pub use types::has_type;
