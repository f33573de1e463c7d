//! Whether a washed prediction is right: calls in order, names of parameters, values.

use crate::python::{equals, read_float, text_of};
use crate::record::{BorrowedObject, BorrowedValue};
use std::borrow::Cow;

const API: &str = "API";
const PARAMETERS: &str = "parameters";
/// A value that may be anything.
const PLACEHOLDER: &str = "$$$";

/// What is right of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Triple {
    /// The calls, in order, and as many objects of parameters.
    pub order: bool,
    /// Every parameter is there, whatever else is.
    pub structure: bool,
    /// Every value that is compared is right.
    pub ast: bool,
}

/// What Python breaks off with at a prediction of a strange shape. The authors have no verdict then, on any item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abort {
    /// Something has no keys, no length or no places.
    Type,
    /// There is no such key.
    Key,
}

impl Triple {
    /// All of it.
    pub const ALL: Self = Self { order: true, structure: true, ast: true };
}

impl Abort {
    /// Its name in Python.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Type => "TypeError",
            Self::Key => "KeyError",
        }
    }
}

/// Compares a washed prediction with the truth, as Python does whatever both of them are.
pub fn judge(predicted: &BorrowedValue<'_>, truth: &BorrowedValue<'_>) -> Result<Triple, Abort> {
    let is_empty = predicted.as_object().is_some_and(BorrowedObject::is_empty);
    if is_empty || !holds(predicted, API)? || !holds(predicted, PARAMETERS)? {
        return Ok(Triple::default());
    }
    if equals(predicted, truth) {
        return Ok(Triple::ALL);
    }
    let (given, wanted) = (field(predicted, PARAMETERS), field(truth, PARAMETERS));
    if !equals(field(predicted, API)?, field(truth, API)?) || length(given?)? != length(wanted?)? {
        return Ok(Triple::default());
    }
    compare(given?, wanted?)
}

/// Parameters of as many calls as are wanted.
fn compare(given: &BorrowedValue<'_>, wanted: &BorrowedValue<'_>) -> Result<Triple, Abort> {
    let mut ast = true;
    for place in 0..length(wanted)? {
        let wanted = element(wanted, place)?;
        for (name, value) in wanted.as_object().ok_or(Abort::Type)?.iter() {
            let given = element(given, place)?;
            if !holds(&given, name)? {
                return Ok(Triple { order: true, structure: false, ast: false });
            }
            ast &= is_free(value) || equals(field(&given, name)?, value);
        }
    }
    Ok(Triple { order: true, structure: true, ast })
}

/// Whether the truth leaves a value open: by a placeholder, or by an object in which there is nothing.
fn is_free(value: &BorrowedValue<'_>) -> bool {
    value.as_str() == Some(PLACEHOLDER) || value.as_object().is_some_and(BorrowedObject::is_empty)
}

/// `name in value`: a key of an object, an element of a list, a part of a text.
fn holds(value: &BorrowedValue<'_>, name: &str) -> Result<bool, Abort> {
    match value {
        BorrowedValue::Object(object) => Ok(object.get(name).is_some()),
        BorrowedValue::List(list) => Ok(list.iter().any(|element| element.as_str() == Some(name))),
        BorrowedValue::String(text) => Ok(text.contains(name)),
        _ => Err(Abort::Type),
    }
}

/// `value[name]`.
fn field<'v, 't>(value: &'v BorrowedValue<'t>, name: &str) -> Result<&'v BorrowedValue<'t>, Abort> {
    value.as_object().ok_or(Abort::Type)?.get(name).ok_or(Abort::Key)
}

/// `len(value)`.
fn length(value: &BorrowedValue<'_>) -> Result<usize, Abort> {
    match value {
        BorrowedValue::Object(object) => Ok(object.len()),
        BorrowedValue::List(list) => Ok(list.len()),
        BorrowedValue::String(text) => Ok(text.chars().count()),
        _ => Err(Abort::Type),
    }
}

/// `value[place]`: an element, or a letter.
fn element<'v, 't>(value: &'v BorrowedValue<'t>, place: usize) -> Result<Cow<'v, BorrowedValue<'t>>, Abort> {
    match value {
        BorrowedValue::List(list) => list.get(place).map(Cow::Borrowed).ok_or(Abort::Type),
        BorrowedValue::String(text) => {
            let letter = text.chars().nth(place).ok_or(Abort::Type)?;
            Ok(Cow::Owned(BorrowedValue::String(Cow::Owned(letter.to_string()))))
        }
        // An object's keys are texts, so that none is a number.
        BorrowedValue::Object(_) => Err(Abort::Key),
        _ => Err(Abort::Type),
    }
}

