//! How long conversations are, beside those of CONFETTI's authors: user turns, calls and functions, and how late calls come.

use super::super::Measure;
use super::super::figure::{Cell, Figure, Mark, share};
use crate::lint::entry::Entry;
use crate::record::{Role, SuiteId};
use crate::suite::confetti::layout::CALLS;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// What is seen of one conversation.
#[derive(Default)]
struct Length {
    turns: usize,
    calls: usize,
    functions: BTreeSet<String>,
}

/// Counts by conversation; of call items, those at the sixth user turn or later.
#[derive(Default)]
pub(in crate::check::audit) struct Lengths {
    conversations: IndexMap<String, Length>,
    calls: usize,
    late: usize,
}

/// From which user turn on a call is late.
const LATE: usize = 6;
/// The share of the authors' chains at the sixth user turn or later: 139 of 313 (the paper's Figure 3).
const AUTHORS_LATE: f64 = 0.444;
/// How far off the share may be.
const NEAR: f64 = 0.1;

const WHAT: &str = "median user turns, calls and called functions per conversation, with quartiles next to the \
    authors' (agent turns and calls of their released files; the paper reports 8.8 turns); and the share of call \
    items at user turn 6 or later";

impl Measure for Lengths {
    fn see(&mut self, entry: &Entry) {
        if entry.sample.suite != SuiteId::Confetti {
            return;
        }
        let turns = entry.sample.messages.iter().filter(|message| message.role == Role::User).count();
        let length = self.conversations.entry(entry.sample.group.clone()).or_default();
        length.turns = length.turns.max(turns);
        let Some(call) = entry.call().filter(|_| entry.sample.data_type.0 == CALLS) else { return };
        length.calls += 1;
        length.functions.insert(call.name.clone());
        self.calls += 1;
        self.late += usize::from(turns >= LATE);
    }

    fn figure(&self) -> Figure {
        let of = |count: &dyn Fn(&Length) -> usize| {
            let mut counts: Vec<usize> = self.conversations.values().map(count).collect();
            counts.sort_unstable();
            counts
        };
        let rows = [
            ("user turns", of(&|it| it.turns), "3, 4, 5"),
            ("calls", of(&|it| it.calls), "3, 4, 5"),
            ("functions", of(&|it| it.functions.len()), "3, 4, 5"),
        ];
        let cells = rows.into_iter().filter_map(|(name, counts, authors)| {
            let [low, middle, high] = [1, 2, 3].map(|part| quartile(&counts, part));
            let detail = format!("quartiles {}, {}, {}; the authors' {authors}", low?, middle?, high?);
            let median = f64::from(u32::try_from(middle?).unwrap_or(u32::MAX));
            Some(Cell::new(name, median, counts.len()).with(detail))
        });
        let late = (self.calls > 0).then(|| {
            let value = share(self.late, self.calls);
            let detail = format!("the authors' {AUTHORS_LATE:.3}; at most {:.3}", AUTHORS_LATE + NEAR);
            let cell = Cell::new("calls at user turn 6 or later", value, self.calls);
            cell.held_to(Mark::AtLeast(AUTHORS_LATE - NEAR)).with(detail)
        });
        Figure::new("conversation lengths", WHAT, cells.chain(late).collect())
    }
}

/// The value below which so many quarters of the sorted counts lie.
fn quartile(counts: &[usize], quarters: usize) -> Option<usize> {
    counts.get(counts.len().checked_sub(1)? * quarters / 4).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entries, said};
    use crate::record::{DataType, Message};

    #[test]
    fn turns_and_calls_are_counted_by_conversation() {
        let mut lengths = Lengths::default();
        for turns in [2, 6] {
            let mut sample = said(&format!("s{turns}"), CALLS, "book", r#"{"to": "Porto", "seats": 2}"#);
            sample.suite = SuiteId::Confetti.into();
            sample.data_type = DataType(CALLS.to_owned());
            sample.messages = (0..turns).map(|_| Message::user("book")).collect();
            sample.group = "talk".to_owned();
            for entry in &entries(vec![sample]) {
                lengths.see(entry);
            }
        }
        let figure = lengths.figure();
        let values: Vec<f64> = figure.cells.iter().map(|cell| cell.value).collect();
        assert_eq!(values, [6.0, 2.0, 1.0, 0.5]);
        assert!(figure.cells[0].detail.contains("the authors' 3, 4, 5"));
        assert_eq!(quartile(&[], 2), None);
    }
}
