//! Values through serde, with the exact text of their numbers where the other side is `serde_json`.
//!
//! Ordinary numbers go through serde's own number types, so every format takes them. A number that only its text can
//! tell (`1.00`, 10^30) goes through `serde_json`'s raw values, and to other formats as the nearest double.

use super::Number;
use super::Object;
use super::Value;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// The name by which `serde_json` knows a request for the raw text.
const RAW: &str = "$serde_json::private::RawValue";

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::List(list) => {
                let mut sequence = serializer.serialize_seq(Some(list.len()))?;
                for value in list {
                    sequence.serialize_element(value)?;
                }
                sequence.end()
            }
            Self::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (key, value) in object {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_str();
        if !self.is_finite() {
            // No JSON file can hold it; this is what serde_json writes for such a double.
            return serializer.serialize_unit();
        }
        if let Some(whole) = text.parse::<i64>().ok().filter(|whole| whole.to_string() == text) {
            return serializer.serialize_i64(whole);
        }
        let float = self.as_f64();
        if Self::from(float).as_str() == text && serde_json::to_string(&float).is_ok_and(|theirs| theirs == text) {
            return serializer.serialize_f64(float);
        }
        if !is_json::<S>() {
            return serializer.serialize_f64(float);
        }
        RawValue::from_string(text.to_owned()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// Whether a serializer is one of `serde_json`'s, or wraps one: no other format knows what a raw value is.
fn is_json<S>() -> bool {
    let name = std::any::type_name::<S>();
    // `to_value` has no number for such a text either, and fails on `1e400`.
    name.contains("serde_json::ser::")
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    /// Formats other than JSON, and serde's own buffers, come this way.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Self)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(Number::from_checked(&number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = sequence.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == RAW {
                return read_raw(&map.next_value::<String>()?);
            }
            object.insert(key, map.next_value()?);
        }
        Ok(Value::Object(object))
    }
}

/// Reads the text that `serde_json` has found to be one value. Large numbers and repeated keys are as serde takes them.
fn read_raw<E: serde::de::Error>(text: &str) -> Result<Value, E> {
    let (value, leniencies) = Value::read_lenient(text).map_err(E::custom)?;
    match leniencies.iter().find(|leniency| leniency.kind == super::LeniencyKind::LoneSurrogate) {
        None => Ok(value),
        Some(leniency) => Err(E::custom(format_args!("{} in {text}", leniency.kind))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use indexmap::IndexMap;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        name: String,
        one: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        maybe: Option<Value>,
        many: Vec<Value>,
        named: IndexMap<String, Value>,
    }

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Held { value: Value },
    }

    const EXACT: &str = r#"{"name":"x","one":1.00,"many":[1000000000000000000000000000000,-0,1E5,1e400],"named":{"z":[1.0,{"a":0.10}],"b":18446744073709551616}}"#;

    #[test]
    fn exact_texts_survive_in_structs_lists_and_maps() {
        let holder: Holder = serde_json::from_str(EXACT).unwrap();
        assert_eq!(serde_json::to_string(&holder).unwrap(), EXACT);
        let pretty = serde_json::to_string_pretty(&holder).unwrap();
        assert_eq!(serde_json::from_str::<Holder>(&pretty).unwrap(), holder);
        assert_eq!(serde_json::from_reader::<_, Holder>(EXACT.as_bytes()).unwrap(), holder);
    }

    #[test]
    fn a_serde_value_on_the_way_rounds_but_does_not_fail() {
        let holder: Holder = serde_json::from_str(EXACT).unwrap();
        let theirs = serde_json::to_value(&holder.one).unwrap();
        assert_eq!(theirs, serde_json::json!(1.0));
        let held: Value = serde_json::from_value(serde_json::json!({"a": [1, 2.5, null, true]})).unwrap();
        assert_eq!(held.to_string(), r#"{"a":[1,2.5,null,true]}"#);
        assert!(serde_json::to_value(&holder).is_ok());
    }

    #[test]
    fn other_formats_get_plain_numbers() {
        let value: Value = toml::from_str("a = 1\nb = [1.5, \"x\"]\nc = true\n").unwrap();
        assert_eq!(value.to_string(), r#"{"a":1,"b":[1.5,"x"],"c":true}"#);
        let exact = Value::read(r#"{"a":1.50,"b":2}"#).unwrap();
        assert_eq!(toml::to_string(&exact).unwrap(), "a = 1.5\nb = 2\n");
    }

    #[test]
    fn an_untagged_enum_rounds() {
        let Untagged::Held { value } = serde_json::from_str(r#"{"value": [1.00, 7]}"#).unwrap();
        assert_eq!(value.to_string(), "[1.0,7]");
    }

    #[test]
    fn what_json_cannot_hold_is_null_or_refused() {
        assert_eq!(serde_json::to_string(&Value::from(f64::NAN)).unwrap(), "null");
        assert!(serde_json::from_str::<Value>(r#""\ud800""#).is_err());
        assert!(serde_json::from_str::<Value>("[1,]").is_err());
    }

    proptest! {
        #[test]
        fn serde_brings_back_what_it_took(value in any_value(false)) {
            let text = serde_json::to_string(&value).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value.clone());
            prop_assert_eq!(text, value.to_string());
        }
    }
}
