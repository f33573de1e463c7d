//! Whether predicted arguments pass for the label's.

use super::rouge::SummaryRouge;
use crate::python::text_of;
use crate::record::{BorrowedObject, BorrowedValue};

/// F from which two values agree.
const ENOUGH: f64 = 0.7;
/// The parameter that the authors leave out where it differs.
const FREE: &str = "kwargs";
/// Equal texts up to this length (in bytes) are too short for Python to give up on.
const SURELY_SHORT: usize = 900;

/// How two values are compared: the evaluator has one way for English and one for Chinese.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Words between spaces, without regard to capitals.
    English,
    /// Chinese characters one by one, everything else as words.
    Chinese,
}

/// Compares arguments over and over in the same memory.
#[derive(Debug)]
pub struct Comparer {
    metric: Metric,
    rouge: SummaryRouge,
    one: String,
    other: String,
}

impl Metric {
    /// The way of a locale: Chinese for Chinese, English for all others.
    pub fn for_locale(code: &str) -> Self {
        if code.split(['-', '_']).next() == Some("zh") { Self::Chinese } else { Self::English }
    }
}

impl Comparer {
    /// A comparer that goes by a metric.
    pub fn new(metric: Metric) -> Self {
        Self { metric, rouge: SummaryRouge::default(), one: String::new(), other: String::new() }
    }

    /// Whether predicted arguments pass for the label's (`args_ok`).
    pub fn passes(&mut self, label: &BorrowedObject<'_>, predicted: &BorrowedValue<'_>) -> bool {
        let Some(predicted) = predicted.as_object() else { return false };
        // What is the same to the letter is equal as a whole; most is.
        if label == predicted {
            return true;
        }
        if given(predicted).any(|(name, _)| value_of(label, name).is_none()) {
            return false;
        }
        if equal(label, predicted, |_| true) || equal(label, predicted, |name| name != FREE) && has(label, FREE) {
            return true;
        }
        let mut compared = 0;
        for (name, value) in given(label).filter(|(name, _)| *name != FREE) {
            let Some(other) = value_of(predicted, name) else { return false };
            if !self.agree(value, other) {
                return false;
            }
            compared += 1;
        }
        compared > 0
    }

    /// F of two values before any threshold.
    pub fn f(&mut self, label: &BorrowedValue<'_>, predicted: &BorrowedValue<'_>) -> f64 {
        let (label, predicted) = (text_of(label), text_of(predicted));
        if label.is_empty() || predicted.is_empty() {
            return 0.0;
        }
        self.metric.prepare(&label, &mut self.one);
        self.metric.prepare(&predicted, &mut self.other);
        self.rouge.f(&self.one, &self.other)
    }

    fn agree(&mut self, label: &BorrowedValue<'_>, predicted: &BorrowedValue<'_>) -> bool {
        match (label, predicted) {
            (BorrowedValue::String(one), BorrowedValue::String(other)) if one == other && is_plain(one) => true,
            _ => self.f(label, predicted) >= ENOUGH,
        }
    }
}

/// Whether a text surely agrees with itself: something is left of it, and Python does not give up on it.
fn is_plain(text: &str) -> bool {
    text.len() <= SURELY_SHORT && text.starts_with(char::is_alphanumeric)
}

impl Metric {
    /// Strips a value and puts its words apart.
    fn prepare(self, value: &str, out: &mut String) {
        out.clear();
        match self {
            Self::English => {
                let value = value.trim_matches(['.', '?', '!', ' ']);
                if value.is_ascii() {
                    out.push_str(value);
                    out.make_ascii_lowercase();
                } else {
                    out.push_str(&value.to_lowercase());
                }
            }
            Self::Chinese => {
                for letter in value.trim_matches(['\u{3002}', '\u{ff01}', ' ']).chars() {
                    match letter {
                        '\u{4e00}'..='\u{9fff}' => {
                            out.push(' ');
                            out.push(letter);
                            out.push(' ');
                        }
                        _ => out.push(letter),
                    }
                }
            }
        }
    }
}

/// The arguments that are given: an empty text says that one is not.
fn given<'o, 't>(object: &'o BorrowedObject<'t>) -> impl Iterator<Item = (&'o str, &'o BorrowedValue<'t>)> {
    object.iter().filter(|(_, value)| value.as_str() != Some(""))
}

fn value_of<'o, 't>(object: &'o BorrowedObject<'t>, name: &str) -> Option<&'o BorrowedValue<'t>> {
    object.get(name).filter(|value| value.as_str() != Some(""))
}

