//! JSON with the exact text of its numbers: every argument of a call is a [`Value`].
//!
//! `10^30`, `1.0` against `1` and `-0` survive reading and writing, which `serde_json::Value` does not promise.
//! Through serde the texts survive as well in plain structs, lists and maps. Enums that are untagged or internally
//! tagged, and `flatten`, buffer their input before a field sees it: there a number is rounded to `i64`, `u64` or
//! `f64` on the way in, and a number that only its text can tell cannot be written out. Do not put a `Value` there.

mod borrowed;
mod codec;
mod convert;
mod fault;
mod number;
mod path;
mod read;
mod write;

pub use borrowed::{BorrowedObject, BorrowedValue};
pub use fault::{Leniency, LeniencyKind, Place, Problem, ValueError};
pub use number::Number;
pub use read::elements;
pub use write::Quoted;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// An ordered JSON object.
pub type Object = IndexMap<String, Value>;

/// A JSON value with exact numbers and ordered keys.
///
/// `==` compares the texts of numbers; [`Value::equals`] compares what they amount to.
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

impl Value {
    /// Whether both are the same value: numbers by exact quantity (`5` is `5.0` is `5e0`), strings letter by letter,
    /// objects without order. `true` is not `1`.
    #[must_use]
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => one.equals(two),
            (Self::List(one), Self::List(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(left, right)| left.equals(right))
            }
            (Self::Object(one), Self::Object(two)) => {
                one.len() == two.len()
                    && one.iter().all(|(key, left)| two.get(key).is_some_and(|right| left.equals(right)))
            }
            _ => self == other,
        }
    }

    /// The value as every JSON reader takes it: what no JSON number can hold is a text, such as `__NaN__`.
    #[must_use]
    pub fn portable(self) -> Self {
        match self {
            Self::Number(number) if !number.is_integer_text() => match number.as_f64() {
                double if double.is_nan() => "__NaN__".into(),
                f64::INFINITY => "__Infinity__".into(),
                f64::NEG_INFINITY => "__-Infinity__".into(),
                _ => Self::Number(number),
            },
            Self::List(list) => Self::List(list.into_iter().map(Self::portable).collect()),
            Self::Object(object) => {
                Self::Object(object.into_iter().map(|(name, value)| (name, value.portable())).collect())
            }
            other => other,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean inside, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// The number inside, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The string inside, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The list inside, if it is one.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(list) => Some(list),
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

    /// The name of its JSON type: `null`, `boolean`, `number`, `string`, `array` or `object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

impl JsonSchema for Value {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    fn value(text: &str) -> Value {
        Value::read(text).unwrap()
    }

    #[test]
    fn numbers_are_equal_by_quantity_and_objects_without_order() {
        assert!(value("5").equals(&value("5.0")));
        assert!(value(r#"{"a": 1, "b": [2e0]}"#).equals(&value(r#"{"b": [2.00], "a": 1.0}"#)));
        assert!(!value(r#"{"a": 1}"#).equals(&value(r#"{"a": 1, "b": null}"#)));
        assert!(!value("[1, 2]").equals(&value("[2, 1]")));
        assert!(!value("true").equals(&value("1")));
        assert!(!value("\"5\"").equals(&value("5")));
    }

    #[test]
    fn each_kind_answers_to_its_own_accessor_only() {
        assert_eq!(value("true").as_bool(), Some(true));
        assert_eq!(value("1").as_bool(), None);
        assert_eq!(value("1.50").as_number().map(Number::as_str), Some("1.50"));
        assert_eq!(value("\"a\"").as_str(), Some("a"));
        assert_eq!(value("[1]").as_list().map(<[_]>::len), Some(1));
        assert_eq!(value("{}").as_object().map(IndexMap::len), Some(0));
        assert!(value("null").is_null());
        assert_eq!(value("[]").type_name(), "array");
    }

    #[test]
    fn its_schema_takes_anything() {
        assert_eq!(schemars::schema_for!(Value).to_value()["type"], serde_json::Value::Null);
    }

    #[test]
    fn what_is_no_json_becomes_a_text() {
        let value = Value::read_lenient(r#"{"a": [NaN, 1e400, -Infinity, -0, 1.50]}"#).unwrap().0;
        assert_eq!(value.portable().to_string(), r#"{"a":["__NaN__","__Infinity__","__-Infinity__",-0,1.50]}"#);
    }

    proptest! {
        #[test]
        fn every_json_reader_takes_a_portable_value(value in any_value(true)) {
            let text = value.portable().to_string();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
        }

        #[test]
        fn a_value_equals_itself(value in any_value(false)) {
            prop_assert!(value.equals(&value.clone()));
        }
    }

    #[test]
    fn every_type_has_its_name_in_json_schema() {
        let names = ["null", "true", "1.5", "\"a\"", "[null]", "{}"].map(|text| value(text).type_name());
        assert_eq!(names, ["null", "boolean", "number", "string", "array", "object"]);
    }

    /// The same value with the entries of every object turned round.
    fn turned(value: &Value) -> Value {
        match value {
            Value::List(list) => Value::List(list.iter().map(turned).collect()),
            Value::Object(object) => {
                Value::Object(object.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect())
            }
            plain => plain.clone(),
        }
    }

    proptest! {
        #[test]
        fn the_order_of_keys_is_no_difference(value in any_value(false)) {
            prop_assert!(value.equals(&turned(&value)));
        }

        #[test]
        fn equality_goes_both_ways_and_one_more_element_breaks_it(one in any_value(false), other in any_value(false)) {
            prop_assert_eq!(one.equals(&other), other.equals(&one));
            let list = |values: &[&Value]| Value::List(values.iter().map(|value| (*value).clone()).collect());
            prop_assert!(!list(&[&one]).equals(&list(&[&one, &other])));
            prop_assert_eq!(list(&[&one]).equals(&list(&[&other])), one.equals(&other));
        }
    }
}
