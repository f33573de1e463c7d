//! A text prepared for reading: its letters, words, numbers and corrections.

use super::answer::View;
use super::fit::Run;
use super::slot::Slot;
use crate::locale::{Cutter, Language, Meaning, Reading, numbers_in};
use crate::read::values::phrase::{Guess, PHRASE, Search};
use crate::record::Value;
use std::ops::Range;
use std::sync::Arc;

/// A text prepared for reading: its letters, and the same in lower case, one for one.
pub(crate) struct Text {
    letters: Vec<char>,
    lower: Vec<char>,
    words: Vec<Word>,
    /// Whether words are set apart by spaces, so that a value must not end within a word.
    spaced: bool,
    /// The numbers that it says, in digits or in words.
    numbers: Vec<(Span, Value)>,
    /// The words that take earlier ones back: `no wait`.
    corrections: Vec<Span>,
    language: Option<Arc<Language>>,
    /// Where words begin and end, in a language that has its own way.
    cutter: Option<Arc<Cutter>>,
}

/// A stretch of a text, in letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A word of a text, an apostrophe among its letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) span: Span,
    /// In lower case.
    pub(crate) lower: String,
}

impl Text {
    pub(crate) fn new(text: &str, spaced: bool) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let lower: Vec<char> = letters.iter().map(|letter| letter.to_lowercase().next().unwrap_or(*letter)).collect();
        let words = words_of(&lower);
        Self {
            letters,
            lower,
            words,
            spaced,
            numbers: Vec::new(),
            corrections: Vec::new(),
            language: None,
            cutter: None,
        }
    }

    /// The same, with the numbers and corrections that the language sees in it.
    pub(crate) fn of(text: &str, spaced: bool, language: &Arc<Language>) -> Self {
        let letters = |range: Range<usize>| Span {
            start: text.get(..range.start).map_or(0, |before| before.chars().count()),
            end: text.get(..range.end).map_or(0, |before| before.chars().count()),
        };
        let numbers = numbers_in(text, language).into_iter().filter(|number| !number.ordinal);
        let numbers = numbers.map(|number| (letters(number.range), Value::Number(number.value))).collect();
        let corrections = language.corrections(text).into_iter().map(letters).collect();
        Self { numbers, corrections, language: Some(language.clone()), ..Self::new(text, spaced) }
    }

    /// The same, with words where the language has them.
    #[must_use]
    pub(crate) fn cut_by(mut self, cutter: &Arc<Cutter>) -> Self {
        let lower = &self.lower;
        let word = |range: Range<usize>| Word {
            span: Span { start: range.start, end: range.end },
            lower: lower[range].iter().collect(),
        };
        self.words = cutter.words(lower).into_iter().map(word).collect();
        self.cutter = Some(cutter.clone());
        self
    }

    pub(crate) fn letters(&self) -> &[char] {
        &self.letters
    }

    pub(crate) fn lower(&self) -> &[char] {
        &self.lower
    }

    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    pub(crate) fn language(&self) -> Option<&Language> {
        self.language.as_deref()
    }

    pub(crate) fn numbers(&self) -> &[(Span, Value)] {
        &self.numbers
    }

    /// Whether a stretch stands behind the last correction, while there is one.
    pub(crate) fn is_last_word(&self, span: Span) -> bool {
        self.corrections.last().is_some_and(|last| span.start >= last.end)
    }

    /// The words that take others back, in order.
    pub(crate) fn corrections(&self) -> &[Span] {
        &self.corrections
    }

    /// Whether a place is within words that take others back.
    pub(crate) fn takes_back(&self, at: usize) -> bool {
        self.corrections.iter().any(|span| (span.start..span.end).contains(&at))
    }

    /// Where the last line begins: what stands above it is not what the person asks.
    pub(crate) fn last_line(&self) -> usize {
        self.lower.iter().rposition(|letter| *letter == '\n').map_or(0, |at| at + 1)
    }

    /// A stretch as it is written.
    pub(crate) fn said(&self, span: Span) -> String {
        self.letters.get(span.start..span.end).unwrap_or_default().iter().collect()
    }

    /// What stands before a place, in lower case.
    pub(crate) fn before(&self, at: usize) -> String {
        self.lower.get(..at).unwrap_or_default().iter().collect()
    }

    /// What stands behind a place, in lower case.
    pub(crate) fn after(&self, at: usize) -> String {
        self.lower.get(at..).unwrap_or_default().iter().collect()
    }

    /// Whether words are set apart by spaces.
    pub(super) fn is_spaced(&self) -> bool {
        self.spaced
    }

    pub(super) fn starts_word(&self, at: usize) -> bool {
        if let Some(cutter) = &self.cutter {
            return cutter.starts(&self.lower, at);
        }
        !self.spaced || at == 0 || !self.lower[at - 1].is_alphanumeric()
    }

    pub(super) fn ends_word(&self, at: usize) -> bool {
        if let Some(cutter) = &self.cutter {
            return cutter.ends(&self.lower, at);
        }
        !self.spaced || at >= self.lower.len() || !self.lower[at].is_alphanumeric()
    }
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

