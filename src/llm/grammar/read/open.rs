//! Values that no list knows: names by their capitals, codes by their digits, quoted words, phrases behind their cues.

use super::recognise::{Span, Text};
use crate::locale::{Meaning, Reading};

/// What values of a kind look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A name: capitals.
    Name,
    /// Letters and digits.
    Code,
    /// Words.
    Phrase,
    /// A time, which a list knows if anything does.
    Time,
}

/// Most words of a phrase; a message goes on to the end of its clause.
const PHRASE: usize = 4;

impl Shape {
    /// The shape of a kind's values, by the entity that they are.
    pub(super) fn of(entity: Option<&str>) -> Self {
        match entity {
            Some("time") => Self::Time,
            Some("document number" | "phone number" | "license plate") => Self::Code,
            Some(_) => Self::Name,
            None => Self::Phrase,
        }
    }
}

/// What the words of one parameter say of its place in a sentence.
pub(super) struct Hints<'a> {
    /// Words that announce the value.
    pub(super) cues: Vec<&'a str>,
    /// Stems of the parameter's own words.
    pub(super) units: &'a [String],
    /// Stems of the words in the function's name.
    pub(super) about: &'a [String],
    /// Stems of all words of the tool.
    pub(super) known: &'a [String],
    /// Whether the value is a message, which goes on to the end of its clause.
    pub(super) long: bool,
}

/// Stretches that may be a value of this shape, the surest first.
///
/// They are looked for in the last line alone: what stands above it is not what the person asks.
pub(super) fn open_values(
    shape: Shape,
    text: &Text,
    words: &[Span],
    hints: &Hints<'_>,
    reading: &Reading,
) -> Vec<Span> {
    let line = text.lower().iter().rposition(|letter| *letter == '\n').map_or(0, |at| at + 1);
    let mut spans = all_open_values(shape, text, words, hints, reading);
    spans.retain(|span| span.start >= line);
    spans
}

fn all_open_values(shape: Shape, text: &Text, words: &[Span], hints: &Hints<'_>, reading: &Reading) -> Vec<Span> {
    let mut spans = quoted(text);
    match shape {
        Shape::Time => return Vec::new(),
        Shape::Code => spans.extend(codes(text, words)),
        Shape::Name => spans.extend(names(text, words, reading)),
        Shape::Phrase => {}
    }
    if shape == Shape::Phrase {
        spans.extend(beside_unit(text, words, hints, reading));
        spans.extend(behind_cues(text, words, hints, reading));
        // What holds nothing but the tool's own words is no value.
        spans.retain(|span| {
            text.words(*span).chars().any(char::is_alphabetic) && has_news(text, *span, words, hints, reading)
        });
        if spans.is_empty() && !hints.long {
            spans.extend(new_things(text, words, hints, reading));
        }
    }
    spans
}

/// Whether a stretch holds a word that the tool does not.
fn has_news(text: &Text, span: Span, words: &[Span], hints: &Hints<'_>, reading: &Reading) -> bool {
    words.iter().filter(|word| span.overlaps(**word)).any(|word| {
        let lower = text.words(*word).to_lowercase();
        reading.meanings(&lower).is_empty() && !hints.known.iter().any(|stem| stem == reading.stem(&lower))
    })
}

/// Things that neither the tool nor the language's groups of words speak of: `the pumpkin curry`, `six dumplings`.
fn new_things(text: &Text, words: &[Span], hints: &Hints<'_>, reading: &Reading) -> Vec<Span> {
    let is_new = |index: usize| {
        let word = text.words(words[index]).to_lowercase();
        let known = hints.known.iter().any(|stem| stem == reading.stem(&word));
        is_plain(text, words, index, reading) && reading.meanings(&word).is_empty() && !known
    };
    let begins = |index: usize| reading.determiners.contains(&text.words(words[index]).to_lowercase());
    let mut spans = Vec::new();
    for first in (1..words.len()).filter(|index| begins(index - 1) && is_new(*index)) {
        let last = (first..words.len()).take(PHRASE).take_while(|index| is_new(*index)).last().unwrap_or(first);
        // "A piggy bank" is not a new thing where banks are known.
        if last + 1 < words.len() && is_plain(text, words, last + 1, reading) {
            continue;
        }
        spans.push(Span { start: words[first].start, end: words[last].end });
    }
    spans
}

