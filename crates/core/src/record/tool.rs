//! Tools as one locale sees them.

use super::value::Value;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

/// A tool in one locale: the definition that models see, and the data that the built-in model composes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Name; three parts in the built-in toolsets: `Domain.Category.function`.
    pub name: String,
    /// Description, in the locale's language.
    #[serde(default)]
    pub description: String,
    /// Name of the app by which users know it; some requests mention it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Parameters, as a JSON Schema object.
    #[serde(default)]
    pub parameters: Parameters,
    /// JSON Schema of the answer, if declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Json>,
    /// Value kind of each parameter (`city`, `time`, `person`): names of a locale pack's kinds.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub kinds: IndexMap<String, String>,
    /// Wordings of a parameter's enum values in the locale: parameter, value (as text), wordings.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub wordings: IndexMap<String, IndexMap<String, Vec<String>>>,
    /// The resource (`banking.account`) whose identifier a parameter takes.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub refers: IndexMap<String, String>,
    /// Contents of the fields of the answer, by JSON pointer; the first element of a list describes all elements.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub yields: IndexMap<String, Yield>,
    /// Whether a call has side effects: it books, sends, cancels.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts: bool,
    /// Tools whose answers can supply the value of a parameter.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub from: IndexMap<String, Vec<Source>>,
}

/// Contents of one field of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Yield {
    /// The resource that it identifies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refers: Option<String>,
    /// The value kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A field of another tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The tool's full name.
    pub tool: String,
    /// The field, as a JSON pointer.
    pub field: String,
}

/// A tool's parameters: a JSON Schema of type `object`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(from = "ParametersText")]
pub struct Parameters {
    /// Always `object`; empty if the tool declares `{}`, which is passed to a model unchanged.
    #[serde(rename = "type")]
    pub kind: String,
    /// The parameters by name, in their declared order.
    pub properties: IndexMap<String, Parameter>,
    /// Names of the required parameters.
    pub required: Vec<String>,
}

/// Parameters as a file has them, with what may be left out.
#[derive(Deserialize, JsonSchema)]
struct ParametersText {
    /// Always `object`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The parameters by name, in their declared order.
    properties: Option<IndexMap<String, Parameter>>,
    /// Names of the required parameters.
    required: Option<Vec<String>>,
}

/// One parameter's schema.
#[derive(Debug, Clone, Default, JsonSchema)]
pub struct Parameter {
    /// JSON type, as the toolset spells it (`string`, `integer`, `number`, `boolean`, `array`, `object`).
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Json>,
    /// Meaning, in the locale's language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The enum values, if any.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Json>>,
    /// All other keys of the schema (`format`, `items`, `default`, `minimum` ...).
    #[serde(flatten)]
    pub more: serde_json::Map<String, Json>,
    /// The order of its keys, where it is not that of these fields: a model is shown a tool as it was declared.
    #[serde(skip)]
    pub order: Box<[String]>,
}

impl PartialEq for Parameter {
    /// Two schemas that say the same are equal in whatever order.
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.description == other.description
            && self.values == other.values
            && self.more == other.more
    }
}

/// The keys that have fields of their own, in the order in which they are written.
const OWN_KEYS: [&str; 3] = ["type", "description", "enum"];

impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut more = serde_json::Map::deserialize(deserializer)?;
        let usual = OWN_KEYS.into_iter().filter(|key| more.contains_key(*key));
        let usual = usual.chain(more.keys().map(String::as_str).filter(|key| !OWN_KEYS.contains(key)));
        let is_usual = usual.eq(more.keys().map(String::as_str));
        let order = if is_usual { Box::default() } else { more.keys().cloned().collect() };
        let mut own = OWN_KEYS.map(|key| more.shift_remove(key).filter(|value| !value.is_null()));
        let [kind, description, values] = &mut own;
        let description = description.take().map(serde_json::from_value).transpose().map_err(D::Error::custom)?;
        let values = values.take().map(serde_json::from_value).transpose().map_err(D::Error::custom)?;
        Ok(Self { kind: kind.take(), description, values, more, order })
    }
}

impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let rest = OWN_KEYS.into_iter().chain(self.more.keys().map(String::as_str));
        let rest = rest.filter(|key| !self.order.iter().any(|first| first == key));
        for key in self.order.iter().map(String::as_str).chain(rest) {
            match key {
                "type" => self.kind.iter().try_for_each(|kind| map.serialize_entry(key, kind))?,
                "description" => self.description.iter().try_for_each(|text| map.serialize_entry(key, text))?,
                "enum" => self.values.iter().try_for_each(|values| map.serialize_entry(key, values))?,
                _ => self.more.get(key).into_iter().try_for_each(|value| map.serialize_entry(key, value))?,
            }
        }
        map.end()
    }
}

