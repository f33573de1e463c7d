//! A JSON Schema in brief: its type, its listed values, what it says, whether it may be left out.

use crate::record::Parameter;
use serde_json::{Map, Value as Json, json};

/// What is worth saying of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Brief {
    kind: Kind,
    values: Vec<Json>,
    pub description: Option<String>,
    pub optional: bool,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Plain(String),
    List(Box<Brief>),
    Fields(Vec<(String, Brief)>),
}

impl Brief {
    /// A schema in brief.
    pub(super) fn of(schema: &Json) -> Self {
        let description = schema.get("description").and_then(Json::as_str).map(str::trim);
        Self {
            kind: Kind::of(schema),
            values: schema.get("enum").and_then(Json::as_array).cloned().unwrap_or_default(),
            description: description.filter(|text| !text.is_empty()).map(str::to_owned),
            optional: false,
        }
    }

    /// A parameter in brief.
    pub(super) fn of_parameter(parameter: &Parameter, optional: bool) -> Self {
        Self { optional, ..Self::of(&json!(parameter)) }
    }

    /// The bare type where nothing else is known, else an object that says it all.
    pub(super) fn to_json(&self) -> Json {
        let mut more = Map::new();
        if let Some(description) = &self.description {
            more.insert("description".to_owned(), description.as_str().into());
        }
        if !self.values.is_empty() {
            more.insert("enum".to_owned(), self.values.clone().into());
        }
        if self.optional {
            more.insert("optional".to_owned(), true.into());
        }
        let kind = self.kind.to_json();
        if more.is_empty() { kind } else { [("type".to_owned(), kind)].into_iter().chain(more).collect() }
    }

    /// The type as it stands in a signature: `string`, `"a" | "b"`, `integer[]`, `{x: number}`.
    pub(super) fn to_type(&self) -> String {
        if self.values.is_empty() {
            return self.kind.to_type();
        }
        self.values.iter().map(Json::to_string).collect::<Vec<_>>().join(" | ")
    }
}

impl Kind {
    fn of(schema: &Json) -> Self {
        if let Some(fields) = schema.get("properties").and_then(Json::as_object).filter(|it| !it.is_empty()) {
            let required = schema.get("required").and_then(Json::as_array);
            let optional = |name: &str| required.is_some_and(|required| required.iter().all(|it| it != name));
            let field =
                |(name, field): (&String, _)| (name.clone(), Brief { optional: optional(name), ..Brief::of(field) });
            return Self::Fields(fields.iter().map(field).collect());
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            return Self::List(Box::new(Brief::of(items)));
        }
        Self::Plain(match schema.get("type").unwrap_or(schema) {
            Json::String(name) => name.clone(),
            Json::Array(names) => names.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" or "),
            _ => "any".to_owned(),
        })
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Plain(name) => name.as_str().into(),
            Self::List(items) => vec![items.to_json()].into(),
            Self::Fields(fields) => fields.iter().map(|(name, field)| (name.clone(), field.to_json())).collect(),
        }
    }

    fn to_type(&self) -> String {
        match self {
            Self::Plain(name) => name.clone(),
            Self::List(items) if items.values.len() > 1 => format!("({})[]", items.to_type()),
            Self::List(items) => format!("{}[]", items.to_type()),
            Self::Fields(fields) => format!("{{{}}}", typed(fields)),
        }
    }
}

/// Names with their types, as they stand between the brackets of a signature.
pub(super) fn typed(fields: &[(String, Brief)]) -> String {
    let field = |(name, brief): &(String, Brief)| {
        format!("{name}{}: {}", if brief.optional { "?" } else { "" }, brief.to_type())
    };
    fields.iter().map(field).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(schema: &Json) -> (String, String) {
        let brief = Brief::of(schema);
        (brief.to_json().to_string(), brief.to_type())
    }

    #[test]
    fn a_bare_type_is_its_name() {
        for (schema, name) in [
            (json!({"type": "string"}), "string"),
            (json!({"type": ["string", "null"]}), "string or null"),
            (json!({}), "any"),
            (json!("AccountID"), "AccountID"),
            (json!({"type": "object", "properties": {}}), "object"),
        ] {
            assert_eq!(both(&schema), (format!("\"{name}\""), name.to_owned()));
        }
    }

    #[test]
    fn lists_and_objects_show_what_is_in_them() {
        let schema = json!({"type": "object", "required": ["type", "tags"], "properties": {
            "type": {"type": "string"}, "tags": {"type": "array", "items": {"enum": ["a", 1]}},
            "size": {"type": "string", "enum": ["s"], "description": "How big"}}});
        let (json, typed) = both(&schema);
        assert_eq!(
            json,
            r#"{"type":"string","tags":[{"type":"any","enum":["a",1]}],"size":{"type":"string","description":"How big","enum":["s"],"optional":true}}"#
        );
        assert_eq!(typed, r#"{type: string, tags: ("a" | 1)[], size?: "s"}"#);
    }

    #[test]
    fn what_is_said_of_a_parameter_is_said() {
        let parameter = Parameter { description: Some("Where to".to_owned()), ..Parameter::default() };
        let brief = Brief::of_parameter(&parameter, true);
        assert_eq!(brief.to_json().to_string(), r#"{"type":"any","description":"Where to","optional":true}"#);
        let silent = Parameter { description: Some(" ".to_owned()), ..Parameter::default() };
        assert_eq!(Brief::of_parameter(&silent, false).to_json(), json!("any"));
    }
}
