//! What an export is to be.

use super::choice::{Mix, Weight};
use super::row::Reasoning;
use crate::export::pairing::pairs::Reader;
use crate::format::BenchError;
use crate::record::Paradigm;
use std::io;
use std::path::PathBuf;

/// Whose files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// TRL, axolotl, chat templates.
    #[default]
    Trl,
    /// The same, safe for Arrow.
    TrlArrow,
    /// OpenAI's service.
    Openai,
    /// LLaMA-Factory.
    Llamafactory,
    /// LLaMA-Factory's `formatting: openai`.
    LlamafactoryOpenai,
    /// Hermes.
    Hermes,
    /// xLAM.
    Xlam,
    /// BFCL.
    Bfcl,
    /// Parquet.
    Parquet,
    /// A table.
    Csv,
}

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// The right answer.
    #[default]
    Sft,
    /// The right answer before a wrong one.
    Dpo,
    /// Whatever is rewarded.
    Rl,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whose files.
    pub to: Dialect,
    /// What is trained.
    pub objective: Objective,
    /// What is learned while arguments are missing.
    pub paradigm: Paradigm,
    /// What becomes of thoughts.
    pub reasoning: Reasoning,
    /// Shares of the parts, the first of which is for training; empty where all is one.
    pub split: Vec<f64>,
    /// How often examples stand in the mix.
    pub weights: Vec<Weight>,
    /// The most tokens of an example.
    pub max_tokens: Option<usize>,
    /// The share of rows whose tools and parameters get other names.
    pub rename: f64,
    /// The seed of all that is left to chance.
    pub seed: u64,
    /// Whether rows of the built-in model are wanted.
    pub allow_template: bool,
    /// Which rows.
    pub mix: Mix,
    /// Whether earlier turns of a dialogue are learned in every row that shows them.
    pub train_history: bool,
    /// Whether an example may stand there twice.
    pub keep_duplicates: bool,
    /// Whether every name is made one that servers take.
    pub safe_names: bool,
    /// What models said, for pairs.
    pub predictions: Vec<PathBuf>,
    /// The rejects of the run, for pairs.
    pub rejects: Option<PathBuf>,
    /// How many committed faults make pairs, for each example.
    pub defects: u32,
    /// Only this locale.
    pub locale: Option<String>,
}

/// Why nothing could be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The bench cannot be read.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A file cannot be written or read.
    #[error("cannot write or read the files")]
    Io(#[from] io::Error),
    /// What models said cannot be read.
    #[error(transparent)]
    Predictions(#[from] crate::format::PredictionsError),
    /// The format has nothing for the objective.
    #[error("`{to}` has no files for `{objective}`")]
    Objective {
        /// The format.
        to: &'static str,
        /// The objective.
        objective: &'static str,
    },
}

impl Dialect {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trl => "trl",
            Self::TrlArrow => "trl-arrow",
            Self::Openai => "openai",
            Self::Llamafactory => "llamafactory",
            Self::LlamafactoryOpenai => "llamafactory-openai",
            Self::Hermes => "hermes",
            Self::Xlam => "xlam",
            Self::Bfcl => "bfcl",
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }

    /// Whether a row can say that a reply is read and not learned, or has no earlier replies that are learned.
    fn can_mask(self) -> bool {
        !matches!(self, Self::Llamafactory | Self::LlamafactoryOpenai | Self::Hermes)
    }
}

impl Objective {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sft => "sft",
            Self::Dpo => "dpo",
            Self::Rl => "rl",
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            to: Dialect::default(),
            objective: Objective::default(),
            paradigm: Paradigm::default(),
            reasoning: Reasoning::default(),
            split: Vec::new(),
            weights: Vec::new(),
            max_tokens: None,
            rename: 0.0,
            seed: 7,
            allow_template: false,
            mix: Mix::default(),
            train_history: false,
            keep_duplicates: false,
            safe_names: false,
            predictions: Vec::new(),
            rejects: None,
            defects: 1,
            locale: None,
        }
    }
}

impl Options {
    /// Names of the parts.
    pub(super) fn sides(&self) -> &'static [&'static str] {
        match self.split.len() {
            0 | 1 => &["train"],
            2 => &["train", "test"],
            _ => &["train", "validation", "test"],
        }
    }

    /// Whether earlier replies are marked as read and not learned.
    pub(super) fn masks_history(&self) -> bool {
        !self.train_history && self.to.can_mask()
    }

    /// Whether what the rows hold as history is trained.
    pub(super) fn trains_history(&self) -> bool {
        !self.to.can_mask()
    }

    /// Whether a conversation must be one row, so that each of its replies is trained once.
    pub(super) fn whole_conversations(&self) -> bool {
        self.trains_history() && !self.train_history && self.objective == Objective::Sft
    }

    /// Who reads pairs and prompts of this format.
    pub(super) fn reader(&self) -> Result<Reader, ExportError> {
        match (self.to, self.objective) {
            (Dialect::Trl, _) => Ok(Reader::Trl),
            (Dialect::Openai, _) => Ok(Reader::Openai),
            (Dialect::Llamafactory, Objective::Dpo) => Ok(Reader::Llamafactory),
            (to, objective) => Err(ExportError::Objective { to: to.as_str(), objective: objective.as_str() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_their_number() {
        let sides = |shares: &[f64]| Options { split: shares.to_vec(), ..Options::default() }.sides().len();
        assert_eq!((sides(&[]), sides(&[1.0]), sides(&[0.9, 0.1]), sides(&[0.8, 0.1, 0.1])), (1, 1, 2, 3));
    }

    #[test]
    fn a_format_without_pairs_says_so() {
        let told = |to, objective| Options { to, objective, ..Options::default() }.reader().unwrap_err().to_string();
        assert_eq!(told(Dialect::Hermes, Objective::Dpo), "`hermes` has no files for `dpo`");
        assert_eq!(told(Dialect::Llamafactory, Objective::Rl), "`llamafactory` has no files for `rl`");
        assert!(Options { objective: Objective::Rl, ..Options::default() }.reader().is_ok());
    }
}
