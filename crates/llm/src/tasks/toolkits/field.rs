//! One parameter as a model writes it, what is wrong with it, and the JSON Schema that becomes of it.

use crate::record::{Parameter, Value};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value as Json};
use std::collections::BTreeSet;

/// The types of JSON.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// The formats of texts that are asked for, and can be checked.
const FORMATS: [&str; 10] =
    ["date", "time", "date-time", "duration", "email", "uri", "uuid", "hostname", "ipv4", "ipv6"];

/// One parameter, one thing that is returned, or what the elements of a list are. What is null is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DraftField {
    /// Its name in `snake_case`; elements of a list have none.
    #[serde(default)]
    pub name: String,
    /// Its JSON type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it means.
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    /// Whether a call needs it.
    #[serde(default, deserialize_with = "or_default")]
    pub required: bool,
    /// The values that it may have, where they are listed.
    #[serde(rename = "enum", default, deserialize_with = "or_default")]
    pub values: Vec<Json>,
    /// What the elements of a list are: a type, or a field without a name.
    #[serde(default, deserialize_with = "type_or_field")]
    pub items: Option<Box<DraftField>>,
    /// The fields of an object.
    #[serde(default, deserialize_with = "or_default")]
    pub properties: Vec<DraftField>,
    /// The format of a text: `date`, `email` ...
    #[serde(default, deserialize_with = "or_default")]
    pub format: String,
    /// What a call means that leaves it out.
    #[serde(default)]
    pub default: Option<Json>,
    /// Least number.
    #[serde(default)]
    pub minimum: Option<Number>,
    /// Greatest number.
    #[serde(default)]
    pub maximum: Option<Number>,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldFault {
    /// There is no description.
    #[error("has no description")]
    NoDescription,
    /// The name is not in `snake_case`.
    #[error("is not a name in snake_case")]
    Name,
    /// Two fields have one name.
    #[error("comes twice")]
    Twice,
    /// The type is not one of JSON's.
    #[error("has the type `{0}`, which is not a JSON type")]
    Type(String),
    /// A keyword says something of values of another type.
    #[error("is of type `{kind}`, which takes no `{keyword}`")]
    Keyword {
        /// The field's type.
        kind: String,
        /// The keyword.
        keyword: &'static str,
    },
    /// It does not say what it holds.
    #[error("is of type `{kind}` and needs `{keyword}`")]
    Lacks {
        /// The field's type.
        kind: String,
        /// The keyword.
        keyword: &'static str,
    },
    /// A list of values leaves no choice.
    #[error("lists fewer than two different values in `enum`")]
    FewValues,
    /// A listed value is not of its type, range or format.
    #[error("lists a value that it cannot have: {0}")]
    Value(String),
    /// Nobody knows the format.
    #[error("has the format `{0}`; known are {list}", list = FORMATS.join(", "))]
    Format(String),
    /// The least is more than the greatest.
    #[error("has a minimum above its maximum")]
    Range,
    /// It must be given, and says what it is where it is not.
    #[error("is required and has a default")]
    NeedlessDefault,
    /// The default is no value of it.
    #[error("has a default that it cannot have: {0}")]
    Default(String),
    /// A description names a function that is not there.
    #[error("has a description that names `{0}`, which is no tool of the list")]
    NoSuchTool(String),
}

impl DraftField {
    /// Its JSON Schema. What is returned has no default, and says nothing of what may be missing.
    pub(super) fn schema(&self, is_returned: bool) -> Json {
        let text = |text: &String| (!text.is_empty()).then(|| Json::from(text.as_str()));
        let items = self.items.as_ref().map(|items| items.schema(is_returned));
        let inner = (!self.properties.is_empty()).then(|| properties(&self.properties, is_returned));
        let required: Vec<&str> = self.properties.iter().filter(|it| it.required).map(|it| it.name.as_str()).collect();
        let keywords = [
            ("type", text(&self.kind)),
            ("description", text(&self.description)),
            ("enum", (!self.values.is_empty()).then(|| self.values.clone().into())),
            ("format", text(&self.format)),
            ("minimum", self.minimum.clone().map(Json::Number)),
            ("maximum", self.maximum.clone().map(Json::Number)),
            ("items", items),
            ("properties", inner),
            ("required", (!required.is_empty() && !is_returned).then(|| required.into())),
            ("default", self.stated_default().filter(|_| !is_returned).cloned()),
        ];
        let stated = keywords.into_iter().filter_map(|(keyword, value)| Some((keyword.to_owned(), value?)));
        Json::Object(stated.collect())
    }

