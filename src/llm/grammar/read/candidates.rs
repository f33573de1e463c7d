//! The stretches of a text that may be a parameter's value, by the form of its values.

use super::form::{Form, Shape};
use super::learn::Learned;
use super::names::{codes, names, quoted};
use super::phrase::{Guess, phrases};
use super::recognise::Recogniser;
use super::slot::Slot;
use super::text::{Span, Text};
use super::words::find_words;
use crate::locale::{Numbers, Reading};
use crate::record::Value;
use regex::Regex;

/// A stretch of the text as the value of a slot.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The slot's place.
    pub(super) slot: usize,
    pub(super) span: Span,
    pub(super) value: Value,
    pub(super) score: f64,
    /// How much it says for the whole tool that the request has this value.
    pub(super) told: f64,
    /// Whether it is of a sort that few tools want, or stands beside the tool's own words.
    pub(super) own: bool,
    /// Whether a list knows the value.
    pub(super) sure: bool,
}

/// What a slot is read with.
#[derive(Clone, Copy)]
pub(super) struct Means<'a> {
    pub(super) recogniser: &'a Recogniser,
    pub(super) reading: &'a Reading,
    pub(super) learned: &'a Learned,
}

impl Slot {
    /// Whatever in a text may be this slot's value.
    pub(super) fn candidates(&self, slot: usize, text: &Text, means: Means<'_>) -> Vec<Candidate> {
        let candidate = |guess: Guess, value: Value, sure: bool| {
            let around = self.context(text, guess.span, means.reading, means.learned);
            let last = if text.is_last_word(guess.span) { 6.0 } else { 0.0 };
            let score = guess.base + length(guess.span) * 0.1 + around + last;
            Candidate {
                slot,
                span: guess.span,
                value,
                score,
                told: guess.told + around.min(4.0) / 8.0,
                own: guess.told >= 0.75,
                sure,
            }
        };
        match &self.form {
            Form::Listed(values) => said_values(values, text)
                .into_iter()
                .map(|(span, value)| candidate(Guess { span, base: 4.0, told: 0.75 }, value, true))
                .collect(),
            Form::Kind(kind, shape) => {
                let known = means.recogniser.find(kind, text);
                // A value that no list knows is looked for only where none is known.
                let open = if known.is_empty() { self.open(*shape, text, means.reading) } else { Vec::new() };
                // A thing of a sort that few tools want says more than a date or a name.
                let told = match (self.sorts.is_empty(), shape) {
                    (false, _) => 1.0,
                    (true, Shape::Phrase) => 0.5,
                    (true, _) => 0.25,
                };
                let known = known.into_iter().map(|span| (Guess { span, base: 4.0, told }, true));
                known
                    .chain(open.into_iter().map(|guess| (guess, false)))
                    .map(|(guess, sure)| candidate(guess, self.value(&text.said(guess.span)), sure))
                    .collect()
            }
            Form::Number(kind) => self
                .numbers(kind.as_ref(), text, means.reading)
                .into_iter()
                .map(|(guess, value)| candidate(guess, value, true))
                .collect(),
            Form::Flag => {
                let said = self.flag(text, means.reading);
                said.map(|(span, value)| candidate(Guess { span, base: 1.0, told: 0.5 }, value, true))
                    .into_iter()
                    .collect()
            }
            Form::Pattern(pattern) => matches(pattern, text)
                .map(|span| candidate(Guess { span, base: 4.0, told: 0.75 }, self.value(&text.said(span)), true))
                .collect(),
            Form::Nested(nested) => {
                let named = self.named(text);
                let starts = if named.is_empty() { vec![0] } else { named.iter().map(|span| span.end).collect() };
                let read = starts.into_iter().filter_map(|start| nested.read(text, start, means));
                read.map(|(value, span)| candidate(Guess { span, base: 6.0, told: 0.75 }, value, true)).collect()
            }
            Form::Free => self
                .after_cue(text, means.learned)
                .map(|span| candidate(Guess { span, base: 2.0, told: 0.25 }, self.value(&text.said(span)), false))
                .into_iter()
                .collect(),
        }
    }

    /// Values that no list knows, in the last line alone: what stands above it is not what the person asks.
    fn open(&self, shape: Shape, text: &Text, reading: &Reading) -> Vec<Guess> {
        if shape == Shape::Time {
            return Vec::new();
        }
        let told = |told: f64| move |span: Span| Guess { span, base: 2.0, told };
        let hints = self.hints();
        // What is quoted is a message before it is a name.
        let base = if hints.long { 3.0 } else { 2.0 };
        let mut guesses: Vec<Guess> = quoted(text).into_iter().map(|span| Guess { span, base, told: 0.5 }).collect();
        match shape {
            Shape::Code => guesses.extend(codes(text).into_iter().map(told(0.5))),
            Shape::Name => guesses.extend(names(text, reading).into_iter().map(told(0.25))),
            Shape::Time | Shape::Phrase => {}
        }
        if shape == Shape::Phrase || hints.open && guesses.is_empty() {
            guesses.extend(phrases(text, &hints, reading));
        }
        guesses.retain(|guess| guess.span.start >= text.last_line());
        guesses
    }

