//! Models: one [`Chat`] for all of them, with cache, limits, retry, budget and usage in front.

pub mod answer;
mod attempts;
mod backoff;
mod budget;
mod builtin;
mod chat;
mod config;
mod duration;
mod fault;
mod flight;
pub mod grammar;
mod interrupt;
mod journal;
mod key;
mod limiter;
mod open_files;
mod openai;
mod prompt;
mod request;
mod retry_after;
mod scripted;
pub mod stub;
#[cfg(test)]
mod testing;
mod tokens;
mod usage;
mod variables;
mod yaml;

pub use budget::{Budget, Spending};
pub use builtin::BuiltIn;
pub use chat::{Chat, ChatDeps};
pub use config::{ConfigFault, ModelConfig, Price, ProviderKind, StructuredOutput};
pub use duration::TextDuration;
pub use interrupt::Interrupt;
pub use journal::{Journal, JournalError};
pub use prompt::{Prompt, PromptError, Rendered};
pub use request::{ChatError, FinishReason, Reply, Request, Task, ToolCallText, Usage};
pub use scripted::{Script, ScriptError, write_script};
pub use usage::{StageUsage, UsageBook};
pub use variables::*;
pub use yaml::write_yaml;
