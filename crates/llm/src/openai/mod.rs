//! Any server that speaks OpenAI's chat completions, and embeddings, and its Batch API.

mod batch;
mod body;
mod completion;
mod endpoint;
mod error_text;
mod files;
mod secrets;
mod service;
mod strict;

pub(super) use batch::{Batch, Complaint, State, answer_of};
pub(super) use endpoint::Endpoint;
pub use error_text::{read_completion, read_refusal, read_vectors, read_wait};
pub(super) use files::COMPLETIONS;
#[cfg(any(test, feature = "fixtures"))]
pub use strict::is_strict;
