//! The real binary, as people meet it: what it prints, how it ends, what it leaves behind.

mod batches;
pub(crate) mod bench;
mod callnavi;
mod check;
mod complexfunc;
mod endpoint;
mod faults;
mod functionchat;
#[cfg(unix)]
mod interrupts;
mod keys;
mod leaks;
mod locale;
mod localize;
mod prompts;
mod reach;
mod scoring;
mod scoring_callnavi;
mod scoring_complexfunc;
mod scoring_confetti;
mod scoring_functionchat;
mod screens;
pub(crate) mod server;
mod standing;
mod tls;
mod toolset_enrich;
mod toolset_import;
mod variants;
mod whole;
