//! The structure of a domain, as `resources/<domain>.toml` writes it: the same in every locale.

use indexmap::IndexMap;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// One resource.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResourceText {
    pub(super) id: String,
    #[serde(default = "rows")]
    pub(super) rows: usize,
    #[serde(default)]
    pub(super) fields: IndexMap<String, FieldText>,
    #[serde(default)]
    pub(super) tools: IndexMap<String, ApiText>,
}

/// One API: exactly one of the operations, and what it takes besides.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ApiText {
    pub(super) get: Option<Vec<String>>,
    pub(super) find: Option<Vec<String>>,
    pub(super) latest: Option<Vec<String>>,
    pub(super) list: Option<Vec<String>>,
    pub(super) update: Option<Vec<String>>,
    pub(super) create: Option<Vec<String>>,
    pub(super) delete: Option<bool>,
    pub(super) set: Option<IndexMap<String, toml::Value>>,
    pub(super) answer: Option<IndexMap<String, FieldText>>,
    pub(super) with: IndexMap<String, FieldText>,
    pub(super) optional: IndexMap<String, FieldText>,
}

/// A matter that people come with: what they want of it, as a file writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatterText {
    pub(super) calls: Vec<String>,
    #[serde(default)]
    pub(super) given: IndexMap<String, toml::Value>,
}

/// What a field or a parameter holds: a kind by its name, a list of values, or a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FieldText {
    pub(super) kind: Option<String>,
    pub(super) type_name: Option<String>,
    pub(super) of: Option<String>,
    pub(super) values: Option<Vec<String>>,
    pub(super) from: Vec<String>,
    pub(super) open: bool,
    pub(super) after: Option<String>,
    pub(super) days: Option<[i64; 2]>,
    pub(super) follows: Vec<String>,
    pub(super) over: Vec<String>,
    pub(super) by: Option<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldTable {
    kind: Option<String>,
    #[serde(rename = "type")]
    type_name: Option<String>,
    of: Option<String>,
    #[serde(rename = "enum")]
    values: Option<Vec<String>>,
    #[serde(default)]
    from: Vec<String>,
    #[serde(default)]
    open: bool,
    after: Option<String>,
    days: Option<[i64; 2]>,
    #[serde(default)]
    follows: Vec<String>,
    #[serde(default)]
    over: Vec<String>,
    by: Option<[f64; 2]>,
}

impl<'de> Deserialize<'de> for FieldText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Form)
    }
}

/// Tells the three forms apart without buffering, so that faults keep their places.
struct Form;

impl<'de> Visitor<'de> for Form {
    type Value = FieldText;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("a value kind, a list of values, or a table such as { kind = \"amount\", type = \"number\" }")
    }

    fn visit_str<E: Error>(self, kind: &str) -> Result<FieldText, E> {
        Ok(FieldText { kind: Some(kind.to_owned()), ..FieldText::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FieldText, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(FieldText { values: Some(values), ..FieldText::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FieldText, A::Error> {
        let table = FieldTable::deserialize(MapAccessDeserializer::new(map))?;
        let FieldTable { kind, type_name, of, values, from, open, after, days, follows, over, by } = table;
        Ok(FieldText { kind, type_name, of, values, from, open, after, days, follows, over, by })
    }
}

fn rows() -> usize {
    24
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str) -> Result<FieldText, String> {
        let table: Result<IndexMap<String, FieldText>, _> = toml::from_str(&format!("x = {text}"));
        table.map(|mut table| table.swap_remove("x").unwrap()).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_field_is_a_kind_a_list_or_a_table() {
        assert_eq!(field("\"phone\"").unwrap(), FieldText { kind: Some("phone".to_owned()), ..FieldText::default() });
        let listed = FieldText { values: Some(vec!["a".to_owned(), "b".to_owned()]), ..FieldText::default() };
        assert_eq!(field("[\"a\", \"b\"]").unwrap(), listed);
        let table = field("{ kind = \"amount\", type = \"number\", from = [\"getBalance\"], open = false }").unwrap();
        assert_eq!((table.kind.as_deref(), table.type_name.as_deref()), (Some("amount"), Some("number")));
        assert_eq!(table.from, ["getBalance"]);
        assert_eq!(field("{ of = \"branch\" }").unwrap().of.as_deref(), Some("branch"));
    }

    #[test]
    fn other_forms_are_refused_with_an_example() {
        assert!(field("3").unwrap_err().contains("expected a value kind, a list of values, or a table such as"));
        assert!(field("{ kid = \"x\" }").unwrap_err().contains("unknown field `kid`"));
        assert!(field("[1]").unwrap_err().contains("expected a string"));
    }

    #[test]
    fn a_resource_has_24_rows_unless_it_says_so() {
        let resource: ResourceText = toml::from_str("id = \"A##\"\n[tools]\ngetA = { get = [\"a\"] }").unwrap();
        assert_eq!((resource.rows, resource.tools["getA"].get.as_ref().unwrap().len()), (24, 1));
        let fault = toml::from_str::<ResourceText>("id = \"A##\"\n[tools]\ngetA = { fetch = [\"a\"] }").unwrap_err();
        assert!(fault.message().starts_with("unknown field `fetch`"), "{fault}");
    }
}