/// What people say when they want a tool, as patterns (see `locale::pattern`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Phrases {
    /// What the tool is for, in the words with which an assistant declines it (English: a bare verb phrase).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Requests in the form that the locale's frames wrap (English: a bare verb phrase).
    pub intents: Vec<String>,
    /// Whole sentences that ask for the tool without naming its action.
    pub asks: Vec<String>,
    /// Descriptions of a problem that say nothing of what is to be done, though only this tool helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implies: Vec<String>,
    /// What is said about each parameter.
    pub parameters: IndexMap<String, SlotPhrases>,
    /// What an assistant tells once the tool has answered: the first whose condition the answer meets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tells: Vec<Telling>,
    /// How an assistant first names everything that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lists: Option<Listing>,
    /// Fields of the answer that each of those sentences holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Questions by which an assistant asks leave before it acts; slots are what it found out so far.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirms: Vec<String>,
    /// What people ask afterwards, and what is said to it from what is there already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub followups: Vec<Followup>,
}

/// Sentences in which an assistant names what a list in an answer holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The path of the list.
    pub of: String,
    /// What is said of each of its entries, as a pattern over the entry's fields.
    pub each: String,
    /// The sentences, as patterns over `{list}`.
    pub say: Vec<String>,
}

/// A question about an answer that was told, which the answer itself settles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Followup {
    /// What the person asks.
    pub asks: Vec<String>,
    /// What the assistant tells, as patterns over the answer.
    pub tells: Vec<String>,
}

/// Sentences in which an assistant tells a tool's answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Telling {
    /// What the fields of the answer must be, for these sentences to be true.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub when: IndexMap<String, Value>,
    /// The sentences, as patterns: slots are fields of the answer (`{total}`, `{items.name}`), else arguments of the call.
    pub say: Vec<String>,
}

/// What people say about one parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlotPhrases {
    /// A noun phrase for the parameter: `the pick-up time`.
    pub label: String,
    /// An agent's questions for it.
    pub questions: Vec<String>,
    /// Clauses that say its value, holding `{parameter}` (booleans: what says `true`).
    pub clauses: Vec<String>,
    /// Booleans only: clauses that say `false`.
    pub negations: Vec<String>,
}

impl From<ParametersText> for Parameters {
    fn from(text: ParametersText) -> Self {
        let ParametersText { kind, properties, required } = text;
        let is_bare = kind.is_none() && properties.is_none() && required.is_none();
        let kind = if is_bare { String::new() } else { kind.unwrap_or_else(object) };
        Self { kind, properties: properties.unwrap_or_default(), required: required.unwrap_or_default() }
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.kind.is_empty() {
            map.serialize_entry("type", &self.kind)?;
            map.serialize_entry("properties", &self.properties)?;
            map.serialize_entry("required", &self.required)?;
        }
        map.end()
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self { kind: object(), properties: IndexMap::new(), required: Vec::new() }
    }
}

impl Parameter {
    /// The names of the types that its values may have, `null` left out; `string` where none is stated.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        let several = match &self.kind {
            Some(Json::Array(names)) => names.as_slice(),
            _ => &[],
        };
        let names = several.iter().filter_map(Json::as_str).filter(|name| *name != "null");
        std::iter::once(self.type_name()).chain(names.skip(1))
    }

    /// The type's name; the first one that is not `null` where several are listed, `string` where none is.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            Some(Json::String(name)) => name,
            Some(Json::Array(names)) => {
                names.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or("string")
            }
            _ => "string",
        }
    }
}

impl Tool {
    /// The description of a parameter; empty where there is none.
    pub fn about(&self, parameter: &str) -> String {
        self.parameters.properties.get(parameter).and_then(|it| it.description.clone()).unwrap_or_default()
    }

    /// The function's own name: the last part of the full name.
    pub fn function(&self) -> &str {
        self.parted().1
    }

    /// The group that the tool belongs to: the full name without its last part.
    pub fn category(&self) -> &str {
        self.parted().0
    }

