//! BFCL's own verdicts, to the bit: what it overlooks is overlooked, and where it breaks off, that is said.

mod item;
mod values;

pub(super) use item::is_name;
pub use item::{check_call, check_calls, judge};
