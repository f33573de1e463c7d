//! Whether a call has the form that its function asks for.

use super::golden::{Function, Golden};
use crate::python;
use crate::record::{FunctionCall, Value};

/// What is wrong with the form of a call, in the words that the model is told; the first fault counts.
pub(super) fn format_fault(golden: &Golden, call: &FunctionCall) -> Option<String> {
    let name = &call.name;
    let Some(function) = golden.function(name) else {
        return Some(format!("Function {name} is not defined in the function list."));
    };
    missing(function, call).or_else(|| unknown(function, call)).or_else(|| {
        call.arguments.iter().find_map(|(parameter, value)| {
            let wanted = function.types.get(parameter)?.as_deref()?;
            mistyped(golden, wanted, value).map(|article| {
                format!(
                    "Parameter {parameter} of function {name} should be {article}, but <class '{}'> is provided.",
                    class(value)
                )
            })
        })
    })
}

impl Golden {
    /// What is wrong with the form of one of the golden calls themselves.
    pub fn own_format_fault(&self, ordinal: usize) -> Option<String> {
        format_fault(self, self.call(ordinal))
    }
}

fn missing(function: &Function, call: &FunctionCall) -> Option<String> {
    let absent: Vec<&str> =
        function.required.iter().map(String::as_str).filter(|it| !call.arguments.contains_key(*it)).collect();
    (!absent.is_empty()).then(|| {
        let required = listed(function.required.iter().map(String::as_str));
        let given = listed(call.arguments.keys().map(String::as_str));
        format!("Function {} requires parameters [{required}], but [{given}] do not provide {}", call.name, set(absent))
    })
}

fn unknown(function: &Function, call: &FunctionCall) -> Option<String> {
    let more: Vec<&str> =
        call.arguments.keys().map(String::as_str).filter(|it| !function.types.contains_key(*it)).collect();
    (!more.is_empty()).then(|| format!("Function {} does not have parameters {}", call.name, set(more)))
}

/// What a value should be, if it is something else. Types besides these four are not looked at; to the authors a boolean
/// is a number.
fn mistyped(golden: &Golden, wanted: &str, value: &Value) -> Option<&'static str> {
    let is_number = matches!(value, Value::Number(_)) || matches!(value, Value::Bool(_)) && !golden.rules().is_strict();
    let (is_right, article) = match wanted {
        "string" => (matches!(value, Value::String(_)), "a string"),
        "number" => (is_number, "a number"),
        "boolean" => (matches!(value, Value::Bool(_)), "a boolean"),
        "array" => (matches!(value, Value::List(_)), "an array"),
        _ => return None,
    };
    (!is_right).then_some(article)
}

fn class(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_integer_text() => "int",
        Value::Number(_) => "float",
        Value::String(_) => "str",
        Value::List(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Names as Python prints a set, sorted.
fn set(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    names.dedup();
    format!("{{{}}}", listed(names.into_iter()))
}

fn listed<'t>(names: impl Iterator<Item = &'t str>) -> String {
    names.map(python::quoted).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, golden};
    use super::super::rules::{Dialect, Rules};
    use super::*;

    fn told(rules: Rules, name: &str, arguments: &str) -> String {
        format_fault(&golden(rules), &call(name, arguments)).unwrap_or_default()
    }

    fn theirs(name: &str, arguments: &str) -> String {
        told(Rules::Upstream(Dialect::Gpt), name, arguments)
    }

    #[test]
    fn names_come_first_and_then_what_is_missing_and_what_is_too_much() {
        assert_eq!(theirs("Fly", "{}"), "Function Fly is not defined in the function list.");
        assert_eq!(
            theirs("Search", r#"{"people": "2", "extra": 1}"#),
            "Function Search requires parameters ['area', 'day'], but ['extra', 'people'] do not provide {'area', 'day'}"
        );
        assert_eq!(
            theirs("Search", r#"{"area": "a", "day": 5, "z": 1, "it's": 1}"#),
            "Function Search does not have parameters {\"it's\", 'z'}"
        );
    }

    #[test]
    fn the_first_wrong_type_by_name_is_told_with_pythons_class() {
        let told = |more: &str| theirs("Search", &format!(r#"{{"area": "a", "day": "d", {more}}}"#));
        for (more, text) in [
            (
                r#""people": "2""#,
                "Parameter people of function Search should be a number, but <class 'str'> is provided.",
            ),
            (
                r#""tags": null, "kind": 5"#,
                "Parameter kind of function Search should be a string, but <class 'int'> is provided.",
            ),
            (
                r#""kind": 5.0"#,
                "Parameter kind of function Search should be a string, but <class 'float'> is provided.",
            ),
            (r#""quiet": 1"#, "Parameter quiet of function Search should be a boolean, but <class 'int'> is provided."),
            (r#""legs": {}"#, "Parameter legs of function Search should be an array, but <class 'dict'> is provided."),
            (r#""tags": []"#, "Parameter tags of function Search should be a string, but <class 'list'> is provided."),
            (
                r#""tags": null"#,
                "Parameter tags of function Search should be a string, but <class 'NoneType'> is provided.",
            ),
            (r#""quiet": true, "people": 2.5, "legs": [], "other": null"#, ""),
        ] {
            assert_eq!(told(more), text);
        }
    }

    #[test]
    fn to_the_authors_a_boolean_is_a_number() {
        let arguments = r#"{"area": "a", "day": "d", "people": true}"#;
        assert_eq!(theirs("Search", arguments), "");
        assert_eq!(
            told(Rules::default(), "Search", arguments),
            "Parameter people of function Search should be a number, but <class 'bool'> is provided."
        );
    }
}
