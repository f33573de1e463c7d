//! Keeps a query if enough of its letters are of the locale's script.

use super::context::Context;
use super::facts::StageConfig;
use super::outcome::Outcome;
use crate::config::Share;
use crate::gate::check_script;
use crate::record::RecordKind;
use crate::record::{Item, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query if enough of its letters are of the locale's script.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptConfig {
    /// Least share of letters of the locale's script; the locale pack's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<Share>,
}

impl StageConfig for ScriptConfig {
    fn kind(&self) -> &'static str {
        "script"
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

impl ScriptConfig {
    /// Keeps a query in the locale's script.
    pub(super) fn each(&self, context: &Context, item: Item) -> Outcome {
        let Record::Query(query) = &item.record else { return Outcome::keep(item) };
        let least = self.least.map(crate::config::Share::get);
        let texts = [Some(query.text.as_str()), query.external.as_deref()];
        let fault =
            texts.into_iter().flatten().find_map(|text| check_script(text, &context.shared.language, least).err());
        match fault {
            Some(fault) => Outcome::reject(&item.id, &context.stage, fault, query.said()),
            None => Outcome::keep(item),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn the_share_is_the_packs_unless_the_file_has_one() {
        let config: ScriptConfig = read_text("").unwrap();
        assert!(config.least.is_none() && config.is_gate());
        assert_eq!(config.output(), RecordKind::Query);
        assert!(read_text::<ScriptConfig>("least = 0.9").unwrap().least.is_some());
    }

    #[test]
    fn a_share_is_at_most_one() {
        assert!(read_text::<ScriptConfig>("least = 90").unwrap_err()[0].contains("from 0 to 1"));
    }
}
