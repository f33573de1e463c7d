//! Parts of a data set that share nothing: no tool that is called, no conversation, no near-duplicate.
//!
//! Rows that share something are joined to components, and a component goes to one part whole. Only numbers are kept of a
//! row, no text.

use crate::export::lessons::lesson::Lesson;
use crate::record::Sample;
use std::collections::BTreeMap;

/// How many hashes stand for a text, and how many of them make a band.
const HASHES: usize = 12;
const BAND: usize = 3;
/// How many of them are equal in texts that are nearly the same.
const NEAR: usize = 9;

/// Joins rows.
#[derive(Debug, Default)]
pub(super) struct Groups {
    parents: Vec<u32>,
    nodes: BTreeMap<u64, u32>,
    bands: BTreeMap<u64, Vec<(u32, [u32; HASHES])>>,
    rows: BTreeMap<u32, u64>,
}

/// Which part each component belongs to.
#[derive(Debug)]
pub(super) struct Assigned {
    groups: Groups,
    sides: BTreeMap<u32, usize>,
    /// The share of rows in the greatest component.
    pub greatest: f64,
}

impl Groups {
    /// Shows a lesson.
    pub(super) fn add(&mut self, lesson: &Lesson) {
        let mut row: Option<u32> = None;
        for key in keys(lesson) {
            let node = self.node(key);
            row = Some(row.map_or(node, |row| self.join(row, node)));
        }
        let Some(row) = row else { return };
        let row = self.near(row, &signature(&lesson.sample.query()));
        *self.rows.entry(row).or_default() += 1;
    }

    /// Joins a row with those whose words are nearly its own.
    fn near(&mut self, row: u32, signature: &[u32; HASHES]) -> u32 {
        let mut row = row;
        for (at, band) in signature.chunks(BAND).enumerate() {
            let bytes: Vec<u8> =
                band.iter().flat_map(|hash| hash.to_le_bytes()).chain([u8::try_from(at).unwrap_or(0)]).collect();
            let known = self.bands.entry(hash(&bytes)).or_default();
            let alike =
                |other: &[u32; HASHES]| other.iter().zip(signature).filter(|(one, two)| one == two).count() >= NEAR;
            let found = known.iter().find(|(_, other)| alike(other)).map(|(node, _)| *node);
            match found {
                Some(node) => row = self.join(row, node),
                None => known.push((row, *signature)),
            }
        }
        row
    }

    fn node(&mut self, key: u64) -> u32 {
        let next = u32::try_from(self.parents.len()).unwrap_or(u32::MAX);
        let node = *self.nodes.entry(key).or_insert(next);
        if node == next {
            self.parents.push(next);
        }
        self.root(node)
    }

    fn root(&mut self, node: u32) -> u32 {
        let mut at = node;
        while let Some(parent) = self.parents.get(at as usize).copied().filter(|parent| *parent != at) {
            let above = self.parents.get(parent as usize).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(at as usize) {
                *slot = above;
            }
            at = parent;
        }
        at
    }

    /// The older of two nodes becomes the root of both.
    fn join(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.root(one), self.root(other));
        let (root, below) = (one.min(other), one.max(other));
        if let Some(slot) = self.parents.get_mut(below as usize) {
            *slot = root;
        }
        root
    }

    /// Gives every component to a part: in a seeded order, each to the part that lacks most of its share.
    #[expect(clippy::cast_precision_loss, reason = "numbers of rows are far below 2^52")]
    pub(super) fn assign(mut self, shares: &[f64], seed: u64) -> Assigned {
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        for (node, rows) in std::mem::take(&mut self.rows) {
            *sizes.entry(self.root(node)).or_default() += rows;
        }
        let total: u64 = sizes.values().sum();
        let mut order: Vec<(u32, u64)> = sizes.into_iter().collect();
        let place = |node: u32| hash(&[seed.to_le_bytes().as_slice(), node.to_le_bytes().as_slice()].concat());
        // Great ones first, or the last of them would overturn the shares.
        order.sort_by_key(|(node, rows)| (std::cmp::Reverse(rows.ilog2()), place(*node)));
        let greatest = order.iter().map(|(_, rows)| *rows).max().unwrap_or(0) as f64 / total.max(1) as f64;
        let (mut counts, mut sides) = (vec![0_u64; shares.len()], BTreeMap::new());
        for (node, rows) in order {
            let lack = |at: usize| shares[at] * total as f64 - counts[at] as f64;
            let side =
                (0..shares.len()).max_by(|one, two| lack(*one).total_cmp(&lack(*two)).then(two.cmp(one))).unwrap_or(0);
            if let Some(count) = counts.get_mut(side) {
                *count += rows;
            }
            sides.insert(node, side);
        }
        Assigned { groups: self, sides, greatest }
    }
}

