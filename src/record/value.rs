//! JSON with the exact text of its numbers: every argument of a call is a [`Value`].
//!
//! `10^30`, `1.0` against `1` and `-0` survive reading and writing, which `serde_json::Value` does not promise.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An ordered JSON object.
pub type Object = IndexMap<String, Value>;

/// A JSON value with exact numbers and ordered keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, kept as it was written.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// An object; keys keep their order.
    Object(Object),
}

/// A number as it was written: `1`, `1.0` and `1e0` are three different texts of one quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(String);

/// Why a text is not a value.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Number {
    /// The number's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

impl Value {
    /// Reads JSON text.
    pub fn read(text: &str) -> Result<Self, ValueError> {
        Ok(serde_json::from_str(text)?)
    }

    /// The string inside, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value inside, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// The object inside, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(bool) => Self::Bool(bool),
            serde_json::Value::Number(number) => Self::Number(Number(number.to_string())),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            serde_json::Value::Object(object) => {
                Self::Object(object.into_iter().map(|(key, value)| (key, Self::from(value))).collect())
            }
        }
    }
}

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

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::Value::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer).map(Self::from)
    }
}
