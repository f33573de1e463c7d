//! What stages share whose texts a model writes.

pub mod batch;
pub mod people;
pub mod schemas;
pub mod speaker;
pub mod telling;
pub mod write;
