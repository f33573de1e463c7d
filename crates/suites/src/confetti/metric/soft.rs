//! How much of a call is right: all or nothing but for its strings.

use crate::bfcl::metric::{Answer, Argument, Call, Declared, Function, strict};
use crate::python::{PythonValue, get, normal, values_equal as equals};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

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

// How strings are scored.

/// What two strings are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Nothing but the same string counts.
    Exact,
    /// Shared words.
    TokenF1,
    /// Shared words in order.
    RougeL,
    /// Shared runs of letters.
    Chrf,
    /// How alike a model's vectors of them are.
    Embedding,
    /// What a server says that people run themselves.
    Http,
    /// What a judge says.
    Judge,
}

impl Measure {
    /// Whether others must be asked.
    pub fn is_asked(self) -> bool {
        matches!(self, Self::Embedding | Self::Http | Self::Judge)
    }
}

/// A measure, and whether identifiers and numbers are guarded.
#[derive(Debug, Clone)]
pub struct StringScore {
    /// The measure.
    pub measure: Measure,
    /// The guard.
    pub guard: Option<Guard>,
}

impl StringScore {
    /// Its name in reports.
    pub fn name(&self) -> String {
        let measure = match self.measure {
            Measure::Exact => return "exact".to_owned(),
            Measure::TokenF1 => "token_f1",
            Measure::RougeL => "rouge_l",
            Measure::Chrf => "chrf",
            Measure::Embedding => "embedding",
            Measure::Http => "http",
            Measure::Judge => "judge",
        };
        if self.guard.is_some() { format!("guarded_{measure}") } else { measure.to_owned() }
    }

    /// How much of the gold a prediction says, from 0 to 1. What differs in spelling alone says all of it, and nothing says
    /// nothing. None where others must be asked.
    pub fn of(&self, gold: &str, predicted: &str) -> Option<f64> {
        if normal(gold) == normal(predicted) {
            return Some(1.0);
        }
        if predicted.trim().is_empty() || self.guard.as_ref().is_some_and(|guard| !guard.allows(gold, predicted)) {
            return Some(0.0);
        }
        match self.measure {
            Measure::Exact => Some(0.0),
            Measure::TokenF1 => Some(token_f1(gold, predicted)),
            Measure::RougeL => Some(rouge_l(gold, predicted)),
            Measure::Chrf => Some(chrf(gold, predicted)),
            Measure::Embedding | Measure::Http | Measure::Judge => None,
        }
    }
}

// How much two texts share: words, words in order, runs of letters.

/// How long runs of letters are at most.
const ORDER: usize = 6;
/// How much more recall weighs than precision, squared.
const FACTOR: f64 = 4.0;

/// The words of a text: runs of letters, digits and underscores, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// F1 of the words of two texts, as often as they stand there.
pub fn token_f1(gold: &str, predicted: &str) -> f64 {
    let (gold, predicted) = (words(gold), words(predicted));
    harmonic(2 * shared(&counts(&gold), &counts(&predicted)), gold.len() + predicted.len())
}

/// F1 of the longest sequence of words that both have.
pub fn rouge_l(gold: &str, predicted: &str) -> f64 {
    let (gold, predicted) = (words(gold), words(predicted));
    let mut row = vec![0; predicted.len() + 1];
    for word in &gold {
        let mut before = 0;
        for (at, other) in predicted.iter().enumerate() {
            let above = row.get(at + 1).copied().unwrap_or_default();
            let left = row.get(at).copied().unwrap_or_default();
            let longest = if word == other { before + 1 } else { above.max(left) };
            before = above;
            if let Some(place) = row.get_mut(at + 1) {
                *place = longest;
            }
        }
    }
    harmonic(2 * row.last().copied().unwrap_or_default(), gold.len() + predicted.len())
}

/// The score of runs of one to six letters without space, recall weighing twice as much as precision, in small letters.
pub fn chrf(gold: &str, predicted: &str) -> f64 {
    let letters = |text: &str| -> Vec<char> { text.to_lowercase().chars().filter(|it| !it.is_whitespace()).collect() };
    let (gold, predicted) = (letters(gold), letters(predicted));
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for length in 1..=ORDER {
        let (of_gold, of_predicted) = (counts(gold.windows(length)), counts(predicted.windows(length)));
        let (golden, said) = (of_gold.values().sum::<usize>(), of_predicted.values().sum::<usize>());
        if golden > 0 && said > 0 {
            let common = real(shared(&of_gold, &of_predicted));
            precision += common / real(said);
            recall += common / real(golden);
            orders += 1.0;
        }
    }
    if orders == 0.0 || precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precision / orders, recall / orders);
    (1.0 + FACTOR) * precision * recall / (FACTOR * precision + recall)
}

fn counts<T: Ord>(parts: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for part in parts {
        *counts.entry(part).or_default() += 1;
    }
    counts
}

fn shared<T: Ord>(one: &BTreeMap<T, usize>, other: &BTreeMap<T, usize>) -> usize {
    one.iter().map(|(part, count)| other.get(part).copied().unwrap_or_default().min(*count)).sum()
}

fn harmonic(part: usize, of: usize) -> f64 {
    if part == 0 { 0.0 } else { real(part) / real(of) }
}

#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 letters")]
fn real(count: usize) -> f64 {
    count as f64
}

// What no overlap makes up for: an identifier that is another, and a number that the gold does not have.

/// Tells texts that are right or wrong as a whole. Words for numbers come from a profile.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    numbers: IndexMap<String, String>,
}

