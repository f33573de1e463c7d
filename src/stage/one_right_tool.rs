//! Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
//!
//! Who decides is the model of the role `checker`, tool by tool, without knowing which one is expected.

use super::facts::StageConfig;
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneRightToolConfig {}

impl StageConfig for OneRightToolConfig {
    fn kind(&self) -> &'static str {
        "one_right_tool"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Sample]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Sample
    }

    fn is_gate(&self) -> bool {
        true
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
    fn it_is_a_gate_that_asks_the_checker() {
        let config: OneRightToolConfig = read_text("").unwrap();
        assert!(config.is_gate());
        assert_eq!((config.role(), config.output()), (Some("checker"), RecordKind::Sample));
        assert_eq!(config.input(), [RecordKind::Sample]);
    }

    #[test]
    fn a_setting_is_refused() {
        assert!(read_text::<OneRightToolConfig>("asks = 2").is_err());
    }
}
