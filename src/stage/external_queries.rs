//! Passes queries on and adds variants of them whose values stand in a message beside the words.

use super::facts::StageConfig;
use crate::config::{Count, Factor, Measure, count, measure};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Passes queries on and adds variants of them whose values stand in a message beside the words.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExternalQueriesConfig {
    /// Variants owed for each tool.
    #[serde(default = "count::<4>")]
    pub per_tool: Count,
    /// Share of extra candidates that may be drawn for each tool where candidates are rejected: 1 draws up to twice as many.
    #[serde(default = "measure::<100>")]
    pub spare: Measure,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
    /// How many accepted items the stage owes in all; `per_tool` of each tool where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub want: Option<Count>,
}

impl StageConfig for ExternalQueriesConfig {
    fn kind(&self) -> &'static str {
        "external_queries"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Query]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Query
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn queries_go_in_and_more_queries_come_out() {
        let config: ExternalQueriesConfig = read_text("").unwrap();
        assert_eq!((config.input(), config.output()), (&[RecordKind::Query][..], RecordKind::Query));
        assert_eq!((config.per_tool.get(), config.is_gate()), (4, false));
    }

    #[test]
    fn seeds_are_for_those_who_write_from_nothing() {
        assert!(read_text::<ExternalQueriesConfig>("seeds = \"a.csv\"").is_err());
    }
}