    /// An empty text is what some write where there is none.
    fn stated_default(&self) -> Option<&Json> {
        self.default.as_ref().filter(|it| it.as_str() != Some(""))
    }

    fn parameter(&self) -> Parameter {
        serde_json::from_value(self.schema(false)).unwrap_or_default()
    }

    fn check(&self, place: &str, is_returned: bool, faults: &mut Vec<(String, FieldFault)>) {
        let kind = self.kind.as_str();
        if !TYPES.contains(&kind) {
            return faults.push((place.to_owned(), FieldFault::Type(kind.to_owned())));
        }
        let numbers = &["integer", "number"][..];
        let keywords = [
            ("enum", !self.values.is_empty(), &["string", "integer", "number"][..]),
            ("format", !self.format.is_empty(), &["string"][..]),
            ("minimum", self.minimum.is_some(), numbers),
            ("maximum", self.maximum.is_some(), numbers),
            ("items", self.items.is_some(), &["array"][..]),
            ("properties", !self.properties.is_empty(), &["object"][..]),
        ];
        let before = faults.len();
        let mut find = |fault: FieldFault| faults.push((place.to_owned(), fault));
        for (keyword, is_stated, kinds) in keywords {
            let fits = kinds.contains(&kind);
            let is_needed = keyword == "items" || keyword == "properties";
            match (is_stated, fits) {
                (true, false) => find(FieldFault::Keyword { kind: kind.to_owned(), keyword }),
                (false, true) if is_needed => find(FieldFault::Lacks { kind: kind.to_owned(), keyword }),
                _ => {}
            }
        }
        if !self.format.is_empty() && !FORMATS.contains(&self.format.as_str()) {
            find(FieldFault::Format(self.format.clone()));
        }
        let bound = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
        if bound(&self.minimum).zip(bound(&self.maximum)).is_some_and(|(least, greatest)| least > greatest) {
            find(FieldFault::Range);
        }
        if let Some(items) = &self.items {
            items.check(&format!("{place}[]"), is_returned, faults);
        }
        check_fields(&self.properties, &format!("{place}."), is_returned, faults);
        // A value is held against a schema that is sound.
        if faults.len() == before {
            let found = self.values_fault().or_else(|| self.default_fault().filter(|_| !is_returned));
            faults.extend(found.map(|fault| (place.to_owned(), fault)));
        }
    }

    fn values_fault(&self) -> Option<FieldFault> {
        let values: Vec<Value> = self.values.iter().cloned().map(Value::from).collect();
        let first = values.first()?;
        let open = Parameter { values: None, ..self.parameter() };
        let wrong = values.iter().find_map(|value| open.check(value).err());
        let is_few = values.iter().all(|value| value.equals(first));
        wrong.map(|it| FieldFault::Value(it.to_string())).or_else(|| is_few.then_some(FieldFault::FewValues))
    }

    fn default_fault(&self) -> Option<FieldFault> {
        let default = Value::from(self.stated_default()?.clone());
        if self.required {
            return Some(FieldFault::NeedlessDefault);
        }
        self.parameter().check(&default).err().map(|it| FieldFault::Default(it.to_string()))
    }
}

/// Looks fields over; `within` stands before their names. What is returned may go without a description.
pub(super) fn check_fields(
    fields: &[DraftField],
    within: &str,
    is_returned: bool,
    faults: &mut Vec<(String, FieldFault)>,
) {
    let mut seen = BTreeSet::new();
    for field in fields {
        let place = format!("{within}{}", field.name);
        let mut find = |fault: FieldFault| faults.push((place.clone(), fault));
        if !is_snake(&field.name) {
            find(FieldFault::Name);
        }
        if !seen.insert(&field.name) {
            find(FieldFault::Twice);
        }
        if !is_returned && field.description.trim().is_empty() {
            find(FieldFault::NoDescription);
        }
        field.check(&place, is_returned, faults);
    }
}

/// Fields by name, as `properties` of a schema has them.
pub(super) fn properties(fields: &[DraftField], is_returned: bool) -> Json {
    let named = fields.iter().map(|field| (field.name.clone(), field.schema(is_returned)));
    Json::Object(named.collect::<Map<String, Json>>())
}

