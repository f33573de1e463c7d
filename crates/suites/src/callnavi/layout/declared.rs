//! What the authors declare of parameters and of answers: names with types, bare names, or one name alone.

use crate::record::Parameter;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// What an API takes or gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Json", into = "Json")]
pub enum Declared {
    /// Names with their types, in nine of the authors' domains.
    Types(IndexMap<String, TypeWord>),
    /// Names without types: the parameters of `telecommunications`, one answer of `aviation`.
    Names(Vec<String>),
    /// One name: half of the answers.
    Name(String),
}

/// How the authors write a type.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeWord {
    /// A word: `string`, `number`, listed values as `new/replacement`, now and then a sample value.
    Word(String),
    /// The types of an object's fields.
    Fields(IndexMap<String, TypeWord>),
    /// Whatever else stands there: sample values such as `60000`, lists.
    Other(Json),
}

/// What parts listed values.
const OR: char = '/';

/// What ends a list of values that goes on.
const AND_SO_ON: &str = "...";

impl Declared {
    /// Nothing at all, as an object.
    pub fn none() -> Self {
        Self::Types(IndexMap::new())
    }

    /// The parameters that it declares, each with what is known of its type.
    pub fn parameters(&self) -> IndexMap<String, Parameter> {
        match self {
            Self::Types(types) => types.iter().map(|(name, word)| (name.clone(), word.parameter())).collect(),
            Self::Names(names) => names.iter().map(|name| (name.clone(), Parameter::default())).collect(),
            Self::Name(name) => [(name.clone(), Parameter::default())].into(),
        }
    }

    /// The same of a tool's parameters.
    pub fn of(parameters: &IndexMap<String, Parameter>) -> Self {
        Self::Types(parameters.iter().map(|(name, parameter)| (name.clone(), TypeWord::of(parameter))).collect())
    }
}

impl TypeWord {
    /// The word for a parameter: its listed values, the types of its fields, or its type.
    pub fn of(parameter: &Parameter) -> Self {
        if let Some(fields) = parameter.more.get("properties").and_then(Json::as_object) {
            let word = |schema: &Json| Self::of(&serde_json::from_value(schema.clone()).unwrap_or_default());
            return Self::Fields(fields.iter().map(|(name, schema)| (name.clone(), word(schema))).collect());
        }
        let listed = parameter.values.as_ref().and_then(|values| prose(values));
        Self::Word(listed.unwrap_or_else(|| parameter.type_name().to_owned()))
    }

    /// What it says of a parameter, as far as it is a type.
    pub fn parameter(&self) -> Parameter {
        match self {
            Self::Word(word) => of_word(word),
            Self::Fields(fields) => of_fields(fields),
            Self::Other(sample) => Parameter { kind: type_of(sample).map(Json::from), ..Parameter::default() },
        }
    }
}

/// Listed values as the authors write them, if they can be read again.
fn prose(values: &[Json]) -> Option<String> {
    let words: Option<Vec<&str>> = values.iter().map(Json::as_str).collect();
    let prose = words?.join("/");
    let again = listed(&prose)?;
    again.iter().copied().map(Json::from).eq(values.iter().cloned()).then_some(prose)
}

/// The values that a word lists. A date such as `01/02/2024` is none.
fn listed(word: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = word.split(OR).collect();
    let is_value = |part: &&str| part.contains(char::is_alphabetic) && part.trim() == *part;
    (parts.len() > 1 && parts.iter().all(is_value)).then_some(parts)
}

fn of_word(word: &str) -> Parameter {
    let plain = |kind: &str| Parameter { kind: Some(kind.into()), ..Parameter::default() };
    match word {
        "string" | "number" | "integer" | "boolean" | "array" | "object" => plain(word),
        "int" => plain("integer"),
        "float" => plain("number"),
        "bool" => plain("boolean"),
        "list" => plain("array"),
        _ => match (listed(word), word.strip_suffix(AND_SO_ON)) {
            (Some(values), _) => {
                Parameter { values: Some(values.into_iter().map(Json::from).collect()), ..plain("string") }
            }
            (None, Some(_)) => Parameter { description: Some(word.to_owned()), ..plain("string") },
            // A sample value, or `$$$`.
            (None, None) => plain("string"),
        },
    }
}

fn of_fields(fields: &IndexMap<String, TypeWord>) -> Parameter {
    let properties: serde_json::Map<String, Json> =
        fields.iter().map(|(name, word)| (name.clone(), json!(word.parameter()))).collect();
    let required: Vec<&String> = fields.keys().collect();
    let mut more = serde_json::Map::new();
    more.insert("properties".to_owned(), properties.into());
    more.insert("required".to_owned(), json!(required));
    Parameter { kind: Some("object".into()), more, ..Parameter::default() }
}

/// The type of a sample value.
fn type_of(sample: &Json) -> Option<&'static str> {
    match sample {
        Json::Null => None,
        Json::Bool(_) => Some("boolean"),
        Json::Number(_) => Some("number"),
        Json::String(_) => Some("string"),
        Json::Array(_) => Some("array"),
        Json::Object(_) => Some("object"),
    }
}

impl Default for Declared {
    fn default() -> Self {
        Self::none()
    }
}

impl From<Json> for Declared {
    fn from(json: Json) -> Self {
        match json {
            Json::Object(types) => Self::Types(types.into_iter().map(|(name, word)| (name, word.into())).collect()),
            Json::Array(names) => Self::Names(names.into_iter().map(name).collect()),
            Json::Null => Self::none(),
            other => Self::Name(name(other)),
        }
    }
}

