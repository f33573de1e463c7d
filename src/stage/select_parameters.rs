//! Lets a model choose the parameters that people would mention when they leave some out.

use super::facts::StageConfig;
use crate::config::{Count, Factor, Measure, count, measure};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model choose the parameters that people would mention when they leave some out.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectParametersConfig {
    /// Choices owed for each tool.
    #[serde(default = "count::<6>")]
    pub per_tool: Count,
    /// Share of extra candidates that may be drawn for each tool where candidates are rejected: 1 draws up to twice as many.
    #[serde(default = "measure::<100>")]
    pub spare: Measure,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
    /// Most parameters of one choice.
    #[serde(default = "count::<3>")]
    pub most: Count,
    /// How many accepted items the stage owes in all; `per_tool` of each tool where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub want: Option<Count>,
}

impl StageConfig for SelectParametersConfig {
    fn kind(&self) -> &'static str {
        "select_parameters"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Tool]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Selection
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
    fn a_choice_has_at_most_three_parameters() {
        let config: SelectParametersConfig = read_text("").unwrap();
        assert_eq!((config.per_tool.get(), config.most.get()), (6, 3));
        assert_eq!((config.input(), config.output()), (&[RecordKind::Tool][..], RecordKind::Selection));
    }

    #[test]
    fn nothing_is_no_choice() {
        assert!(read_text::<SelectParametersConfig>("most = 0").unwrap_err()[0].contains("from 1"));
    }
}
