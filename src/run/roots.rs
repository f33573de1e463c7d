//! Which roots a run works on: all of them, the first so many, a few for a preview, or those of one shard.

use super::Options;
use super::graph::Graph;
use crate::config::Plan;
use crate::record::Item;
use crate::stage::Source;
use std::vec::IntoIter;

/// The roots that are still to come, each with the stage that yields it. Each is made when it is taken, so that
/// millions of them need no room.
#[derive(Debug, Clone)]
pub(super) struct Roots {
    sources: Vec<(usize, Source)>,
    /// Which of the sources, and which of its roots.
    places: IntoIter<(usize, usize)>,
}

/// The roots of this run, each with the stage that yields it.
pub(super) fn choose_roots(graph: &Graph, plan: &Plan, options: &Options) -> Roots {
    let mut roots = graph.roots(plan);
    if let Some(follow) = &options.follow {
        roots.retain(|item| follow.wants(&item.id));
    }
    if let Some(preview) = options.preview {
        roots.places = spread(roots.places.collect(), preview).into_iter();
    }
    if let Some((index, of)) = options.shard {
        roots.retain(|item| shard_of(item.root.as_str(), of) == index);
    }
    roots
}

impl Roots {
    /// The first `most` of what the sources yield, each of them named by its stage.
    pub(super) fn new(sources: Vec<(usize, Source)>, most: usize) -> Self {
        let all = sources.iter().enumerate().flat_map(|(at, (_, source))| (0..source.len()).map(move |it| (at, it)));
        let places = all.take(most).collect::<Vec<_>>().into_iter();
        Self { sources, places }
    }

    fn retain(&mut self, wanted: impl Fn(&Item) -> bool) {
        let mut places: Vec<(usize, usize)> = std::mem::take(&mut self.places).collect();
        places.retain(|(at, ordinal)| wanted(&self.sources[*at].1.root(*ordinal)));
        self.places = places.into_iter();
    }
}

impl Iterator for Roots {
    type Item = (usize, Item);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, ordinal) = self.places.next()?;
        let (stage, source) = &self.sources[at];
        Some((*stage, source.root(ordinal)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl ExactSizeIterator for Roots {}

/// So many of the things, spread over the whole, since neighbours are of one category.
fn spread<T>(things: Vec<T>, count: usize) -> Vec<T> {
    let step = (things.len() / count.max(1)).max(1);
    things.into_iter().step_by(step).take(count).collect()
}

/// Which of so many shards a root belongs to.
fn shard_of(root: &str, of: usize) -> usize {
    let hash = blake3::hash(root.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    usize::try_from(u64::from_le_bytes(bytes) % of.max(1) as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shards_part_the_roots_and_leave_none_out() {
        let roots: Vec<String> = (0..300).map(|number| format!("A.B.tool{number}")).collect();
        let mut sizes = [0; 3];
        for root in &roots {
            sizes[shard_of(root, 3)] += 1;
        }
        assert_eq!(sizes.iter().sum::<usize>(), 300);
        assert!(sizes.iter().all(|size| *size > 70), "{sizes:?}");
        assert_eq!(shard_of("x", 1), 0);
    }

    #[test]
    fn a_few_are_spread_over_the_whole() {
        assert_eq!(spread((0..10).collect(), 3), [0, 3, 6]);
        assert_eq!(spread((0..2).collect(), 5), [0, 1]);
        assert_eq!(spread(vec![0], 0), [0; 0]);
    }

    #[test]
    fn a_limit_comes_before_the_shards_part_what_is_left() {
        let graph = crate::run::testing::prepare(&crate::run::testing::small(), &[]).graph;
        let plan = crate::run::testing::small();
        let roots = |options: &Options| -> Vec<String> {
            choose_roots(&graph, &plan, options).map(|(_, item)| item.id.to_string()).collect()
        };
        let all = roots(&Options::new("none"));
        assert_eq!(all.len(), 3);
        let mut parts: Vec<String> =
            (0..2).flat_map(|index| roots(&Options { shard: Some((index, 2)), ..Options::new("none") })).collect();
        parts.sort_by_key(|id| all.iter().position(|other| other == id));
        assert_eq!(parts, all);
        assert_eq!(roots(&Options { preview: Some(1), ..Options::new("none") }), all[..1]);
    }

    proptest! {
        #[test]
        fn a_root_is_in_one_shard_and_stays_there(root in ".{0,12}", of in 1..20_usize) {
            let shard = shard_of(&root, of);
            prop_assert!(shard < of);
            prop_assert_eq!(shard_of(&root, of), shard);
            prop_assert_eq!(shard_of(&root, 0), 0);
        }

        #[test]
        fn as_many_as_are_wanted_are_spread_in_order(all in 0..60_usize, count in 0..20_usize) {
            let chosen = spread((0..all).collect(), count);
            prop_assert_eq!(chosen.len(), count.min(all));
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            let steps: Vec<usize> = chosen.windows(2).map(|pair| pair[1] - pair[0]).collect();
            prop_assert!(steps.windows(2).all(|pair| pair[0] == pair[1]), "at equal distances: {chosen:?}");
        }
    }
}
