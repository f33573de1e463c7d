//! Working on roots: the graph of stages, what is to be done for an item, many roots at a time.

pub(crate) mod anew;
pub(crate) mod counts;
pub(crate) mod follow;
pub(crate) mod graph;
pub(crate) mod root;
pub(crate) mod task;
pub(crate) mod work;