    fn numbers(&self, kind: Option<&Numbers>, text: &Text, reading: &Reading) -> Vec<(Guess, Value)> {
        let numbers = text.numbers().iter().filter(|(span, value)| {
            // `One` is a word for a thing as often as a number: "the one in my letter".
            let pronoun = value.as_number().is_some_and(|number| number.as_str() == "1")
                && !text.lower()[span.start].is_ascii_digit();
            span.start >= text.last_line() && (!pronoun || self.beside(text, *span, reading) > 0.0)
        });
        numbers
            .map(|(span, value)| {
                let fitting = kind.map_or(4.0, |kind| likelihood(kind, value));
                // A longer word for it does not make a number likelier.
                let base = fitting - length(*span) * 0.1;
                (Guess { span: *span, base, told: 0.25 }, value.clone())
            })
            .collect()
    }

    /// For values of no known kind: what follows a cue, up to punctuation.
    fn after_cue(&self, text: &Text, learned: &Learned) -> Option<Span> {
        let cues = learned.get(&self.name).into_iter().flatten().chain(&self.roles);
        let lower = text.lower();
        cues.flat_map(|cue| find_words(text, cue)).find_map(|found| {
            let first = text.words().iter().find(|word| word.span.start >= found.end)?.span.start;
            let end = lower[first..].iter().position(|letter| matches!(letter, ',' | ';' | '?' | '!' | '.'));
            Some(Span { start: first, end: end.map_or(lower.len(), |length| first + length) })
        })
    }
}

/// Where the last line has what a pattern describes.
fn matches(pattern: &Regex, text: &Text) -> impl Iterator<Item = Span> {
    let line: String = text.letters().iter().skip(text.last_line()).collect();
    let letters = |bytes: usize| text.last_line() + line.get(..bytes).map_or(0, |before| before.chars().count());
    let found = pattern.find_iter(&line).filter(|found| !found.is_empty());
    let spans = found.map(|found| Span { start: letters(found.start()), end: letters(found.end()) });
    let whole = |span: &Span| text.starts_word(span.start) && text.ends_word(span.end);
    spans.filter(whole).collect::<Vec<_>>().into_iter()
}

/// Listed values that the text says, each by one of its wordings.
fn said_values(values: &[(Value, Vec<String>)], text: &Text) -> Vec<(Span, Value)> {
    let wordings = values.iter().flat_map(|(value, wordings)| wordings.iter().map(move |words| (value, words)));
    wordings.flat_map(|(value, words)| find_words(text, words).into_iter().map(|span| (span, value.clone()))).collect()
}

/// How well a number fits its kind: within its span, and with a point only where the kind has one.
fn likelihood(kind: &Numbers, value: &Value) -> f64 {
    let Some(number) = value.as_number() else { return 4.0 };
    let within = (kind.least..=kind.most).contains(&number.as_f64());
    let pointed = number.as_str().contains('.') == (kind.decimals > 0);
    3.0 + if within { 1.0 } else { 0.0 } + if pointed { 1.0 } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "no text has 2^52 letters")]
fn length(span: Span) -> f64 {
    span.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(parameter: &str, query: &str) -> Vec<String> {
        let tool = format!(
            r#"{{"name": "A.B.order", "description": "Order things", "parameters": {{"properties": {{"x": {parameter}}}}},
                "kinds": {{"x": "KIND"}}}}"#
        );
        let kind = if parameter.contains("integer") { "quantity" } else { "dish" };
        let pack = crate::fixtures::pack("en");
        let recogniser = Recogniser::new(&pack);
        let slots = Slot::all(&serde_json::from_str(&tool.replace("KIND", kind)).unwrap(), &pack, &recogniser);
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let means = Means { recogniser: &recogniser, reading: &pack.reading, learned: &Learned::new() };
        let candidates = slots[0].candidates(0, &text, means);
        candidates.iter().map(|it| serde_json::to_string(&it.value).unwrap()).collect()
    }

    #[test]
    fn a_list_knows_before_anything_is_guessed() {
        let dish = r#"{"type": "string"}"#;
        assert_eq!(found(dish, "the pad thai and a gizmo"), [r#""pad thai""#]);
        assert_eq!(found(dish, "order a gizmo"), [r#""gizmo""#]);
        let listed = r#"{"type": "string", "enum": ["big", "very_small"]}"#;
        assert_eq!(found(listed, "a very small one"), [r#""very_small""#]);
    }

    #[test]
    fn a_pattern_finds_its_codes_and_no_other_words() {
        let code = r#"{"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"}"#;
        assert_eq!(found(code, "order WBI-4907 for room 12, not XWBI-49070"), [r#""WBI-4907""#]);
        let any = r#"{"type": "string", "pattern": "^\\S+$"}"#;
        assert_eq!(found(any, "the pad thai and a gizmo"), [r#""pad thai""#], "a pattern that fits any word is none");
    }

    #[test]
    fn one_is_a_number_only_beside_its_unit() {
        assert!(found(r#"{"type": "integer"}"#, "the one in my letter").is_empty());
        assert_eq!(found(r#"{"type": "integer", "description": "How many portions"}"#, "one portion of rice"), ["1"]);
        assert_eq!(found(r#"{"type": "integer"}"#, "1 please"), ["1"]);
    }
}
