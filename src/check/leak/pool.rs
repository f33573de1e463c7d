//! Many prints, found again by what they have in common with another one.
//!
//! Memory grows with the prints that are put in, and never with those that are compared with them.

use super::print::Print;
use super::tool::{common, real};
use std::collections::BTreeSet;

/// What share of an item's runs of words stands in a copy of it.
const TEXT: f64 = 0.6;
/// What share of an item's frame stands in a copy under other values, by weight; and the other way round.
const FRAME: f64 = 0.65;
const FRAME_BACK: f64 = 0.3;
/// The same where nothing is known of tools that are called.
const FRAME_ALONE: f64 = 0.8;
/// Where the words themselves are not known: so much of the frame makes a text the same one, in both directions, if it has so
/// many parts.
const NEARLY: f64 = 0.95;
const FRAME_BOTH: f64 = 0.7;
const MANY_PARTS: usize = 14;
/// The fewest runs of a text, and the fewest parts of a frame, that are no chance.
const LEAST_RUNS: usize = 3;
const LEAST_FRAME: usize = 6;
/// How many values of a call must be the same.
const VALUES: usize = 2;
/// How many prints at most are looked at closely for one.
const MOST: usize = 512;

/// How two items are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The same words.
    Text,
    /// The same words around other values, for the same tool.
    Frame,
    /// The same values for the same tool.
    Call,
}

/// Prints, each with what tells whose it is.
#[derive(Debug)]
pub struct Pool<T> {
    entries: Vec<(T, Print)>,
    postings: [Postings; 3],
    weights: Vec<f64>,
}

/// Which prints have a hash.
#[derive(Debug, Default)]
struct Postings(Vec<(u32, u32)>);

/// Which of two prints is the item of the bench, of which a copy is looked for in the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Those of the pool.
    Pool,
    /// The one that is compared.
    Asked,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), postings: Default::default(), weights: Vec::new() }
    }
}

impl<T> Pool<T> {
    /// Adds a print.
    pub fn add(&mut self, whose: T, print: Print) {
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for (postings, hashes) in self.postings.iter_mut().zip(lists(&print)) {
            postings.0.extend(hashes.iter().map(|hash| (*hash, at)));
        }
        self.entries.push((whose, print));
    }

    /// Makes it ready to be asked.
    pub fn seal(&mut self) {
        self.postings.iter_mut().for_each(|postings| postings.0.sort_unstable());
        self.weights = self.entries.iter().map(|(_, print)| self.weight(print.frame.iter().copied())).collect();
    }

    /// How many prints there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whose the prints are, in the order in which they were added.
    pub fn entries(&self) -> impl Iterator<Item = (&T, &Print)> {
        self.entries.iter().map(|(whose, print)| (whose, print))
    }

    /// Whose a print is, by its ordinal.
    pub fn whose(&self, at: usize) -> Option<&T> {
        self.entries.get(at).map(|(whose, _)| whose)
    }

    /// A print, by its ordinal.
    pub fn print(&self, at: usize) -> Option<&Print> {
        self.entries.get(at).map(|(_, print)| print)
    }

    /// The prints that are like one, by their ordinals, each with how: the strongest likeness of each.
    pub fn like(&self, asked: &Print, item: Side) -> Vec<(usize, Likeness)> {
        let mut near: BTreeSet<u32> = BTreeSet::new();
        for (postings, hashes) in self.postings.iter().zip(lists(asked)) {
            postings.near(hashes, &mut near);
        }
        let alike = |at: &u32| {
            let (_, print) = self.entries.get(*at as usize)?;
            let weight = self.weights.get(*at as usize).copied().unwrap_or_default();
            let likeness = match item {
                Side::Pool => self.likeness((print, weight), (asked, self.weight(asked.frame.iter().copied()))),
                Side::Asked => self.likeness((asked, self.weight(asked.frame.iter().copied())), (print, weight)),
            };
            Some((*at as usize, likeness?))
        };
        near.iter().filter_map(alike).collect()
    }

    fn likeness(&self, (item, whole): (&Print, f64), (other, others): (&Print, f64)) -> Option<Likeness> {
        let same_tool = || match (item.calls, other.calls) {
            // Where nothing is called, most of what is offered must be the same.
            (false, false) => item.shared_tools(other) * 2 >= item.tools.len().max(1),
            _ => item.shared_tools(other) > 0,
        };
        let runs = common(&item.text, &other.text).count();
        let share = real(runs) / real(item.text.len().max(1));
        if share >= TEXT && (item.text.len() >= LEAST_RUNS || runs > 0 && same_tool()) {
            return Some(Likeness::Text);
        }
        let kept = self.weight(common(&item.frame, &other.frame));
        let wanted = if item.calls == other.calls { FRAME } else { FRAME_ALONE };
        // Of a frame that is known by its least hashes, as much more is in common as there is more of it.
        let scale = real(item.whole.max(1)) / real(item.frame.len().max(1)) * real(other.frame.len().max(1))
            / real(other.whole.max(1));
        let is_frame =
            item.frame.len() >= LEAST_FRAME && kept >= wanted * whole && kept * scale.max(1.0) >= FRAME_BACK * others;
        let is_whole = is_frame
            && kept >= NEARLY * whole
            && item.frame.len() >= MANY_PARTS
            && kept * scale.max(1.0) >= FRAME_BOTH * others;
        if is_whole && item.text.is_empty() {
            return Some(Likeness::Text);
        }
        if is_frame && same_tool() {
            return Some(Likeness::Frame);
        }
        let is_call = item.values.len() >= VALUES && item.calls && other.calls;
        let all = is_call && common(&item.values, &other.values).count() == item.values.len();
        (all && self.is_rare(&item.values) && same_tool()).then_some(Likeness::Call)
    }