fn is_snake(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

/// Servers that hold to a schema to the letter want every key, and null where there is nothing.
pub(super) fn or_default<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

fn type_or_field<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<DraftField>>, D::Error> {
    match Json::deserialize(from)? {
        Json::Null => Ok(None),
        Json::String(kind) => Ok(Some(Box::new(DraftField { kind, ..DraftField::default() }))),
        field => serde_json::from_value(field).map(Some).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn field(json: Json) -> DraftField {
        serde_json::from_value(json).unwrap()
    }

    fn faults(fields: Vec<Json>) -> String {
        let fields: Vec<DraftField> = fields.into_iter().map(field).collect();
        let mut faults = Vec::new();
        check_fields(&fields, "", false, &mut faults);
        faults.iter().map(|(place, fault)| format!("{place} {fault}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_field_becomes_a_schema_with_every_keyword() {
        let parcels = json!({"name": "parcels", "type": "array", "description": "Parcels", "required": true, "items": {
            "type": "object", "properties": [
                {"name": "kg", "type": "number", "description": "Weight", "required": true, "minimum": 0.1, "maximum": 70},
                {"name": "on", "type": "string", "description": "Day", "required": false, "format": "date", "enum": null},
                {"name": "tags", "type": "array", "description": "Tags", "items": "string"}]}});
        let speed = json!({"name": "speed", "type": "string", "description": "How fast", "required": null,
            "enum": ["normal", "express"], "default": "normal", "items": null, "properties": [], "format": "",
            "minimum": null});
        assert_eq!(faults(vec![parcels.clone(), speed.clone()]), "");
        let schema = json!({"type": "array", "description": "Parcels", "items": {"type": "object", "properties": {
            "kg": {"type": "number", "description": "Weight", "minimum": 0.1, "maximum": 70},
            "on": {"type": "string", "description": "Day", "format": "date"},
            "tags": {"type": "array", "description": "Tags", "items": {"type": "string"}}}, "required": ["kg"]}});
        assert_eq!(field(parcels).schema(false), schema);
        let schema = json!({"type": "string", "description": "How fast", "enum": ["normal", "express"]});
        assert_eq!(field(speed).schema(true), schema);
    }

    #[test]
    fn every_violation_has_its_name() {
        let with = |name: &str, more: Json| {
            let mut field = json!({"name": name, "type": "string", "description": "d"});
            field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            field
        };
        insta::assert_snapshot!(faults(vec![
            with("aB", json!({})),
            with("b", json!({"type": "str"})),
            with("c", json!({"type": "array", "enum": ["x", "y"], "items": "string"})),
            with("d", json!({"type": "array"})),
            with("e", json!({"type": "object", "properties": []})),
            with("f", json!({"enum": ["x", "x"]})),
            with("g", json!({"type": "integer", "enum": [1, "2"]})),
            with("h", json!({"format": "dd.mm."})),
            with("i", json!({"type": "integer", "minimum": 9, "maximum": 1})),
            with("j", json!({"required": true, "default": "x"})),
            with("k", json!({"type": "integer", "minimum": 1, "default": 0})),
            with("l", json!({"enum": ["x", "y"], "default": "z"})),
            with("m", json!({"type": "array", "items": {"type": "object", "properties": [
                {"name": "n", "type": "array", "items": "day"}, {"name": "n", "type": "string", "description": "d"}]}})),
            with("o", json!({"minimum": 1})),
        ]), @r#"
        aB is not a name in snake_case
        b has the type `str`, which is not a JSON type
        c is of type `array`, which takes no `enum`
        d is of type `array` and needs `items`
        e is of type `object` and needs `properties`
        f lists fewer than two different values in `enum`
        g lists a value that it cannot have: "2" is no integer
        h has the format `dd.mm.`; known are date, time, date-time, duration, email, uri, uuid, hostname, ipv4, ipv6
        i has a minimum above its maximum
        j is required and has a default
        k has a default that it cannot have: 0 is less than the minimum of 1
        l has a default that it cannot have: "z" is not listed
        m[].n has no description
        m[].n[] has the type `day`, which is not a JSON type
        m[].n comes twice
        o is of type `string`, which takes no `minimum`
        "#);
    }
}
