//! Flags of `score` for FunctionChat-Bench.

use crate::cli::exit::{Complaint, INPUT};
use clap::{Args, ValueEnum};
use fcgen::score::functionchat::strict::Same;
use fcgen::suite::functionchat::{Review, ReviewError, Scope};
use std::path::{Path, PathBuf};

/// Flags of FunctionChat-Bench.
#[derive(Debug, Args)]
pub(crate) struct ChatArguments {
    /// Which turns the judge is asked about
    #[arg(help_heading = "FunctionChat-Bench", long = "judge", value_name = "WHICH", default_value = "undecided")]
    judge_scope: ScopeFlag,
    /// How often the judge is asked about each; most votes win
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=99))]
    votes: u32,
    /// Write a sheet (TSV) on which people say pass or fail beside each verdict
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "FILE")]
    review_sheet: Option<PathBuf>,
    /// A sheet that people filled in; false passes and fails are counted, and the score is adjusted
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "FILE")]
    review: Option<PathBuf>,
    /// Write all totals as one JSON object, shaped as the authors' score file
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "FILE")]
    totals: Option<PathBuf>,
    /// Take wide letters and digits for the narrow ones
    #[arg(help_heading = "FunctionChat-Bench", long)]
    nfkc: bool,
    /// Take no text at all for a call without arguments
    #[arg(help_heading = "FunctionChat-Bench", long)]
    empty_arguments: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScopeFlag {
    /// All of them, as in the paper; the judge's word counts
    All,
    /// Those that the rule leaves open
    Undecided,
}

impl ChatArguments {
    pub(super) fn scope(&self) -> Scope {
        match self.judge_scope {
            ScopeFlag::All => Scope::All,
            ScopeFlag::Undecided => Scope::Undecided,
        }
    }

    pub(super) fn votes(&self) -> u32 {
        self.votes
    }

    pub(super) fn same(&self) -> Same {
        Same { folds_width: self.nfkc }
    }

    pub(super) fn takes_empty(&self) -> bool {
        self.empty_arguments
    }

    /// The sheet that is to be written.
    pub(super) fn sheet(&self) -> Option<&Path> {
        self.review_sheet.as_deref()
    }

    /// What people said.
    pub(super) fn review(&self) -> Result<Review, Complaint> {
        Ok(self.review.as_deref().map(Review::read).transpose()?.unwrap_or_default())
    }

    /// The file of totals that is to be written.
    pub(super) fn totals(&self) -> Option<&Path> {
        self.totals.as_deref()
    }
}

impl From<ReviewError> for Complaint {
    fn from(error: ReviewError) -> Self {
        Self::new(INPUT, error.to_string())
    }
}
