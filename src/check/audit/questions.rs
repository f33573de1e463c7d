//! Whether the agent has more than one way to ask for a parameter.

use super::Measure;
use super::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::record::Role;
use std::collections::{BTreeMap, BTreeSet};

/// The wordings of each parameter's questions, as hashes; memory grows with distinct questions.
#[derive(Default)]
pub(super) struct Questions(BTreeMap<u64, Asked>);

#[derive(Default)]
struct Asked {
    times: usize,
    whole: BTreeSet<u64>,
    core: BTreeSet<u64>,
}

/// Least share of distinct wordings.
const MARK: f64 = 0.6;

const WHAT: &str = "distinct wordings / questions, over parameters that are asked for more than once in Based; whole \
    text (the threshold applies here), and last sentence alone, without the sentences before it";

impl Measure for Questions {
    fn see(&mut self, entry: &Entry) {
        if entry.sample.data_type.0 != "Based" || entry.turn() == 1 {
            return;
        }
        let fresh = entry.fresh();
        let (Some(call), [slot]) = (entry.call(), fresh.as_slice()) else { return };
        let Some(question) = asked(entry) else { return };
        let seen = self.0.entry(hash(&[&call.name, slot])).or_default();
        seen.times += 1;
        seen.whole.insert(hash(&[&plain(question)]));
        seen.core.insert(hash(&[&plain(core(question))]));
    }

    fn figure(&self) -> Figure {
        let often: Vec<&Asked> = self.0.values().filter(|asked| asked.times > 1).collect();
        let n: usize = often.iter().map(|asked| asked.times).sum();
        let cell = |slice: &str, distinct: fn(&Asked) -> usize| {
            let distinct = often.iter().map(|asked| distinct(asked)).sum();
            Cell::share(slice, distinct, n).with(format!("{} parameters", often.len()))
        };
        let cells = [
            cell("whole text", |asked| asked.whole.len()).held_to(Mark::AtLeast(MARK)),
            cell("last sentence", |asked| asked.core.len()),
        ];
        Figure::new("questions", WHAT, cells.into_iter().filter(|cell| cell.n > 0).collect())
    }
}

/// What the assistant said before the last turn.
fn asked(entry: &Entry) -> Option<&str> {
    let said = entry.sample.messages.iter().rev().find(|message| message.role == Role::Assistant);
    said.and_then(|message| message.content.as_deref())
}

/// The sentence that asks: what stands behind the last end of a sentence or colon.
fn core(question: &str) -> &str {
    let marks = |letter: char| matches!(letter, '.' | ':' | '!' | '。' | '，' | '：' | '！');
    let trimmed = question.trim_end_matches(|letter: char| marks(letter) || letter.is_whitespace());
    trimmed.rsplit(marks).next().unwrap_or(trimmed)
}

fn plain(text: &str) -> String {
    text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::snapshots;

    fn figure(questions: &[&str]) -> Figure {
        let mut measure = Questions::default();
        for (index, question) in questions.iter().enumerate() {
            let mut turns = snapshots(&format!("b/{index}"), "Based", &["{}", r#"{"to": "Porto"}"#]);
            turns[1].sample.messages[1].content = Some((*question).to_owned());
            for entry in &turns {
                measure.see(entry);
            }
        }
        measure.figure()
    }

    #[test]
    fn wordings_are_counted_with_and_without_what_leads_to_them() {
        let figure = figure(&["Where to?", "Sure. Where to?", "Got it: where to?", "What is your destination?"]);
        let (whole, core) = (figure.cell("whole text").unwrap(), figure.cell("last sentence").unwrap());
        assert_eq!((whole.value, whole.n, whole.mark.is_met(whole.value, None)), (1.0, 4, Some(true)));
        assert_eq!((core.value, core.detail.as_str()), (0.5, "1 parameters"));
    }

    #[test]
    fn a_parameter_that_is_asked_for_once_says_nothing() {
        assert!(figure(&["Where to?"]).missing.is_some());
    }

    #[test]
    fn the_sentence_that_asks_is_the_last() {
        assert_eq!(core("All right. One thing: where to?"), " where to?");
        assert_eq!(core("请告诉我。去哪里。"), "去哪里");
        assert_eq!(core("where to"), "where to");
    }
}
