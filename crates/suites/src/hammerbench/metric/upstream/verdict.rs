//! One snapshot's verdict.

use super::arguments::Comparer;
use super::reply::{Call, Parser};
use crate::record::{BorrowedObject, BorrowedValue};
use serde::Deserialize;
use std::borrow::Cow;

/// Words that the evaluator looks for in what models say.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// What makes a refusal, in lower case.
    pub refusal_word: String,
    /// What makes a judge's agreement.
    pub agreement_word: String,
}

/// By which rules replies are read.
#[derive(Debug)]
pub struct Rules<'w> {
    /// How the call is found.
    pub parser: Parser,
    /// Which words count.
    pub words: &'w Words,
}

/// What is right.
#[derive(Debug, Clone, PartialEq)]
pub enum Label<'t> {
    /// A call.
    Call {
        /// The tool's name.
        name: Cow<'t, str>,
        /// Everything known by now.
        arguments: BorrowedObject<'t>,
    },
    /// A sentence that refuses, at the end of a shifted conversation. The evaluator breaks off at such a label.
    Text,
}

/// What a model said, as a log holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Said<'t> {
    /// A text.
    Text(&'t str),
    /// Something else, which was read by whoever wrote the log.
    Read(BorrowedValue<'t>),
}

/// What counts of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// Whether a call was found.
    pub parsed: bool,
    /// Whether the refusal's word stands in the call if one was found, and else in the text.
    pub refusal_word: bool,
    /// Whether the label is a text, so that there is nothing to compare.
    pub terminal: bool,
    /// Whether the name is right.
    pub func_ok: bool,
    /// Whether the arguments pass, whatever the name.
    pub args_ok: bool,
    /// Parameters that the label does not have.
    pub hallucinated: u32,
    /// Parameters that only the label has.
    pub missing: u32,
}

/// What counts of a snapshot, with the call that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict<'t> {
    /// The call.
    pub parsed: Option<Call<'t>>,
    /// What counts.
    pub facts: Facts,
}

impl Rules<'_> {
    /// Judges what was said to one snapshot.
    pub fn judge<'t>(&self, label: &Label<'_>, said: Said<'t>, comparer: &mut Comparer) -> Verdict<'t> {
        let (parsed, refusal_word) = match said {
            Said::Text(text) => {
                let call = self.parser.read(text);
                let refusal_word = call.as_ref().map_or_else(|| self.refuses(text), |call| self.refuses_in(call));
                (call, refusal_word)
            }
            Said::Read(value) => {
                let refusal_word = value.any_text(&mut |text| self.refuses(text));
                (passed_through(value), refusal_word)
            }
        };
        let facts = Facts { parsed: parsed.is_some(), refusal_word, ..compare(label, parsed.as_ref(), comparer) };
        Verdict { parsed, facts }
    }

    fn refuses_in(&self, call: &Call<'_>) -> bool {
        let mut refuses = |text: &str| self.refuses(text);
        call.name.any_text(&mut refuses) || call.arguments.any_text(&mut refuses)
    }

    fn refuses(&self, text: &str) -> bool {
        contains_lowercase(text, &self.words.refusal_word)
    }
}

fn compare(label: &Label<'_>, call: Option<&Call<'_>>, comparer: &mut Comparer) -> Facts {
    let Label::Call { name, arguments } = label else { return Facts { terminal: true, ..Facts::default() } };
    let count = |names: usize| u32::try_from(names).unwrap_or(u32::MAX);
    let Some(call) = call else {
        return Facts { missing: count(arguments.len()), ..Facts::default() };
    };
    let func_ok = call.name.as_str() == Some(name);
    let none = BorrowedObject::default();
    let predicted = call.arguments.as_object().unwrap_or(&none);
    if predicted == arguments && call.arguments.as_object().is_some() {
        return Facts { func_ok, args_ok: true, ..Facts::default() };
    }
    let lacking = |of: &BorrowedObject<'_>, other: &BorrowedObject<'_>| {
        count(of.iter().filter(|(name, _)| other.get(name).is_none()).count())
    };
    Facts {
        func_ok,
        args_ok: comparer.passes(arguments, &call.arguments),
        hallucinated: lacking(predicted, arguments),
        missing: lacking(arguments, predicted),
        ..Facts::default()
    }
}

