//! Values that the built-in model finds in texts.

pub(crate) mod candidates;
pub(crate) mod nested;
pub(crate) mod phrase;
pub(crate) mod point;
pub(crate) mod recognise;
pub(crate) mod strip;
