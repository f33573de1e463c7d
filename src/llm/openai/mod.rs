//! Any server that speaks OpenAI's chat completions.

mod body;
mod completion;
mod endpoint;
mod error_text;
mod names;
mod secrets;
mod service;

pub(super) use endpoint::Endpoint;
