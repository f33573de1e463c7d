//! The form of a parameter's values: listed, a flag, a number, of a kind, or anything.

use super::nested::Nested;
use super::recognise::Recogniser;
use crate::locale::{Numbers, Pack};
use crate::record::{Parameter, Tool, Value};
use regex::Regex;

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
    /// A text of the form that the schema's `pattern` describes.
    Pattern(Regex),
    /// A list or an object, by what it is made of.
    Nested(Nested),
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
    pub(super) fn new(
        (tool, name, parameter): (&Tool, &str, &Parameter),
        kind: Option<&str>,
        pack: &Pack,
        recogniser: &Recogniser,
    ) -> Self {
        let known = kind.and_then(|kind| pack.kinds.get(kind));
        if let Some(values) = &parameter.values {
            return Self::Listed(values.iter().map(|value| listed(tool, name, value)).collect());
        }
        if let Some(pattern) = pattern(parameter) {
            return Self::Pattern(pattern);
        }
        if let Some(nested) = Nested::new(parameter, pack, recogniser) {
            return Self::Nested(nested);
        }
        match (parameter.type_name(), kind) {
            ("boolean", _) => Self::Flag,
            ("integer" | "number", _) => Self::Number(known.and_then(|kind| kind.numbers.clone())),
            (_, Some(kind)) => Self::Kind(kind.to_owned(), Shape::of(known.and_then(|kind| kind.entity.as_deref()))),
            (_, None) => Self::Free,
        }
    }
}

/// The parameter's pattern, to be looked for anywhere in a text; none where any text would fit it.
fn pattern(parameter: &Parameter) -> Option<Regex> {
    let stated = parameter.more.get("pattern")?.as_str()?;
    let pattern = Regex::new(stated.trim_start_matches('^').trim_end_matches('$')).ok()?;
    // What is as wide as any word tells no value from the words around it.
    (!pattern.is_match("word")).then_some(pattern)
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
        let pack = crate::fixtures::pack("en");
        let parameter = serde_json::from_str(parameter).unwrap();
        Form::new((&tool, "x", &parameter), kind, &pack, &Recogniser::new(&pack))
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
        let code = r#"{"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}"#;
        assert!(matches!(form(code, Some("city")), Form::Pattern(_)));
        let list = format!(r#"{{"type": "array", "items": {code}}}"#);
        assert!(matches!(form(&list, None), Form::Nested(_)));
    }
}
