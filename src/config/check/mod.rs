//! What is checked of a whole pipeline file: who reads from whom, what it names, how far its paths reach.

pub(crate) mod categories;
pub(crate) mod graph;
pub(crate) mod prompt;
pub(crate) mod reach;
pub(crate) mod references;
pub(crate) mod types;
pub(crate) mod worlds;
