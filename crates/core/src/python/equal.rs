//! `one == other` of what JSON can hold.

use crate::record::BorrowedValue;
use std::cmp::Ordering;

/// Whether Python takes two values for equal: numbers by what they amount to, whether whole or not; `True` is 1.
pub fn equals(one: &BorrowedValue<'_>, other: &BorrowedValue<'_>) -> bool {
    match (one, other) {
        (BorrowedValue::String(one), BorrowedValue::String(other)) => one == other,
        (BorrowedValue::Number(one), BorrowedValue::Number(other)) => same_number(one, other),
        (BorrowedValue::Bool(bool), BorrowedValue::Number(number))
        | (BorrowedValue::Number(number), BorrowedValue::Bool(bool)) => {
            same_number(number, if *bool { "1" } else { "0" })
        }
        (BorrowedValue::List(one), BorrowedValue::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equals(one, other))
        }
        (BorrowedValue::Object(one), BorrowedValue::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| equals(value, other)))
        }
        (BorrowedValue::Bool(one), BorrowedValue::Bool(other)) => one == other,
        (BorrowedValue::Null, BorrowedValue::Null) => true,
        _ => false,
    }
}

/// Whole numbers are exact however long they are; all others are doubles.
fn same_number(one: &str, other: &str) -> bool {
    if one == other {
        return one != "NaN";
    }
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one == other,
        (Some(whole), None) => is_double(whole, other),
        (None, Some(whole)) => is_double(whole, one),
        (None, None) => double(one).partial_cmp(&double(other)) == Some(Ordering::Equal),
    }
}

/// The text of a number without fraction and exponent.
fn whole(text: &str) -> Option<&str> {
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_whole.then_some(if text == "-0" { "0" } else { text })
}

fn is_double(whole: &str, text: &str) -> bool {
    let double = double(text);
    // A double without fraction is written out in full, so that no digit is lost.
    double.is_finite() && double.fract() == 0.0 && format!("{:.0}", double + 0.0) == whole
}

fn double(text: &str) -> f64 {
    match text {
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => text.parse().unwrap_or(f64::NAN),
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
