//! The stretches of a text that may be a parameter's value, by the form of its values.

use crate::locale::{Numbers, Pack, Reading};
use crate::read::learn::Learned;
use crate::read::slot::Slot;
use crate::read::text::{Span, Text, Word, find_words};
use crate::read::values::nested::Nested;
use crate::read::values::phrase::{Guess, phrases};
use crate::read::values::recognise::Recogniser;
use crate::record::{Parameter, Tool, Value};
use regex::Regex;

/// A stretch of the text as the value of a slot.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// The slot's place.
    pub(crate) slot: usize,
    pub(crate) span: Span,
    pub(crate) value: Value,
    pub(crate) score: f64,
    /// How much it says for the whole tool that the request has this value.
    pub(crate) told: f64,
    /// Whether it is of a sort that few tools want, or stands beside the tool's own words.
    pub(crate) own: bool,
    /// Whether a list knows the value.
    pub(crate) sure: bool,
}

/// What a slot is read with.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) recogniser: &'a Recogniser,
    pub(crate) reading: &'a Reading,
    pub(crate) learned: &'a Learned,
}

impl Slot {
    /// Whatever in a text may be this slot's value.
    pub(crate) fn candidates(&self, slot: usize, text: &Text, means: Means<'_>) -> Vec<Candidate> {
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

// The form of a parameter's values: listed, a flag, a number, of a kind, or anything.

/// How a parameter's values are told in a text.
pub(crate) enum Form {
    /// Listed values, with the words that say each.
    Listed(Vec<(Value, Vec<String>)>),
    /// True or false, said by words of the name.
    Flag,
    /// A value of a kind that the locale knows, or else of a kind's shape.
    Kind(String, Shape),
    /// A number, of a kind with its span where one is known.
    Number(Option<Numbers>),
    /// A text of the form that the schema's `pattern` describes.
    Pattern(Regex),
    /// A list or an object, by what it is made of.
    Nested(Nested),
    /// Anything; only a word before it tells where it begins.
    Free,
}

/// What values of a kind look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A name: capitals.
    Name,
    /// Letters and digits.
    Code,
    /// Words.
    Phrase,
    /// A time, which a list knows if anything does.
    Time,
}

impl Shape {
    /// The shape of a kind's values, by the entity that they are.
    pub(crate) fn of(entity: Option<&str>) -> Self {
        match entity {
            Some("time") => Self::Time,
            Some("document number" | "phone number" | "license plate") => Self::Code,
            Some(_) => Self::Name,
            None => Self::Phrase,
        }
    }
}

impl Form {
    pub(crate) fn new(
        (tool, name, parameter): (&Tool, &str, &Parameter),
        kind: Option<&str>,
        pack: &Pack,
        recogniser: &Recogniser,
    ) -> Self {
        let known = kind.and_then(|kind| pack.kinds.get(kind));
        if let Some(values) = &parameter.values {
            return Self::Listed(values.iter().map(|value| listed(tool, name, value)).collect());
        }
        if let Some(pattern) = pattern(parameter) {
            return Self::Pattern(pattern);
        }
        if let Some(nested) = Nested::new(parameter, pack, recogniser) {
            return Self::Nested(nested);
        }
        match (parameter.type_name(), kind) {
            ("boolean", _) => Self::Flag,
            ("integer" | "number", _) => Self::Number(known.and_then(|kind| kind.numbers.clone())),
            (_, Some(kind)) => Self::Kind(kind.to_owned(), Shape::of(known.and_then(|kind| kind.entity.as_deref()))),
            (_, None) => Self::Free,
        }
    }
}

/// The parameter's pattern, to be looked for anywhere in a text; none where any text would fit it.
fn pattern(parameter: &Parameter) -> Option<Regex> {
    let stated = parameter.more.get("pattern")?.as_str()?;
    let pattern = Regex::new(stated.trim_start_matches('^').trim_end_matches('$')).ok()?;
    // What is as wide as any word tells no value from the words around it.
    (!pattern.is_match("word")).then_some(pattern)
}

fn listed(tool: &Tool, name: &str, value: &serde_json::Value) -> (Value, Vec<String>) {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let known = tool.wordings.get(name).and_then(|wordings| wordings.get(&text));
    let wordings =
        known.into_iter().flatten().map(|words| words.to_lowercase()).chain([text.replace('_', " ").to_lowercase()]);
    (Value::from(value.clone()), wordings.collect())
}

// Values that are told by their letters: names by their capitals, codes by their digits, words between quotation marks.

/// What stands between quotation marks.
pub(crate) fn quoted(text: &Text) -> Vec<Span> {
    let marks = [('"', '"'), ('“', '”'), ('‘', '’'), ('「', '」'), ('\'', '\'')];
    let lower = text.lower();
    let mut spans = Vec::new();
    for (open, close) in marks {
        let mut from = 0;
        while let Some(start) = lower.iter().skip(from).position(|letter| *letter == open).map(|at| from + at + 1) {
            // An apostrophe within a word quotes nothing.
            let opens = start < 2 || !lower[start - 2].is_alphanumeric();
            let end = lower.iter().skip(start).position(|letter| *letter == close).map(|at| start + at);
            match end {
                Some(end) if opens && end > start => {
                    spans.push(Span { start, end });
                    from = end + 1;
                }
                _ => from = start,
            }
        }
    }
    spans
}

/// Tokens of four letters and more that hold digits, with the capitals beside them: `EH-55120`, `KTX 4821`.
pub(crate) fn codes(text: &Text) -> Vec<Span> {
    let lower = text.lower();
    let mut spans: Vec<Span> = Vec::new();
    for word in text.words() {
        match spans.last_mut() {
            Some(last) if word.span.start == last.end + 1 && joins(text, *last, word.span) => last.end = word.span.end,
            _ => spans.push(word.span),
        }
    }
    let digits = |span: &Span| lower[span.start..span.end].iter().filter(|letter| letter.is_ascii_digit()).count();
    spans.retain(|span| span.len() >= 4 && digits(span) >= 2);
    spans
}

/// Whether two neighbouring tokens are one code: a hyphen joins them, or both are in capitals and digits and one is a
/// number of three digits and more.
fn joins(text: &Text, one: Span, two: Span) -> bool {
    if text.lower()[one.end] == '-' {
        return true;
    }
    let letters = |span: Span| &text.letters()[span.start..span.end];
    let plain = |span: Span| {
        span.len() >= 2 && letters(span).iter().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
    };
    let number = |span: Span| span.len() >= 3 && letters(span).iter().all(char::is_ascii_digit);
    text.lower()[one.end] == ' ' && plain(one) && plain(two) && number(one) != number(two)
}

/// Runs of words with capitals, small words between them included; the first word of a sentence has its capital anyway.
pub(crate) fn names(text: &Text, reading: &Reading) -> Vec<Span> {
    let words = text.words();
    let mut spans: Vec<Span> = Vec::new();
    for (index, word) in words.iter().enumerate().filter(|(_, word)| is_capital(text, word, reading)) {
        // "The Museum of Glass" is one name although "of" has no capital.
        let bridged = spans.last().is_some_and(|last| {
            let between: Vec<&Word> = words[..index].iter().filter(|it| it.span.start >= last.end).collect();
            between.len() <= 2
                && between.iter().all(|it| it.span.len() <= 3 && !reading.announces(&it.lower))
                && text.lower()[last.end..word.span.start]
                    .iter()
                    .all(|letter| letter.is_alphanumeric() || *letter == ' ')
        });
        match spans.last_mut() {
            Some(last) if bridged => last.end = word.span.end,
            _ => spans.push(word.span),
        }
    }
    spans.into_iter().map(|span| without_possessive(text, span)).collect()
}

fn is_capital(text: &Text, word: &Word, reading: &Reading) -> bool {
    let contracted = word.lower.contains('\'') && reading.is_empty_word(&word.lower);
    text.letters()[word.span.start].is_uppercase() && word.span.len() > 1 && !contracted && !is_initial(text, word.span)
}

/// Whether a word begins a sentence or a line.
fn is_initial(text: &Text, word: Span) -> bool {
    let before = text.lower()[..word.start].iter().rev().find(|letter| **letter != ' ');
    before.is_none_or(|letter| ".!?:\n".contains(*letter))
}

/// `Anna's` as `Anna`.
fn without_possessive(text: &Text, span: Span) -> Span {
    let ends = text.lower()[..span.end].ends_with(&['\'', 's']) && span.len() > 2;
    Span { end: if ends { span.end - 2 } else { span.end }, ..span }
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

#[cfg(test)]
mod form_tests {
    use super::*;

    fn form(parameter: &str, kind: Option<&str>) -> Form {
        let mut tool = Tool::default();
        let spoken = ["first class".to_owned()];
        tool.wordings.insert("x".to_owned(), [("one".to_owned(), spoken.to_vec())].into_iter().collect());
        let pack = crate::fixtures::pack("en");
        let parameter = serde_json::from_str(parameter).unwrap();
        Form::new((&tool, "x", &parameter), kind, &pack, &Recogniser::new(&pack))
    }

    #[test]
    fn a_listed_value_has_its_wordings_and_its_own_words() {
        let Form::Listed(values) = form(r#"{"enum": ["one", "very_big"]}"#, None) else { panic!("another form") };
        assert_eq!(values[0].1, ["first class", "one"]);
        assert_eq!(values[1].1, ["very big"]);
    }

    #[test]
    fn types_and_kinds_make_the_form() {
        assert!(matches!(form(r#"{"type": "boolean"}"#, Some("city")), Form::Flag));
        assert!(matches!(form(r#"{"type": "integer"}"#, Some("count")), Form::Number(Some(_))));
        assert!(matches!(form(r#"{"type": "string"}"#, Some("city")), Form::Kind(_, Shape::Name)));
        assert!(matches!(form(r#"{"type": "string"}"#, Some("plate")), Form::Kind(_, Shape::Code)));
        assert!(matches!(form(r#"{"type": "string"}"#, None), Form::Free));
        let code = r#"{"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}"#;
        assert!(matches!(form(code, Some("city")), Form::Pattern(_)));
        let list = format!(r#"{{"type": "array", "items": {code}}}"#);
        assert!(matches!(form(&list, None), Form::Nested(_)));
    }
}

#[cfg(test)]
mod names_tests {
    use super::*;

    fn said(query: &str, find: impl Fn(&Text) -> Vec<Span>) -> Vec<String> {
        let text = Text::new(query, true);
        find(&text).into_iter().map(|span| text.said(span)).collect()
    }

    #[test]
    fn names_have_capitals_and_may_hold_small_words() {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let found = |query: &str| said(query, |text| names(text, &reading));
        assert_eq!(found("see the bill from Norwind"), ["Norwind"]);
        assert_eq!(found("get me to the Museum of Glass by noon"), ["Museum of Glass"]);
        assert_eq!(found("Order soup at Little Crane"), ["Little Crane"]);
        assert_eq!(found("ask Anna's sister, I'm away"), ["Anna"]);
    }

    #[test]
    fn codes_have_digits_and_capitals_may_stand_beside_them() {
        assert_eq!(said("cancel order EH-55120 now", codes), ["EH-55120"]);
        assert_eq!(said("bring the car KTX 4821 in on Tuesday", codes), ["KTX 4821"]);
        assert!(said("at 7 am in LA", codes).is_empty());
    }

    #[test]
    fn quotation_marks_hold_values_and_apostrophes_do_not() {
        assert_eq!(said("a note titled 'errands'", quoted), ["errands"]);
        assert!(said("I'm at Anna's place", quoted).is_empty());
    }
}
