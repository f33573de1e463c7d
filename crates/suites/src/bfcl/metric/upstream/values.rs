//! Whether a value is among those that are accepted.

use super::super::answer::Accepted;
use super::super::category::{Crash, ErrorKind, Fault};
use crate::python::{Dict, PythonValue, Type, values_equal as equals};
use crate::python::{is_normal, normal};

/// By Python's equality, to the letter.
pub(super) fn others(value: &PythonValue<'_>, accepted: &[Accepted]) -> Result<(), Fault> {
    passes(accepted.iter().any(|it| equals(value, &it.value)), ErrorKind::ValueOthers)
}

/// A string, whatever its spelling. The marker is a string too.
pub(super) fn text(value: &str, accepted: &[Accepted]) -> Result<(), Fault> {
    let is_same = |it: &Accepted| {
        it.value.as_text() == Some(value) || it.normal.as_deref().is_some_and(|normal| is_normal(value, normal))
    };
    passes(accepted.iter().any(is_same), ErrorKind::ValueString)
}

/// A list, its strings whatever their spelling, those within its elements to the letter.
pub(super) fn list(value: &[PythonValue<'_>], accepted: &[Accepted]) -> Result<(), Fault> {
    for it in accepted {
        let is_same = match &it.value {
            PythonValue::List(list) => is_same_list(value, list, &it.elements),
            // Upstream takes a string for the list of its letters, and the marker for an empty list.
            PythonValue::Text(text) => is_same_letters(value, text),
            PythonValue::Dict(entries) if entries.is_empty() => value.is_empty(),
            PythonValue::Dict(_) => return Err(Fault::Crash(Crash::Key)),
            _ => return Err(Fault::Crash(Crash::Type)),
        };
        if is_same {
            return after(accepted, it);
        }
    }
    Err(ErrorKind::ValueList.into())
}

/// Upstream looks at all accepted values before it compares any.
fn after(accepted: &[Accepted], found: &Accepted) -> Result<(), Fault> {
    let rest = accepted.iter().skip_while(|it| !std::ptr::eq(*it, found));
    for it in rest {
        match &it.value {
            PythonValue::List(_) | PythonValue::Text(_) => {}
            PythonValue::Dict(entries) if entries.is_empty() => {}
            PythonValue::Dict(_) => return Err(Fault::Crash(Crash::Key)),
            _ => return Err(Fault::Crash(Crash::Type)),
        }
    }
    Ok(())
}

fn is_same_list(value: &[PythonValue<'_>], accepted: &[PythonValue<'_>], normals: &[Option<String>]) -> bool {
    let is_same =
        |((one, other), normal): ((&PythonValue<'_>, &PythonValue<'_>), &Option<String>)| match (one.as_text(), normal)
        {
            (Some(text), Some(normal)) => is_normal(text, normal),
            _ => equals(one, other),
        };
    value.len() == accepted.len() && value.iter().zip(accepted).zip(normals).all(is_same)
}

fn is_same_letters(value: &[PythonValue<'_>], accepted: &str) -> bool {
    let letters = accepted.chars().map(|letter| normal(&letter.to_string()));
    let texts: Option<Vec<String>> = value.iter().map(|it| it.as_text().map(normal)).collect();
    texts.is_some_and(|texts| letters.eq(texts))
}

pub(super) fn passes(is_right: bool, kind: ErrorKind) -> Result<(), Fault> {
    if is_right { Ok(()) } else { Err(kind.into()) }
}

// Whether a value has the type that is wanted.

/// Checks a value's type. Says whether the value is a variable: one that is accepted although the description wants another
/// type.
pub(super) fn check_type(
    value: &PythonValue<'_>,
    accepted: &[Accepted],
    wanted: Type,
    items: Option<Type>,
) -> Result<bool, Fault> {
    let answers = first(accepted.iter().map(|it| &it.value));
    let is_variable = answers.is_some_and(|kind| kind != wanted);
    let kind = value.kind();
    if kind == wanted {
        let Some(items) = items else { return Ok(is_variable) };
        if accepted.iter().any(|it| elements_fit(value, &it.value, items)) {
            return Ok(is_variable);
        }
        // What is of the answers' type keeps the error of its elements.
        let is_nested = answers == Some(kind);
        return Err(if is_nested { ErrorKind::TypeNested } else { ErrorKind::TypeSimple }.into());
    }
    if answers == Some(kind) { Ok(true) } else { Err(ErrorKind::TypeSimple.into()) }
}

/// The type of the first value that is no marker.
fn first<'v>(mut values: impl Iterator<Item = &'v PythonValue<'static>>) -> Option<Type> {
    values.find(|value| value.as_text() != Some("")).map(PythonValue::kind)
}

/// An accepted value that is no list is not looked at, and passes.
fn elements_fit(value: &PythonValue<'_>, accepted: &PythonValue<'static>, items: Type) -> bool {
    let Some(accepted) = accepted.as_list() else { return true };
    let answers = first(accepted.iter());
    let fits = |element: &PythonValue<'_>| element.kind() == items || answers == Some(element.kind());
    value.as_list().is_some_and(|list| list.iter().all(fits))
}

// Dictionaries, and lists of them.

/// Checks a dictionary against every accepted one; the last one's error is told.
pub(super) fn check_dict(value: &Dict<'_>, accepted: &[Accepted]) -> Result<(), Fault> {
    any_of(value, accepted.iter().map(|it| &it.value))
}

fn any_of<'v>(value: &Dict<'_>, accepted: impl Iterator<Item = &'v PythonValue<'static>>) -> Result<(), Fault> {
    let mut last = ErrorKind::DictUnclear;
    for it in accepted.filter(|it| it.as_text() != Some("")) {
        // Upstream goes through its entries, whatever it found before.
        let accepted = it.as_dict().ok_or(Fault::Crash(Crash::Attribute))?;
        match one(value, accepted)? {
            None => return Ok(()),
            Some(kind) => last = kind,
        }
    }
    Err(last.into())
}

