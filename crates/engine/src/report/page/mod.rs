//! A page that opens from disk: one HTML file that holds its own words, looks and data.
//!
//! Samples go by one after another and are written out in packed blocks of a thousand, so that memory does not grow with
//! them. The page unpacks the short rows that it lists and filters by, and of the rest only the block that somebody opens.

mod card;
mod census;
mod frame;
mod writer;

pub use card::{RejectGroup, Rejects};
pub use census::{Census, Histogram};
pub use frame::{html_text, script_text};
pub use writer::Page;
