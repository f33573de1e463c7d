//! Which samples a limit leaves: drawn evenly over data types, and within each over tools.

use crate::record::{Chance, Expected, ItemId, Sample};
use indexmap::IndexSet;
use std::collections::{BTreeMap, VecDeque};

/// Samples to draw from, by data type and tool. Of each only its id is kept.
#[derive(Debug, Default)]
pub(super) struct Pool {
    types: BTreeMap<String, BTreeMap<String, Vec<ItemId>>>,
}

impl Pool {
    /// Adds a sample.
    pub(super) fn add(&mut self, sample: &Sample) {
        let tools = self.types.entry(sample.data_type.0.clone()).or_default();
        tools.entry(tool(sample)).or_default().push(sample.id.clone());
    }

    /// Draws `most` samples: each data type in turn, and within it each tool in turn.
    pub(super) fn draw(self, most: usize, seed: u64) -> IndexSet<ItemId> {
        let in_turn = |(data_type, tools): (String, BTreeMap<String, Vec<ItemId>>)| {
            let mut chance = Chance::new(seed, "predict.limit", &data_type, 0);
            let mut tools: Vec<Vec<ItemId>> = tools.into_values().collect();
            chance.shuffle(&mut tools);
            for ids in &mut tools {
                chance.shuffle(ids);
            }
            alternating(tools.into_iter().map(VecDeque::from).collect())
        };
        let types = self.types.into_iter().map(in_turn).collect();
        alternating(types).into_iter().take(most).collect()
    }
}

/// One of each list in turn, until all are empty.
fn alternating<T>(mut lists: VecDeque<VecDeque<T>>) -> VecDeque<T> {
    let mut all = VecDeque::new();
    while let Some(mut list) = lists.pop_front() {
        if let Some(first) = list.pop_front() {
            all.push_back(first);
            lists.push_back(list);
        }
    }
    all
}

/// The tool that a sample is about: that of its call, or what it belongs to.
fn tool(sample: &Sample) -> String {
    match &sample.expected {
        Expected::Call(call) => call.name.clone(),
        _ => sample.group.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample_line;
    use super::*;
    use proptest::prelude::*;

    fn pool(samples: &[(&str, &str)]) -> Pool {
        let mut pool = Pool::default();
        for (at, (data_type, tool)) in samples.iter().enumerate() {
            let mut sample: Sample = serde_json::from_str(&sample_line(&format!("{data_type}/{tool}/{at}"))).unwrap();
            sample.data_type.0 = (*data_type).to_owned();
            if let Expected::Call(call) = &mut sample.expected {
                call.name = (*tool).to_owned();
            } else {
                sample.group = (*tool).to_owned();
            }
            pool.add(&sample);
        }
        pool
    }

    fn begins(ids: &IndexSet<ItemId>, start: &str) -> usize {
        ids.iter().filter(|id| id.as_str().starts_with(start)).count()
    }

    #[test]
    fn types_and_tools_take_turns() {
        let samples: Vec<(&str, &str)> =
            [vec![("a", "x"); 50], vec![("a", "y"); 5], vec![("b", "x"); 50], vec![("c", "z"); 1]].concat();
        let drawn = pool(&samples).draw(13, 7);
        assert_eq!(["a/", "b/", "c/"].map(|start| begins(&drawn, start)), [6, 6, 1]);
        assert_eq!(["a/x", "a/y"].map(|start| begins(&drawn, start)), [3, 3]);
        assert_eq!(pool(&samples).draw(13, 7), drawn, "the seed decides");
        assert_ne!(pool(&samples).draw(13, 8), drawn);
    }

    proptest! {
        #[test]
        fn as_many_come_as_there_are(count in 0_usize..30, most in 0_usize..40, seed in any::<u64>()) {
            let samples = vec![("a", "x"); count];
            prop_assert_eq!(pool(&samples).draw(most, seed).len(), count.min(most));
        }
    }
}
