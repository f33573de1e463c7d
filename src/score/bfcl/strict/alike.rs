//! Whether two values are the same where no type is declared: numbers by what they amount to, truths apart from numbers,
//! strings by what is left of them.

use super::super::answer::Accepted;
use super::super::equal::{equals, numbers_equal};
use super::super::normal::{is_normal, normal};
use super::super::value::{PythonValue, Type};

/// Whether a given value is an accepted one, at every depth.
pub(super) fn alike(given: &PythonValue<'_>, accepted: &PythonValue<'_>) -> bool {
    match (given, accepted) {
        (PythonValue::Text(given), PythonValue::Text(accepted)) => {
            given == accepted || is_normal(given, &normal(accepted))
        }
        (PythonValue::List(given), PythonValue::List(accepted)) => {
            given.len() == accepted.len() && given.iter().zip(accepted).all(|(given, accepted)| alike(given, accepted))
        }
        (PythonValue::Dict(given), PythonValue::Dict(accepted)) => {
            let has = |(key, given): &(PythonValue<'_>, PythonValue<'_>)| {
                accepted.iter().any(|(name, it)| equals(name, key) && alike(given, it))
            };
            given.len() == accepted.len() && given.iter().all(has)
        }
        _ if is_truth(given) || is_truth(accepted) => given.kind() == accepted.kind() && equals(given, accepted),
        _ if matches!(given.kind(), Type::Int | Type::Float) => numbers_equal(given, accepted),
        _ => equals(given, accepted),
    }
}

/// The same of a value that is prepared: what is left of its strings is known.
pub(super) fn is_accepted(given: &PythonValue<'_>, accepted: &Accepted) -> bool {
    match (given, &accepted.value, &accepted.normal) {
        (PythonValue::Text(given), PythonValue::Text(value), Some(normal)) => {
            given == value || is_normal(given, normal)
        }
        (PythonValue::List(given), PythonValue::List(values), _) => {
            let is_element = |((given, value), normal): ((&PythonValue<'_>, _), &Option<String>)| match (given, normal)
            {
                (PythonValue::Text(text), Some(normal)) => is_normal(text, normal),
                _ => alike(given, value),
            };
            given.len() == values.len() && given.iter().zip(values).zip(&accepted.elements).all(is_element)
        }
        (given, value, _) => alike(given, value),
    }
}

fn is_truth(value: &PythonValue<'_>) -> bool {
    value.kind() == Type::Bool
}

#[cfg(test)]
mod tests {
    use super::super::super::value::tests::{any_python, json};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spelling_and_the_kind_of_a_number_do_not_count_at_any_depth() {
        for (one, other) in
            [("1", "1.0"), ("\"A b\"", "\"a-b\""), (r#"{"k": ["A", {"n": 2}]}"#, r#"{"k": ["a", {"n": 2.0}]}"#)]
        {
            assert!(alike(&json(one), &json(other)), "{one} {other}");
        }
    }

    #[test]
    fn truths_nothing_and_texts_are_no_numbers() {
        for (one, other) in [
            ("1", "true"),
            ("0", "false"),
            ("null", "0"),
            ("\"1\"", "1"),
            ("[1]", "[true]"),
            ("{\"A\": 1}", "{\"a\": 1}"),
            ("NaN", "NaN"),
        ] {
            assert!(!alike(&json(one), &json(other)) && !alike(&json(other), &json(one)), "{one} {other}");
        }
        assert!(alike(&json("true"), &json("true")) && alike(&json("null"), &json("null")));
    }

    proptest! {
        #[test]
        fn it_goes_both_ways(one in any_python(), other in any_python()) {
            prop_assert_eq!(alike(&one, &other), alike(&other, &one));
        }
    }
}
