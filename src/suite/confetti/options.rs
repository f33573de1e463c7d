//! How is scored, and how reports say so.

use crate::score::confetti::{Combine, StringScore};
use crate::suite::bfcl::{Missing, Profile};

/// How is scored.
#[derive(Debug, Clone)]
pub struct Options {
    /// By which rules calls are checked.
    pub profile: Profile,
    /// How strings are scored.
    pub string_score: StringScore,
    /// How the scores of a call's strings become one.
    pub combine: Combine,
    /// What becomes of items without a prediction.
    pub missing: Missing,
    /// Whether a judge looks for arguments that were made up.
    pub validity: bool,
    /// Whether the classifier of dialog acts is measured by what the agents of the data said.
    pub classifies_gold: bool,
}

/// The rule behind figures, in the words of reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// By which rules calls were checked.
    pub profile: Profile,
    /// How strings were scored.
    pub string_score: String,
    /// How the scores of a call's strings became one.
    pub combine: &'static str,
    /// What became of items without a prediction.
    pub missing: &'static str,
}

impl Options {
    /// The rule of these options.
    pub fn rule(&self) -> Rule {
        Rule {
            profile: self.profile,
            string_score: self.string_score.name(),
            combine: match self.combine {
                Combine::Product => "product",
                Combine::Mean => "mean",
            },
            missing: match self.missing {
                Missing::Fail => "fail",
                Missing::Skip => "skip",
            },
        }
    }
}

impl Rule {
    /// What stands above a report.
    pub fn notes(&self) -> Vec<(&'static str, String)> {
        let missing = match self.missing {
            "fail" => "fail: what has no prediction is worth nothing",
            _ => "skip: what has no prediction is left out; in a chain that has one it is worth nothing",
        };
        vec![
            ("calls", self.profile.version()),
            ("chains", format!("confetti, version 1: product over calls; {} over strings", self.combine)),
            ("string_score", self.string_score.clone()),
            ("combine", self.combine.to_owned()),
            ("missing", missing.to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::options;
    use super::*;

    #[test]
    fn a_rule_names_everything_that_changes_figures() {
        let mean = Options { combine: Combine::Mean, missing: Missing::Skip, ..options(Profile::Upstream) };
        for (options, told) in [
            (options(Profile::Strict), ["bfcl strict, version 1", "product over strings", "product", "fail: "]),
            (mean, ["bfcl upstream", "mean over strings", "mean", "skip: "]),
        ] {
            let notes: Vec<String> =
                options.rule().notes().into_iter().map(|(name, text)| format!("{name}={text}")).collect();
            let notes = notes.join("\n");
            assert!(told.iter().all(|text| notes.contains(text)), "{notes}");
            assert!(notes.contains("string_score=guarded_token_f1"));
        }
    }
}
