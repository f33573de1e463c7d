//! The gates that pipelines of several suites use.

pub mod consistency;
pub mod every_gate;
pub mod near_duplicates;
pub mod parameters;
pub mod quota;
pub mod readings;
pub mod script;
