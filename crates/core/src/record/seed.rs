//! Reproducible chance: the generator of a draw is a hash of what it is drawn for.

use blake3::{Hasher, OutputReader};

/// A stream of chance that depends on nothing but the words it was made from.
pub struct Chance(OutputReader);

impl Chance {
    /// The stream of a run's seed, a stage, an item and a draw.
    pub fn new(seed: u64, stage: &str, item: &str, draw: u32) -> Self {
        Self::of(&[&seed.to_le_bytes(), stage.as_bytes(), item.as_bytes(), &draw.to_le_bytes()])
    }

    /// The stream of any words; their boundaries count.
    pub fn of(words: &[&[u8]]) -> Self {
        let mut hasher = Hasher::new();
        for word in words {
            hasher.update(&(word.len() as u64).to_le_bytes());
            hasher.update(word);
        }
        Self(hasher.finalize_xof())
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A whole number below `bound`; 0 where `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of a widening product is uniform up to a bias of bound / 2^64, which no sample can show.
        let product = u128::from(self.bits()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// True with the given probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// A number from 0 up to, not including, 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of `choices`; `None` where there are none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.below(choices.len()))
    }

    /// The index of one of `weights`, as often as its weight says.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let mut rest = self.share() * weights.clone().sum::<f64>();
        let mut last = 0;
        for (index, weight) in weights.enumerate() {
            last = index;
            if rest < weight {
                break;
            }
            rest -= weight;
        }
        last
    }

    /// The `turn`-th of `items` where they are dealt in a random order: none comes again before all have come.
    pub fn deal<'a, T>(&mut self, items: &'a [T], turn: usize) -> Option<&'a T> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        self.shuffle(&mut order);
        items.get(*order.get(turn.checked_rem(order.len())?)?)
    }

    /// Brings `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_words_give_equal_streams_and_boundaries_count() {
        let stream = |words: &[&[u8]]| Chance::of(words).bits();
        assert_eq!(stream(&[b"a", b"b"]), stream(&[b"a", b"b"]));
        assert_ne!(stream(&[b"ab", b""]), stream(&[b"a", b"b"]));
        assert_ne!(Chance::new(7, "ask", "tool/1", 0).bits(), Chance::new(7, "ask", "tool/1", 1).bits());
    }

    #[test]
    fn a_shuffle_keeps_every_item_and_picks_are_spread() {
        let mut chance = Chance::of(&[b"spread"]);
        let mut items: Vec<usize> = (0..50).collect();
        chance.shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
        let mut counts = [0; 4];
        (0..4000).for_each(|_| counts[chance.below(4)] += 1);
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }

    #[test]
    fn what_is_dealt_comes_again_only_after_all_have_come() {
        let items = [0, 1, 2, 3, 4];
        let dealt = |turn| *Chance::of(&[b"deal"]).deal(&items, turn).unwrap();
        let mut first: Vec<i32> = (0..5).map(dealt).collect();
        assert_eq!((dealt(5), dealt(9)), (first[0], first[4]));
        assert!(!first.is_sorted());
        first.sort_unstable();
        assert_eq!(first, items);
        assert!(Chance::of(&[b"deal"]).deal::<u8>(&[], 3).is_none());
    }

    #[test]
    fn weights_are_kept() {
        let mut chance = Chance::of(&[b"weights"]);
        let heavy = (0..1000).filter(|_| chance.weighted([1.0, 3.0].into_iter()) == 1).count();
        assert!((700..800).contains(&heavy), "{heavy}");
        assert!(chance.pick::<u8>(&[]).is_none());
    }

    #[test]
    fn the_impossible_never_happens_and_the_certain_always_does() {
        let mut chance = Chance::of(&[b"edges"]);
        assert!((0..500).all(|_| !chance.happens(0.0) && chance.happens(1.0)));
        assert_eq!((chance.below(0), chance.below(1)), (0, 0));
        assert_eq!(chance.weighted([].into_iter()), 0);
    }

    proptest! {
        #[test]
        fn numbers_keep_within_their_bounds(word in any::<u64>(), bound in 1..usize::MAX) {
            let mut chance = Chance::of(&[&word.to_le_bytes()]);
            prop_assert!(chance.below(bound) < bound);
            prop_assert!((0.0..1.0).contains(&chance.share()));
        }

        #[test]
        fn what_weighs_nothing_is_not_chosen(word in any::<u64>(), weights in prop::collection::vec(0_u8..3, 1..9)) {
            prop_assume!(weights.iter().any(|weight| *weight > 0));
            let chosen = Chance::of(&[&word.to_le_bytes()]).weighted(weights.iter().copied().map(f64::from));
            prop_assert!(weights[chosen] > 0, "{chosen} of {weights:?}");
        }

        #[test]
        fn whatever_is_picked_is_one_of_the_choices(word in any::<u64>(), choices in prop::collection::vec(any::<u8>(), 1..9)) {
            let mut shuffled = choices.clone();
            Chance::of(&[&word.to_le_bytes()]).shuffle(&mut shuffled);
            prop_assert!(choices.contains(Chance::of(&[&word.to_le_bytes()]).pick(&shuffled).unwrap()));
            shuffled.sort_unstable();
            let mut sorted = choices;
            sorted.sort_unstable();
            prop_assert_eq!(shuffled, sorted);
        }
    }
}