/// An object in a log is taken as it is. What breaks the evaluator (no object, no name) is unparsable here.
fn passed_through(value: BorrowedValue<'_>) -> Option<Call<'_>> {
    let mut object = value.into_object()?;
    let name = object.take("name")?;
    Some(Call { name, arguments: object.take("arguments").unwrap_or_default() })
}

/// Whether a text holds a word in whatever case. A text need not be written anew for an ASCII word, unless it has one of
/// the two letters that others become in lower case: the sign of kelvins becomes `k`, a dotted capital `i`.
fn contains_lowercase(text: &str, word: &str) -> bool {
    let is_simple = word.is_ascii() && !word.contains(['k', 'i']);
    let (Some(first), true) = (word.bytes().next(), is_simple) else {
        return text.to_lowercase().contains(word);
    };
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let begins = |at: usize| text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    text.iter().enumerate().any(|(at, byte)| byte.eq_ignore_ascii_case(&first) && begins(at))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::hammerbench::metric::upstream::Metric;

    pub(crate) fn words() -> Words {
        Words { refusal_word: "sorry".to_owned(), agreement_word: "True".to_owned() }
    }

    fn label() -> Label<'static> {
        let arguments = BorrowedValue::read_lenient(r#"{"to": "Porto", "n": 2}"#).unwrap().into_object().unwrap();
        Label::Call { name: Cow::Borrowed("A.B.book"), arguments }
    }

    fn judge(label: &Label<'_>, said: Said<'_>) -> Facts {
        let words = words();
        let rules = Rules { parser: Parser::Default, words: &words };
        rules.judge(label, said, &mut Comparer::new(Metric::English)).facts
    }

    fn text(reply: &str) -> Facts {
        judge(&label(), Said::Text(reply))
    }

    #[test]
    fn name_and_arguments_are_two_things() {
        let right = text(r#"{"name": "A.B.book", "parameters": {"to": "porto", "n": "2"}}"#);
        assert_eq!(right, Facts { parsed: true, func_ok: true, args_ok: true, ..Facts::default() });
        let other_tool = text(r#"{"name": "A.B.cancel", "parameters": {"to": "porto", "n": 2}}"#);
        assert!(!other_tool.func_ok && other_tool.args_ok);
    }

    #[test]
    fn keys_are_counted_both_ways() {
        let facts =
            text(r#"{"name": "A.B.book", "parameters": {"to": "Porto", "via": "Braga", "by": "bus", "n": ""}}"#);
        assert_eq!((facts.hallucinated, facts.missing, facts.args_ok), (2, 1, false));
        assert_eq!((text("soon").missing, text("soon").hallucinated, text("soon").parsed), (2, 0, false));
    }

    #[test]
    fn the_word_of_refusal_is_looked_for_in_the_call_or_in_the_text() {
        assert!(text("I'm SORRY.").refusal_word && !text("None of the tools.").refusal_word);
        assert!(text(r#"{"name": "A", "parameters": {"note": "Sorry, 안녕"}}"#).refusal_word);
        assert!(!text(r#"Sorry: {"name": "A", "arguments": {}}"#).refusal_word);
    }

    #[test]
    fn words_are_found_in_whatever_case_and_script() {
        for (text, word) in
            [("\u{c815}\u{b9d0} SORRY", "sorry"), ("\u{212a}ein", "kein"), ("sosorry", "sorry"), ("x", "")]
        {
            assert!(contains_lowercase(text, word), "{text} {word}");
        }
        assert!(!contains_lowercase("sorr", "sorry") && !contains_lowercase("\u{17f}orry", "sorry"));
    }

    #[test]
    fn a_label_in_words_has_nothing_to_compare() {
        let facts = judge(&Label::Text, Said::Text("sorry"));
        assert_eq!(facts, Facts { terminal: true, refusal_word: true, ..Facts::default() });
    }

    #[test]
    fn what_was_read_before_is_taken_as_it_is_and_nothing_breaks() {
        let said = |json: &'static str| judge(&label(), Said::Read(BorrowedValue::read_lenient(json).unwrap()));
        let padded = said(r#"{"name": "A.B.book", "arguments": {"to": "Porto", "n": 2, "by": ""}}"#);
        assert!(padded.args_ok && padded.hallucinated == 1);
        for json in ["null", "[]", "{}", "5", r#"{"arguments": {}}"#] {
            assert_eq!(said(json), Facts { missing: 2, ..Facts::default() }, "{json}");
        }
        let without = said(r#"{"name": "A.B.book", "arguments": null}"#);
        assert_eq!((without.parsed, without.func_ok, without.args_ok, without.missing), (true, true, false, 2));
    }
}