/// What is wrong with a dictionary, if anything. A missing key is looked for even after an error, and takes its place.
fn one(value: &Dict<'_>, accepted: &Dict<'static>) -> Result<Option<ErrorKind>, Fault> {
    let mut found = None;
    for (key, given) in value {
        let Some(leaf) = entry(accepted, key) else {
            found = Some(ErrorKind::ValueDictKey);
            break;
        };
        if !is_among(given, leaf)? {
            found = Some(ErrorKind::ValueDictValue);
            break;
        }
    }
    for (key, leaf) in accepted {
        if entry(value, key).is_none() && !may_be_missing(leaf)? {
            return Ok(Some(ErrorKind::ValueDictKey));
        }
    }
    Ok(found)
}

fn entry<'d, 't>(entries: &'d Dict<'t>, key: &PythonValue<'_>) -> Option<&'d PythonValue<'t>> {
    entries.iter().find(|(name, _)| equals(name, key)).map(|(_, value)| value)
}

fn is_among(given: &PythonValue<'_>, leaf: &PythonValue<'static>) -> Result<bool, Fault> {
    match leaf {
        PythonValue::List(list) => Ok(list.iter().any(|accepted| is_same(given, accepted))),
        // Upstream takes a string for the list of its letters.
        PythonValue::Text(text) => Ok(given
            .as_text()
            .is_some_and(|given| text.chars().any(|letter| is_normal(given, &normal(&letter.to_string()))))),
        PythonValue::Dict(entries) if entries.is_empty() => Ok(false),
        PythonValue::Dict(_) => Err(Fault::Crash(Crash::Key)),
        _ => Err(Fault::Crash(Crash::Type)),
    }
}

fn is_same(given: &PythonValue<'_>, accepted: &PythonValue<'static>) -> bool {
    match (given.as_text(), accepted.as_text()) {
        (Some(given), Some(accepted)) => given == accepted || is_normal(given, &normal(accepted)),
        _ => equals(given, accepted),
    }
}

fn may_be_missing(leaf: &PythonValue<'static>) -> Result<bool, Fault> {
    match leaf {
        PythonValue::List(list) => Ok(list.iter().any(|it| it.as_text() == Some(""))),
        // Nothing is part of any string.
        PythonValue::Text(_) => Ok(true),
        PythonValue::Dict(entries) => Ok(entries.iter().any(|(key, _)| key.as_text() == Some(""))),
        _ => Err(Fault::Crash(Crash::Type)),
    }
}