fn words_of(lower: &[char]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (at, letter) in lower.iter().enumerate() {
        if !letter.is_alphanumeric() && !matches!(letter, '\'' | '’') {
            continue;
        }
        match words.last_mut() {
            Some(last) if last.span.end == at => {
                last.span.end = at + 1;
                last.lower.push(*letter);
            }
            _ => words.push(Word { span: Span { start: at, end: at + 1 }, lower: letter.to_string() }),
        }
    }
    words
}

// Where a turn takes back what was said: the stretches between the words that do so.

/// A stretch of a turn, with the words before it that take something back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) cue: Option<Cue>,
    pub(super) text: String,
}

/// What is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// What was just said, or something before.
    Any,
    /// Something of an earlier turn.
    Earlier,
}

/// The stretches of a turn.
pub(super) fn segments(view: &View<'_>, said: &str) -> Vec<Segment> {
    let text = view.reader.text(said);
    let lower = |word: &str| word.to_lowercase();
    let reading = &view.reader.pack.reading;
    let mut cues: Vec<(usize, usize, Cue)> =
        text.corrections().iter().map(|span| (span.start, span.end, Cue::Any)).collect();
    for (list, cue) in [(&reading.corrections, Cue::Any), (&reading.earlier, Cue::Earlier)] {
        let spans = list.iter().flat_map(|words| find_words(&text, &lower(words)));
        cues.extend(spans.map(|span| (span.start, span.end, cue)));
    }
    // Who hums thinks, and takes nothing back.
    let said_of = |start: usize, end: usize| text.said(super::text::Span { start, end }).to_lowercase();
    cues.retain(|(start, end, _)| !reading.leads.iter().any(|lead| *lead == said_of(*start, *end)));
    cues.sort_by_key(|(start, end, _)| (*start, *end));
    // "No, thanks" answers a question that wants a yes or a no.
    let flag = view.asked.iter().any(|slot| view.slots[*slot].kinds.iter().any(|kind| kind == "flag"));
    let no = |start: usize, end: usize| {
        let words = text.said(super::text::Span { start, end }).to_lowercase();
        reading.no.iter().any(|no| words.trim_end_matches([',', ' ']) == no)
    };
    cues.retain(|(start, end, _)| !(flag && *start == 0 && no(*start, *end)));
    let mut segments = Vec::new();
    let (mut from, mut cue) = (0, None);
    for (start, end, next) in cues {
        if start >= from {
            push(view, &mut segments, cue, &text.said(super::text::Span { start: from, end: start }));
            cue = Some(if cue == Some(Cue::Earlier) && segments.is_empty() { Cue::Earlier } else { next });
        } else if next == Cue::Earlier {
            cue = Some(next);
        }
        from = from.max(end);
    }
    push(view, &mut segments, cue, &text.said(super::text::Span { start: from, end: text.lower().len() }));
    segments
}

fn push(view: &View<'_>, segments: &mut Vec<Segment>, cue: Option<Cue>, text: &str) {
    let flag = view.asked.iter().any(|slot| view.slots[*slot].kinds.iter().any(|kind| kind == "flag"));
    if text.chars().any(char::is_alphanumeric) && (flag || !view.is_idle(text)) {
        segments.push(Segment { cue, text: text.trim().to_owned() });
    }
}

/// Whether a slot's description stands in a text, as the authors' template says it; gives what stands behind it, or
/// before it where nothing does.
pub(super) fn labelled<'t>(slots: &[Slot], said: &'t str) -> Option<(usize, &'t str)> {
    let lower = said.to_lowercase();
    // Lower case may be longer than what it stands for; then nothing is cut.
    if lower.len() != said.len() {
        return None;
    }
    let found = slots.iter().enumerate().filter_map(|(index, slot)| {
        let label = slot.description.trim();
        let at = lower.find(label).filter(|_| label.chars().count() >= 4)?;
        Some((label.len(), index, at))
    });
    let (length, index, at) = found.max_by_key(|(length, ..)| *length)?;
    let (before, after) = (said.get(..at)?, said.get(at + length..)?);
    let told = |text: &str| text.chars().any(char::is_alphanumeric);
    if told(after) { Some((index, after)) } else { told(before).then_some((index, before)) }
}

// Words in a text: where they stand, and what stands before them.

/// Whether a text ends in a cue, as words of its own; spaces, colons and opening quotes may follow it.
pub(super) fn ends_with(before: &str, cue: &str) -> bool {
    let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, ':' | '"' | '“'));
    before.strip_suffix(cue).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

/// Whether a cue announces a value: it stands right before it, or right behind it where a language has it so.
pub(super) fn announced(text: &Text, span: Span, cue: &str, reading: &Reading) -> bool {
    if reading.postpositions {
        let after = text.after(span.end);
        return after
            .trim_start()
            .strip_prefix(cue)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) || after.starts_with(cue));
    }
    let before = text.before(span.start);
    ends_with(&before, cue) || !text.is_spaced() && before.trim_end().ends_with(cue)
}

