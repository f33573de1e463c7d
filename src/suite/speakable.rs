//! Values in files of verdicts.

use crate::record::Value;

/// What no JSON file can hold is written as a text: `__NaN__`, `__Infinity__`.
pub(super) fn speakable(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            _ if number.is_integer_text() => Value::Number(number),
            double if double.is_nan() => "__NaN__".into(),
            f64::INFINITY => "__Infinity__".into(),
            f64::NEG_INFINITY => "__-Infinity__".into(),
            _ => Value::Number(number),
        },
        Value::List(list) => Value::List(list.into_iter().map(speakable).collect()),
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(name, value)| (name, speakable(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_json_is_a_text() {
        let value = Value::read_lenient(r#"{"a": [NaN, 1e400, -Infinity, -0, 1.50]}"#).unwrap().0;
        assert_eq!(speakable(value).to_string(), r#"{"a":["__NaN__","__Infinity__","__-Infinity__",-0,1.50]}"#);
    }

    proptest! {
        #[test]
        fn every_json_reader_takes_what_is_speakable(value in any_value(true)) {
            let text = speakable(value).to_string();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
        }
    }
}
