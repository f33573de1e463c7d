//! Dictionaries, and lists of them.

use super::super::answer::Accepted;
use super::super::equal::equals;
use super::super::kind::{Crash, ErrorKind, Fault};
use super::super::normal::{is_normal, normal};
use super::super::value::{Dict, PythonValue};

/// Checks a dictionary against every accepted one; the last one's error is told.
pub(super) fn check(value: &Dict<'_>, accepted: &[Accepted]) -> Result<(), Fault> {
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
    use super::super::super::value::tests::json;
    use super::*;

    fn accepted(text: &str) -> Vec<Accepted> {
        json(text).as_list().unwrap().iter().map(|it| Accepted::new(it.clone().into_owned())).collect()
    }

    fn dict(value: &str, of: &str) -> Result<(), Fault> {
        check(json(value).as_dict().unwrap(), &accepted(of))
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
