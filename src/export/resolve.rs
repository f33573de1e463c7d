//! The arguments of a right call as somebody would really write them: no placeholder, no padding.

use super::loss::Rule;
use crate::record::{ArgumentNotes, FunctionCall, Object, Origin, Value};
use crate::score::is_given;

/// What stands in a gold call for a value that comes from elsewhere, as `CallNavi` writes it.
const PLACEHOLDER: &str = crate::record::PLACEHOLDER;

/// The call with its values, where `answers` are those of all calls before it. The error names the parameter.
pub(super) fn resolved(
    call: &FunctionCall,
    notes: Option<&ArgumentNotes>,
    answers: &[Value],
) -> Result<FunctionCall, (Rule, String)> {
    let mut arguments = Object::new();
    for (name, value) in &call.arguments {
        let note = notes.and_then(|notes| notes.get(name));
        if !is_given(value, note) {
            continue;
        }
        if !holds_placeholder(value) {
            arguments.insert(name.clone(), value.clone());
            continue;
        }
        let found = match note.map(|note| &note.origin) {
            Some(Origin::Answer { call, field }) => {
                answers.get(*call).and_then(|answer| pointed(answer, field)).cloned()
            }
            Some(Origin::Open) => note.and_then(|note| note.surface.as_deref()).map(Value::from),
            _ => None,
        };
        arguments.insert(name.clone(), found.ok_or_else(|| (Rule::Placeholder, name.clone()))?);
    }
    Ok(FunctionCall { name: call.name.clone(), arguments })
}

fn holds_placeholder(value: &Value) -> bool {
    match value {
        Value::String(text) => text == PLACEHOLDER,
        Value::List(list) => list.iter().any(holds_placeholder),
        Value::Object(object) => object.values().any(holds_placeholder),
        _ => false,
    }
}

/// The value at a JSON pointer.
pub(super) fn pointed<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| match value {
        Value::Object(object) => object.get(&part.replace("~1", "/").replace("~0", "~")),
        Value::List(list) => list.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, object};
    use super::*;
    use crate::record::Argument;

    fn notes(name: &str, origin: Origin, surface: Option<&str>) -> ArgumentNotes {
        [(name.to_owned(), Argument { surface: surface.map(str::to_owned), origin, constraint: None })].into()
    }

    #[test]
    fn placeholders_become_what_they_stand_for() {
        let gold = call("f", r#"{"id":"$$$"}"#);
        let answers = [Value::Object(object(r#"{"rows":[{"a/b":7}]}"#))];
        let from = notes("id", Origin::Answer { call: 0, field: "/rows/0/a~1b".to_owned() }, None);
        assert_eq!(resolved(&gold, Some(&from), &answers).unwrap(), call("f", r#"{"id":7}"#));
        assert_eq!(resolved(&gold, Some(&from), &[]), Err((Rule::Placeholder, "id".to_owned())));
        let open = notes("id", Origin::Open, Some("three are missing"));
        assert_eq!(resolved(&gold, Some(&open), &[]).unwrap(), call("f", r#"{"id":"three are missing"}"#));
        assert_eq!(resolved(&gold, None, &[]).unwrap_err().0, Rule::Placeholder);
    }

    #[test]
    fn padding_and_what_nobody_said_are_left_out() {
        let gold = call("f", r#"{"a":"","b":null,"c":"$$$","d":false,"e":0}"#);
        let missing = notes("c", Origin::Missing, None);
        assert_eq!(resolved(&gold, Some(&missing), &[]).unwrap(), call("f", r#"{"d":false,"e":0}"#));
        let said = notes("a", Origin::Verbatim, Some(""));
        assert_eq!(resolved(&call("f", r#"{"a":""}"#), Some(&said), &[]).unwrap(), call("f", r#"{"a":""}"#));
        assert!(resolved(&call("f", r#"{"l":[{"x":"$$$"}]}"#), None, &[]).is_err());
    }
}
