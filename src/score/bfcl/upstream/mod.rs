//! BFCL's own verdicts, to the bit: what it overlooks is overlooked, and where it breaks off, that is said.

mod call;
mod dict;
mod item;
mod types;
mod values;

pub use call::check_call;
pub(super) use call::is_name;
pub use item::{check_calls, judge};
