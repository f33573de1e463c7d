//! A small server that speaks chat completions, embeddings, scores of pairs and batches, and fails in every way that real ones do.
//!
//! It ships with the product: tests, examples and people's own trials run against it instead of the world.

mod batches;
mod fault;
mod files;
mod http;
mod rule;
mod server;

pub use batches::{BatchEnd, BatchPlan, BatchStats};
pub use fault::{FaultPlan, StubFault};
pub use rule::{Rule, StubReply, StubRequest};
pub use server::{Stub, StubOptions, StubStats};