    /// Group and function of `Group.function`, or of CONFETTI's `Group_function_of_words`.
    fn parted(&self) -> (&str, &str) {
        let begins = |text: &str, is: fn(&char) -> bool| text.chars().next().as_ref().is_some_and(is);
        let named = |(group, function): &(&str, &str)| {
            begins(group, |it| it.is_uppercase()) && begins(function, |it| it.is_lowercase())
        };
        let parted = self.name.rsplit_once('.').or_else(|| self.name.split_once('_').filter(named));
        parted.unwrap_or(("", &self.name))
    }
}

fn object() -> String {
    "object".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn a_type_has_one_name_however_it_is_spelt() {
        for (kind, name) in [
            (json!("integer"), "integer"),
            (json!(["null", "boolean"]), "boolean"),
            (json!(["number", "string"]), "number"),
            (json!(["null"]), "string"),
            (json!([]), "string"),
            (json!({}), "string"),
        ] {
            let parameter = Parameter { kind: Some(kind.clone()), ..Parameter::default() };
            assert_eq!(parameter.type_name(), name, "{kind}");
        }
        assert_eq!(Parameter::default().type_name(), "string");
    }

    #[test]
    fn a_name_has_a_category_and_a_function_of_its_own() {
        let parts = |name: &str| {
            let tool = Tool { name: name.to_owned(), ..Tool::default() };
            (tool.category().to_owned(), tool.function().to_owned())
        };
        assert_eq!(parts("Travel.Trains.book"), ("Travel.Trains".to_owned(), "book".to_owned()));
        assert_eq!(parts("book"), (String::new(), "book".to_owned()));
        assert_eq!(parts("Travel."), ("Travel".to_owned(), String::new()));
    }

    #[test]
    fn whatever_else_a_schema_says_is_kept_in_its_order() {
        let text = r#"{"type":"array","description":"Days","items":{"type":"string","format":"date"},"minItems":1}"#;
        let parameter: Parameter = serde_json::from_str(text).unwrap();
        assert_eq!(parameter.more.keys().collect::<Vec<_>>(), ["items", "minItems"]);
        assert_eq!(serde_json::to_string(&parameter).unwrap(), text);
    }

    #[test]
    fn keys_are_written_in_the_order_in_which_they_were_read() {
        for text in [
            r#"{"type":"string","format":"date","description":"Day"}"#,
            r#"{"description":"Mode","enum":["a","b"],"type":"string","default":"a"}"#,
            r#"{"minimum":1,"type":"integer"}"#,
        ] {
            let mut parameter: Parameter = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&parameter).unwrap(), text);
            parameter.more.insert("title".to_owned(), json!("T"));
            assert!(serde_json::to_string(&parameter).unwrap().ends_with(r#","title":"T"}"#));
        }
        let error = serde_json::from_str::<Parameter>(r#"{"description": 3}"#).unwrap_err().to_string();
        assert!(error.starts_with("invalid type: integer `3`, expected a string"), "{error}");
    }

    #[test]
    fn a_tool_may_be_no_more_than_a_name() {
        let tool: Tool = serde_json::from_str(r#"{"name": "f"}"#).unwrap();
        assert_eq!((tool.parameters.kind.as_str(), tool.parameters.properties.len()), ("object", 0));
        let text = serde_json::to_string(&tool).unwrap();
        assert_eq!(
            text,
            r#"{"name":"f","description":"","parameters":{"type":"object","properties":{},"required":[]}}"#
        );
    }

    #[test]
    fn empty_parameters_stay_as_they_are_and_a_type_is_filled_in_elsewhere() {
        let written = |text: &str| {
            let tool: Tool = serde_json::from_str(text).unwrap();
            serde_json::to_value(&tool).unwrap()["parameters"].to_string()
        };
        assert_eq!(written(r#"{"name": "f", "parameters": {}}"#), "{}");
        let whole = r#"{"type":"object","properties":{},"required":[]}"#;
        assert_eq!(written(r#"{"name": "f", "parameters": {"properties": {}}}"#), whole);
        assert_eq!(written(r#"{"name": "f"}"#), whole);
    }

    #[test]
    fn a_misspelt_phrase_is_not_passed_over() {
        let error = toml::from_str::<Phrases>("intent = [\"book it\"]").unwrap_err();
        assert!(error.message().starts_with("unknown field `intent`, expected one of `title`, `intents`"), "{error}");
        let error = toml::from_str::<Phrases>("[parameters.day]\nquestion = [\"When?\"]").unwrap_err();
        assert!(error.message().starts_with("unknown field `question`"), "{error}");
    }
}
