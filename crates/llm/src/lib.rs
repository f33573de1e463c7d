//! Models: one [`Chat`] for all of them, [`Embeddings`] for texts as vectors, and [`PairScores`] for how well claims stand
//! in contexts, with cache, limits, retry, budget and usage in front.

pub(crate) mod attempts;
pub(crate) mod batch;
pub(crate) mod chat;
pub(crate) mod config;
pub(crate) mod embeddings;
pub(crate) mod fault;
pub(crate) mod interrupt;
pub(crate) mod journal;
pub(crate) mod key;
pub(crate) mod limit;
pub(crate) mod openai;
pub(crate) mod pair_scores;
pub(crate) mod prompts;
pub(crate) mod request;
pub(crate) mod scripted;
pub mod stub;
pub mod tasks;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod wait_for_all;

pub use chat::{BUILT_IN, BuiltIn, Chat, ChatDeps};
pub use config::{ConfigFault, ModelConfig, Price, ProviderKind, StructuredOutput, TextDuration};
pub use embeddings::{Embeddings, Vector};
pub use fcgen_core::text::ToolCallText;
pub use interrupt::Interrupt;
pub use journal::{Journal, JournalError};
pub use limit::budget::{Budget, Spending};
#[cfg(any(test, feature = "fixtures"))]
pub use openai::is_strict;
pub use openai::{read_completion, read_refusal, read_vectors, read_wait};
pub use pair_scores::{Pair, PairError, PairScores};
pub use prompts::prompt::{Prompt, PromptError, Rendered};
pub use prompts::prompt_folder::{Prompts, PromptsUsed};
pub use prompts::template::borrowed_template;
pub use prompts::yaml::write_yaml;
pub use request::{ChatError, FinishReason, Reply, Request, Usage};
pub use scripted::{Script, ScriptError, write_script};
pub use tasks::*;
pub use tokens::{TOKEN_ESTIMATE, estimate_tokens};
pub use usage::{StageUsage, UsageBook};
pub use wait_for_all::wait_for_all;

// The crates below, by the names under which all modules know them.
pub(crate) use fcgen_core::{assets, locale, record, text};
#[cfg(test)]
pub(crate) use fcgen_tools::fixtures;
pub(crate) use fcgen_tools::{http, toolset};
