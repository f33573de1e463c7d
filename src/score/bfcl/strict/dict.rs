//! Dictionaries, and lists of them: each key has its accepted values.

use super::super::equal::equals;
use super::super::kind::ErrorKind;
use super::super::value::{Dict, PythonValue};
use super::alike::alike;

/// What is wrong with a dictionary, compared with an accepted one.
pub(super) fn fault(given: &Dict<'_>, accepted: &Dict<'static>) -> Option<ErrorKind> {
    let mut wrong = None;
    for (key, value) in given {
        let Some(leaf) = entry(accepted, key) else { return Some(ErrorKind::ValueDictKey) };
        let is_right = values(leaf).iter().any(|it| alike(value, it)) || (is_optional(leaf) && is_nothing(value));
        wrong = if is_right { wrong } else { Some(ErrorKind::ValueDictValue) };
    }
    let is_missing = accepted.iter().any(|(key, leaf)| entry(given, key).is_none() && !is_optional(leaf));
    if is_missing { Some(ErrorKind::ValueDictKey) } else { wrong }
}

/// The same of a list of dictionaries, place by place.
pub(super) fn list_fault(given: &[PythonValue<'_>], accepted: &[PythonValue<'static>]) -> Option<ErrorKind> {
    if given.len() != accepted.len() {
        return Some(ErrorKind::ValueDictCount);
    }
    given.iter().zip(accepted).find_map(|(given, accepted)| match (given, accepted) {
        (PythonValue::Dict(given), PythonValue::Dict(accepted)) => fault(given, accepted),
        _ => (!alike(given, accepted)).then_some(ErrorKind::ValueDictValue),
    })
}

fn entry<'d, 't>(entries: &'d Dict<'t>, key: &PythonValue<'_>) -> Option<&'d PythonValue<'t>> {
    entries.iter().find(|(name, _)| equals(name, key)).map(|(_, value)| value)
}

/// The accepted values of a key; a plain value is the only one.
fn values<'v>(leaf: &'v PythonValue<'static>) -> &'v [PythonValue<'static>] {
    leaf.as_list().unwrap_or(std::slice::from_ref(leaf))
}

fn is_optional(leaf: &PythonValue<'static>) -> bool {
    leaf.as_list().is_some_and(|list| list.iter().any(|it| it.as_text() == Some("")))
}

fn is_nothing(value: &PythonValue<'_>) -> bool {
    value.as_text() == Some("") || value.as_list().is_some_and(<[_]>::is_empty)
}

#[cfg(test)]
mod tests {
    use super::super::super::value::tests::json;
    use super::*;

    fn of(given: &str, accepted: &str) -> Option<ErrorKind> {
        fault(json(given).as_dict().unwrap(), json(accepted).into_owned().as_dict().unwrap())
    }

    #[test]
    fn each_key_has_its_values_and_the_marker_means_that_it_may_be_missing() {
        assert_eq!(of(r#"{"a": 1, "b": "X"}"#, r#"{"a": [1.0], "b": ["x"], "c": ["", 5]}"#), None);
        assert_eq!(of(r#"{"a": true}"#, r#"{"a": [1]}"#), Some(ErrorKind::ValueDictValue));
        assert_eq!(of(r#"{"a": ""}"#, r#"{"a": ["", 1]}"#), None);
        assert_eq!(of(r#"{"b": 1}"#, r#"{"a": ["", 1]}"#), Some(ErrorKind::ValueDictKey));
        assert_eq!(of("{}", r#"{"a": [1]}"#), Some(ErrorKind::ValueDictKey));
    }

    #[test]
    fn a_plain_value_is_the_only_one_that_is_accepted() {
        assert_eq!(of(r#"{"a": 1}"#, r#"{"a": 1}"#), None);
        assert_eq!(of(r#"{"a": "b"}"#, r#"{"a": "abc"}"#), Some(ErrorKind::ValueDictValue));
    }

    #[test]
    fn lists_are_compared_place_by_place() {
        let of = |given: &str, accepted: &str| {
            list_fault(json(given).as_list().unwrap(), json(accepted).into_owned().as_list().unwrap())
        };
        assert_eq!(of(r#"[{"a": 1}, "x"]"#, r#"[{"a": [1]}, "X"]"#), None);
        assert_eq!(of(r#"[{"a": 1}]"#, "[]"), Some(ErrorKind::ValueDictCount));
        assert_eq!(of("[5]", r#"[{"a": [1]}]"#), Some(ErrorKind::ValueDictValue));
    }
}
