//! Puts the tools of a toolkit in one form: names in three parts, types of JSON, no tool twice.
//!
//! It asks no model and invents no text.

use super::facts::StageConfig;
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Puts the tools of a toolkit in one form: names in three parts, types of JSON, no tool twice.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormaliseConfig {
    /// First part of the name of a tool whose category has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

impl StageConfig for NormaliseConfig {
    fn kind(&self) -> &'static str {
        "normalise"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Tool]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn tools_go_in_and_tools_come_out() {
        let config: NormaliseConfig = read_text("domain = \"Home\"").unwrap();
        assert_eq!((config.input(), config.output()), (&[RecordKind::Tool][..], RecordKind::Tool));
        assert!(!config.is_gate());
    }

    #[test]
    fn a_domain_is_a_word() {
        let messages = read_text::<NormaliseConfig>("domain = 3").unwrap_err();
        assert_eq!(messages, ["`domain` in the test: expected a string, found the number `3`"]);
    }
}
