//! Passes samples on and adds to each its twin without the right tool, which a model must refuse.

use super::facts::StageConfig;
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Passes samples on and adds to each its twin without the right tool, which a model must refuse.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IrrelevantQueriesConfig {}

impl StageConfig for IrrelevantQueriesConfig {
    fn kind(&self) -> &'static str {
        "irrelevant_queries"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Sample]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn samples_go_in_and_twice_as_many_come_out() {
        let config: IrrelevantQueriesConfig = read_text("").unwrap();
        assert_eq!((config.input(), config.output()), (&[RecordKind::Sample][..], RecordKind::Sample));
        assert!(!config.is_gate() && config.role().is_none());
    }

    #[test]
    fn a_setting_is_refused() {
        assert!(read_text::<IrrelevantQueriesConfig>("share = 0.5").is_err());
    }
}
