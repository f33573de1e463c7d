//! BFCL's categories judged soundly: types at every depth, the best matching of calls, and no credit for calls that cannot
//! be read.

mod item;
mod types;

pub use item::{Judged, check_call, check_calls, is_attempt, judge};
pub use types::has_type;