impl Guard {
    /// A guard that knows these words for numbers, each with its digits.
    pub fn new(numbers: IndexMap<String, String>) -> Self {
        Self { numbers }
    }

    /// Whether a prediction that is not the gold itself can be right in part: the gold is no identifier, and the prediction
    /// states no number that the gold lacks.
    pub fn allows(&self, gold: &str, predicted: &str) -> bool {
        !is_identifier(gold) && self.numbers(predicted).is_subset(&self.numbers(gold))
    }

    fn numbers(&self, text: &str) -> BTreeSet<String> {
        let words = words(text);
        let said = words.iter().map(|word| self.numbers.get(word).unwrap_or(word));
        let digits = |word: &String| -> Vec<String> {
            let runs = word.split(|letter: char| !letter.is_ascii_digit());
            runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
        };
        said.flat_map(digits).collect()
    }
}

/// An address, or one or two words with a digit and nothing but letters, digits and the signs of phone numbers.
fn is_identifier(text: &str) -> bool {
    let is_plain = |letter: char| letter == '_' || letter.is_alphanumeric() || "-.@+()# ".contains(letter);
    let is_short = text.split_whitespace().count() <= 2;
    text.contains('@') || (is_short && text.chars().any(char::is_numeric) && text.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfcl::metric::decode_text;
    use crate::confetti::metric::{Measure, StringScore};
    use crate::record::BorrowedValue;

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

#[cfg(test)]
mod text_tests {
    use super::*;

    fn score(measure: Measure, is_guarded: bool) -> StringScore {
        StringScore { measure, guard: is_guarded.then(Guard::default) }
    }

    #[test]
    fn spelling_does_not_count_and_the_guard_comes_before_the_measure() {
        for measure in [Measure::Exact, Measure::TokenF1, Measure::RougeL, Measure::Chrf] {
            assert_eq!(score(measure, true).of("New York", "new-york"), Some(1.0));
            assert_eq!(score(measure, true).of("VH825734", "VH825734 x"), Some(0.0));
        }
        assert!(score(Measure::TokenF1, false).of("VH825734", "VH825734 x").unwrap() > 0.5);
        assert_eq!(score(Measure::Exact, false).of("a b", "a"), Some(0.0));
    }

    #[test]
    fn others_are_asked_only_where_nothing_else_decides() {
        for measure in [Measure::Embedding, Measure::Http, Measure::Judge] {
            let guarded = score(measure, true);
            assert_eq!(
                ["red-hotel", " ", "hotel 5", "a red inn"].map(|claim| guarded.of("Red hotel", claim)),
                [Some(1.0), Some(0.0), Some(0.0), None]
            );
            assert!(measure.is_asked() && score(measure, false).of("red hotel", "hotel 5").is_none());
        }
        assert!(![Measure::Exact, Measure::TokenF1, Measure::RougeL, Measure::Chrf].iter().any(|it| it.is_asked()));
    }

    #[test]
    fn names_say_whether_there_is_a_guard() {
        let names = [
            (Measure::TokenF1, true),
            (Measure::Chrf, false),
            (Measure::RougeL, true),
            (Measure::Exact, true),
            (Measure::Http, false),
            (Measure::Embedding, true),
            (Measure::Judge, false),
        ];
        let names = names.map(|(measure, is_guarded)| score(measure, is_guarded).name());
        assert_eq!(
            names,
            ["guarded_token_f1", "chrf", "guarded_rouge_l", "exact", "http", "guarded_embedding", "judge"]
        );
    }
}

#[cfg(test)]
mod overlap_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_are_those_of_the_definition() {
        assert!((token_f1("delta refund policy", "refund policy of Delta") - 6.0 / 7.0).abs() < 1e-12);
        assert!((rouge_l("delta refund policy", "refund policy of Delta") - 4.0 / 7.0).abs() < 1e-12);
        assert!((chrf("delta refund policy", "refund policy of Delta") - 0.7893).abs() < 5e-5);
        assert_eq!((token_f1("a", "b"), rouge_l("", ""), chrf("", "a"), token_f1("-", "-")), (0.0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn words_count_as_often_as_they_stand_there() {
        assert!((token_f1("a a b", "a b b") - 4.0 / 6.0).abs() < 1e-12);
        assert!((rouge_l("a b c", "c b a") - 2.0 / 6.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn all_shares_are_between_nothing_and_all_and_all_of_the_same(one in "[a-d ]{0,20}", other in "[a-d ]{0,20}") {
            for score in [token_f1, rouge_l, chrf] {
                let value = score(&one, &other);
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{}", value);
                let same = score(&one, &one);
                prop_assert!(one.trim().is_empty() || (same - 1.0).abs() < 1e-12);
            }
            prop_assert!(rouge_l(&one, &other) <= token_f1(&one, &other) + 1e-12);
        }
    }
}

#[cfg(test)]
mod guard_tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new([("two".to_owned(), "2".to_owned())].into())
    }

    #[test]
    fn identifiers_are_right_as_a_whole_or_not_at_all() {
        for gold in ["VH825734", "a@b.com", "(555) 123-4567", "Room 5"] {
            assert!(!guard().allows(gold, gold), "{gold}");
        }
        assert!(guard().allows("delta refund policy", "refund policy") && guard().allows("5 large pizzas", "5 pizzas"));
    }

    #[test]
    fn a_number_that_the_gold_lacks_is_not_allowed() {
        assert!(!guard().allows("a table for two people", "a table for 3"));
        assert!(guard().allows("a table for two people", "a table for 2"));
        assert!(guard().allows("a table for 2 people", "a table"));
        assert!(!guard().allows("a table for people", "a table for Two"));
    }
}
