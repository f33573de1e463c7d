//! What flows between stages: an item with an id, a record and its provenance.

use super::call::{ArgumentNotes, FunctionCall};
use super::provenance::Provenance;
use super::request::complex_query::ComplexQuery;
use super::request::conversation::Conversation;
use super::request::dialogue::Dialogue;
use super::request::question::{Catalogue, Question};
use super::request::scenario::Scenario;
use super::request::user_turn::UserTurn;
use super::sample::{DataType, Sample};
use super::tool::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A stable name of an item: parent id / stage name / ordinal. Free of locale and of what was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ItemId(String);

/// Something on its way through the pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: ItemId,
    /// The tool, scenario or row that it grew from; ordered scans and shards go by root.
    pub root: ItemId,
    /// What it is.
    pub record: Record,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// The kinds of record that stages hand to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A tool.
    Tool,
    /// A tool and the parameters chosen for a query.
    Selection,
    /// A query with its gold call.
    Query,
    /// A scored item.
    Sample,
    /// A conversation.
    Dialogue,
    /// A domain with its APIs.
    Catalogue,
    /// A question that wants calls in order.
    Question,
    /// A request that wants calls in steps.
    ComplexQuery,
    /// What a conversation is to be about.
    Scenario,
    /// A conversation between a person and an agent that calls.
    Conversation,
    /// A row of the general `generate` stage.
    Row,
}

impl RecordKind {
    /// The word by which records are counted.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Selection => "selection",
            Self::Query => "query",
            Self::Sample => "sample",
            Self::Dialogue => "dialogue",
            Self::Catalogue => "catalogue",
            Self::Question => "question",
            Self::ComplexQuery => "complexquery",
            Self::Scenario => "scenario",
            Self::Conversation => "conversation",
            Self::Row => "row",
        }
    }
}

/// A record, typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// A tool.
    Tool(Arc<Tool>),
    /// A tool and the parameters chosen for a query.
    Selection(Selection),
    /// A query with its gold call.
    Query(Box<Query>),
    /// A scored item.
    Sample(Box<Sample>),
    /// A conversation.
    Dialogue(Box<Dialogue>),
    /// A domain with its APIs.
    Catalogue(Arc<Catalogue>),
    /// A question that wants calls in order.
    Question(Box<Question>),
    /// A request that wants calls in steps.
    ComplexQuery(Box<ComplexQuery>),
    /// What a conversation is to be about.
    Scenario(Box<Scenario>),
    /// A conversation between a person and an agent that calls.
    Conversation(Box<Conversation>),
    /// A row of the general stage.
    Row(Row),
}

/// The parameters that a query is to mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Names of the chosen parameters, in declared order.
    pub parameters: Vec<String>,
    /// Where a bank chose them: how many choices are owed for the tool, and the most parameters of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dealt: Option<(usize, usize)>,
}

/// What a person says, with the call that it asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Which of a suite's data types it is.
    pub data_type: DataType,
    /// The tool that serves it.
    pub tool: Arc<Tool>,
    /// The words.
    pub text: String,
    /// External information that stands before the words (HammerBench's `EK:` text).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// The parameter whose value the external text says in the words' place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// The gold call.
    pub call: FunctionCall,
    /// The parameters that it was to mention.
    pub preset: Vec<String>,
    /// Surface form and origin of each argument.
    pub notes: ArgumentNotes,
    /// Id of the query that this one is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ItemId>,
}

/// A row of the general stage: whatever the prompt's schema asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The fields.
    pub fields: super::value::Object,
}

/// A rejected item, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reject {
    /// Id of the item.
    pub id: ItemId,
    /// Stage that rejected it.
    pub stage: String,
    /// Reason code, counted in the manifest: `missing_parameter`, `unparsable`, `transport` ...
    pub reason: String,
    /// Details, for people.
    pub detail: String,
    /// The text concerned: the query, or the reply that could not be parsed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The rejected call and the correct call for the same text, if the filter can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mended: Option<Box<Mended>>,
}

/// A rejected call and its correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mended {
    /// Data type of the draw.
    pub data_type: DataType,
    /// The rejected call.
    pub said: FunctionCall,
    /// The correct call.
    pub right: FunctionCall,
}

