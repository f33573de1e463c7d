//! Values as Python writes them: the authors of benchmarks make their prompts with `json.dumps` and `str`.

use crate::record::python::{Dump, dump, text_of};
use crate::record::{BorrowedValue, Value as Written};
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, Error, ErrorKind, Value};
use serde_json::Value as Json;

/// Widest indentation of a level.
const WIDEST: usize = 16;

/// Adds `python_json`, `python_str` and `sorted_keys` to the filters of an environment.
pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter("python_json", python_json);
    environment.add_filter("python_str", python_str);
    environment.add_filter("sorted_keys", sorted_keys);
    environment.add_filter("python_arguments", python_arguments);
}

/// `{{ tool | python_json(indent=4) }}`: as `json.dumps(tool, indent=4, ensure_ascii=False)`; with `ascii=true` as without
/// the last argument.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over")]
fn python_json(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let ascii = options.get::<Option<bool>>("ascii")?.unwrap_or(false);
    options.assert_all_used()?;
    if indent.is_some_and(|width| width > WIDEST) {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("`indent` is at most {WIDEST}")));
    }
    Ok(Dump { indent, ascii }.text(&Written::from(json(value)?)))
}

/// `{{ api.parameters | python_str }}`: as `str(...)`. A text is itself, everything else is as `repr` has it.
fn python_str(value: &Value) -> Result<String, Error> {
    let value = Written::from(json(value)?);
    Ok(text_of(&BorrowedValue::from(&value)).into_owned())
}

/// `{{ label | sorted_keys | python_json }}`: as `dict(sorted(label.items()))`, the keys of the outermost object alone.
fn sorted_keys(value: &Value) -> Result<Value, Error> {
    let Json::Object(object) = json(value)? else { return Ok(value.clone()) };
    let mut entries: Vec<(String, Json)> = object.into_iter().collect();
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(Value::from(Serde(Json::Object(entries.into_iter().collect()))))
}

/// `{{ dialog | python_arguments | python_json }}`: messages whose calls have their arguments, which are JSON within a
/// text, spaced as Python does it.
fn python_arguments(value: &Value) -> Result<Value, Error> {
    let mut value = json(value)?;
    space_arguments(&mut value);
    Ok(Value::from(Serde(value)))
}

fn space_arguments(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(space_arguments),
        Json::Object(object) => {
            for (key, field) in object.iter_mut() {
                let parsed = field.as_str().filter(|_| key == "arguments").and_then(|it| Written::read(it).ok());
                match parsed {
                    Some(arguments) => *field = Json::String(dump(&arguments)),
                    None => space_arguments(field),
                }
            }
        }
        _ => {}
    }
}

fn json(value: &Value) -> Result<Json, Error> {
    serde_json::to_value(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str, value: &serde_json::Value) -> String {
        let mut environment = Environment::new();
        add_filters(&mut environment);
        let values = minijinja::context! { it => Value::from(Serde(value)) };
        environment.render_str(template, values).unwrap_or_else(|error| error.to_string())
    }

    /// What `CPython` 3.12 prints for the same value.
    fn value() -> serde_json::Value {
        serde_json::from_str(
            r#"{"b": "it's \"so\"\n별", "a": [1, 1.0, 0.00001, 1e22, 123456.789, -0.5, true, null, {}, []], "c": {"d": "\u0001"}}"#,
        )
        .unwrap()
    }

    #[test]
    fn json_is_spaced_as_python_does_it() {
        insta::assert_snapshot!(rendered("{{ it | python_json }}", &value()), @r#"{"b": "it's \"so\"\n별", "a": [1, 1.0, 1e-05, 1e+22, 123456.789, -0.5, true, null, {}, []], "c": {"d": "\u0001"}}"#);
        insta::assert_snapshot!(rendered("{{ it.b | python_json(ascii=true) }}", &value()), @r#""it's \"so\"\n\ubcc4""#);
        let small = serde_json::json!({"a": [1, {"b": {}}], "c": []});
        insta::assert_snapshot!(rendered("{{ it | python_json(indent=4) }}", &small), @r#"
        {
            "a": [
                1,
                {
                    "b": {}
                }
            ],
            "c": []
        }
        "#);
        assert!(rendered("{{ it | python_json(indent=99) }}", &small).contains("`indent` is at most 16"));
    }

    #[test]
    fn a_text_is_itself_and_everything_else_is_its_repr() {
        insta::assert_snapshot!(rendered("{{ it | python_str }}", &value()), @r#"{'b': 'it\'s "so"\n별', 'a': [1, 1.0, 1e-05, 1e+22, 123456.789, -0.5, True, None, {}, []], 'c': {'d': '\x01'}}"#);
        assert_eq!(rendered("{{ it | python_str }}", &serde_json::json!("it's")), "it's");
        assert_eq!(rendered("{{ it | python_str }}", &serde_json::json!(["it's", "so"])), "[\"it's\", 'so']");
    }

    #[test]
    fn the_outermost_keys_are_sorted_and_arguments_are_spaced() {
        let nested = serde_json::json!({"b": {"d": 1, "c": 2}, "a": 3});
        let sorted = rendered("{{ it | sorted_keys | python_json }}", &nested);
        assert_eq!(sorted, r#"{"a": 3, "b": {"d": 1, "c": 2}}"#);
        let calls = serde_json::json!([{"tool_calls": [{"function": {"arguments": "{\"a\":1,\"b\":[2,3]}"}}], "content": "{}"}]);
        insta::assert_snapshot!(rendered("{{ it | python_arguments | python_json }}", &calls), @r#"[{"tool_calls": [{"function": {"arguments": "{\"a\": 1, \"b\": [2, 3]}"}}], "content": "{}"}]"#);
    }
}
