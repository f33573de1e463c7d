//! Numbers that are checked as they are read, with messages that show what would have been right.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A whole number from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(usize);

/// A whole number from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Amount(usize);

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(f64);

/// A number from 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Measure(f64);

/// A number above 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Factor(f64);

/// A whole number from 1, or all that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// So many.
    Count(Count),
    /// All.
    All,
}

/// The count `N`; for defaults.
pub fn count<const N: usize>() -> Count {
    const { assert!(N > 0, "a count is at least 1") };
    Count(N)
}

/// The amount `N`; for defaults.
pub fn amount<const N: usize>() -> Amount {
    Amount(N)
}

/// `PERCENT` hundredths; for defaults.
pub fn share<const PERCENT: u8>() -> Share {
    const { assert!(PERCENT <= 100, "a share is at most 1") };
    Share(f64::from(PERCENT) / 100.0)
}

/// `PERCENT` hundredths; for defaults.
pub fn measure<const PERCENT: u32>() -> Measure {
    Measure(f64::from(PERCENT) / 100.0)
}

impl Count {
    /// The number as a bound on draws, which are counted in 32 bits.
    pub fn as_draws(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }

    /// This many times `factor`, rounded up.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a factor is positive; `as` saturates")]
    #[expect(clippy::cast_precision_loss, reason = "no pipeline asks for 2^53 items of one tool")]
    pub fn times(self, factor: Factor) -> Self {
        let product = self.0 as f64 * factor.0;
        // What doubles add by themselves is not rounded up: 100 times 1.1 is 110.
        Self(((product * (1.0 - 4.0 * f64::EPSILON)).ceil() as usize).max(1))
    }
}

impl Amount {
    /// So many; for defaults.
    pub fn of(amount: usize) -> Self {
        Self(amount)
    }

    /// So many times as many, rounded up; none stays none.
    #[must_use]
    pub fn times(self, factor: Factor) -> Self {
        if self.0 == 0 { self } else { Self(Count(self.0).times(factor).0) }
    }
}

impl Default for Factor {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Reads, writes and describes a checked number.
macro_rules! checked {
    ($name:ident($inner:ty), $visitor:ident, $accepts:expr, $expecting:literal, $schema:tt) => {
        impl $name {
            /// The number.
            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor { accepts: $accepts, expecting: $expecting }).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

checked!(Count(usize), Whole, |number| number >= 1, "a whole number from 1, such as 3", {
    "type": "integer", "minimum": 1
});
checked!(Amount(usize), Whole, |_| true, "a whole number from 0, such as 2", { "type": "integer", "minimum": 0 });
checked!(Share(f64), Real, |number| (0.0..=1.0).contains(&number), "a number from 0 to 1, such as 0.7", {
    "type": "number", "minimum": 0, "maximum": 1
});
checked!(Measure(f64), Real, |number| number >= 0.0 && number.is_finite(), "a number from 0, such as 0.5", {
    "type": "number", "minimum": 0
});
checked!(Factor(f64), Real, |number| number > 0.0 && number.is_finite(), "a number above 0, such as 1.5", {
    "type": "number", "exclusiveMinimum": 0
});

impl Breadth {
    /// The number; `None` for all.
    pub fn get(self) -> Option<usize> {
        match self {
            Self::Count(count) => Some(count.get()),
            Self::All => None,
        }
    }
}

/// `N`; for defaults.
pub fn breadth<const N: usize>() -> Breadth {
    Breadth::Count(count::<N>())
}

/// The word for all.
const ALL: &str = "all";

impl<'de> Deserialize<'de> for Breadth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BreadthVisitor)
    }
}

impl Serialize for Breadth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => count.serialize(serializer),
            Self::All => ALL.serialize(serializer),
        }
    }
}

impl JsonSchema for Breadth {
    fn schema_name() -> Cow<'static, str> {
        "Breadth".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "all" }] })
    }
}

struct BreadthVisitor;

impl BreadthVisitor {
    const WHOLE: Whole =
        Whole { accepts: |number| number >= 1, expecting: "a whole number from 1, such as 20, or \"all\"" };
}

