//! Habits of speech that give generated texts away: decorated answers, preambles, stock openers, levels that change, figures
//! and dates as they are written, and the commonest beginnings.

use crate::check::audit::figure::{Cell, Figure, Mark, share};
use crate::check::audit::turns::{Fresh, Part, Turns};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::locale::{Stamp, begins};
use crate::record::Value;
use crate::score::QuestionWords;
use crate::suite::hammerbench::question_words;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts turns; of each a hash is kept, and every beginning with its count.
pub(crate) struct Habits {
    ground: Arc<Ground>,
    questions: QuestionWords,
    turns: Turns,
    decorated: Count,
    acknowledged: Count,
    opened: Count,
    changed: Count,
    /// Amounts of five figures that a turn says in bare digits, among those that it says.
    bare: Count,
    /// Turns with a day in ISO 8601.
    iso: Count,
    beginnings: BTreeMap<Part, BTreeMap<String, usize>>,
}

/// How many of how many.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    part: usize,
    whole: usize,
}

/// How many beginnings are listed, and how many words or, where words do not stand apart, letters they have.
const LISTED: usize = 20;
const WORDS: usize = 2;
const LETTERS: usize = 4;

const WHAT: &str = "stylistic patterns over turns that differ in text or context: answers with a filler before or \
    after them, assistant questions with a preamble, requests with a stock opener, and user turns whose politeness \
    level differs from the previous turn (among turns whose endings show the level); the word lists are in \
    locales/<locale>/talk.toml. Also, over requests and answers: numbers of five or more digits in the expected call \
    that are written as bare digits, among requests with such a number; and turns that contain a date such as \
    2026-05-04";

const LISTING: &str = "the 20 most frequent first two words (first four characters in languages without spaces) of \
    requests, answers and assistant questions, with their shares";

impl Habits {
    pub(crate) fn new(ground: Arc<Ground>) -> Self {
        // A locale without words for questions has none that are known to ask.
        let questions = question_words(&ground.assets, &ground.language.code).unwrap_or_default();
        let (decorated, acknowledged, opened, changed, bare, iso) = Default::default();
        let (turns, beginnings) = (Turns::default(), BTreeMap::new());
        Self { ground, questions, turns, decorated, acknowledged, opened, changed, bare, iso, beginnings }
    }

    /// Looks at an entry.
    pub(crate) fn see(&mut self, entry: &Entry) {
        // What the last turn gives is counted once, where it comes first.
        if entry.gives_values() {
            let fresh = entry.fresh();
            let given = entry.call().into_iter().flat_map(|call| &call.arguments);
            for digits in given.filter(|(name, _)| fresh.contains(&name.as_str())).filter_map(|(_, value)| large(value))
            {
                self.bare.add(entry.said().words.contains(&digits));
            }
        }
        let (turns, questions) = (&mut self.turns, &self.questions);
        for fresh in turns.fresh(entry, &|text| questions.asks(text, &[])) {
            let talk = &self.ground.talk;
            match fresh.part {
                Part::Request => self.opened.add(begins(fresh.text, &talk.openers)),
                Part::Answer => self.decorated.add(talk.is_decorated(fresh.text)),
                Part::Question => self.acknowledged.add(begins(fresh.text, &talk.acknowledgements)),
                Part::Later => {}
            }
            if fresh.part != Part::Question {
                self.iso.add(has_iso_day(fresh.text));
            }
            if fresh.part != Part::Question
                && let Some(is_changed) = changes(&self.ground, &fresh)
            {
                self.changed.add(is_changed);
            }
            if fresh.part != Part::Later {
                let beginning = beginning(&self.ground, fresh.text);
                *self.beginnings.entry(fresh.part).or_default().entry(beginning).or_default() += 1;
            }
        }
    }

    /// The shares, and the listing.
    pub(crate) fn figures(&self) -> [Figure; 2] {
        let talk = &self.ground.talk;
        let cell = |slice: &str, count: Count, words: bool, most: Option<f64>| {
            let cell = Cell::share(slice, count.part, count.whole);
            (words && count.whole > 0).then(|| cell.held_to(most.map_or(Mark::Shown, Mark::AtMost)))
        };
        let cells = [
            cell("answers with a filler", self.decorated, !talk.fillers.is_empty(), talk.most.decorated),
            cell(
                "questions with a preamble",
                self.acknowledged,
                !talk.acknowledgements.is_empty(),
                talk.most.acknowledgements,
            ),
            cell("stock openers", self.opened, !talk.openers.is_empty(), talk.most.openers),
            cell("politeness changes", self.changed, !talk.levels.is_empty(), talk.most.level_changes),
        ];
        let numbers = [("bare amounts", self.bare, talk.most.bare_amounts), ("dates in ISO 8601", self.iso, Some(0.0))];
        let numbers = numbers.map(|(slice, count, most)| cell(slice, count, true, most));
        let listed = self.beginnings.iter().flat_map(|(part, counts)| listed(*part, counts));
        [
            Figure::new("habits", WHAT, cells.into_iter().chain(numbers).flatten().collect()),
            Figure::new("beginnings", LISTING, listed.collect()),
        ]
    }
}