fn has(object: &BorrowedObject<'_>, name: &str) -> bool {
    value_of(object, name).is_some()
}

/// Whether the arguments of the wanted names are the same as texts.
fn equal(label: &BorrowedObject<'_>, predicted: &BorrowedObject<'_>, wanted: fn(&str) -> bool) -> bool {
    let count = |object| given(object).filter(|(name, _)| wanted(name)).count();
    let same = |(name, value): (&str, &BorrowedValue<'_>)| {
        value_of(predicted, name).is_some_and(|other| same_text(value, other))
    };
    count(label) == count(predicted) && given(label).filter(|(name, _)| wanted(name)).all(same)
}

fn same_text(one: &BorrowedValue<'_>, other: &BorrowedValue<'_>) -> bool {
    match (one, other) {
        (BorrowedValue::String(one), BorrowedValue::String(other)) => one == other,
        _ => text_of(one) == text_of(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> BorrowedValue<'_> {
        BorrowedValue::read_lenient(json).unwrap()
    }

    fn passes(metric: Metric, label: &str, predicted: &str) -> bool {
        let label = read(label).into_object().unwrap();
        Comparer::new(metric).passes(&label, &read(predicted))
    }

    fn both(label: &str, predicted: &str) -> (bool, bool) {
        (passes(Metric::English, label, predicted), passes(Metric::Chinese, label, predicted))
    }

    #[test]
    fn values_are_compared_as_python_writes_them() {
        assert_eq!(both(r#"{"n": 5}"#, r#"{"n": "5"}"#), (true, true));
        assert_eq!(both(r#"{"n": 5}"#, r#"{"n": 5.0}"#), (false, false));
        assert_eq!(both(r#"{"b": true}"#, r#"{"b": "true"}"#), (true, false));
        assert_eq!(both(r#"{"l": ["a", 1]}"#, r#"{"l": "['a', 1]"}"#), (true, true));
        assert_eq!(both(r#"{"o": {"a": 1, "b": 2}}"#, r#"{"o": {"b": 2, "a": 1}}"#), (false, false));
    }

    #[test]
    fn keys_must_be_the_same_but_for_empty_texts() {
        assert_eq!(both(r#"{"a": "x", "b": ""}"#, r#"{"a": "x"}"#), (true, true));
        assert_eq!(both(r#"{"a": "x"}"#, r#"{"a": "x", "b": ""}"#), (true, true));
        assert_eq!(both(r#"{"a": "x"}"#, r#"{"a": "x", "b": null}"#), (false, false));
        assert_eq!(both(r#"{"a": "x", "b": "y"}"#, r#"{"a": "x"}"#), (false, false));
        assert_eq!(both("{}", "{}"), (true, true));
        assert_eq!(both("{}", "[]"), (false, false));
        assert_eq!(both(r#"{"a": ""}"#, "{}"), (true, true));
    }

    #[test]
    fn free_arguments_may_differ_or_be_missing_but_not_be_invented() {
        assert_eq!(both(r#"{"kwargs": "k", "a": "x y z"}"#, r#"{"kwargs": "q", "a": "x y"}"#), (true, true));
        assert_eq!(both(r#"{"kwargs": "k"}"#, "{}"), (true, true));
        assert_eq!(both(r#"{"a": "x"}"#, r#"{"a": "x", "kwargs": "k"}"#), (false, false));
        assert_eq!(both(r#"{"kwargs": "k", "a": "x"}"#, r#"{"kwargs": "q", "a": "y"}"#), (false, false));
    }

    #[test]
    fn what_is_equal_as_a_whole_passes_and_by_itself_may_not() {
        assert_eq!(both(r#"{"a": "..."}"#, r#"{"a": "..."}"#), (true, true));
        assert_eq!(both(r#"{"a": "...", "b": "x"}"#, r#"{"a": "...", "b": "X"}"#), (false, false));
    }

    #[test]
    fn each_language_strips_its_own_marks() {
        assert_eq!(both(r#"{"a": "8 a.m."}"#, r#"{"a": "8 A.M!"}"#), (true, false));
        assert_eq!(both(r#"{"a": "明天上午。"}"#, r#"{"a": "明天上午"}"#), (false, true));
        assert_eq!(both(r#"{"a": "明天早上八点"}"#, r#"{"a": "明天早上九点"}"#), (false, true));
    }

    #[test]
    fn the_locale_chooses_the_metric() {
        assert_eq!(
            ["zh", "zh-TW", "en", "ko"].map(Metric::for_locale),
            [Metric::Chinese, Metric::Chinese, Metric::English, Metric::English]
        );
    }
}