    /// What hashes weigh: much where few prints have them.
    fn weight(&self, hashes: impl Iterator<Item = u32>) -> f64 {
        let all = real(self.entries.len());
        hashes.map(|hash| (1.0 + all / real(self.postings[1].of(hash).len().max(1))).ln()).sum()
    }

    /// Whether one of some values at least is not everybody's.
    fn is_rare(&self, values: &[u32]) -> bool {
        let least = values.iter().map(|value| self.postings[2].of(*value).len()).min().unwrap_or(usize::MAX);
        least <= (self.entries.len() / 100).max(3)
    }
}

fn lists(print: &Print) -> [&[u32]; 3] {
    [&print.text, &print.frame, &print.values]
}

impl Postings {
    fn of(&self, hash: u32) -> &[(u32, u32)] {
        let from = self.0.partition_point(|(it, _)| *it < hash);
        let rest = self.0.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|(it, _)| *it == hash)).unwrap_or_default()
    }

    /// The prints that share the rarest of some hashes, up to a number of them.
    fn near(&self, hashes: &[u32], near: &mut BTreeSet<u32>) {
        let mut found: Vec<&[(u32, u32)]> =
            hashes.iter().map(|hash| self.of(*hash)).filter(|it| !it.is_empty()).collect();
        found.sort_by_key(|it| it.len());
        let mut left = MOST;
        for (_, at) in found.into_iter().flatten() {
            if left == 0 {
                return;
            }
            left -= usize::from(near.insert(*at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Ground;
    use super::super::words::Words;
    use super::*;
    use crate::lint::testing::said;
    use proptest::prelude::*;

    fn print(words: &str, arguments: &str) -> Print {
        Print::of(
            &said("x", "ST_Perfect", words, arguments),
            &Words::of(&Ground::load(crate::fixtures::assets(), "en").unwrap()),
        )
    }

    fn pool(items: &[(&str, &str)]) -> Pool<()> {
        let mut pool = Pool::default();
        for (words, arguments) in items {
            pool.add((), print(words, arguments));
        }
        pool.seal();
        pool
    }

    const NIGHT: &str = "we need somewhere to sleep on the overnight train leaving for Porto after the concert";

    #[test]
    fn a_copy_is_found_by_its_words_its_frame_and_its_call() {
        let pool = pool(&[
            (NIGHT, r#"{"to": "Porto"}"#),
            ("go to Zanzibar with 4000 crates", r#"{"to": "Zanzibar", "seats": 4000}"#),
        ]);
        let found = |words: &str, arguments: &str| pool.like(&print(words, arguments), Side::Pool);
        assert_eq!(found(&NIGHT.to_uppercase(), "{}"), [(0, Likeness::Text)]);
        let other = "Hey! On the overnight train leaving for Aveiro we need somewhere to sleep, after the concert";
        assert_eq!(found(other, r#"{"to": "Aveiro"}"#), [(0, Likeness::Text)]);
        let other = "after the concert: sleep somewhere on the overnight Aveiro train leaving, need we, for";
        assert_eq!(found(other, r#"{"to": "Aveiro"}"#), []);
        assert_eq!(
            found("crates, 4000 of them, Zanzibar!", r#"{"to": "zanzibar", "seats": 4000}"#),
            [(1, Likeness::Call)]
        );
        assert_eq!(found("what is the weather like in the mountains today", "{}"), []);
    }

    #[test]
    fn it_is_found_whichever_side_is_kept() {
        let item = (NIGHT, r#"{"to": "Porto"}"#);
        let row = format!("{NIGHT} and by the way what is there to eat on board of that train in the evening hours");
        assert_eq!(pool(&[item]).like(&print(&row, "{}"), Side::Pool).len(), 1);
        assert_eq!(pool(&[(row.as_str(), "{}")]).like(&print(item.0, item.1), Side::Asked).len(), 1);
        assert!(pool(&[(row.as_str(), "{}")]).like(&print(item.0, item.1), Side::Pool).is_empty());
    }

    proptest! {
        #[test]
        fn everything_of_some_length_is_like_itself(words in prop::collection::vec("[a-z]{3,7}", 6..12)) {
            let text = words.join(" ");
            let pool = pool(&[(NIGHT, "{}"), (&text, "{}")]);
            let found = pool.like(&print(&text, "{}"), Side::Pool);
            prop_assert!(found.contains(&(1, Likeness::Text)), "{:?}", found);
        }
    }
}
