//! Any server that speaks OpenAI's chat completions, and embeddings.

mod body;
mod completion;
mod embedding;
mod endpoint;
mod error_text;
mod names;
mod secrets;
mod service;

pub(super) use endpoint::Endpoint;
