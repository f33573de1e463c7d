//! Whether the parameters of a call are right: their names, their types, their values.

use super::verdict::{ErrorClass, Gold, GoldCall, is_placeholder};
use crate::record::{Number, Object, Parameter, Value};
use serde_json::{Map, Value as Json};

/// What is wrong with the parameters of one call.
pub(super) fn differences(gold: &Gold<'_>, wanted: GoldCall<'_>, said: &Object) -> Vec<(ErrorClass, String)> {
    let mut comparison = Comparison { call: &wanted.call.name, found: Vec::new() };
    comparison.names("", &wanted.call.arguments, said);
    let declared = gold.tool(&wanted.call.name).map(|tool| &tool.parameters.properties);
    for (name, right) in &wanted.call.arguments {
        let Some(said) = said.get(name).filter(|_| !wanted.is_free(name)) else { continue };
        let acceptable = gold.acceptable.get(name).map(Vec::as_slice).unwrap_or_default();
        if !acceptable.iter().any(|value| value.equals(said)) {
            let kind = declared.and_then(|declared| declared.get(name)).map(Kind::of).unwrap_or_default();
            comparison.value(name, right, said, kind);
        }
    }
    comparison.found
}

struct Comparison<'c> {
    call: &'c str,
    found: Vec<(ErrorClass, String)>,
}

/// What is declared of a value.
#[derive(Clone, Copy, Default)]
struct Kind<'d> {
    name: Option<&'d str>,
    fields: Option<&'d Map<String, Json>>,
}

impl Comparison<'_> {
    /// Whether the right names are there and no others, at whatever depth.
    fn names(&mut self, path: &str, wanted: &Object, said: &Object) {
        for name in wanted.keys().filter(|name| !said.contains_key(*name)) {
            self.put(ErrorClass::MissingParameter, &format!("`{}` is missing", joined(path, name)));
        }
        for name in said.keys().filter(|name| !wanted.contains_key(*name)) {
            self.put(ErrorClass::ExtraParameter, &format!("nobody asks for `{}`", joined(path, name)));
        }
    }

    fn value(&mut self, path: &str, wanted: &Value, said: &Value, kind: Kind<'_>) {
        if is_placeholder(wanted) {
            return;
        }
        if is_placeholder(said) {
            let reason = format!("`{path}` is left open though it is {}", shown(wanted));
            return self.put(ErrorClass::PlaceholderForValue, &reason);
        }
        match (wanted, said) {
            // Nothing is known of what stands in it.
            (Value::Object(wanted), Value::Object(_)) if wanted.is_empty() => {}
            (Value::Object(wanted), Value::Object(said)) => {
                self.names(path, wanted, said);
                for (name, wanted) in wanted {
                    if let Some(said) = said.get(name) {
                        self.value(&joined(path, name), wanted, said, kind.field(name));
                    }
                }
            }
            (Value::List(wanted), Value::List(said)) if wanted.len() == said.len() => {
                for (at, (wanted, said)) in wanted.iter().zip(said).enumerate() {
                    self.value(&joined(path, &at.to_string()), wanted, said, Kind::default());
                }
            }
            _ if wanted.equals(said) || kind.retyped(wanted).is_some_and(|wanted| wanted.equals(said)) => {}
            _ => {
                let is_typed = wanted.type_name() == said.type_name() || kind.takes(said);
                let class = if is_typed { ErrorClass::WrongValue } else { ErrorClass::WrongType };
                self.put(class, &format!("`{path}` is {} and not {}", shown(said), shown(wanted)));
            }
        }
    }

    fn put(&mut self, class: ErrorClass, reason: &str) {
        self.found.push((class, format!("{}: {reason}", self.call)));
    }
}

impl<'d> Kind<'d> {
    fn of(parameter: &'d Parameter) -> Self {
        let name = parameter.kind.as_ref().map(|_| parameter.type_name());
        Self { name, fields: parameter.more.get("properties").and_then(Json::as_object) }
    }

    fn field(self, name: &str) -> Self {
        let schema = self.fields.and_then(|fields| fields.get(name)).and_then(Json::as_object);
        let part = |name: &str| schema.and_then(|schema| schema.get(name));
        Self { name: part("type").and_then(Json::as_str), fields: part("properties").and_then(Json::as_object) }
    }

    /// Whether a value is of the declared type; nothing is where none is declared.
    fn takes(self, value: &Value) -> bool {
        match self.name {
            Some("integer" | "number") => value.type_name() == "number",
            Some(name) => value.type_name() == name,
            None => false,
        }
    }

    /// A right value that is not of the declared type, as one that is: the question's number where a text is declared.
    fn retyped(self, value: &Value) -> Option<Value> {
        match (self.name?, value) {
            ("string", Value::Number(number)) => Some(number.as_str().into()),
            ("integer" | "number", Value::String(text)) => Number::parse(text).map(Value::Number),
            _ => None,
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| format!("\u{201c}{text}\u{201d}"))
}

#[cfg(test)]
mod tests {
    use super::super::verdict::tests::sample;
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    fn found(wanted: &str, said: &str) -> Vec<String> {
        let sample = sample(&[("getX", wanted)]);
        let gold = Gold::of(&sample).unwrap();
        let said = Value::read(said).unwrap().as_object().unwrap().clone();
        let found = differences(&gold, gold.calls[0], &said);
        found.into_iter().map(|(class, reason)| format!("{} {reason}", class.as_str())).collect()
    }

