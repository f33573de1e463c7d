//! Suites: a folder for each benchmark with its files, its scorer, its stages and its figures, and what they share: benchmarks
//! wherever they lie (`format`), putting samples to a model (`predict`), what rules of `check` see (`lint`), judges.

mod ask;
pub mod bfcl;
pub mod callnavi;
pub mod complexfunc;
pub mod confetti;
mod coverage;
pub mod format;
pub mod functionchat;
pub mod hammerbench;
pub mod lint;
mod metric;
pub mod predict;
mod question;
mod replies;
#[cfg(feature = "generate")]
pub mod stages;
#[cfg(all(feature = "generate", any(test, feature = "fixtures")))]
pub mod testing;
mod vectors;

// The crates below, by the names under which all modules know them.
pub(crate) use fcgen_core::{assets, fs, locale, python, record, text, toml_text};
#[cfg(any(test, feature = "fixtures"))]
pub(crate) use fcgen_engine::fixtures;
pub(crate) use fcgen_engine::{failure, gate, report, score};
#[cfg(feature = "generate")]
pub(crate) use fcgen_engine::{settings, stage};
pub(crate) use fcgen_llm as llm;
pub(crate) use fcgen_model as model;
pub(crate) use fcgen_tools::{toolset, world};

use crate::assets::Assets;
use crate::format::BenchError;
use crate::record::Verdict;
use serde::de::DeserializeOwned;

pub use ask::{AskError, Asked, Keep, ask, ask_each};
pub use coverage::Coverage;
pub use metric::{Judgement, Metric, MetricOptions, MetricScores, score as score_by, tables as metric_tables};
pub use question::{Pending, Question};
pub use replies::{Bare, Ledger, Recorded, Replies, append};
#[cfg(feature = "generate")]
pub use stages::STAGES;
pub use vectors::{VectorError, verdicts};

/// Makes a metric.
pub type NewMetric = fn() -> Box<dyn Metric>;

/// The suites with one metric, as `fcgen score` looks them up. Samples of other names are scored with the reward rules.
pub static METRICS: &[NewMetric] = &[];

/// What becomes of an item without a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// It is wrong.
    #[default]
    Fail,
    /// It is left out, and counted.
    Skip,
}

/// Why nothing can be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The benchmark cannot be read.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The words of the authors' evaluator cannot be read.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A locale's words cannot be read.
    #[error(transparent)]
    Rules(#[from] hammerbench::RulesError),
    /// What is known of ComplexFuncBench's APIs cannot be read.
    #[error(transparent)]
    Settings(#[from] complexfunc::SettingsError),
    /// A verdict could not be written.
    #[error("cannot write the verdicts: {0}")]
    Write(#[from] std::io::Error),
}

/// Why a profile that ships with fcgen cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// There is no such file.
    #[error("`{path}` is missing")]
    Missing {
        /// The file.
        path: &'static str,
    },
    /// It does not hold what it should.
    #[error("in `{path}`: {source}")]
    Format {
        /// The file.
        path: &'static str,
        /// What is wrong, with its place.
        #[source]
        source: Box<toml::de::Error>,
    },
}

/// A profile that ships with fcgen.
fn shipped<T: DeserializeOwned>(assets: &Assets, path: &'static str) -> Result<T, ProfileError> {
    let text = assets.read(path).ok_or(ProfileError::Missing { path })?;
    crate::toml_text::from_toml(&text).map_err(|source| ProfileError::Format { path, source: Box::new(source) })
}

/// Where verdicts go. It is handed what makes one, so that none is made where nobody reads them; it may fail.
pub type VerdictSink<'s> = &'s mut dyn FnMut(&dyn Fn() -> Verdict) -> std::io::Result<()>;