impl ItemId {
    /// A root's id.
    pub fn root(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The id of this item's `ordinal`-th child in `stage`.
    #[must_use]
    pub fn child(&self, stage: &str, ordinal: usize) -> Self {
        Self(format!("{}/{stage}/{ordinal}", self.0))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key that sorts ids with their ordinals as numbers: `a/b/10` after `a/b/9`. No two ids have one key.
    pub fn sort_key(&self) -> String {
        self.0.split('/').map(sort_part).collect::<Vec<_>>().join("/")
    }
}

/// An ordinal with zeros before it; `07` and `+7` are words that only look like one, and stay as they are.
fn sort_part(part: &str) -> String {
    let ordinal = part.parse::<u64>().ok().filter(|ordinal| ordinal.to_string() == part);
    ordinal.map_or_else(|| part.to_owned(), |ordinal| format!("{ordinal:020}"))
}

impl fmt::Display for ItemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Query {
    /// Everything that is said, in the form of HammerBench: external text before the words where there is some.
    pub fn said(&self) -> String {
        UserTurn { words: &self.text, external: self.external.as_deref() }.opening()
    }
}

impl Record {
    /// What the person says, where the record is a request of one turn.
    pub fn said(&self) -> Option<String> {
        match self {
            Self::Query(query) => Some(query.said()),
            Self::Question(question) => Some(question.text.clone()),
            Self::ComplexQuery(query) => Some(query.text.clone()),
            _ => None,
        }
    }

    /// The record's kind.
    pub fn kind(&self) -> RecordKind {
        match self {
            Self::Tool(_) => RecordKind::Tool,
            Self::Selection(_) => RecordKind::Selection,
            Self::Query(_) => RecordKind::Query,
            Self::Sample(_) => RecordKind::Sample,
            Self::Dialogue(_) => RecordKind::Dialogue,
            Self::Catalogue(_) => RecordKind::Catalogue,
            Self::Question(_) => RecordKind::Question,
            Self::ComplexQuery(_) => RecordKind::ComplexQuery,
            Self::Scenario(_) => RecordKind::Scenario,
            Self::Conversation(_) => RecordKind::Conversation,
            Self::Row(_) => RecordKind::Row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::record::{Message, Turn};
    use proptest::prelude::*;

    /// Ids as stages make them, and some whose parts only look like ordinals.
    fn any_id() -> impl Strategy<Value = ItemId> {
        let part = "[a-c]{1,2}|[0-9]{1,2}|0[0-9]{1,2}|\\+[0-9]";
        prop::collection::vec(part, 1..4).prop_map(|parts| ItemId::root(parts.join("/")))
    }

    #[test]
    fn the_words_by_which_records_are_counted_are_frozen() {
        use RecordKind::{
            Catalogue, ComplexQuery, Conversation, Dialogue, Query, Question, Row, Sample, Scenario, Selection, Tool,
        };
        let kinds =
            [Tool, Selection, Query, Sample, Dialogue, Catalogue, Question, ComplexQuery, Scenario, Conversation, Row];
        let words = kinds.map(RecordKind::word).join(" ");
        let frozen = "tool selection query sample dialogue catalogue question complexquery scenario conversation row";
        assert_eq!(words, frozen);
    }

    proptest! {
        #[test]
        fn siblings_stand_in_the_order_of_their_ordinals(parent in any_id(), one in any::<usize>(), other in any::<usize>()) {
            let key = |ordinal| parent.child("ask", ordinal).sort_key();
            prop_assert_eq!(key(one).cmp(&key(other)), one.cmp(&other));
        }

        #[test]
        fn no_two_ids_share_a_sort_key(one in any_id(), other in any_id()) {
            prop_assert_eq!(one.sort_key() == other.sort_key(), one == other);
        }
    }

    #[test]
    fn an_item_stands_before_what_grew_from_it() {
        let (parent, child) = (ItemId::root("a/ask/9"), ItemId::root("a/ask/9").child("tell", 0));
        assert_eq!(child.to_string(), "a/ask/9/tell/0");
        assert!(parent.sort_key() < child.sort_key());
        assert!(child.sort_key() < ItemId::root("a/ask/10").sort_key());
    }

    #[test]
    fn an_id_is_written_as_its_bare_text() {
        let id = ItemId::root("알람/ask/3");
        let text = serde_json::to_string(&id).unwrap();
        assert_eq!((text.as_str(), serde_json::from_str::<ItemId>(&text).unwrap()), ("\"알람/ask/3\"", id));
    }

    fn query(external: Option<&str>) -> Query {
        let mut query = serde_json::json!({
            "data_type": "ST_Perfect", "tool": {"name": "A.B.play"}, "text": "play it",
            "call": {"name": "A.B.play", "arguments": {}}, "preset": [], "notes": {},
        });
        query["external"] = external.into();
        serde_json::from_value(query).unwrap()
    }

    #[test]
    fn what_stands_elsewhere_comes_before_the_words() {
        assert_eq!(query(None).said(), "play it");
        assert_eq!(query(Some("Song: Blue")).said(), "EK:Song: Blue\nquery:play it");
    }

    #[test]
    fn a_query_says_what_the_first_turn_of_its_dialogue_says() {
        for external in [None, Some("Song: Blue")] {
            let query = query(external);
            let turn = Turn { text: query.text.clone(), external: query.external.clone(), ..Turn::default() };
            assert_eq!(Message::user(turn.said()), Message::user(query.said()));
        }
    }

    #[test]
    fn every_record_is_of_the_kind_that_bears_its_name() {
        let tool = Arc::new(Tool::default());
        let records = [
            Record::Tool(tool.clone()),
            Record::Selection(Selection { tool, parameters: Vec::new(), dealt: None }),
            Record::Query(Box::new(query(None))),
            Record::Row(Row { fields: indexmap::IndexMap::new() }),
        ];
        for record in records {
            let json = serde_json::to_value(&record).unwrap();
            let name = json.as_object().unwrap().keys().next().unwrap().to_lowercase();
            assert_eq!(serde_json::to_value(record.kind()).unwrap(), name);
            assert_eq!(serde_json::from_value::<Record>(json).unwrap(), record);
        }
    }

    #[test]
    fn a_reject_without_words_is_written_without_them_and_read_again() {
        let line = r#"{"id":"a/1","stage":"ask","reason":"unparsable","detail":"no call"}"#;
        let reject: Reject = serde_json::from_str(line).unwrap();
        assert_eq!((reject.text.as_str(), serde_json::to_string(&reject).unwrap().as_str()), ("", line));
    }
}
