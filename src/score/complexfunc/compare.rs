//! Whether a call says what a golden call says, as far as their texts tell.

use super::golden::Golden;
use super::outcome::{Crash, ErrorType, Fault};
use crate::record::FunctionCall;

/// What comparing two calls comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Decision {
    /// They are equal.
    Equal,
    /// They are not.
    Unequal(Fault),
    /// The API's answers, or a judge, must tell.
    Open,
}

/// Compares a predicted call with its golden one: name and arguments; and then the arguments that must be exact.
pub(super) fn compare(golden: &Golden, predicted: &FunctionCall, ordinal: usize) -> Result<Decision, Crash> {
    let wanted = golden.call(ordinal);
    if is_equal(golden, predicted, wanted) {
        return Ok(Decision::Equal);
    }
    if predicted.name != wanted.name {
        return Ok(Decision::Unequal(Fault::new(ErrorType::FuncError, "Do not call the correct function.")));
    }
    let exact = match golden.settings().exact_match_values.get(&wanted.name) {
        Some(exact) => exact.as_slice(),
        None if golden.rules().is_strict() => &[],
        None => return Err(Crash::Key),
    };
    let fault = wanted.arguments.iter().filter(|(name, _)| exact.contains(name)).find_map(|(name, value)| {
        let Some(given) = predicted.arguments.get(name) else { return Some(missing(name)) };
        let is_same = golden.rules().equal_argument(golden.settings(), name, given, value);
        let content = || format!("Parameter {name} value is not correct in prediction.");
        (!is_same).then(|| Fault::new(ErrorType::ValueError, content()))
    });
    Ok(fault.map_or(Decision::Open, Decision::Unequal))
}

/// Why two calls are not equal, after nobody found them to be.
pub(super) fn reason(golden: &Golden, predicted: &FunctionCall, ordinal: usize) -> Fault {
    let wanted = &golden.call(ordinal).arguments;
    let by_golden = wanted.iter().find_map(|(name, value)| {
        let Some(given) = predicted.arguments.get(name) else { return Some(missing(name)) };
        // The authors do not take sets for sets here.
        let is_same = if golden.rules().is_strict() {
            golden.rules().equal_argument(golden.settings(), name, given, value)
        } else {
            golden.rules().equal(given, value)
        };
        let content = || format!("Parameter {name} value do not equal to golden.");
        (!is_same).then(|| Fault::new(ErrorType::ValueError, content()))
    });
    let by_extra = || {
        let extra = predicted.arguments.keys().find(|name| !wanted.contains_key(*name));
        let content = format!("Parameter {} is hallucinated.", extra.map_or("", String::as_str));
        Fault::new(ErrorType::ParamHallucination, content)
    };
    by_golden.unwrap_or_else(by_extra)
}

/// The golden arguments that are absent or different.
pub(super) fn wrong_arguments<'g>(
    golden: &'g Golden,
    predicted: &FunctionCall,
    ordinal: usize,
) -> impl Iterator<Item = &'g str> {
    let wanted = golden.call(ordinal);
    let is_right = |name: &String, value| {
        let given = predicted.arguments.get(name);
        given.is_some_and(|given| golden.rules().equal_argument(golden.settings(), name, given, value))
    };
    let wrong = wanted.arguments.iter().filter(move |(name, value)| !is_right(name, value));
    wrong.map(|(name, _)| name.as_str())
}

fn is_equal(golden: &Golden, one: &FunctionCall, other: &FunctionCall) -> bool {
    one.name == other.name
        && one.arguments.len() == other.arguments.len()
        && one.arguments.iter().all(|(name, value)| {
            let other = other.arguments.get(name);
            other.is_some_and(|other| golden.rules().equal_argument(golden.settings(), name, value, other))
        })
}

fn missing(name: &str) -> Fault {
    Fault::new(ErrorType::ParamMissing, format!("Missing parameter {name} in prediction."))
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, golden, made, steps};
    use super::super::rules::{Dialect, Rules};
    use super::*;

    const SEARCH: usize = 2;
    const UPSTREAM: Rules = Rules::Upstream(Dialect::Gpt);

    fn compared(rules: Rules, arguments: &str) -> String {
        match compare(&golden(rules), &call("Search", arguments), SEARCH) {
            Ok(Decision::Unequal(fault)) => format!("{}: {}", fault.error_type.as_str(), fault.content),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn name_and_arguments_tell_and_sets_have_no_order() {
        let equal = r#"{"area": "a1", "day": "2027-03-01", "people": 2.0, "kind": "town", "tags": "y, x"}"#;
        assert_eq!(compared(UPSTREAM, equal), "Ok(Equal)");
        assert_eq!(
            compare(&golden(UPSTREAM), &call("Detail", "{}"), SEARCH).unwrap(),
            Decision::Unequal(Fault::new(ErrorType::FuncError, "Do not call the correct function."))
        );
    }

    #[test]
    fn exact_arguments_go_before_everything_else_and_others_are_left_open() {
        let told = |arguments: &str| compared(UPSTREAM, arguments);
        assert_eq!(told(r#"{"area": "other"}"#), "param_missing: Missing parameter day in prediction.");
        assert_eq!(told(r#"{"day": "2027-03-02"}"#), "value_error: Parameter day value is not correct in prediction.");
        assert_eq!(
            told(r#"{"day": "2027-03-01", "tags": "x"}"#),
            "value_error: Parameter tags value is not correct in prediction."
        );
        assert_eq!(told(r#"{"day": "2027-03-01", "tags": "y,x"}"#), "Ok(Open)");
    }

    #[test]
    fn a_function_without_exact_arguments_breaks_the_authors_evaluator_off_if_it_is_not_listed() {
        let mut steps = steps();
        steps[0].calls[0] = call("Unlisted", r#"{"a": 1}"#);
        let compared = |rules, arguments| compare(&made(&steps, rules), &call("Unlisted", arguments), 0);
        assert_eq!(compared(UPSTREAM, r#"{"a": 1}"#), Ok(Decision::Equal));
        assert_eq!(compared(UPSTREAM, r#"{"a": 2}"#), Err(Crash::Key));
        assert_eq!(compared(Rules::default(), r#"{"a": 2}"#), Ok(Decision::Open));
    }

    #[test]
    fn the_first_reason_counts() {
        let golden = golden(UPSTREAM);
        let told = |arguments: &str| reason(&golden, &call("Search", arguments), SEARCH).content;
        assert_eq!(told(r#"{"area": "a1", "day": "x"}"#), "Parameter day value do not equal to golden.");
        assert_eq!(told(r#"{"area": "a1", "day": "2027-03-01", "z": 1}"#), "Missing parameter kind in prediction.");
        let with = |tags: &str| {
            format!(r#"{{"area": "a1", "day": "2027-03-01", "kind": "town", "people": 2, "tags": "{tags}", "z": 1}}"#)
        };
        assert_eq!(told(&with("x,y")), "Parameter z is hallucinated.");
        assert_eq!(told(&with("y,x")), "Parameter tags value do not equal to golden.");
        let ours =
            reason(&super::super::golden::tests::golden(Rules::default()), &call("Search", &with("y,x")), SEARCH);
        assert_eq!(ours.content, "Parameter z is hallucinated.");
    }

    #[test]
    fn wrong_arguments_are_those_of_the_golden_call() {
        let golden = golden(Rules::default());
        let predicted = call("Search", r#"{"area": "a1", "day": "x", "kind": "town", "tags": "y,x", "z": 1}"#);
        assert_eq!(wrong_arguments(&golden, &predicted, SEARCH).collect::<Vec<_>>(), ["day", "people"]);
    }
}
