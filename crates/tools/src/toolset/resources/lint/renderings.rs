//! What a pattern can say when every value is given: how often each slot, how many texts, what stands around a slot.

use fcgen_core::locale::{Fill, Part, Pattern};
use fcgen_core::record::Chance;
use std::collections::BTreeSet;

/// Stands around the name of a slot in a rendered text.
const MARK: char = '\u{1}';
/// How often a pattern is rendered to see what stands around its slots.
const DRAWS: u32 = 24;

/// The least and the most times that a text of the pattern says `slot`.
pub(super) fn times(pattern: &Pattern, slot: &str) -> (usize, usize) {
    pattern.parts().iter().map(|part| part_times(part, slot)).fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
}

fn part_times(part: &Part, slot: &str) -> (usize, usize) {
    match part {
        Part::Text(_) => (0, 0),
        Part::Slot { name, .. } => (usize::from(name == slot), usize::from(name == slot)),
        Part::Optional(inner) => times(inner, slot),
        Part::Choice(choices) => {
            let all: Vec<_> = choices.iter().map(|choice| times(choice, slot)).collect();
            (all.iter().map(|it| it.0).min().unwrap_or(0), all.iter().map(|it| it.1).max().unwrap_or(0))
        }
    }
}

/// How many texts the pattern stands for, given one way to say each value.
pub(super) fn count(pattern: &Pattern) -> usize {
    let part = |part: &Part| match part {
        Part::Text(_) | Part::Slot { .. } => 1,
        Part::Choice(choices) => choices.iter().map(count).sum(),
        Part::Optional(inner) if inner.slots().is_empty() => 1 + count(inner),
        Part::Optional(inner) => count(inner),
    };
    pattern.parts().iter().map(part).fold(1, usize::saturating_mul)
}

/// The slots that may be left out.
pub(super) fn bracketed(pattern: &Pattern) -> BTreeSet<&str> {
    let part = |part: &'_ Part| match part {
        Part::Optional(inner) => inner.slots().into_iter().map(str::to_owned).collect::<Vec<_>>(),
        Part::Choice(choices) => choices.iter().flat_map(bracketed).map(str::to_owned).collect(),
        Part::Text(_) | Part::Slot { .. } => Vec::new(),
    };
    let names: BTreeSet<String> = pattern.parts().iter().flat_map(part).collect();
    pattern.slots().into_iter().filter(|slot| names.contains(*slot)).collect()
}

/// A slot with the letters before and behind it, as far as the neighbouring slots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) slot: String,
    pub(super) before: String,
    pub(super) behind: String,
}

/// The places of slots in texts of the pattern.
pub(super) fn places(pattern: &Pattern) -> BTreeSet<Place> {
    texts(pattern).iter().flat_map(|text| places_of(text)).collect()
}

fn texts(pattern: &Pattern) -> Vec<String> {
    (0..DRAWS).map(|draw| pattern.render(&mut Marked, &mut Chance::new(0, "lint", "", draw))).collect()
}

fn places_of(text: &str) -> Vec<Place> {
    let parts: Vec<&str> = text.split(MARK).collect();
    let place = |at: usize| Place {
        slot: parts.get(at).copied().unwrap_or_default().to_owned(),
        before: parts.get(at - 1).copied().unwrap_or_default().to_owned(),
        behind: parts.get(at + 1).copied().unwrap_or_default().to_owned(),
    };
    (1..parts.len()).step_by(2).map(place).collect()
}

struct Marked;

impl Fill for Marked {
    fn has(&self, _slot: &str) -> bool {
        true
    }

    fn say(&mut self, slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        format!("{MARK}{slot}{MARK}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Pattern {
        Pattern::parse(text).unwrap()
    }

    #[test]
    fn a_slot_is_counted_through_choices_and_brackets() {
        let times = |text: &str| super::times(&parse(text), "a");
        assert_eq!(times("{a} to {b}"), (1, 1));
        assert_eq!(times("({a}|x)"), (0, 1));
        assert_eq!(times("[for {a}] {a}"), (2, 2));
        assert_eq!(times("(see {a}|check {a})"), (1, 1));
        assert_eq!(times("x"), (0, 0));
    }

    #[test]
    fn texts_are_counted_with_everything_given() {
        let count = |text: &str| super::count(&parse(text));
        assert_eq!(count("(a|b|c) {x}[ on {y}]"), 3);
        assert_eq!(count("(a|b (c|d))[ now]"), 6);
        assert_eq!(count(""), 1);
    }

    #[test]
    fn what_stands_in_brackets_may_be_left_out() {
        let names = |text: &str| bracketed(&parse(text)).into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(names("move[ {x}] from {y}(| [to {z}])"), ["x", "z"]);
        assert!(names("{x} (a|{y})").is_empty());
    }

    #[test]
    fn the_letters_around_a_slot_are_those_up_to_the_next() {
        let places = places(&parse("move (the|a) {x} to {y}'s"));
        assert_eq!(places.len(), 3, "{places:?}");
        let place = |slot: &str, before: &str, behind: &str| Place {
            slot: slot.to_owned(),
            before: before.to_owned(),
            behind: behind.to_owned(),
        };
        assert!(places.contains(&place("x", "move a ", " to ")) && places.contains(&place("y", " to ", "'s")));
    }
}
