//! The stages that yield tools.

pub mod normalise;
pub mod toolkits;
pub mod toolset;
