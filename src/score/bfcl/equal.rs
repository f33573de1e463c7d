//! `one == other`, as Python has it.

use super::value::PythonValue;

/// Whether Python takes two values for equal: numbers by what they amount to, however they are typed; `NaN` is equal to
/// nothing; a tuple is no list.
pub fn equals(one: &PythonValue<'_>, other: &PythonValue<'_>) -> bool {
    match (one, other) {
        (PythonValue::Text(one), PythonValue::Text(other)) => one == other,
        (PythonValue::None, PythonValue::None) => true,
        (PythonValue::Bytes(one), PythonValue::Bytes(other)) => one == other,
        (PythonValue::List(one), PythonValue::List(other)) | (PythonValue::Tuple(one), PythonValue::Tuple(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equals(one, other))
        }
        (PythonValue::Dict(one), PythonValue::Dict(other)) => {
            let has = |(key, value): &(PythonValue<'_>, PythonValue<'_>)| {
                other.iter().any(|(name, it)| equals(key, name) && equals(value, it))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => numbers_equal(one, other),
    }
}

/// Whether both are numbers, truths counted as 1 and 0, and amount to the same.
pub fn numbers_equal(one: &PythonValue<'_>, other: &PythonValue<'_>) -> bool {
    match (simple(one), simple(other)) {
        (PythonValue::Int(one), PythonValue::Int(other)) => one == other,
        (PythonValue::Big(one), PythonValue::Big(other)) => one == other,
        (PythonValue::Float(one), PythonValue::Float(other)) => is_same(one, other),
        (PythonValue::Int(whole), PythonValue::Float(double))
        | (PythonValue::Float(double), PythonValue::Int(whole)) => is_whole(double, whole),
        (PythonValue::Big(digits), PythonValue::Float(double))
        | (PythonValue::Float(double), PythonValue::Big(digits)) => is_digits(double, &digits),
        (PythonValue::Complex(one, first), PythonValue::Complex(other, second)) => {
            is_same(one, other) && is_same(first, second)
        }
        _ => false,
    }
}

/// A number without what does not change it: truths are whole, and an imaginary part of nought is none.
fn simple<'t>(value: &PythonValue<'t>) -> PythonValue<'t> {
    match value {
        PythonValue::Bool(bool) => PythonValue::Int(i64::from(*bool)),
        PythonValue::Complex(real, imaginary) if is_same(*imaginary, 0.0) => PythonValue::Float(*real),
        PythonValue::Int(_) | PythonValue::Float(_) | PythonValue::Big(_) | PythonValue::Complex(..) => value.clone(),
        _ => PythonValue::None,
    }
}

#[expect(clippy::float_cmp, reason = "Python compares doubles to the bit")]
fn is_same(one: f64, other: f64) -> bool {
    one == other
}

/// Without rounding: beyond 2^53 not every whole number is a double.
#[expect(clippy::cast_possible_truncation, reason = "within the bounds a double without fraction is a whole number")]
fn is_whole(double: f64, whole: i64) -> bool {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    (-BOUND..BOUND).contains(&double) && double.fract() == 0.0 && double as i64 == whole
}

fn is_digits(double: f64, digits: &str) -> bool {
    double.is_finite() && double.fract() == 0.0 && format!("{double:.0}") == digits
}

#[cfg(test)]
mod tests {
    use super::super::value::tests::{any_python, json};
    use super::*;
    use proptest::prelude::*;

    fn equal(one: &str, other: &str) -> bool {
        assert_eq!(equals(&json(one), &json(other)), equals(&json(other), &json(one)));
        equals(&json(one), &json(other))
    }

    #[test]
    fn numbers_are_equal_by_what_they_amount_to() {
        for (one, other) in [
            ("1", "1.0"),
            ("true", "1"),
            ("false", "0.0"),
            ("0", "-0.0"),
            ("10000000000000000000000", "1e22"),
            ("{\"a\": [1, {}]}", "{\"a\": [1.0, {}]}"),
            ("9007199254740992", "9007199254740993.0"),
        ] {
            assert!(equal(one, other), "{one} {other}");
        }
        assert!(equals(&PythonValue::Complex(2.0, 0.0), &PythonValue::Int(2)));
        assert!(equals(&PythonValue::Complex(2.0, 1.0), &PythonValue::Complex(2.0, 1.0)));
    }

    #[test]
    fn what_looks_alike_is_not_equal() {
        for (one, other) in [
            ("9007199254740993", "9007199254740992.0"),
            ("9223372036854775807", "9223372036854775808.0"),
            ("100000000000000000000000", "1e23"),
            ("NaN", "NaN"),
            ("null", "0"),
            ("\"1\"", "1"),
            ("[]", "{}"),
            ("[1]", "[1, 2]"),
            ("{\"a\": 1}", "{\"b\": 1}"),
            ("\"a\"", "\"A\""),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
        let (list, tuple) = (PythonValue::List(Vec::new()), PythonValue::Tuple(Vec::new()));
        assert!(!equals(&list, &tuple) && equals(&tuple, &tuple.clone()));
        assert!(!equals(&PythonValue::Bytes(b"x".to_vec()), &PythonValue::Text("x".into())));
    }

    proptest! {
        #[test]
        fn equality_goes_both_ways(one in any_python(), other in any_python()) {
            prop_assert_eq!(equals(&one, &other), equals(&other, &one));
            prop_assert!(!equals(&PythonValue::List(vec![one.clone()]), &PythonValue::List(vec![one, other])));
        }
    }
}