/// Where `words` (in lower case) stand in the text, at word boundaries.
pub(super) fn find_words(text: &Text, words: &str) -> Vec<Span> {
    let wanted: Vec<char> = words.chars().collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let lower = text.lower();
    let starts = |at: usize| !lower[at].is_alphanumeric() || text.starts_word(at);
    let ends = |at: usize| !lower[at - 1].is_alphanumeric() || text.ends_word(at);
    (0..lower.len().saturating_sub(wanted.len() - 1))
        .filter(|start| lower[*start..].starts_with(&wanted) && starts(*start) && ends(start + wanted.len()))
        .map(|start| Span { start, end: start + wanted.len() })
        .collect()
}

// The one thing in a request that nothing else explains.

impl Search<'_> {
    /// Things that neither the tool nor the language's groups of words speak of: `six dumplings`, `jazz radio`.
    pub(super) fn leftovers(&self) -> Vec<Guess> {
        let fresh = |run: &&Run| (run.first..run.end).any(|at| self.is_new(at));
        let alone = self.runs.iter().filter(fresh).count() == 1;
        let placed = |run: &&Run| if self.hints.counted { run.is_counted() } else { run.is_thing() || alone };
        self.runs.iter().filter(fresh).filter(placed).filter_map(|run| self.leftover(run)).collect()
    }

    fn leftover(&self, run: &Run) -> Option<Guess> {
        let last = (run.first..run.end).take_while(|at| self.is_new(*at)).last()?;
        // "A piggy bank" is not a new thing where banks are known; the tool's own word may follow, and must where
        // nothing stands before.
        let ends = (last + 1..run.end).all(|at| self.is_known(at)) && (last + 1 < run.end || !run.is_head());
        let span = self.span(run.first, last);
        let fits = ends && run.end - run.first <= PHRASE && self.has_news(span);
        fits.then_some(Guess { span, base: 1.0, told: 0.0 })
    }

    /// Whether a word is not the tool's own, nor about what the tool is about.
    fn is_new(&self, index: usize) -> bool {
        let mut meanings = self.reading.meanings(&self.text.words()[index].lower).iter();
        !self.is_known(index) && meanings.all(|it| self.is_foreign(*it) || matches!(it, Meaning::Action(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apostrophe_is_among_the_letters_of_a_word() {
        let text = Text::new("Don't start, Art", true);
        let words: Vec<&str> = text.words().iter().map(|word| word.lower.as_str()).collect();
        assert_eq!(words, ["don't", "start", "art"]);
        assert_eq!(text.said(text.words()[2].span), "Art");
    }

    #[test]
    fn the_language_sees_numbers_and_corrections() {
        let language = crate::fixtures::language("en");
        let text = Text::of("at two, no wait, at three", true, &language);
        assert_eq!(text.numbers().len(), 2);
        let (two, three) = (text.numbers()[0].0, text.numbers()[1].0);
        assert!(!text.is_last_word(two) && text.is_last_word(three));
        assert!(text.takes_back(10) && !text.takes_back(4));
    }

    #[test]
    fn the_last_line_is_what_is_asked() {
        assert_eq!(Text::new("EK:a\nquery:b", true).last_line(), 5);
        assert_eq!(Text::new("a", true).last_line(), 0);
    }
}

#[cfg(test)]
mod words_tests {
    use super::*;

    #[test]
    fn words_stand_at_their_boundaries() {
        let text = Text::new("Don't start the art class, art", true);
        assert_eq!(find_words(&text, "art").len(), 2);
        assert!(find_words(&text, "").is_empty());
    }

    #[test]
    fn a_cue_is_a_word_of_its_own() {
        assert!(ends_with("a note saying: ", "saying"));
        assert!(!ends_with("essaying ", "saying"));
    }
}

#[cfg(test)]
mod leftover_tests {
    use super::super::text::Text;
    use crate::locale::Reading;
    use crate::read::values::phrase::{Hints, phrases};

    fn found(query: &str, known: &[&str], counted: bool) -> Vec<String> {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let known: Vec<String> = known.iter().map(|word| reading.stem(word).to_owned()).collect();
        let hints = Hints {
            cues: Vec::new(),
            units: &[],
            about: &[],
            known: &known,
            topics: &[],
            sorts: &[],
            long: false,
            open: true,
            counted,
        };
        phrases(&text, &hints, &reading).into_iter().map(|guess| text.said(guess.span)).collect()
    }

    #[test]
    fn what_nothing_explains_is_a_value() {
        assert_eq!(found("order six gizmos from them", &[], false), ["gizmos"]);
        assert_eq!(found("gizmo radio at 30%", &["radio"], false), ["gizmo"]);
        assert_eq!(found("we are out of gizmos", &[], false), ["gizmos"], "the only thing of all");
    }

    #[test]
    fn a_name_is_left_over_only_where_it_is_counted() {
        assert!(found("order the gizmos", &[], true).is_empty());
        assert_eq!(found("order two gizmos", &[], true), ["gizmos"]);
    }

    #[test]
    fn the_first_word_of_all_is_no_value_by_itself() {
        assert!(found("gizmo", &[], false).is_empty());
        assert!(found("order gizmo ideas", &["gizmo"], false).is_empty());
    }
}
