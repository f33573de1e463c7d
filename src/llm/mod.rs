//! Models: one [`Chat`] for all of them, and [`Embeddings`] for texts as vectors, with cache, limits, retry, budget and
//! usage in front.

pub mod answer;
mod attempts;
mod backoff;
mod brief;
mod budget;
mod builtin;
mod chat;
mod chat_variables;
mod complex_variables;
mod config;
mod duration;
mod embeddings;
mod fault;
mod flight;
pub mod grammar;
mod interrupt;
mod journal;
mod key;
mod limiter;
mod localize_variables;
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
mod vector;
mod yaml;

pub use brief::{BriefPart, BriefVariables, BriefWords};
pub use budget::{Budget, Spending};
pub use builtin::BuiltIn;
pub use chat::{Chat, ChatDeps};
pub use chat_variables::*;
pub use complex_variables::*;
pub use config::{ConfigFault, ModelConfig, Price, ProviderKind, StructuredOutput};
pub use duration::TextDuration;
pub use embeddings::Embeddings;
pub use interrupt::Interrupt;
pub use journal::{Journal, JournalError};
pub use localize_variables::*;
pub use prompt::{Prompt, PromptError, Rendered};
pub use request::{ChatError, FinishReason, Reply, Request, Task, ToolCallText, Usage};
pub use scripted::{Script, ScriptError, write_script};
pub use tokens::{TOKEN_ESTIMATE, estimate_tokens};
pub use usage::{StageUsage, UsageBook};
pub use variables::*;
pub use vector::Vector;
pub use yaml::write_yaml;
