//! Calls as judges are shown them.

use crate::record::{Object, Value};
use crate::score::bfcl::{Call, PythonValue, repr};

/// A call as an object with `name` and `arguments`.
pub(super) fn shown(call: &Call<'_>) -> Value {
    let arguments = match plain(&call.arguments) {
        Value::Object(arguments) => arguments,
        _ => Object::new(),
    };
    named(&call.name, arguments)
}

/// The same of its parts.
pub(super) fn named(name: &str, arguments: Object) -> Value {
    let entries = [("name", Value::from(name)), ("arguments", Value::Object(arguments))];
    Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).into())
}

/// How many arguments calls have.
pub(super) fn arguments(calls: &[Value]) -> u64 {
    let count = |call: &Value| Some(call.as_object()?.get("arguments")?.as_object()?.len() as u64);
    calls.iter().filter_map(count).sum()
}

/// A value as JSON; what JSON has no form for is written as Python writes it.
fn plain(value: &PythonValue<'_>) -> Value {
    match value {
        PythonValue::None => Value::Null,
        PythonValue::Bool(bool) => Value::Bool(*bool),
        PythonValue::Int(number) => Value::from(*number),
        PythonValue::Big(digits) => Value::read(digits).unwrap_or_else(|_| digits.as_str().into()),
        PythonValue::Float(number) if number.is_finite() => Value::from(*number),
        PythonValue::Text(text) => Value::from(&**text),
        PythonValue::List(list) | PythonValue::Tuple(list) => Value::List(list.iter().map(plain).collect()),
        PythonValue::Dict(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key_of(key), plain(value))).collect())
        }
        PythonValue::Float(_) | PythonValue::Complex(..) | PythonValue::Bytes(_) => Value::from(repr(value).as_str()),
    }
}

fn key_of(key: &PythonValue<'_>) -> String {
    key.as_text().map_or_else(|| repr(key), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::bfcl::decode_text;

    #[test]
    fn calls_are_shown_as_json_whatever_python_has_in_them() {
        let text = "f(a=[1, 2.5, (True, None)], b={'k': 'v', 3: b'x'}, c=100000000000000000000, d=2j)";
        let calls: Vec<Value> = decode_text(text).unwrap().iter().map(shown).collect();
        assert_eq!(
            calls[0].to_string(),
            r#"{"name":"f","arguments":{"a":[1,2.5,[true,null]],"b":{"k":"v","3":"b'x'"},"c":100000000000000000000,"d":"2j"}}"#
        );
        assert_eq!((arguments(&calls), arguments(&[]), arguments(&[Value::Null])), (4, 0, 0));
    }

    #[test]
    fn a_call_without_arguments_has_none() {
        assert_eq!(named("f", Object::new()).to_string(), r#"{"name":"f","arguments":{}}"#);
    }
}
