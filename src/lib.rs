//! fcgen generates function-calling benchmarks and fine-tuning data from TOML pipelines.
//!
//! # How an item is processed
//!
//! A pipeline file becomes a plan, the plan becomes a graph of stages, and every source item (a tool, a category or a
//! row) passes through it.
//!
//! 1. [`config::load`] reads the file with its overrides. All errors are reported together, with their locations. The
//!    result is a [`config::Plan`]: models by role, stages in order. The plan is not validated again.
//! 2. [`run::run`] opens the inputs of the plan: a [`locale::Pack`] and its [`locale::Language`], a
//!    [`toolset::Toolset`], and one [`llm::Chat`] per role.
//! 3. A source stage yields source items as [`record::Item`]s. An item has an id that records its origin (parent,
//!    stage, ordinal), a [`record::Record`], and its provenance.
//! 4. A [`stage::Stage`] processes an item. It calls models only through its [`stage::Context`], with an
//!    [`llm::Request`]: a task and exactly the variables of one prompt. The reply comes from the reply cache, an
//!    endpoint, a recording, or the built-in [`model::Grammar`].
//! 5. Replies are untrusted text. [`llm::answer`] parses them; a reply that could not be parsed is retried, and then
//!    becomes a [`record::Reject`] with a reason.
//! 6. [`gate`] contains the validation stages, which accept or reject items. The generating stage replaces rejected
//!    items.
//! 7. An item that passes the last validation stage becomes a [`record::Sample`]: the messages, the listed tools, the
//!    expected answer. It is kept in `run.db` until all source items are done.
//! 8. At the end everything is written in order of ids: `samples.jsonl`, the suite's own layout by [`mod@format`],
//!    `rejects.jsonl`, and the [`run::Manifest`].
//!
//! The output depends only on ids and replies, not on the order of replies or the number of processes.
//!
//! # Use as a library
//!
//! ```
//! use fcgen::config::{Overrides, load};
//! use fcgen::llm::Interrupt;
//! use fcgen::run::{Options, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let assets = fcgen::assets();
//! let text = assets.read("pipelines/hammer.toml").ok_or("not bundled")?;
//! let overrides: Overrides = ["limit=1"].into_iter().collect();
//! let plan = load(assets, &text, "pipelines/hammer.toml", &overrides)?;
//! let folder = tempfile::tempdir()?;
//! let options = Options {
//!     out: folder.path().join("hammer-en"),
//!     shard: None,
//!     preview: None,
//!     concurrency: None,
//!     overwrite: false,
//!     rerun_rejects: false,
//!     follow: None,
//!     interrupt: Interrupt::new(),
//! };
//! let runtime = tokio::runtime::Runtime::new()?;
//! let summary = runtime.block_on(run(&plan, &options, |_live| {}))?;
//! assert!(summary.manifest.samples.values().sum::<usize>() > 0);
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod check;
pub mod config;
pub mod enrich;
pub mod export;
#[cfg(test)]
mod fixtures;
pub mod run;
mod shipped;

pub(crate) use fcgen_core::toml_text;
pub use fcgen_core::toml_text::from_toml;
pub use fcgen_core::{assets, fs, locale, python, record, text};
pub use fcgen_engine::{failure, gate, report, score, stage};
pub use fcgen_llm as llm;
pub use fcgen_model as model;
pub use fcgen_suites as suite;
pub(crate) use fcgen_suites::lint;
pub use fcgen_suites::{format, predict};
pub use fcgen_tools::{live, toolset, world};
pub use shipped::assets;