impl Assigned {
    /// The part of a lesson that was shown before.
    pub(super) fn side(&mut self, lesson: &Lesson) -> usize {
        let key = keys(lesson).into_iter().next();
        let root = key.and_then(|key| self.groups.nodes.get(&key).copied()).map(|node| self.groups.root(node));
        root.and_then(|root| self.sides.get(&root).copied()).unwrap_or(0)
    }
}

/// What a row must not share with another part: its group, its conversation, its base, and the tools that it calls.
fn keys(lesson: &Lesson) -> Vec<u64> {
    let sample: &Sample = &lesson.sample;
    let mut words: Vec<String> = vec![format!("group\0{}", sample.group)];
    words.extend(sample.snapshot.iter().map(|it| format!("conversation\0{}", it.conversation)));
    words.extend(sample.base.iter().map(|it| format!("base\0{it}")));
    words.push(format!("base\0{}", sample.id));
    words.extend(lesson.numbered().map(|(_, call)| format!("tool\0{}", call.name)));
    words.extend(sample.label.iter().map(|call| format!("tool\0{}", call.name)));
    if let crate::record::Expected::Call(call) = &sample.expected {
        words.push(format!("tool\0{}", call.name));
    }
    words.iter().map(|word| hash(word.as_bytes())).collect()
}

/// A number that stands for some bytes.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let digest = blake3::hash(bytes);
    digest.as_bytes().iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// The least hash of the runs of four letters, under twelve orders.
fn signature(text: &str) -> [u32; HASHES] {
    let letters: Vec<char> =
        text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let mut least = [u32::MAX; HASHES];
    let runs = letters.windows(4.min(letters.len().max(1)));
    for run in runs {
        let word: String = run.iter().collect();
        let seed = hash(word.as_bytes());
        for (at, slot) in least.iter_mut().enumerate() {
            let mixed = (seed ^ (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            *slot = (*slot).min(
                u32::try_from((mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32).unwrap_or(u32::MAX),
            );
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::super::testing::lesson;
    use super::*;
    use crate::record::ItemId;

    fn row(group: usize, tool: &str, text: &str, id: usize) -> Lesson {
        let mut lesson = lesson("call");
        lesson.sample.group = format!("g{group}");
        lesson.sample.id = ItemId::root(format!("i{id}"));
        lesson.sample.messages[0].content = Some(text.to_owned());
        lesson.turns[1].calls[0].name = tool.to_owned();
        lesson.sample.expected = crate::record::Expected::Refusal;
        lesson
    }

    fn sides(rows: &[Lesson], shares: &[f64], seed: u64) -> Vec<usize> {
        let mut groups = Groups::default();
        for row in rows {
            groups.add(row);
        }
        let mut assigned = groups.assign(shares, seed);
        rows.iter().map(|row| assigned.side(row)).collect()
    }

    #[test]
    fn what_shares_a_tool_a_group_or_its_words_stays_together() {
        let rows: Vec<Lesson> =
            (0..300).map(|at| row(at, &format!("t{}", at / 3), &format!("{at} trains to {}", at * 7919), at)).collect();
        for seed in 0..5 {
            let sides = sides(&rows, &[0.8, 0.2], seed);
            assert!(sides.chunks(3).all(|three| three.iter().all(|side| *side == three[0])));
            let second = sides.iter().filter(|side| **side == 1).count();
            assert!((50..=70).contains(&second), "{second}");
        }
    }

    #[test]
    fn near_duplicates_under_other_tools_are_found() {
        let text = |at: usize| {
            format!("please book me two seats on the very early morning train number {at} from Lisbon to Porto")
        };
        let rows: Vec<Lesson> = (0..40).map(|at| row(at, &format!("t{at}"), &text(at), at)).collect();
        let sides = sides(&rows, &[0.5, 0.5], 3);
        assert!(sides.iter().filter(|side| **side == sides[0]).count() >= 38, "{sides:?}");
    }

    #[test]
    fn a_base_and_its_variants_share_a_part() {
        let mut rows: Vec<Lesson> =
            (0..60).map(|at| row(at, &format!("t{at}"), &format!("{}", at * 104_729), at)).collect();
        for (at, row) in rows.iter_mut().skip(30).enumerate() {
            row.sample.base = Some(ItemId::root(format!("i{at}")));
        }
        let sides = sides(&rows, &[0.5, 0.5], 1);
        assert!((0..30).all(|at| sides[at] == sides[at + 30]));
    }

    #[test]
    fn nothing_is_parted_into_nothing() {
        assert_eq!(sides(&[], &[0.9, 0.1], 1), Vec::<usize>::new());
        assert_eq!(sides(&[row(0, "t", "", 0)], &[1.0], 1), [0]);
    }
}
