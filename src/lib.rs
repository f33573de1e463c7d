//! fcgen makes function-calling benchmarks and fine-tuning data from TOML pipelines.
//!
//! # The walk of one item through the house
//!
//! A pipeline file becomes a plan, the plan becomes a graph of stages, and every root (a tool, a category, a row) walks
//! through it.
//!
//! 1. [`config::load`] reads the file with its overrides. Every fault comes back at once, each with its place, and what
//!    is left is a [`config::Plan`]: models by role, stages in order. Past this point nobody checks again.
//! 2. [`run::run`] opens what the plan needs: a [`locale::Pack`] and its [`locale::Language`], a [`toolset::Toolset`],
//!    and one [`llm::Chat`] for each role.
//! 3. A source stage yields roots as [`record::Item`]s. An item has an id that says where it grew (parent / stage /
//!    ordinal), a [`record::Record`], and its provenance.
//! 4. A [`stage::Stage`] works on an item. It reaches models only through its [`stage::Context`], with an
//!    [`llm::Request`]: a task and exactly the variables of one prompt. The reply is found in the journal, or comes from
//!    an endpoint, a recording, or the built-in [`model::Grammar`].
//! 5. The reply is text like any other. [`llm::answer`] reads it; what cannot be read is asked for again, and then
//!    becomes a [`record::Reject`] with a reason.
//! 6. [`gate`] holds the checks that keep or reject. Where they rejected some, the drawing stage draws more.
//! 7. What passes the last gate becomes a [`record::Sample`]: the words, the tools shown, the right answer. It waits in
//!    `run.db` until all roots are done.
//! 8. At the end everything is written in the order of ids: `samples.jsonl`, the suite's own layout by [`mod@format`],
//!    `rejects.jsonl`, and the [`run::Manifest`].
//!
//! Ids and answers alone decide what comes out: not the order in which answers came, not the number of processes.
//!
//! # From a program
//!
//! ```
//! use fcgen::config::{Overrides, load};
//! use fcgen::llm::Interrupt;
//! use fcgen::run::{Options, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let assets = fcgen::assets();
//! let text = assets.read("pipelines/hammer.toml").ok_or("not shipped")?;
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