// Whether a list of API names is the right one: by its letters alone, as the authors compare it.

/// The right list, ready to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    cleaned: String,
}

impl Route {
    /// A list of names; the authors write it as Python does.
    pub fn of(names: &BorrowedValue<'_>) -> Self {
        Self { cleaned: cleaned(&text_of(names)) }
    }

    /// Whether a reply is this list. Quotes, square brackets, spaces, line feeds, backticks, backslashes and capitals are of
    /// no account; everything else is, the order and the commas included.
    pub fn matches(&self, reply: &str) -> bool {
        if !reply.is_ascii() {
            return cleaned(reply) == self.cleaned;
        }
        let letters = reply.bytes().filter(|byte| !is_dropped(*byte)).map(|byte| byte.to_ascii_lowercase());
        letters.eq(self.cleaned.bytes())
    }
}

/// A text without what is of no account, in lower case.
pub fn cleaned(text: &str) -> String {
    let kept = |letter: &char| !u8::try_from(*letter).is_ok_and(is_dropped);
    let text: String = text.chars().filter(kept).collect();
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

fn is_dropped(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'[' | b']' | b'\n' | b' ' | b'`' | b'\\')
}

impl From<&[&str]> for Route {
    fn from(names: &[&str]) -> Self {
        let names = names.iter().map(|name| BorrowedValue::String(Cow::Borrowed(*name)));
        Self::of(&BorrowedValue::List(names.collect()))
    }
}

// The number in a judge's reply, as the authors read it.

