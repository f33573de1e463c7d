//! From and to the values of Rust and of `serde_json`.

use super::Number;
use super::Object;
use super::Value;

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Vec<Value>> for Value {
    fn from(list: Vec<Value>) -> Self {
        Self::List(list)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(bool) => Self::Bool(bool),
            serde_json::Value::Number(number) => Self::Number(Number::from_checked(&number.to_string())),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            serde_json::Value::Object(object) => {
                Self::Object(object.into_iter().map(|(key, value)| (key, Self::from(value))).collect())
            }
        }
    }
}

/// Numbers are rounded to what `serde_json` holds; one that it cannot hold (`NaN`, `1e400`) becomes `null`.
impl From<&Value> for serde_json::Value {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => serde_json::from_str(number.as_str()).unwrap_or(Self::Null),
            Value::String(text) => Self::String(text.clone()),
            Value::List(list) => Self::Array(list.iter().map(Self::from).collect()),
            Value::Object(object) => {
                Self::Object(object.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_values_become_values() {
        let object: Object = [("a".to_owned(), Value::from(true)), ("b".to_owned(), Value::from(1.0))].into();
        let list =
            Value::from(vec![Value::from(1), Value::from("x"), Value::from("y".to_owned()), Value::from(object)]);
        assert_eq!(list.to_string(), r#"[1,"x","y",{"a":true,"b":1.0}]"#);
        assert_eq!(Value::from(Number::from(3)), Value::from(3));
    }

    #[test]
    fn serde_values_come_and_go() {
        let theirs = json!({"z": [1, 1.5, -3, u64::MAX], "a": null, "s": "t", "b": false});
        let ours = Value::from(theirs.clone());
        assert_eq!(ours.to_string(), theirs.to_string());
        assert_eq!(serde_json::Value::from(&ours), theirs);
    }

    #[test]
    fn what_serde_cannot_hold_is_null_there() {
        let (value, _) = Value::read_lenient("[NaN, 1e400, 1e30]").unwrap();
        assert_eq!(serde_json::Value::from(&value), json!([null, null, 1e30]));
    }
}
