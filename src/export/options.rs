//! What an export is to be.

use super::choice::{Mix, Weight};
use super::row::Reasoning;
use crate::export::pairing::pairs::Reader;
use crate::format::BenchError;
use crate::record::Paradigm;
use clap::{Args, ValueEnum};
use std::io;
use std::path::PathBuf;

/// Whose files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Dialect {
    /// TRL, axolotl and chat templates: messages and tools, arguments as objects
    #[default]
    Trl,
    /// TRL for Arrow: arguments and tools as strings, all keys on every message
    TrlArrow,
    /// OpenAI fine-tuning
    Openai,
    /// LLaMA-Factory (sharegpt formatting), with `dataset_info.json`
    Llamafactory,
    /// LLaMA-Factory (openai formatting), with all tags; same as `--to llamafactory --dialect openai`
    LlamafactoryOpenai,
    /// Hermes: calls in tags
    Hermes,
    /// xLAM: single requests
    Xlam,
    /// BFCL: questions and accepted answers
    Bfcl,
    /// Parquet columns, Arrow-safe
    Parquet,
    /// CSV table
    Csv,
}

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Objective {
    /// Correct answers
    #[default]
    Sft,
    /// Pairs of a correct and a wrong answer
    Dpo,
    /// Prompts whose replies can be rewarded automatically
    Rl,
}

/// What an export is to be: the flags of `fcgen export`, and what these do not say.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Output format
    #[arg(long, value_name = "DIALECT", default_value = "trl")]
    pub to: Dialect,
    /// Training objective
    #[arg(long, value_name = "WHAT", default_value = "sft")]
    pub objective: Objective,
    /// What is learned while required arguments are missing.
    #[arg(skip)]
    pub paradigm: Paradigm,
    /// Handling of captured reasoning
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    pub reasoning: Reasoning,
    /// Split into parts without shared tools, conversations or near duplicates: 0.9, or 0.8,0.1,0.1
    #[arg(long, value_name = "SHARE", value_delimiter = ',')]
    pub split: Vec<f64>,
    /// Weight of rows in the mix: `data_type:ST_Perfect=2`, `locale:ko=0.5`, `origin:verbatim=0.3`, `aim:refusal=1.5`
    #[arg(long = "weight", value_name = "KEY:NAME=TIMES")]
    pub weights: Vec<Weight>,
    /// Exclude rows with more than N tokens (rough estimate)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// Fraction of rows with renamed tools and parameters
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_value = "0", default_missing_value = "1")]
    pub rename: f64,
    /// Random seed of parts, mix, names and defects
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub seed: u64,
    /// Include rows that the built-in model generated from templates
    #[arg(long)]
    pub allow_template: bool,
    /// Rows to export: each request once with at most 15 questions and 15 refusals per 70 calls, or every row
    #[arg(long, value_name = "MIX", default_value = "default")]
    pub mix: Mix,
    /// Train earlier turns of a dialogue in every row that contains them; default: each turn is trained once
    #[arg(long)]
    pub train_history: bool,
    /// Keep duplicate examples
    #[arg(long)]
    pub keep_duplicates: bool,
    /// Restrict tool names to letters, digits, `_` and `-`; always on for OpenAI files
    #[arg(long)]
    pub safe_names: bool,
    /// With `--objective dpo`: predictions to take wrong answers from
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub predictions: Vec<PathBuf>,
    /// The rejects of the run, for pairs.
    #[arg(skip)]
    pub rejects: Option<PathBuf>,
    /// With `--objective dpo`: number of defects injected per correct answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub defects: u32,
    /// Export only this locale
    #[arg(long, value_name = "L")]
    pub locale: Option<String>,
}

/// Why nothing could be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The bench cannot be read.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A file cannot be written or read.
    #[error("failed to read or write files")]
    Io(#[from] io::Error),
    /// What models said cannot be read.
    #[error(transparent)]
    Predictions(#[from] crate::format::PredictionsError),
    /// The format has nothing for the objective.
    #[error("`{to}` does not support the objective `{objective}`")]
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
        assert_eq!(told(Dialect::Hermes, Objective::Dpo), "`hermes` does not support the objective `dpo`");
        assert_eq!(told(Dialect::Llamafactory, Objective::Rl), "`llamafactory` does not support the objective `rl`");
        assert!(Options { objective: Objective::Rl, ..Options::default() }.reader().is_ok());
    }
}
