//! Durations as people write them in a pipeline file: `"500ms"`, `"10s"`, `"2m"`.

use schemars::JsonSchema;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A length of time, written as a number and a unit (`ms`, `s`, `m`, `h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextDuration(pub Duration);

const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];

impl TextDuration {
    /// So many milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// Reads `10s`, `1.5s`, `500ms`, `2m`, `1h`; nothing else.
    pub fn read(text: &str) -> Option<Self> {
        let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = text.strip_prefix(number)?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let amount: f64 = number.trim_end().parse().ok()?;
        Duration::try_from_secs_f64(amount * seconds).ok().map(Self)
    }
}

impl fmt::Display for TextDuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        match millis {
            0 => write!(formatter, "0s"),
            _ if millis.is_multiple_of(60_000) => write!(formatter, "{}m", millis / 60_000),
            _ if millis.is_multiple_of(1000) => write!(formatter, "{}s", millis / 1000),
            _ => write!(formatter, "{millis}ms"),
        }
    }
}

impl Serialize for TextDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TextDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = TextDuration;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a duration such as \"10s\" or \"500ms\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TextDuration, E> {
        TextDuration::read(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

impl JsonSchema for TextDuration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)? ?(ms|s|m|h)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    #[test]
    fn every_unit_is_read() {
        let millis = |text: &str| TextDuration::read(text).map(|duration| duration.0.as_millis());
        assert_eq!(millis("500ms"), Some(500));
        assert_eq!(millis("1.5s"), Some(1500));
        assert_eq!(millis("2 m"), Some(120_000));
        assert_eq!(millis("1h"), Some(3_600_000));
    }

    #[test]
    fn a_number_without_a_unit_or_below_nothing_is_no_duration() {
        for text in ["10", "s", "", "-1s", "ten s", "NaNs", "1e300h", "5초"] {
            assert_eq!(TextDuration::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["0s", "500ms", "10s", "2m", "1500ms"] {
            assert_eq!(TextDuration::read(text).unwrap().to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_duration_or_none(text in ".{0,12}", millis in 0..10_000_000_u64) {
            let _ = TextDuration::read(&text);
            let duration = TextDuration::from_millis(millis);
            prop_assert_eq!(TextDuration::read(&duration.to_string()), Some(duration));
        }
    }

    #[test]
    fn a_wrong_duration_shows_a_right_one() {
        let error = serde_json::from_str::<TextDuration>("\"soon\"").unwrap_err();
        assert_snapshot!(error, @r#"invalid value: string "soon", expected a duration such as "10s" or "500ms" at line 1 column 6"#);
        let error = serde_json::from_str::<TextDuration>("10").unwrap_err();
        assert_snapshot!(error, @r#"invalid type: integer `10`, expected a duration such as "10s" or "500ms" at line 1 column 2"#);
    }

    proptest! {
        #[test]
        fn a_unit_is_so_many_of_the_next_smaller_one(number in 0..10_000_u32) {
            let read = |text: String| TextDuration::read(&text).unwrap();
            prop_assert_eq!(read(format!("{number}h")), read(format!("{}m", u64::from(number) * 60)));
            prop_assert_eq!(read(format!("{number}m")), read(format!("{} s", u64::from(number) * 60)));
            prop_assert_eq!(read(format!("{number}s")), read(format!("{number}000ms")));
        }
    }
}
