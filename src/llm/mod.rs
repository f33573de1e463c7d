//! Models: one [`Chat`] for all of them, with cache, limits, retry, budget and usage in front.

pub mod answer;
pub mod grammar;
mod prompt;
mod request;
mod variables;

pub use prompt::{Prompt, PromptError, Rendered};
pub use request::{ChatError, FinishReason, Reply, Request, Task, ToolCallText, Usage};
pub use variables::*;