fn name(json: Json) -> String {
    match json {
        Json::String(name) => name,
        other => other.to_string(),
    }
}

impl From<Declared> for Json {
    fn from(declared: Declared) -> Self {
        match declared {
            Declared::Types(types) => types.into_iter().map(|(name, word)| (name, Self::from(word))).collect(),
            Declared::Names(names) => names.into(),
            Declared::Name(name) => name.into(),
        }
    }
}

impl From<Json> for TypeWord {
    fn from(json: Json) -> Self {
        match json {
            Json::String(word) => Self::Word(word),
            Json::Object(fields) => Self::Fields(fields.into_iter().map(|(name, word)| (name, word.into())).collect()),
            other => Self::Other(other),
        }
    }
}

impl From<TypeWord> for Json {
    fn from(word: TypeWord) -> Self {
        match word {
            TypeWord::Word(word) => word.into(),
            TypeWord::Fields(fields) => fields.into_iter().map(|(name, word)| (name, Self::from(word))).collect(),
            TypeWord::Other(other) => other,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_word() -> impl Strategy<Value = TypeWord> {
        let leaf = prop_oneof![
            "string|number|integer|object|array|A/B|cat/dog/\\.\\.\\.|\\$\\$\\$|2024-01-01|.{0,6}"
                .prop_map(TypeWord::Word),
            any::<i32>().prop_map(|number| TypeWord::Other(number.into())),
            Just(TypeWord::Other(json!(["string", null]))),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop::collection::vec((".{0,5}", inner), 0..4)
                .prop_map(|fields| TypeWord::Fields(fields.into_iter().collect()))
        })
    }

    /// Whatever the authors might declare.
    pub(in super::super) fn any_declared() -> impl Strategy<Value = Declared> {
        prop_oneof![
            prop::collection::vec((".{0,5}", any_word()), 0..4)
                .prop_map(|types| Declared::Types(types.into_iter().collect())),
            prop::collection::vec(".{0,5}", 0..4).prop_map(Declared::Names),
            ".{0,8}".prop_map(Declared::Name),
        ]
    }

    /// A parameter whose type the authors' words can say.
    pub(in super::super) fn any_parameter() -> impl Strategy<Value = Parameter> {
        let of = |kind: &str| Parameter { kind: Some(kind.into()), ..Parameter::default() };
        let plain =
            prop::sample::select(vec!["string", "number", "integer", "boolean", "array", "object"]).prop_map(of);
        let listed = prop::collection::vec("[a-z][a-z0-9 ]{0,4}[a-z]", 2..5).prop_map(move |values| Parameter {
            values: Some(values.into_iter().map(Json::from).collect()),
            ..of("string")
        });
        prop_oneof![plain, listed].prop_recursive(2, 8, 3, |inner| {
            prop::collection::vec(("[a-z]{1,4}", inner), 1..4).prop_map(|fields| {
                let words = fields.into_iter().map(|(name, field)| (name, TypeWord::of(&field)));
                of_fields(&words.collect())
            })
        })
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_as_it_was(declared in any_declared()) {
            let json = serde_json::to_value(&declared).unwrap();
            prop_assert_eq!(serde_json::from_value::<Declared>(json).unwrap(), declared);
        }

        #[test]
        fn a_parameter_is_known_again_by_its_word(parameter in any_parameter()) {
            let word = Json::from(TypeWord::of(&parameter));
            prop_assert_eq!(TypeWord::from(word).parameter(), parameter);
        }
    }

    fn of(json: Json) -> Json {
        json!(TypeWord::from(json).parameter())
    }

    #[test]
    fn words_are_types_lists_or_samples() {
        for (word, schema) in [
            (json!("number"), json!({"type": "number"})),
            (json!("int"), json!({"type": "integer"})),
            (json!("list"), json!({"type": "array"})),
            (json!("VISA/MASTER"), json!({"type": "string", "enum": ["VISA", "MASTER"]})),
            (json!("cat/dog/..."), json!({"type": "string", "description": "cat/dog/..."})),
            (json!("01/02/2024"), json!({"type": "string"})),
            (json!("$$$"), json!({"type": "string"})),
            (json!(60000), json!({"type": "number"})),
        ] {
            assert_eq!(of(word.clone()), schema, "{word}");
        }
    }

    #[test]
    fn an_object_says_the_types_of_its_fields() {
        let nested = of(json!({"weight": "number", "sides": {"length": "number"}}));
        assert_eq!(nested["properties"]["sides"]["properties"]["length"], json!({"type": "number"}));
        assert_eq!(nested["required"], json!(["weight", "sides"]));
    }

    #[test]
    fn names_alone_have_no_types() {
        let parameters = |json: Json| json!(Declared::from(json).parameters());
        assert_eq!(parameters(json!(["a", "b"])), json!({"a": {}, "b": {}}));
        assert_eq!(parameters(json!("ItemPrice")), json!({"ItemPrice": {}}));
        assert_eq!((parameters(json!([])), parameters(json!(null))), (json!({}), json!({})));
    }

    #[test]
    fn values_that_would_be_read_otherwise_are_not_listed() {
        let word = |values: Json| {
            let parameter: Parameter = serde_json::from_value(json!({"type": "string", "enum": values})).unwrap();
            Json::from(TypeWord::of(&parameter))
        };
        assert_eq!(word(json!(["a", "b"])), "a/b");
        for values in [json!(["n/a", "b"]), json!(["6", "12"]), json!([6, 12]), json!(["only"])] {
            assert_eq!(word(values.clone()), "string", "{values}");
        }
    }
}
