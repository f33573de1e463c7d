//! Keeps a query or a question if enough of its letters are of the locale's script.

use crate::gate::check_script;
use crate::record::RecordKind;
use crate::record::{Item, Record};
use crate::settings::Share;
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::Outcome;
use crate::stage::work::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query or a question if enough of its letters are in the locale's script.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptConfig {
    /// Minimum share of letters in the locale's script. Default: set by the locale pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<Share>,
}

impl Stage for ScriptConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("script", &[RecordKind::Query, RecordKind::Question])
    }

    /// Keeps a query in the locale's script.
    fn apply(&self, context: &Context, item: Item) -> Outcome {
        let texts = match &item.record {
            Record::Query(query) => [Some(query.text.as_str()), query.external.as_deref()],
            Record::Question(question) => [Some(question.text.as_str()), None],
            _ => return Outcome::keep(item),
        };
        let least = self.least.map(crate::settings::Share::get);
        let fault = texts.into_iter().flatten().find_map(|text| check_script(text, context.language(), least).err());
        match fault {
            Some(fault) => context.reject(&item.id, fault, item.record.said().unwrap_or_default()),
            None => Outcome::keep(item),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{query, query_item, silent, tool_item, train};

    #[test]
    fn the_share_is_the_packs_unless_the_file_has_one() {
        let config: ScriptConfig = read_text("").unwrap();
        assert!(config.least.is_none());
        assert!(read_text::<ScriptConfig>("least = 0.9").unwrap().least.is_some());
    }

    #[test]
    fn a_share_is_at_most_one() {
        assert!(read_text::<ScriptConfig>("least = 90").unwrap_err()[0].contains("from 0 to 1"));
    }

    fn reason(settings: &str, text: &str, external: Option<&str>) -> Option<String> {
        let mut query = query(text, "{}");
        query.external = external.map(str::to_owned);
        let mut outcome = read_text::<ScriptConfig>(settings).unwrap().apply(&silent(), query_item(query));
        outcome.rejected.pop().map(|reject| reject.reason)
    }

    #[test]
    fn words_and_message_are_both_looked_at() {
        assert_eq!(reason("", "book a train", None), None);
        assert_eq!(reason("", "기차를 예매해 줘", None).as_deref(), Some("wrong_script"));
        assert_eq!(reason("", "book a train", Some("내일 아침 일찍 출발합니다")).as_deref(), Some("wrong_script"));
        assert_eq!(reason("", "book a train", Some("We leave at six.")), None);
    }

    #[test]
    fn the_share_is_a_setting() {
        let mixed = "book the 기차역 train";
        assert_eq!(reason("least = 0.5", mixed, None), None);
        assert_eq!(reason("least = 0.99", mixed, None).as_deref(), Some("wrong_script"));
    }

    #[test]
    fn what_is_no_query_passes() {
        let item = tool_item(train());
        assert_eq!(read_text::<ScriptConfig>("").unwrap().apply(&silent(), item.clone()), Outcome::keep(item));
    }
}
