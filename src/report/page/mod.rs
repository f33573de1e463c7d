//! A page that opens from disk: one HTML file that holds its own words, looks and data.
//!
//! Samples go by one after another and are written out in packed blocks of a thousand, so that memory does not grow with
//! them. The page unpacks the short rows that it lists and filters by, and of the rest only the block that somebody opens.

mod blocks;
mod card;
mod census;
mod escape;
mod frame;
mod rejects;
mod tools;
mod writer;

pub use census::{Census, Histogram};
pub use escape::{html_text, script_text};
pub use rejects::{RejectGroup, Rejects};
pub use writer::Page;