/// Checks a list of dictionaries against every accepted list, place by place.
pub(super) fn check_list(value: &[PythonValue<'_>], accepted: &[Accepted]) -> Result<(), Fault> {
    let mut last = ErrorKind::ListDictUnclear;
    for it in accepted {
        let wanted: &[PythonValue<'static>] = match &it.value {
            PythonValue::List(list) => list,
            PythonValue::Text(text) if value.len() != text.chars().count() => {
                last = ErrorKind::ValueDictCount;
                continue;
            }
            PythonValue::Dict(entries) if value.len() != entries.len() => {
                last = ErrorKind::ValueDictCount;
                continue;
            }
            PythonValue::Text(_) | PythonValue::Dict(_) if value.is_empty() => return Ok(()),
            PythonValue::Text(_) => return Err(Fault::Crash(Crash::Attribute)),
            PythonValue::Dict(_) => return Err(Fault::Crash(Crash::Key)),
            _ => return Err(Fault::Crash(Crash::Type)),
        };
        match each(value, wanted)? {
            None => return Ok(()),
            Some(kind) => last = kind,
        }
    }
    Err(last.into())
}

fn each(value: &[PythonValue<'_>], wanted: &[PythonValue<'static>]) -> Result<Option<ErrorKind>, Fault> {
    if value.len() != wanted.len() {
        return Ok(Some(ErrorKind::ValueDictCount));
    }
    for (given, wanted) in value.iter().zip(wanted) {
        if wanted.as_text() == Some("") {
            return Ok(Some(ErrorKind::DictUnclear));
        }
        let given = given.as_dict().ok_or(Fault::Crash(Crash::Attribute))?;
        match any_of(given, std::iter::once(wanted)) {
            Ok(()) => {}
            Err(Fault::Wrong(kind)) => return Ok(Some(kind)),
            Err(crash) => return Err(crash),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen_core::fixtures::json;

    fn accepted(text: &str) -> Vec<Accepted> {
        json(text).as_list().unwrap().iter().map(|it| Accepted::new(it.clone().into_owned())).collect()
    }

    fn lists(value: &str, of: &str) -> Result<(), Fault> {
        list(json(value).as_list().unwrap(), &accepted(of))
    }

    #[test]
    fn strings_are_compared_by_what_is_left_of_them() {
        assert_eq!(text("new-york", &accepted("[5, \"New York\"]")), Ok(()));
        assert_eq!(text(" - ", &accepted("[\"x\", \"\"]")), Ok(()));
        assert_eq!(text("y", &accepted("[\"x\", \"\"]")), Err(ErrorKind::ValueString.into()));
    }

    #[test]
    fn lists_are_compared_in_order_and_deeper_strings_to_the_letter() {
        assert_eq!(lists("[\"A b\", 1]", "[[\"ab\", 1.0]]"), Ok(()));
        assert_eq!(lists("[[\"A\"]]", "[[[\"a\"]]]"), Err(ErrorKind::ValueList.into()));
        assert_eq!(lists("[1, 2]", "[[2, 1]]"), Err(ErrorKind::ValueList.into()));
        assert_eq!(lists("[]", "[[1], \"\"]"), Ok(()));
        assert_eq!(lists("[\"A\", \"b\"]", "[\"ab\"]"), Ok(()));
    }

    #[test]
    fn upstream_breaks_off_at_what_has_no_elements() {
        assert_eq!(lists("[1]", "[5]"), Err(Fault::Crash(Crash::Type)));
        assert_eq!(lists("[1]", "[[1], 5]"), Err(Fault::Crash(Crash::Type)));
        assert_eq!(lists("[1]", "[{\"a\": 1}]"), Err(Fault::Crash(Crash::Key)));
        assert_eq!(lists("[1]", "[[1], {}]"), Ok(()));
    }

    #[test]
    fn everything_else_is_equal_to_the_letter() {
        assert_eq!(others(&json("1"), &accepted("[true]")), Ok(()));
        assert_eq!(others(&json("\"A\""), &accepted("[\"a\"]")), Err(ErrorKind::ValueOthers.into()));
        assert_eq!(others(&json("NaN"), &accepted("[NaN]")), Err(ErrorKind::ValueOthers.into()));
    }
}

#[cfg(test)]
mod types_tests {
    use super::*;
    use fcgen_core::fixtures::json;

    fn checked(value: &str, accepted: &str, wanted: Type, items: Option<Type>) -> Result<bool, Fault> {
        let accepted: Vec<Accepted> =
            json(accepted).as_list().unwrap().iter().map(|it| Accepted::new(it.clone().into_owned())).collect();
        check_type(&json(value), &accepted, wanted, items)
    }

    #[test]
    fn a_value_of_another_type_is_a_variable_if_the_answer_is_one_too() {
        assert_eq!(checked("5", "[5]", Type::Int, None), Ok(false));
        assert_eq!(checked("\"x\"", "[\"\", \"x\"]", Type::Int, None), Ok(true));
        assert_eq!(checked("5", "[\"x\"]", Type::Int, None), Ok(true));
        assert_eq!(checked("true", "[5]", Type::Int, None), Err(ErrorKind::TypeSimple.into()));
        assert_eq!(checked("null", "[null]", Type::Int, None), Ok(true));
        assert_eq!(checked("null", "[\"\"]", Type::Int, None), Err(ErrorKind::TypeSimple.into()));
    }

    #[test]
    fn elements_are_checked_one_level_deep_against_some_accepted_list() {
        let list = |value: &str, accepted: &str| checked(value, accepted, Type::List, Some(Type::Float));
        assert_eq!(list("[1.5]", "[[1.5]]"), Ok(false));
        assert_eq!(list("[1]", "[[1.5]]"), Err(ErrorKind::TypeNested.into()));
        assert_eq!(list("[1]", "[[1, 2.5]]"), Ok(false));
        assert_eq!(list("[1]", "[[1.5], \"\"]"), Ok(false));
        assert_eq!(list("[null]", "[[null]]"), Ok(false));
        assert_eq!(list("[]", "[]"), Err(ErrorKind::TypeSimple.into()));
        assert_eq!(list("[\"x\"]", "[5]"), Ok(true));
    }
}

#[cfg(test)]
mod dict_tests {
    use super::*;
    use fcgen_core::fixtures::json;

    fn accepted(text: &str) -> Vec<Accepted> {
        json(text).as_list().unwrap().iter().map(|it| Accepted::new(it.clone().into_owned())).collect()
    }

    fn dict(value: &str, of: &str) -> Result<(), Fault> {
        check_dict(json(value).as_dict().unwrap(), &accepted(of))
    }

    fn list(value: &str, of: &str) -> Result<(), Fault> {
        check_list(json(value).as_list().unwrap(), &accepted(of))
    }

    #[test]
    fn every_key_has_its_accepted_values() {
        assert_eq!(dict(r#"{"a": "X y"}"#, r#"["", {"a": ["xy", 1], "b": [2, ""]}]"#), Ok(()));
        assert_eq!(dict(r#"{"a": true}"#, r#"[{"a": [1]}]"#), Ok(()));
        assert_eq!(dict(r#"{"a": 2}"#, r#"[{"a": [1]}]"#), Err(ErrorKind::ValueDictValue.into()));
        assert_eq!(dict(r#"{"c": 2}"#, r#"[{"a": ["", 1]}]"#), Err(ErrorKind::ValueDictKey.into()));
        assert_eq!(dict(r#"{"a": {"b": 1}}"#, r#"[{"a": [{"b": 1.0}]}]"#), Ok(()));
        assert_eq!(dict("{}", "[\"\"]"), Err(ErrorKind::DictUnclear.into()));
    }

    #[test]
    fn a_missing_key_hides_another_error_and_the_last_dictionary_is_told() {
        assert_eq!(dict(r#"{"a": 2}"#, r#"[{"a": [1], "b": [1]}]"#), Err(ErrorKind::ValueDictKey.into()));
        assert_eq!(dict(r#"{"a": 2}"#, r#"[{"b": [1]}, {"a": [1]}]"#), Err(ErrorKind::ValueDictValue.into()));
    }

    #[test]
    fn upstream_breaks_off_at_plain_values() {
        assert_eq!(dict(r#"{"a": 2}"#, r#"[{"a": 2}]"#), Err(Fault::Crash(Crash::Type)));
        assert_eq!(dict("{}", r#"[{"a": 2}]"#), Err(Fault::Crash(Crash::Type)));
        assert_eq!(dict(r#"{"a": "X"}"#, r#"[{"a": "xy", "b": "z"}]"#), Ok(()));
        assert_eq!(dict(r#"{"a": 1}"#, r#"[{"a": {"b": 1}}]"#), Err(Fault::Crash(Crash::Key)));
        assert_eq!(dict(r#"{"a": 1}"#, "[5]"), Err(Fault::Crash(Crash::Attribute)));
    }

    #[test]
    fn lists_of_dictionaries_are_compared_place_by_place() {
        assert_eq!(list(r#"[{"a": 1}, {"a": 2}]"#, r#"[[{"a": [2]}], [{"a": [1]}, {"a": [2]}]]"#), Ok(()));
        assert_eq!(list(r#"[{"a": 1}]"#, r#"[[{"a": [2]}]]"#), Err(ErrorKind::ValueDictValue.into()));
        assert_eq!(list(r#"[{"a": 1}]"#, r#"[[{"a": [2]}], ""]"#), Err(ErrorKind::ValueDictCount.into()));
        assert_eq!(list("[]", r#"[[{"a": [2]}], ""]"#), Ok(()));
        assert_eq!(list("[]", "[]"), Err(ErrorKind::ListDictUnclear.into()));
        assert_eq!(list("[\"x\"]", r#"[[{"a": [2]}]]"#), Err(Fault::Crash(Crash::Attribute)));
        assert_eq!(list("[{}]", "[[\"\"]]"), Err(ErrorKind::DictUnclear.into()));
        assert_eq!(list("[{}]", "[5]"), Err(Fault::Crash(Crash::Type)));
        assert_eq!(list("[{}]", "[{\"a\": 1}]"), Err(Fault::Crash(Crash::Key)));
    }
}
