//! Calls with arguments in JSON, as a model with native tools gives them.

use super::super::value::PythonValue;
use super::{Call, DecodeFault};
use crate::record::{BorrowedObject, BorrowedValue};
use std::borrow::Cow;

/// Finds calls as upstream does: a list of objects, each of which has a name with its arguments as a text of JSON.
pub fn decode_calls<'t>(given: &'t BorrowedValue<'_>) -> Result<Vec<Call<'t>>, DecodeFault> {
    let list = match given {
        BorrowedValue::List(list) => list,
        // A text is gone through letter by letter, and none of its letters is a call.
        BorrowedValue::String(text) if text.is_empty() => return Ok(Vec::new()),
        BorrowedValue::Object(object) if object.is_empty() => return Ok(Vec::new()),
        BorrowedValue::String(_) | BorrowedValue::Object(_) => return Err(DecodeFault::NoName),
        _ => return Err(DecodeFault::NoList),
    };
    list.iter().map(upstream).collect()
}

fn upstream<'t>(given: &'t BorrowedValue<'_>) -> Result<Call<'t>, DecodeFault> {
    let (name, arguments) = given.as_object().and_then(|object| object.iter().next()).ok_or(DecodeFault::NoName)?;
    let text = arguments.as_str().ok_or_else(|| DecodeFault::NoText { name: name.to_owned() })?;
    let read = BorrowedValue::read_lenient(text);
    let arguments = read.map_err(|source| DecodeFault::Arguments { name: name.to_owned(), source })?;
    Ok(Call { name: Cow::Borrowed(name), arguments: arguments.into() })
}

/// Finds calls soundly: arguments may be an object as well, and must be JSON without repeated names.
pub fn decode_calls_strictly<'t>(given: &'t BorrowedValue<'_>) -> Result<Vec<Call<'t>>, DecodeFault> {
    let BorrowedValue::List(list) = given else { return Err(DecodeFault::NoList) };
    list.iter().map(strict).collect()
}

fn strict<'t>(given: &'t BorrowedValue<'_>) -> Result<Call<'t>, DecodeFault> {
    let object = given.as_object().filter(|object| object.len() == 1).ok_or(DecodeFault::NoName)?;
    let (name, arguments) = object.iter().next().ok_or(DecodeFault::NoName)?;
    let arguments = match arguments {
        BorrowedValue::String(text) => arguments_of(name, text)?,
        BorrowedValue::Object(object) => dict(object),
        _ => return Err(DecodeFault::NoText { name: name.to_owned() }),
    };
    if !matches!(arguments, PythonValue::Dict(_)) {
        return Err(DecodeFault::NoText { name: name.to_owned() });
    }
    Ok(Call { name: Cow::Borrowed(name), arguments })
}

fn arguments_of<'t>(name: &str, text: &'t str) -> Result<PythonValue<'t>, DecodeFault> {
    let is_borrowed = BorrowedValue::read_strict(text);
    is_borrowed.map(PythonValue::from).map_err(|source| DecodeFault::Arguments { name: name.to_owned(), source })
}

fn dict<'t>(object: &'t BorrowedObject<'_>) -> PythonValue<'t> {
    let lent = |value: &'t BorrowedValue<'_>| PythonValue::from(lend(value));
    PythonValue::Dict(
        object.iter().map(|(name, value)| (PythonValue::Text(Cow::Borrowed(name)), lent(value))).collect(),
    )
}

/// The same value, which borrows from its owner.
fn lend<'t>(value: &'t BorrowedValue<'_>) -> BorrowedValue<'t> {
    match value {
        BorrowedValue::Null => BorrowedValue::Null,
        BorrowedValue::Bool(bool) => BorrowedValue::Bool(*bool),
        BorrowedValue::Number(text) => BorrowedValue::Number(text),
        BorrowedValue::String(text) => BorrowedValue::String(Cow::Borrowed(text)),
        BorrowedValue::List(list) => BorrowedValue::List(list.iter().map(lend).collect()),
        BorrowedValue::Object(object) => {
            BorrowedValue::Object(object.iter().map(|(name, value)| (Cow::Borrowed(name), lend(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::repr::repr;
    use super::super::{as_value, is_well_formed};
    use super::*;

    fn read(json: &str) -> Option<(String, bool)> {
        let given = BorrowedValue::read_lenient(json).unwrap();
        decode_calls(&given).ok().map(|calls| (repr(&as_value(&calls)), is_well_formed(&calls)))
    }

    fn strictly(json: &str) -> Result<String, String> {
        let given = BorrowedValue::read_lenient(json).unwrap();
        decode_calls_strictly(&given).map(|calls| repr(&as_value(&calls))).map_err(|fault| fault.to_string())
    }

    #[test]
    fn arguments_are_texts_of_what_python_takes_for_json() {
        for (json, calls) in [
            (r#"[{"f": "{\"a\": 1.0}"}]"#, "[{'f': {'a': 1.0}}]"),
            (r#"[{"f": " {\"a\": NaN, \"a\": 1e400}\n"}]"#, "[{'f': {'a': inf}}]"),
            (r#"[{"f": "{}", "g": "{}"}]"#, "[{'f': {}}]"),
            ("[]", "[]"),
            (r#""""#, "[]"),
            ("{}", "[]"),
        ] {
            assert_eq!(read(json), Some((calls.to_owned(), true)), "{json}");
        }
        for json in [r#"[{"f": "null"}]"#, r#"[{"f": "[]"}]"#, r#"[{"f": "\"a\""}]"#] {
            assert!(read(json).is_some_and(|(_, is_well_formed)| !is_well_formed), "{json}");
        }
    }

    #[test]
    fn everything_else_fails_upstream() {
        for json in [
            "[{}]",
            r#"[{"f": {}}]"#,
            r#"[{"f": "{"}]"#,
            r#"[{"f": "{} x"}]"#,
            r#""text""#,
            "null",
            "5",
            "[5]",
            r#"["f"]"#,
            r#"{"f": "{}"}"#,
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }

    #[test]
    fn soundly_arguments_may_be_objects_and_must_be_json() {
        assert_eq!(
            strictly(r#"[{"f": {"a": [1, "x", null, true, {"b": 2.0}]}}]"#).unwrap(),
            "[{'f': {'a': [1, 'x', None, True, {'b': 2.0}]}}]"
        );
        assert_eq!(strictly(r#"[{"f": "{\"a\": 1}"}]"#).unwrap(), "[{'f': {'a': 1}}]");
        for json in [
            r#"[{"f": "{\"a\": NaN}"}]"#,
            r#"[{"f": "{\"a\": 1, \"a\": 2}"}]"#,
            r#"[{"f": "[]"}]"#,
            r#"[{"f": 5}]"#,
            r#"[{"f": "{}", "g": "{}"}]"#,
            r#""""#,
            r#"[{"f": "{"}]"#,
        ] {
            assert!(strictly(json).is_err(), "{json}");
        }
    }
}
