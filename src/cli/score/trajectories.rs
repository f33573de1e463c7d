//! Flags of `score` for trajectories that are gone through once more.

use super::embedder::Embedder;
use crate::cli::exit::{Complaint, INPUT};
use crate::cli::mapping::MappingArguments;
use clap::{Args, ValueEnum};
use fcgen::llm::ModelConfig;
use fcgen::score::complexfunc::{Settings, Similarity, Strict};
use fcgen::suite::complexfunc::{Answers, JudgeRule, SettingsError, own_settings, read_settings, settings_of};
use std::path::{Path, PathBuf};

/// Where vectors are kept unless somebody says otherwise.
const KEPT: &str = "embeddings.db";

/// Flags of ComplexFuncBench.
#[derive(Debug, Args)]
pub(crate) struct TrajectoryArguments {
    #[command(flatten)]
    mapping: MappingArguments,
    /// Where vectors are kept, so that the same command needs no server (embeddings.db where absent)
    #[arg(help_heading = "Matching by vectors", long, value_name = "FILE", requires = "embedding_model")]
    embeddings: Option<PathBuf>,
    /// What is known of its APIs, such as lookups; toolset.json beside the benchmark where absent
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Recorded answers of its APIs, and judgements of calls
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    api: Option<PathBuf>,
    /// Most turns with calls, by our own rules
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "N", default_value = "30", value_parser = clap::value_parser!(u16).range(1..))]
    max_turns: u16,
    /// What our own rules do after a turn of wrong values alone
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "WHAT", default_value = "go-on")]
    on_all_wrong: AllWrongFlag,
    /// Tell in the verdicts what happened in each turn
    #[arg(help_heading = "ComplexFuncBench", long)]
    trace: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AllWrongFlag {
    /// The model may correct itself
    GoOn,
    /// The sample ends, as it does for the authors
    End,
}

impl TrajectoryArguments {
    pub(super) fn similarity(&self) -> Similarity {
        self.mapping.similarity()
    }

    /// The model that makes vectors, where they are wanted.
    pub(super) fn embedder(&self) -> anyhow::Result<Option<Embedder>> {
        let model = self.mapping.model(&ModelConfig::default())?;
        model.map(|model| Embedder::open(&model, self.kept())).transpose()
    }

    /// The same for the option `wanted`, which cannot do without.
    pub(super) fn embedder_for(&self, wanted: &str) -> anyhow::Result<Embedder> {
        Embedder::open(&self.mapping.named(wanted, &ModelConfig::default())?, self.kept())
    }

    fn kept(&self) -> &Path {
        self.embeddings.as_deref().unwrap_or_else(|| Path::new(KEPT))
    }

    pub(super) fn strict(&self) -> Strict {
        let ends_when_all_wrong = self.on_all_wrong == AllWrongFlag::End;
        Strict { max_turns: usize::from(self.max_turns), ends_when_all_wrong }
    }

    pub(super) fn traces(&self) -> bool {
        self.trace
    }

    /// What is known of the APIs of a benchmark in this folder.
    pub(super) fn settings(&self, folder: &Path) -> anyhow::Result<Settings> {
        let settings = self.settings.as_deref().map_or_else(|| settings_of(fcgen::assets(), folder), read_settings);
        Ok(settings.map_err(Complaint::from)?)
    }

    /// A rule that stands in for a judge, where the settings have one.
    pub(super) fn judge(&self, folder: &Path) -> Option<JudgeRule> {
        let path = self.settings.clone().or_else(|| own_settings(folder))?;
        JudgeRule::beside(&path)
    }

    /// What was recorded.
    pub(super) fn answers(&self) -> anyhow::Result<Answers> {
        let read = |path: &PathBuf| Answers::read(path).map_err(|error| Complaint::new(INPUT, error.to_string()));
        Ok(self.api.as_ref().map(read).transpose()?.unwrap_or_default())
    }
}

impl From<SettingsError> for Complaint {
    fn from(error: SettingsError) -> Self {
        Self::new(INPUT, error.to_string())
    }
}
