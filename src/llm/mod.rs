//! Models: one [`Chat`] for all of them, with cache, limits, retry, budget and usage in front.

pub mod grammar;
mod request;
mod variables;

pub use request::{ChatError, FinishReason, Reply, Request, Task, ToolCallText, Usage};
pub use variables::*;
