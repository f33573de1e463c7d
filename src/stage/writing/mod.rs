//! What stages share whose texts a model writes.

pub(crate) mod batch;
pub(crate) mod people;
pub(crate) mod schemas;
pub(crate) mod speaker;
pub(crate) mod telling;
pub(crate) mod write;
