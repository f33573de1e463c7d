//! Models: one [`Chat`] for all of them, [`Embeddings`] for texts as vectors, and [`PairScores`] for how well claims stand
//! in contexts, with cache, limits, retry, budget and usage in front.

mod attempts;
mod batch;
mod budget;
mod chat;
mod config;
mod embeddings;
mod fault;
pub mod grammar;
mod interrupt;
mod journal;
mod key;
mod limiter;
mod open_files;
mod openai;
mod pair_scores;
mod prompt;
mod prompt_folder;
mod request;
mod retry_after;
mod scripted;
pub mod stub;
pub mod tasks;
mod template;
#[cfg(test)]
mod testing;
mod together;
mod tokens;
mod usage;
mod window;
mod yaml;

pub use crate::text::ToolCallText;
pub use budget::{Budget, Spending};
pub use chat::{BUILT_IN, BuiltIn, Chat, ChatDeps};
pub use config::{ConfigFault, ModelConfig, Price, ProviderKind, StructuredOutput, TextDuration};
pub use embeddings::{Embeddings, Vector};
pub use interrupt::Interrupt;
pub use journal::{Journal, JournalError};
#[cfg(test)]
pub(crate) use openai::is_strict;
pub use openai::{read_completion, read_refusal, read_vectors, read_wait};
pub use pair_scores::{Pair, PairError, PairScores};
pub use prompt::{Prompt, PromptError, Rendered};
pub use prompt_folder::{Prompts, PromptsUsed};
pub use request::{ChatError, FinishReason, Reply, Request, Usage};
pub use scripted::{Script, ScriptError, write_script};
pub use tasks::*;
pub use template::borrowed_template;
pub(crate) use together::together;
pub use tokens::{TOKEN_ESTIMATE, estimate_tokens};
pub use usage::{StageUsage, UsageBook};
pub use yaml::write_yaml;