impl Count {
    fn add(&mut self, is_part: bool) {
        self.part += usize::from(is_part);
        self.whole += 1;
    }
}

/// Whether a text says a day in ISO 8601: `2026-05-04`.
fn has_iso_day(text: &str) -> bool {
    let is_day = |word: &str| word.len() == 10 && Stamp::read(word).is_some_and(|stamp| stamp.date.is_some());
    text.split(|letter: char| !(letter.is_ascii_digit() || letter == '-')).any(is_day)
}

/// The digits of a number of five figures and more.
fn large(value: &Value) -> Option<String> {
    let digits = value.as_number()?.as_str();
    let is_plain = digits.len() >= 5 && digits.chars().all(|it| it.is_ascii_digit());
    is_plain.then(|| digits.to_owned())
}

/// Whether a turn has another level than the speaker's last turn with one; nothing where that cannot be told.
fn changes(ground: &Ground, fresh: &Fresh<'_>) -> Option<bool> {
    let level = ground.talk.level(fresh.text)?;
    let before = fresh.before.iter().rev().find_map(|text| ground.talk.level(text))?;
    Some(level != before)
}

fn beginning(ground: &Ground, text: &str) -> String {
    if !ground.spaced {
        return ground.tokens(text).into_iter().take(LETTERS).collect();
    }
    let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let words = text.split_whitespace().map(bare).filter(|word| !word.is_empty());
    words.take(WORDS).collect::<Vec<_>>().join(" ")
}

fn listed(part: Part, counts: &BTreeMap<String, usize>) -> Vec<Cell> {
    let kind = match part {
        Part::Request => "request",
        Part::Answer => "answer",
        Part::Later => "later",
        Part::Question => "question",
    };
    let whole: usize = counts.values().sum();
    let mut commonest: Vec<(&String, usize)> = counts.iter().map(|(text, count)| (text, *count)).collect();
    commonest.sort_by_key(|(text, count)| (std::cmp::Reverse(*count), *text));
    let cell = |(text, count): &(&String, usize)| Cell::new(format!("{kind}: {text}"), share(*count, whole), whole);
    commonest.iter().take(LISTED).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, snapshots};

    fn figures(locale: &str, dialogues: &[&[&str]]) -> [Figure; 2] {
        let mut habits = Habits::new(Ground::load(crate::fixtures::assets(), locale).unwrap());
        for (at, texts) in dialogues.iter().enumerate() {
            let labels = vec!["{}"; texts.len()];
            let mut entries = snapshots(&format!("b/{at}"), "Based", &labels);
            let last = entries.last_mut().unwrap();
            let users = last.sample.messages.iter_mut().filter(|message| message.role == crate::record::Role::User);
            users.zip(*texts).for_each(|(message, text)| message.content = Some((*text).to_owned()));
            habits.see(last);
        }
        habits.figures()
    }

    fn value(figure: &Figure, slice: &str) -> (f64, usize) {
        figure.cell(slice).map(|cell| (cell.value, cell.n)).unwrap()
    }

    #[test]
    fn fillers_openers_and_preambles_are_counted() {
        let dialogues: [&[&str]; 2] = [&["Hey, book a train", "Um, Porto"], &["Book a train", "Faro"]];
        let [habits, beginnings] = figures("en", &dialogues);
        assert_eq!((value(&habits, "answers with a filler"), value(&habits, "stock openers")), ((0.5, 2), (0.5, 2)));
        assert_eq!(value(&habits, "questions with a preamble"), (0.0, 2));
        assert!(habits.cell("politeness changes").is_none(), "English has no levels");
        assert_eq!(value(&beginnings, "answer: um porto"), (0.5, 2));
        assert_eq!(value(&beginnings, "question: what else"), (1.0, 2));
    }

    #[test]
    fn a_level_that_changes_is_counted_where_both_turns_tell_it() {
        let dialogues: [&[&str]; 3] = [
            &["기차표 예매해 줘", "서울이요", "내일이야"],
            &["기차표 예매해 주세요", "서울이요"],
            &["기차표 예매해 줘", "서울"],
        ];
        assert_eq!(value(&figures("ko", &dialogues)[0], "politeness changes"), (2.0 / 3.0, 3));
    }

    #[test]
    fn amounts_and_days_are_told_as_they_are_written() {
        let mut habits = Habits::new(Ground::load(crate::fixtures::assets(), "ko").unwrap());
        for (at, text) in ["이만 원 보내 줘", "20000원 보내 줘", "2026-05-04에 보내 줘"].into_iter().enumerate()
        {
            habits.see(&entry(said(&format!("s{at}"), "ST_Perfect", text, r#"{"seats": 20000}"#)));
        }
        let [figure, _] = habits.figures();
        assert_eq!(value(&figure, "bare amounts"), (1.0 / 3.0, 3));
        assert_eq!(value(&figure, "dates in ISO 8601"), (1.0 / 3.0, 3));
    }

    #[test]
    fn only_the_commonest_beginnings_are_listed() {
        let mut habits = Habits::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        for at in 0..30 {
            habits.see(&entry(said(&format!("s{at}"), "ST_Perfect", &format!("go{at} there now"), "{}")));
        }
        assert_eq!(habits.figures()[1].cells.len(), LISTED);
    }
}
