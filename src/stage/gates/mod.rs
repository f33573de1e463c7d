//! The gates that pipelines of several suites use.

pub(crate) mod consistency;
pub(crate) mod every_gate;
pub(crate) mod near_duplicates;
pub(crate) mod parameters;
pub(crate) mod quota;
pub(crate) mod readings;
pub(crate) mod script;
