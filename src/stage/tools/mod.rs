//! The stages that yield tools.

pub(crate) mod normalise;
pub(crate) mod toolkits;
pub(crate) mod toolset;
