//! Keeps a query if its call names exactly the parameters that it was to mention, with values that stand in the text.
//!
//! It asks no model: `consistency` does that.

use super::facts::StageConfig;
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query if its call names exactly the parameters that it was to mention, with values that stand in the text.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParametersConfig {}

impl StageConfig for ParametersConfig {
    fn kind(&self) -> &'static str {
        "parameters"
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn it_is_a_gate_without_settings() {
        let config: ParametersConfig = read_text("").unwrap();
        assert!(config.is_gate() && config.role().is_none());
        assert_eq!((config.input(), config.output()), (&[RecordKind::Query][..], RecordKind::Query));
    }

    #[test]
    fn a_setting_is_refused() {
        assert_eq!(read_text::<ParametersConfig>("strict = true").unwrap_err(), ["unknown key `strict` in the test"]);
    }
}
