//! A small server that speaks chat completions, embeddings and scores of pairs, and fails in every way that real ones do.
//!
//! It ships with the product: tests, examples and people's own trials run against it instead of the world.

mod fault;
mod http;
mod pairs;
mod rule;
mod server;
mod stats;
mod vectors;

pub use fault::{FaultPlan, StubFault};
pub use rule::{Rule, StubReply, StubRequest};
pub use server::{Stub, StubOptions};
pub use stats::StubStats;
