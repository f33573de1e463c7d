//! Settings of stages: how a table of a pipeline file becomes typed values with their places, and what is wrong with them.

pub mod located;
pub mod number;
pub mod problem;
pub mod section;
pub mod words;

pub use located::Located;
pub use number::{Amount, Breadth, Count, Factor, Measure, Share, amount, breadth, count, measure, share};
pub use problem::{Problem, did_you_mean};
pub use section::Section;
