//! `one == other` of what JSON can hold.

use super::value::equals as values_equal;
use crate::record::BorrowedValue;

/// Whether Python takes two values for equal, see [`values_equal`].
pub fn equals(one: &BorrowedValue<'_>, other: &BorrowedValue<'_>) -> bool {
    match (one, other) {
        (BorrowedValue::String(one), BorrowedValue::String(other)) => one == other,
        _ => values_equal(&one.clone().into(), &other.clone().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use crate::record::Value;
    use proptest::prelude::*;

    fn equal(one: &str, other: &str) -> bool {
        let (one, other) = (BorrowedValue::read_lenient(one).unwrap(), BorrowedValue::read_lenient(other).unwrap());
        assert_eq!(equals(&one, &other), equals(&other, &one));
        equals(&one, &other)
    }

    #[test]
    fn numbers_are_equal_by_what_they_amount_to() {
        for (one, other) in [
            ("5", "5.0"),
            ("5", "5e0"),
            ("0", "-0"),
            ("0", "-0.0"),
            ("true", "1"),
            ("false", "0.0"),
            ("0.1", "0.10000000000000000000001"),
            ("1e400", "Infinity"),
            ("10000000000000000000000", "1e22"),
            ("9007199254740992", "9007199254740993.0"),
        ] {
            assert!(equal(one, other), "{one} {other}");
        }
    }

    #[test]
    fn what_looks_alike_is_not_equal() {
        for (one, other) in [
            ("5", "\"5\""),
            ("9007199254740993", "9007199254740993.0"),
            ("100000000000000000000000", "1e23"),
            ("NaN", "NaN"),
            ("null", "false"),
            ("null", "0"),
            ("\"a\"", "\"A\""),
            ("[1, 2]", "[2, 1]"),
            ("[]", "{}"),
            ("Infinity", "-Infinity"),
            ("5", "5.5"),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
    }

    #[test]
    fn the_order_of_keys_is_no_difference() {
        assert!(equal(r#"{"a": 1, "b": [true]}"#, r#"{"b": [1.0], "a": 1}"#));
        assert!(!equal(r#"{"a": 1}"#, r#"{"a": 1, "b": null}"#) && !equal(r#"{"a": 1}"#, r#"{"b": 1}"#));
    }

    proptest! {
        #[test]
        fn a_value_equals_itself_and_no_longer_one(value in any_value(false)) {
            let longer = Value::List(vec![value.clone(), Value::Null]);
            let (value, longer) = (BorrowedValue::from(&value), BorrowedValue::from(&longer));
            prop_assert!(equals(&value, &value.clone()) && !equals(&value, &longer));
        }
    }
}
