//! Commands that start runs, and commands about finished ones.

pub(crate) mod localize;
pub(crate) mod manifest;
pub(crate) mod merge;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod preview;
pub(crate) mod script;
pub(crate) mod status;
pub(crate) mod unfinished;
