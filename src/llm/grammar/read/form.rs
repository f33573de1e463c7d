//! The form of a parameter's values: listed, a flag, a number, of a kind, or anything.

use crate::locale::{Numbers, Pack};
use crate::record::{Parameter, Tool, Value};

/// How a parameter's values are told in a text.
pub(super) enum Form {
    /// Listed values, with the words that say each.
    Listed(Vec<(Value, Vec<String>)>),
    /// True or false, said by words of the name.
    Flag,
    /// A value of a kind that the locale knows, or else of a kind's shape.
    Kind(String, Shape),
    /// A number, of a kind with its span where one is known.
    Number(Option<Numbers>),
    /// Anything; only a word before it tells where it begins.
    Free,
}

/// What values of a kind look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A name: capitals.
    Name,
    /// Letters and digits.
    Code,
    /// Words.
    Phrase,
    /// A time, which a list knows if anything does.
    Time,
}

impl Shape {
    /// The shape of a kind's values, by the entity that they are.
    pub(super) fn of(entity: Option<&str>) -> Self {
        match entity {
            Some("time") => Self::Time,
            Some("document number" | "phone number" | "license plate") => Self::Code,
            Some(_) => Self::Name,
            None => Self::Phrase,
        }
    }
}

impl Form {
    pub(super) fn new(tool: &Tool, name: &str, parameter: &Parameter, kind: Option<&str>, pack: &Pack) -> Self {
        let known = kind.and_then(|kind| pack.kinds.get(kind));
        if let Some(values) = &parameter.values {
            return Self::Listed(values.iter().map(|value| listed(tool, name, value)).collect());
        }
        match (parameter.type_name(), kind) {
            ("boolean", _) => Self::Flag,
            ("integer" | "number", _) => Self::Number(known.and_then(|kind| kind.numbers.clone())),
            (_, Some(kind)) => Self::Kind(kind.to_owned(), Shape::of(known.and_then(|kind| kind.entity.as_deref()))),
            (_, None) => Self::Free,
        }
    }
}

fn listed(tool: &Tool, name: &str, value: &serde_json::Value) -> (Value, Vec<String>) {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let known = tool.wordings.get(name).and_then(|wordings| wordings.get(&text));
    let wordings =
        known.into_iter().flatten().map(|words| words.to_lowercase()).chain([text.replace('_', " ").to_lowercase()]);
    (Value::from(value.clone()), wordings.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(parameter: &str, kind: Option<&str>) -> Form {
        let mut tool = Tool::default();
        let spoken = ["first class".to_owned()];
        tool.wordings.insert("x".to_owned(), [("one".to_owned(), spoken.to_vec())].into_iter().collect());
        Form::new(&tool, "x", &serde_json::from_str(parameter).unwrap(), kind, &Pack::load("en").unwrap())
    }

    #[test]
    fn a_listed_value_has_its_wordings_and_its_own_words() {
        let Form::Listed(values) = form(r#"{"enum": ["one", "very_big"]}"#, None) else { panic!("another form") };
        assert_eq!(values[0].1, ["first class", "one"]);
        assert_eq!(values[1].1, ["very big"]);
    }

    #[test]
    fn types_and_kinds_make_the_form() {
        assert!(matches!(form(r#"{"type": "boolean"}"#, Some("city")), Form::Flag));
        assert!(matches!(form(r#"{"type": "integer"}"#, Some("count")), Form::Number(Some(_))));
        assert!(matches!(form(r#"{"type": "string"}"#, Some("city")), Form::Kind(_, Shape::Name)));
        assert!(matches!(form(r#"{"type": "string"}"#, Some("plate")), Form::Kind(_, Shape::Code)));
        assert!(matches!(form(r#"{"type": "string"}"#, None), Form::Free));
    }
}