    fn class(wanted: &str, said: &str) -> String {
        found(wanted, said).first().map(|it| it.split(' ').next().unwrap_or_default().to_owned()).unwrap_or_default()
    }

    #[test]
    fn what_the_question_leaves_open_is_free_at_every_depth() {
        let wanted = r#"{"a": "1", "b": "$$$", "o": {"k": "$$$", "y": 2020}, "any": [1, "$$$"]}"#;
        assert!(found(wanted, r#"{"b": null, "a": "1", "o": {"y": 2020.0, "k": ["x"]}, "any": [1e0, {}]}"#).is_empty());
        assert!(found(r#"{"o": {}}"#, r#"{"o": {"k": 1}}"#).is_empty());
    }

    #[test]
    fn names_are_compared_at_every_depth() {
        assert_eq!(
            found(r#"{"a": "1", "o": {"k": "$$$"}}"#, r#"{"A": "1", "o": {"y": 1}}"#),
            [
                "missing_parameter getX: `a` is missing",
                "extra_parameter getX: nobody asks for `A`",
                "missing_parameter getX: `o.k` is missing",
                "extra_parameter getX: nobody asks for `o.y`",
            ]
        );
    }

    #[test]
    fn values_are_typed() {
        for (wanted, said, wanted_class) in [
            (r#"{"a": "1"}"#, r#"{"a": 1}"#, "wrong_type"),
            (r#"{"a": "1"}"#, r#"{"a": "2"}"#, "wrong_value"),
            (r#"{"a": "Rome"}"#, r#"{"a": "rome"}"#, "wrong_value"),
            (r#"{"a": "1"}"#, r#"{"a": "$$$"}"#, "placeholder_for_value"),
            (r#"{"n": 1}"#, r#"{"n": true}"#, "wrong_type"),
            (r#"{"n": 1}"#, r#"{"n": "1"}"#, "wrong_type"),
            (r#"{"n": 1}"#, r#"{"n": 2}"#, "wrong_value"),
            (r#"{"n": 1}"#, r#"{"n": 1.0}"#, ""),
            (r#"{"any": 1}"#, r#"{"any": "1"}"#, "wrong_type"),
            (r#"{"any": [1, 2]}"#, r#"{"any": [2, 1]}"#, "wrong_value"),
            (r#"{"any": [1, 2]}"#, r#"{"any": [1]}"#, "wrong_value"),
            (r#"{"o": {"y": 1}}"#, r#"{"o": {"y": "1"}}"#, "wrong_type"),
            (r#"{"o": {"y": 1}}"#, r#"{"o": "$$$"}"#, "placeholder_for_value"),
            (r#"{"o": {}}"#, r#"{"o": "x"}"#, "wrong_type"),
        ] {
            assert_eq!(class(wanted, said), wanted_class, "{wanted} {said}");
        }
        assert_eq!(found(r#"{"a": "1"}"#, r#"{"a": 1}"#), ["wrong_type getX: `a` is 1 and not \u{201c}1\u{201d}"]);
    }

    #[test]
    fn a_truth_that_is_not_of_the_declared_type_is_right_in_either() {
        assert_eq!(
            (class(r#"{"a": 7}"#, r#"{"a": 7}"#), class(r#"{"a": 7}"#, r#"{"a": "7"}"#)),
            (String::new(), String::new())
        );
        assert_eq!(
            (class(r#"{"n": "41"}"#, r#"{"n": 41}"#), class(r#"{"n": "x"}"#, r#"{"n": 1}"#)),
            (String::new(), "wrong_value".to_owned())
        );
    }

    #[test]
    fn an_alternative_belongs_to_its_parameter() {
        let mut sample = sample(&[("getX", r#"{"a": "Porto", "b": "Porto"}"#)]);
        sample.acceptable = [("a".to_owned(), vec!["Oporto".into()])].into();
        let gold = Gold::of(&sample).unwrap();
        let said = |a: &str, b: &str| [("a".to_owned(), a.into()), ("b".to_owned(), b.into())].into();
        assert!(differences(&gold, gold.calls[0], &said("Oporto", "Porto")).is_empty());
        assert_eq!(differences(&gold, gold.calls[0], &said("Porto", "Oporto")).len(), 1);
    }

    proptest! {
        #[test]
        fn a_value_is_right_by_itself_and_wrong_within_a_list(value in any_value(false)) {
            let wanted = Value::Object([("any".to_owned(), value.clone())].into()).to_string();
            prop_assert!(found(&wanted, &wanted).is_empty());
            let deeper = Value::Object([("any".to_owned(), Value::List(vec![value.clone()]))].into()).to_string();
            prop_assert!(is_placeholder(&value) || !found(&wanted, &deeper).is_empty());
        }
    }
}