/// What a judge says after all square brackets are gone. Nothing is clamped: 1.5 and -0.2 are taken, and so are `nan` and
/// `inf`. A word beside the number breaks the authors' script; here there is no score.
pub fn judge_score(reply: &str) -> Option<f64> {
    read_float(&reply.replace(['[', ']'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use crate::record::Value;
    use proptest::prelude::*;

    const TWO: &str =
        r#"{"API": ["getX", "getY"], "parameters": [{"a": "1", "o": {"k": "$$$"}}, {"b": "$$$", "e": {}}]}"#;

    fn judged(predicted: &str, truth: &str) -> String {
        let read = |text| BorrowedValue::read_lenient(text).unwrap();
        match judge(&read(predicted), &read(truth)) {
            Ok(it) => [it.order, it.structure, it.ast].map(|it| if it { "1" } else { "0" }).concat(),
            Err(abort) => abort.as_str().to_owned(),
        }
    }

    /// Parameters that are given to the right calls.
    fn given(parameters: &str) -> String {
        judged(&format!(r#"{{"API": ["getX", "getY"], "parameters": {parameters}}}"#), TWO)
    }

    #[test]
    fn what_the_truth_leaves_open_may_be_anything_at_the_top_alone() {
        assert_eq!(judged(TWO, TWO), "111");
        assert_eq!(given(r#"[{"a": "1", "o": {"k": "$$$"}, "more": 1}, {"b": null, "e": 5}]"#), "111");
        assert_eq!(given(r#"[{"a": "1", "o": {"k": "red"}}, {"b": 1, "e": {}}]"#), "110");
        assert_eq!(given(r#"[{"a": "$$$", "o": {"k": "$$$"}}, {"b": 1, "e": {}}]"#), "110");
        assert_eq!(given(r#"[{"a": "2", "o": {}}, {"e": 1}]"#), "100");
        assert_eq!(given(r#"[{"a": "1", "o": {"k": "$$$"}}]"#), "000");
    }

    #[test]
    fn calls_are_compared_in_order_and_to_the_letter() {
        for api in [r#"["getY", "getX"]"#, r#"["getx", "getY"]"#, r#"["getX"]"#, r#""getX, getY""#, "null"] {
            assert_eq!(judged(&format!(r#"{{"API": {api}, "parameters": [{{}}, {{}}]}}"#), TWO), "000", "{api}");
        }
        for shape in ["{}", "[]", r#"{"API": ["getX", "getY"]}"#, r#"{"api": [], "parameters": []}"#, r#""API""#] {
            assert_eq!(judged(shape, TWO), "000", "{shape}");
        }
    }

    #[test]
    fn strange_shapes_break_the_script_off() {
        for shape in ["null", "5", "true", r#"["API", "parameters"]"#, r#""API parameters""#] {
            assert_eq!(judged(shape, TWO), "TypeError", "{shape}");
        }
        for parameters in ["null", "5", "[null, null]", r#"["a", "b"]"#, r#""ab""#, r#"[["a"], ["b"]]"#] {
            assert_eq!(given(parameters), "TypeError", "{parameters}");
        }
        assert_eq!(given(r#"{"a": 1, "b": 2}"#), "KeyError");
        assert_eq!((given(r#"{"a": 1}"#), given(r#""zz""#)), ("000".to_owned(), "100".to_owned()));
    }

    #[test]
    fn shapes_are_not_looked_at_where_nothing_is_wanted() {
        let free = |parameters: &str, wanted: &str| {
            let whole = |parameters| format!(r#"{{"API": ["f"], "parameters": {parameters}}}"#);
            judged(&whole(parameters), &whole(wanted))
        };
        assert_eq!(
            (free("[null]", "[{}]"), free("\"\"", "[]"), free("{}", "[]")),
            ("111".to_owned(), "111".to_owned(), "111".to_owned())
        );
        assert_eq!(free(r#"["{\"q\": 1}"]"#, r#"[{"q": "$$$"}]"#), "111");
        assert_eq!((free("[{}]", "[]"), free("[]", "[{}]")), ("000".to_owned(), "000".to_owned()));
        assert_eq!(
            (free(r#"[{"a": 1}]"#, r#"{"a": 1}"#), free(r#"{"a": 1}"#, r#"{"a": 1.0}"#)),
            ("KeyError".to_owned(), "111".to_owned())
        );
    }

    proptest! {
        #[test]
        fn the_truth_is_right_and_any_value_gets_a_verdict(value in any_value(true), other in any_value(false)) {
            let truth = Value::Object([("API".to_owned(), vec!["f".into()].into()), ("parameters".to_owned(), vec![Value::Object([("a".to_owned(), other)].into())].into())].into());
            let mut changed = truth.clone();
            if let Value::Object(object) = &mut changed {
                object.insert("parameters".to_owned(), value.clone());
            }
            let truth = BorrowedValue::from(&truth);
            prop_assert_eq!(judge(&truth, &truth), Ok(Triple::ALL));
            for predicted in [&value, &changed] {
                let judged = judge(&BorrowedValue::from(predicted), &truth).unwrap_or_default();
                prop_assert!(judged.order >= judged.structure && judged.structure >= judged.ast);
            }
        }
    }
}

#[cfg(test)]
mod routing_tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(reply: &str, names: &[&str]) -> bool {
        Route::from(names).matches(reply)
    }

    #[test]
    fn marks_and_capitals_are_of_no_account() {
        for reply in [
            "['getX', 'getK']",
            "[\"GETX\",\"getK\"]",
            "getX,getK",
            "[['get X'],\n['getK']]",
            "```\ngetX, getK\n```",
            "getX,get\u{212a}",
        ] {
            assert!(matches(reply, &["getX", "getK"]), "{reply}");
        }
    }

    #[test]
    fn everything_else_counts() {
        for reply in [
            "",
            "[]",
            "['getK', 'getX']",
            "['getX' 'getK']",
            "['getX', 'getK',]",
            "```json\n['getX', 'getK']\n```",
            "API: ['getX', 'getK']",
            "['getX',\t'getK']",
            "(getX, getK)",
            "\\n['getX', 'getK']",
            "\u{2018}getX\u{2019}, getK",
            "getX,\u{a0}getK",
        ] {
            assert!(!matches(reply, &["getX", "getK"]), "{reply}");
        }
    }

    proptest! {
        #[test]
        fn a_reply_matches_exactly_if_both_are_the_same_when_cleaned(reply in "[gG'\"\\[\\] ,`\\\\\n\tkK\u{212a}İ]{0,12}", name in "[gk, ]{0,6}") {
            let route = Route::from([name.as_str()].as_slice());
            prop_assert_eq!(route.matches(&reply), cleaned(&reply) == cleaned(&name));
        }
    }
}

#[cfg(test)]
mod judge_tests {
    use super::*;

    #[test]
    fn brackets_are_of_no_account() {
        for (reply, score) in
            [("[[0.85]]", 0.85), ("0.5", 0.5), (" [.7]\n", 0.7), ("[[1_0]]", 10.0), ("[[1.5]]", 1.5), ("]0[.5", 0.5)]
        {
            assert_eq!(judge_score(reply), Some(score), "{reply}");
        }
        assert!(judge_score("[[NaN]]").unwrap().is_nan());
    }

    #[test]
    fn words_and_several_numbers_are_no_score() {
        for reply in ["", "[[]]", "Score: [[0.9]]", "[[0.85]] [[0.9]]", "[[0,85]]", "[[0.8]].", "[[85%]]"] {
            assert_eq!(judge_score(reply), None, "{reply}");
        }
    }
}
