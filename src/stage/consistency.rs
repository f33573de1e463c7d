//! Keeps a query if a model that reads it with and without an example finds the same call.

use super::facts::StageConfig;
use crate::config::Share;
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query if a model that reads it with and without an example finds the same call.
///
/// The stage's `model` reads; the role `judge` compares values that differ.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyConfig {
    /// Least Rouge-L F1 between two values of one argument; the locale pack's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<Share>,
    /// What counts as agreement of two values.
    #[serde(default)]
    pub accept: Accept,
    /// Whether the second reading sees an example.
    #[serde(default = "yes")]
    pub one_shot: bool,
}

/// What counts as agreement of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    /// Enough Rouge-L, or else the judge's word.
    #[default]
    RougeOrJudge,
    /// Enough Rouge-L alone.
    Rouge,
    /// The judge's word alone.
    Judge,
    /// Enough Rouge-L and the judge's word.
    Both,
}

fn yes() -> bool {
    true
}

impl StageConfig for ConsistencyConfig {
    fn kind(&self) -> &'static str {
        "consistency"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Query]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Query
    }

    fn is_gate(&self) -> bool {
        true
    }

    fn conflicts(&self) -> Vec<(&'static str, String)> {
        if self.rouge_l.is_none() || self.accept != Accept::Judge {
            return Vec::new();
        }
        vec![("rouge_l", "`rouge_l` means nothing beside `accept = \"judge\"`".to_owned())]
    }

    fn role(&self) -> Option<&'static str> {
        Some("checker")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn either_agreement_will_do_by_default() {
        let config: ConsistencyConfig = read_text("").unwrap();
        assert_eq!((config.accept, config.one_shot, config.role()), (Accept::RougeOrJudge, true, Some("checker")));
        assert!(config.is_gate() && config.rouge_l.is_none());
        assert_eq!((config.input(), config.output()), (&[RecordKind::Query][..], RecordKind::Query));
    }

    #[test]
    fn a_threshold_that_nobody_looks_at_is_a_slip() {
        let conflicts = |text: &str| read_text::<ConsistencyConfig>(text).unwrap().conflicts().len();
        assert_eq!(conflicts("rouge_l = 0.5\naccept = \"judge\""), 1);
        assert_eq!(conflicts("rouge_l = 0.5\naccept = \"both\""), 0);
    }

    #[test]
    fn the_words_for_agreement_are_four() {
        for word in ["rouge_or_judge", "rouge", "judge", "both"] {
            assert!(read_text::<ConsistencyConfig>(&format!("accept = \"{word}\"")).is_ok(), "{word}");
        }
        let messages = read_text::<ConsistencyConfig>("accept = \"jugde\"").unwrap_err();
        assert_eq!(messages, ["unknown value `jugde` of `accept` in the test"]);
    }
}
