//! Values of a pipeline file that remember their place and are checked as they are read.

pub(crate) mod categories;
pub(crate) mod located;
pub(crate) mod number;
pub(crate) mod words;