/// What stands between quotation marks.
fn quoted(text: &Text) -> Vec<Span> {
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

/// Tokens of four letters and more that hold digits: `EH-55120`.
fn codes(text: &Text, words: &[Span]) -> Vec<Span> {
    let lower = text.lower();
    let mut spans: Vec<Span> = Vec::new();
    for word in words {
        match spans.last_mut() {
            Some(last) if word.start == last.end + 1 && lower[last.end] == '-' => last.end = word.end,
            _ => spans.push(*word),
        }
    }
    let digits = |span: &Span| lower[span.start..span.end].iter().filter(|letter| letter.is_ascii_digit()).count();
    spans.retain(|span| span.len() >= 4 && digits(span) >= 2);
    spans
}

/// Runs of words with capitals, small words between them included; the first word of a sentence has its capital anyway.
fn names(text: &Text, words: &[Span], reading: &Reading) -> Vec<Span> {
    let capital = |word: Span| text.letters()[word.start].is_uppercase() && word.len() > 1 && !is_initial(text, word);
    let mut spans: Vec<Span> = Vec::new();
    for (index, word) in words.iter().enumerate().filter(|(_, word)| capital(**word)) {
        // "The Museum of Glass" is one name although "of" has no capital.
        let bridged = spans.last().is_some_and(|last| {
            let between: Vec<Span> = words[..index].iter().filter(|it| it.start >= last.end).copied().collect();
            between.len() <= 2
                && between.iter().all(|it| it.len() <= 3 && !is_cue(text, *it, reading))
                && text.lower()[last.end..word.start].iter().all(|letter| letter.is_alphanumeric() || *letter == ' ')
        });
        match spans.last_mut() {
            Some(last) if bridged => last.end = word.end,
            _ => spans.push(*word),
        }
    }
    spans.into_iter().map(|span| without_possessive(text, span)).collect()
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

/// The words before one of the parameter's own words: `the living room`; without it where the whole tool is about it.
fn beside_unit(text: &Text, words: &[Span], hints: &Hints<'_>, reading: &Reading) -> Vec<Span> {
    let mut spans = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let lower = text.words(*word).to_lowercase();
        let stem = reading.stem(&lower).to_owned();
        if !hints.units.contains(&stem) || reading.is_empty_word(&lower) {
            continue;
        }
        let mut first = index;
        while first > 0 && is_plain(text, words, first - 1, reading) && index - first < PHRASE {
            first -= 1;
        }
        let last = if hints.about.contains(&stem) { index } else { index + 1 };
        let definite = first > 0 && reading.definite.contains(&text.words(words[first - 1]).to_lowercase());
        if definite && first < index {
            spans.push(Span { start: words[first].start, end: words[last - 1].end });
        }
    }
    spans
}

/// What follows a cue, up to the next one or the end of the clause.
fn behind_cues(text: &Text, words: &[Span], hints: &Hints<'_>, reading: &Reading) -> Vec<Span> {
    let mut spans = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let before: String = text.lower()[..word.start].iter().collect();
        let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || letter == ':');
        let announced = hints
            .cues
            .iter()
            .any(|cue| before.strip_suffix(cue).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)));
        if !announced || !(hints.long || is_plain(text, words, index, reading)) {
            continue;
        }
        let mut last = index;
        let goes_on = |next: usize| {
            let plain = || next - index < PHRASE && is_plain(text, words, next, reading);
            if hints.long { !parted(text, words, next) } else { plain() }
        };
        while last + 1 < words.len() && goes_on(last + 1) {
            last += 1;
        }
        spans.push(Span { start: word.start, end: words[last].end });
    }
    spans
}

/// Whether a word can be part of a phrase: no empty word, no cue, and nothing but a space before it.
fn is_plain(text: &Text, words: &[Span], index: usize, reading: &Reading) -> bool {
    let word = words[index];
    let lower = text.words(word).to_lowercase();
    let digits = lower.chars().any(|letter| letter.is_ascii_digit());
    let action = reading.meanings(&lower).iter().any(|meaning| matches!(meaning, Meaning::Action(_)));
    let parted = parted(text, words, index) && !announced_by_colon(text, word);
    !(reading.is_empty_word(&lower) || is_cue(text, word, reading) || digits || action || parted)
}

/// Whether something other than a space stands before a word.
fn parted(text: &Text, words: &[Span], index: usize) -> bool {
    index > 0 && text.lower()[words[index - 1].end..words[index].start].iter().any(|letter| !letter.is_whitespace())
}

fn announced_by_colon(text: &Text, word: Span) -> bool {
    text.lower()[..word.start].iter().rev().find(|letter| !letter.is_whitespace()) == Some(&':')
}

fn is_cue(text: &Text, word: Span, reading: &Reading) -> bool {
    let lower = text.words(word).to_lowercase();
    reading.roles.values().flatten().any(|role| *role == lower)
}

#[cfg(test)]
mod tests {
    use super::super::words::word_spans;
    use super::*;

    fn found(shape: Shape, query: &str, cues: &[&str], units: &[&str], about: &[&str]) -> Vec<String> {
        let reading = Reading::load("en").unwrap();
        let text = Text::new(query, true);
        let stems = |words: &[&str]| words.iter().map(|word| reading.stem(word).to_owned()).collect::<Vec<_>>();
        let (units, about) = (stems(units), stems(about));
        let hints = Hints { cues: cues.to_vec(), units: &units, about: &about, known: &about, long: false };
        open_values(shape, &text, &word_spans(&text), &hints, &reading)
            .into_iter()
            .map(|span| text.words(span))
            .collect()
    }

    #[test]
    fn names_have_capitals_and_may_hold_small_words() {
        assert_eq!(found(Shape::Name, "see the bill from Norwind", &[], &[], &[]), ["Norwind"]);
        assert_eq!(found(Shape::Name, "get me to the Museum of Glass by noon", &[], &[], &[]), ["Museum of Glass"]);
        assert_eq!(found(Shape::Name, "Order soup at Little Crane", &[], &[], &[]), ["Little Crane"]);
    }

    #[test]
    fn codes_quotes_and_phrases_are_found() {
        assert_eq!(found(Shape::Code, "cancel order EH-55120 now", &[], &[], &[]), ["EH-55120"]);
        assert_eq!(found(Shape::Phrase, "a note titled 'errands'", &[], &[], &[]), ["errands"]);
        assert_eq!(found(Shape::Phrase, "a recipe for stew, please", &["for"], &[], &[]), ["stew"]);
    }

    #[test]
    fn a_parameters_own_word_stands_behind_its_value() {
        assert_eq!(found(Shape::Phrase, "heat the living room", &[], &["room"], &[]), ["living room"]);
        assert_eq!(found(Shape::Phrase, "dim the bedroom lamp", &[], &["lamp"], &["lamp"]), ["bedroom"]);
    }
}