impl Visitor<'_> for BreadthVisitor {
    type Value = Breadth;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::WHOLE.expecting(formatter)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Breadth, E> {
        Self::WHOLE.visit_i64(number).map(|number| Breadth::Count(Count(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Breadth, E> {
        Self::WHOLE.visit_u64(number).map(|number| Breadth::Count(Count(number)))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Breadth, E> {
        if word == ALL { Ok(Breadth::All) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
    }
}

struct Whole {
    accepts: fn(usize) -> bool,
    expecting: &'static str,
}

struct Real {
    accepts: fn(f64) -> bool,
    expecting: &'static str,
}

impl Visitor<'_> for Whole {
    type Value = usize;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expecting)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<usize, E> {
        usize::try_from(number)
            .ok()
            .filter(|number| (self.accepts)(*number))
            .ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<usize, E> {
        usize::try_from(number)
            .ok()
            .filter(|number| (self.accepts)(*number))
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}

impl Visitor<'_> for Real {
    type Value = f64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expecting)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        if (self.accepts)(number) { Ok(number) } else { Err(E::invalid_value(Unexpected::Float(number), &self)) }
    }

    #[expect(clippy::cast_precision_loss, reason = "shares and factors are small")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        if (self.accepts)(number as f64) {
            Ok(number as f64)
        } else {
            Err(E::invalid_value(Unexpected::Signed(number), &self))
        }
    }

    /// TOML's numbers are signed, JSON's need not be.
    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as ValueError, F64Deserializer, I64Deserializer, StrDeserializer};

    fn whole<T: for<'de> Deserialize<'de>>(number: i64) -> Result<T, String> {
        let deserializer: I64Deserializer<ValueError> = number.into_deserializer();
        T::deserialize(deserializer).map_err(|error| error.to_string())
    }

    fn real<T: for<'de> Deserialize<'de>>(number: f64) -> Result<T, String> {
        let deserializer: F64Deserializer<ValueError> = number.into_deserializer();
        T::deserialize(deserializer).map_err(|error| error.to_string())
    }

    #[test]
    fn a_count_begins_at_one_and_an_amount_at_nothing() {
        assert_eq!(whole::<Count>(3).unwrap().get(), 3);
        let message = whole::<Count>(0).unwrap_err();
        assert_eq!(message, "invalid value: integer `0`, expected a whole number from 1, such as 3");
        assert_eq!(whole::<Amount>(0).unwrap().get(), 0);
        assert!(whole::<Amount>(-1).is_err());
    }

    #[test]
    fn a_share_lies_between_nothing_and_all() {
        assert!((real::<Share>(0.25).unwrap().get() - 0.25).abs() < f64::EPSILON);
        assert!((whole::<Share>(1).unwrap().get() - 1.0).abs() < f64::EPSILON);
        assert!(real::<Share>(1.01).unwrap_err().contains("from 0 to 1"));
        assert!(real::<Share>(f64::NAN).is_err());
        assert!(whole::<Share>(2).is_err());
    }

    #[test]
    fn a_factor_is_above_nothing_and_finite() {
        assert!(real::<Factor>(0.0).is_err());
        assert!(real::<Factor>(f64::INFINITY).is_err());
        assert!(real::<Measure>(0.0).is_ok());
    }

    #[test]
    fn a_word_is_told_what_was_expected() {
        let deserializer: StrDeserializer<'_, ValueError> = "three".into_deserializer();
        let message = Count::deserialize(deserializer).unwrap_err().to_string();
        assert_eq!(message, "invalid type: string \"three\", expected a whole number from 1, such as 3");
    }

    #[test]
    fn a_factor_rounds_a_count_up_and_leaves_at_least_one() {
        assert_eq!(count::<3>().times(Factor(1.5)), Count(5));
        assert_eq!(count::<3>().times(Factor(0.01)), Count(1));
        assert_eq!(count::<3>().times(Factor::default()), Count(3));
        assert_eq!(count::<100>().times(Factor(1.1)), Count(110));
    }

    #[test]
    fn the_schema_knows_the_bounds() {
        assert_eq!(schemars::schema_for!(Count).get("minimum").unwrap(), 1);
        assert_eq!(schemars::schema_for!(Share).get("maximum").unwrap(), 1);
    }

    #[test]
    fn a_bound_on_draws_has_thirty_two_bits() {
        assert_eq!((count::<7>().as_draws(), Count(usize::MAX).as_draws()), (7, u32::MAX));
    }

    #[test]
    fn a_number_of_another_kind_is_told_what_was_expected() {
        assert_eq!(
            real::<Count>(3.0).unwrap_err(),
            "invalid type: floating point `3.0`, expected a whole number from 1, such as 3"
        );
        assert_eq!(
            whole::<Factor>(-2).unwrap_err(),
            "invalid value: integer `-2`, expected a number above 0, such as 1.5"
        );
        assert_eq!(
            real::<Measure>(-0.5).unwrap_err(),
            "invalid value: floating point `-0.5`, expected a number from 0, such as 0.5"
        );
    }

    /// Whether a number's own schema and its reader both take some JSON, or both refuse it.
    fn agrees<T: for<'de> Deserialize<'de> + JsonSchema>(number: &serde_json::Value) -> bool {
        let schema = schemars::schema_for!(T).to_value();
        jsonschema::is_valid(&schema, number) == serde_json::from_value::<T>(number.clone()).is_ok()
    }

    proptest! {
        #[test]
        fn the_schema_takes_what_the_reader_takes(whole in -3..4_i64, part in -2.0..2.0_f64, large in any::<u32>()) {
            for number in [serde_json::json!(whole), serde_json::json!(large)] {
                prop_assert!(agrees::<Count>(&number) && agrees::<Amount>(&number), "{number}");
            }
            for number in [serde_json::json!(whole), serde_json::json!(part), serde_json::json!(large)] {
                prop_assert!(agrees::<Share>(&number) && agrees::<Measure>(&number) && agrees::<Factor>(&number), "{number}");
            }
        }

        #[test]
        fn what_was_written_is_read_again(whole in 1..u32::MAX, part in 0.0..=1.0_f64) {
            let count = Count(whole as usize);
            prop_assert_eq!(serde_json::from_str::<Count>(&serde_json::to_string(&count).unwrap()).unwrap(), count);
            let share = Share(part);
            prop_assert_eq!(serde_json::from_str::<Share>(&serde_json::to_string(&share).unwrap()).unwrap(), share);
        }

        #[test]
        fn tenths_of_a_count_are_rounded_up_by_what_is_really_over(number in 1..10_000_usize, tenths in 1..200_u32) {
            let factor = Factor(f64::from(tenths) / 10.0);
            prop_assert_eq!(Count(number).times(factor).get(), (number * tenths as usize).div_ceil(10));
        }
    }
}
