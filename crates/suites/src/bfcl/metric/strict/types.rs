//! Whether a value has the declared type, at every depth.

use super::super::answer::Accepted;
use super::super::category::ErrorKind;
use super::super::function::{Declared, Word};
use crate::python::{Dict, PythonValue, Type, numbers_equal, values_equal as equals};
use crate::python::{is_normal, normal};

/// Whether a value has the declared type, at every depth.
pub fn has_type(value: &PythonValue<'_>, declared: &Declared) -> bool {
    type_fault(value, declared).is_none()
}

/// What is wrong with a value's type, if anything.
pub(super) fn type_fault(value: &PythonValue<'_>, declared: &Declared) -> Option<ErrorKind> {
    if !fits(value, declared.word) {
        return Some(ErrorKind::TypeSimple);
    }
    let (PythonValue::List(list) | PythonValue::Tuple(list)) = value else { return None };
    let items = declared.items.as_deref().filter(|_| declared.word.has_items())?;
    list.iter().any(|element| type_fault(element, items).is_some()).then_some(ErrorKind::TypeNested)
}

/// A whole number serves where any number does; what is declared by no known word may be anything.
fn fits(value: &PythonValue<'_>, word: Word) -> bool {
    let kind = value.kind();
    match word {
        Word::Text => kind == Type::Text,
        Word::Int => kind == Type::Int,
        Word::Float | Word::Number => matches!(kind, Type::Int | Type::Float),
        Word::Bool => kind == Type::Bool,
        Word::Array => kind == Type::List,
        Word::Tuple => matches!(kind, Type::List | Type::Tuple),
        Word::Dict | Word::Object => kind == Type::Dict,
        Word::Any | Word::Unknown => true,
    }
}

// Whether two values are the same where no type is declared: numbers by what they amount to, truths apart from numbers,
// strings by what is left of them.

/// Whether a given value is an accepted one, at every depth.
pub(super) fn alike(given: &PythonValue<'_>, accepted: &PythonValue<'_>) -> bool {
    match (given, accepted) {
        (PythonValue::Text(given), PythonValue::Text(accepted)) => {
            given == accepted || is_normal(given, &normal(accepted))
        }
        (PythonValue::List(given), PythonValue::List(accepted)) => {
            given.len() == accepted.len() && given.iter().zip(accepted).all(|(given, accepted)| alike(given, accepted))
        }
        (PythonValue::Dict(given), PythonValue::Dict(accepted)) => {
            let has = |(key, given): &(PythonValue<'_>, PythonValue<'_>)| {
                accepted.iter().any(|(name, it)| equals(name, key) && alike(given, it))
            };
            given.len() == accepted.len() && given.iter().all(has)
        }
        _ if is_truth(given) || is_truth(accepted) => given.kind() == accepted.kind() && equals(given, accepted),
        _ if matches!(given.kind(), Type::Int | Type::Float) => numbers_equal(given, accepted),
        _ => equals(given, accepted),
    }
}

/// The same of a value that is prepared: what is left of its strings is known.
pub(super) fn is_accepted(given: &PythonValue<'_>, accepted: &Accepted) -> bool {
    match (given, &accepted.value, &accepted.normal) {
        (PythonValue::Text(given), PythonValue::Text(value), Some(normal)) => {
            given == value || is_normal(given, normal)
        }
        (PythonValue::List(given), PythonValue::List(values), _) => {
            let is_element = |((given, value), normal): ((&PythonValue<'_>, _), &Option<String>)| match (given, normal)
            {
                (PythonValue::Text(text), Some(normal)) => is_normal(text, normal),
                _ => alike(given, value),
            };
            given.len() == values.len() && given.iter().zip(values).zip(&accepted.elements).all(is_element)
        }
        (given, value, _) => alike(given, value),
    }
}

fn is_truth(value: &PythonValue<'_>) -> bool {
    value.kind() == Type::Bool
}

// Dictionaries, and lists of them: each key has its accepted values.

/// What is wrong with a dictionary, compared with an accepted one.
pub(super) fn dict_fault(given: &Dict<'_>, accepted: &Dict<'static>) -> Option<ErrorKind> {
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
        (PythonValue::Dict(given), PythonValue::Dict(accepted)) => dict_fault(given, accepted),
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
    use super::super::super::function::tests::function;
    use super::*;
    use fcgen_core::fixtures::json;

    fn of(value: &str, declared: &str) -> Option<ErrorKind> {
        let function = function(&format!(r#""properties": {{"a": {declared}}}"#));
        type_fault(&json(value), function.parameter("a").unwrap())
    }

    #[test]
    fn whole_numbers_serve_for_doubles_at_every_depth() {
        let floats = r#"{"type": "array", "items": {"type": "array", "items": {"type": "float"}}}"#;
        assert_eq!(of("[[1, 2.5]]", floats), None);
        assert_eq!(of("[[true]]", floats), Some(ErrorKind::TypeNested));
        assert_eq!(of("5.0", r#"{"type": "integer"}"#), Some(ErrorKind::TypeSimple));
        assert_eq!(of("5", r#"{"type": "number"}"#), None);
    }

    #[test]
    fn truths_are_no_numbers_and_anything_is_anything() {
        assert_eq!(of("true", r#"{"type": "integer"}"#), Some(ErrorKind::TypeSimple));
        assert_eq!(
            (of("true", r#"{"type": "any"}"#), of("[1]", "{}"), of("{}", r#"{"type": "object"}"#)),
            (None, None, None)
        );
        let tuple = PythonValue::Tuple(vec![PythonValue::Int(1)]);
        let declared = |word| Declared { word, items: None };
        assert_eq!(type_fault(&tuple, &declared(Word::Tuple)), None);
        assert_eq!(type_fault(&tuple, &declared(Word::Array)), Some(ErrorKind::TypeSimple));
    }
}

#[cfg(test)]
mod alike_tests {
    use super::*;
    use fcgen_core::fixtures::{any_python, json};
    use proptest::prelude::*;

    #[test]
    fn spelling_and_the_kind_of_a_number_do_not_count_at_any_depth() {
        for (one, other) in
            [("1", "1.0"), ("\"A b\"", "\"a-b\""), (r#"{"k": ["A", {"n": 2}]}"#, r#"{"k": ["a", {"n": 2.0}]}"#)]
        {
            assert!(alike(&json(one), &json(other)), "{one} {other}");
        }
    }

    #[test]
    fn truths_nothing_and_texts_are_no_numbers() {
        for (one, other) in [
            ("1", "true"),
            ("0", "false"),
            ("null", "0"),
            ("\"1\"", "1"),
            ("[1]", "[true]"),
            ("{\"A\": 1}", "{\"a\": 1}"),
            ("NaN", "NaN"),
        ] {
            assert!(!alike(&json(one), &json(other)) && !alike(&json(other), &json(one)), "{one} {other}");
        }
        assert!(alike(&json("true"), &json("true")) && alike(&json("null"), &json("null")));
    }

    proptest! {
        #[test]
        fn it_goes_both_ways(one in any_python(), other in any_python()) {
            prop_assert_eq!(alike(&one, &other), alike(&other, &one));
        }
    }
}

#[cfg(test)]
mod dict_tests {
    use super::*;
    use fcgen_core::fixtures::json;

    fn of(given: &str, accepted: &str) -> Option<ErrorKind> {
        dict_fault(json(given).as_dict().unwrap(), json(accepted).into_owned().as_dict().unwrap())
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
