//! How much of a call is right: all or nothing but for its strings.

use crate::score::bfcl::{Answer, Argument, Call, Declared, Function, PythonValue, equals, get, strict};

/// How the scores of a call's strings become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Combine {
    /// Their product, which with scores of 0 and 1 is BFCL's own verdict.
    #[default]
    Product,
    /// Their mean.
    Mean,
}

/// Scores what was predicted against one wanted call, from 0 to 1. `string` scores a predicted string (the second one)
/// against an accepted one.
pub fn call_score(
    function: &Function,
    calls: &[Call<'_>],
    answer: &Answer,
    string: &mut dyn FnMut(&str, &str) -> f64,
    combine: Combine,
) -> f64 {
    let [call] = calls else { return 0.0 };
    let scores = scores(function, call, answer, string).unwrap_or_else(|| vec![0.0, 0.0]);
    match combine {
        Combine::Product => scores.iter().product(),
        Combine::Mean if scores.is_empty() => 1.0,
        Combine::Mean => scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap_or(u32::MAX)),
    }
}

/// The scores of the strings; nothing where something else is wrong.
fn scores(
    function: &Function,
    call: &Call<'_>,
    answer: &Answer,
    string: &mut dyn FnMut(&str, &str) -> f64,
) -> Option<Vec<f64>> {
    let given = call.arguments.as_dict().filter(|_| call.name == function.name)?;
    let is_missing = |name: &String| get(given, name).is_none();
    if function.required.iter().flatten().any(is_missing) {
        return None;
    }
    if answer.arguments.iter().any(|(name, argument)| is_missing(name) && !argument.is_optional()) {
        return None;
    }
    let mut scores = Vec::new();
    for (name, value) in given {
        let name = name.as_text()?;
        let (declared, argument) = (function.parameter(name)?, answer.arguments.get(name)?);
        scores.extend(value_score(value, declared, argument, string)?);
    }
    Some(scores)
}

/// The score of a string, no score for any other value that is right, and nothing for a wrong one.
fn value_score(
    value: &PythonValue<'_>,
    declared: &Declared,
    argument: &Argument,
    string: &mut dyn FnMut(&str, &str) -> f64,
) -> Option<Vec<f64>> {
    if !strict::has_type(value, declared) {
        return None;
    }
    if let Some(text) = value.as_text() {
        let accepted = argument.accepted.iter().filter_map(|accepted| accepted.value.as_text());
        let best = accepted.map(|accepted| string(accepted, text)).fold(0.0, f64::max);
        return Some(vec![best]);
    }
    argument.accepted.iter().any(|accepted| equals(value, &accepted.value)).then(Vec::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::BorrowedValue;
    use crate::score::bfcl::decode_text;
    use crate::score::confetti::{Measure, StringScore};

    const FUNCTION: &str = r#"{"name": "f", "parameters": {"properties": {"s": {"type": "string"}, "t": {"type": "string"}, "n": {"type": "float"}, "d": {"type": "dict"}}, "required": ["s"]}}"#;

    fn score(text: &str, answer: &str, combine: Combine) -> f64 {
        let function = Function::read(&BorrowedValue::read_lenient(FUNCTION).unwrap()).unwrap();
        let answer = Answer::read(BorrowedValue::read_lenient(answer).unwrap()).unwrap();
        let measure = StringScore { measure: Measure::TokenF1, guard: None };
        let calls = decode_text(text).unwrap();
        call_score(&function, &calls, &answer, &mut |gold, predicted| measure.of(gold, predicted).unwrap(), combine)
    }

    const ANSWER: &str = r#"{"f": {"s": ["a b c", "x"], "t": ["d e", ""], "n": [2, ""], "d": [{"k": 1}, ""]}}"#;

    #[test]
    fn strings_are_multiplied_and_everything_else_is_right_or_wrong() {
        for (text, wanted) in [
            ("f(s='A-b c')", 1.0),
            ("f(s='a b')", 0.8),
            ("f(s='a b', t='d')", 0.8 * 2.0 / 3.0),
            ("f(s='X', n=2.0, d={'k': 1})", 1.0),
            ("f(s='x', n=3)", 0.0),
            ("f(s='x', n='2')", 0.0),
            ("f(s='x', q=1)", 0.0),
            ("f(t='d e')", 0.0),
            ("g(s='x')", 0.0),
            ("f(s='x'), f(s='x')", 0.0),
            ("", 0.0),
            ("f(s='nothing')", 0.0),
        ] {
            let score = score(text, ANSWER, Combine::Product);
            assert!((score - wanted).abs() < 1e-12, "{text}: {score}");
        }
    }

    #[test]
    fn a_mean_may_be_taken_instead() {
        assert!((score("f(s='a b', t='d e')", ANSWER, Combine::Mean) - 0.9).abs() < 1e-12);
        assert!(score("f(t='d e')", ANSWER, Combine::Mean).abs() < 1e-12);
    }

    #[test]
    fn an_argument_that_must_not_be_missing_makes_it_nothing() {
        assert!(score("f(s='x')", r#"{"f": {"s": ["x"], "n": [1]}}"#, Combine::Product).abs() < 1e-12);
    }
}
