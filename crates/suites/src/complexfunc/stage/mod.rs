//! The stages that make ComplexFuncBench: requests of several steps, planned in a world or written by a model, and their gates.

pub(crate) mod complex_queries;
pub(crate) mod disambiguate;
pub(crate) mod generalize;
pub(crate) mod golden_replay;
pub(crate) mod model;
pub(crate) mod needed;
pub(crate) mod pad;
pub(crate) mod plans;
pub mod select;
pub(crate) mod shortest_path;
pub(crate) mod written;
