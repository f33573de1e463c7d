//! How various first queries are: Distinct-2, at the same number of queries as the reference.

use crate::check::audit::Measure;
use crate::check::audit::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::lint::hash::Sketch;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A fair part of each data type's first queries, of the size that both benches have.
pub(crate) struct Variety {
    ground: Arc<Ground>,
    seed: u64,
    sizes: IndexMap<String, usize>,
    queries: BTreeMap<String, Sketch<String>>,
}

/// How many queries are compared where no reference says.
pub(crate) const USUAL: usize = 100;

const WHAT: &str = "Distinct-2 of first queries: distinct word bigrams (character bigrams in languages without \
    spaces) / all bigrams, at the same n as the reference";

impl Variety {
    /// `sizes`: how many queries of each data type are compared.
    pub(crate) fn new(ground: Arc<Ground>, seed: u64, sizes: IndexMap<String, usize>) -> Self {
        Self { ground, seed, sizes, queries: BTreeMap::new() }
    }

    fn cell(&self, data_type: &str, queries: &Sketch<String>) -> Option<Cell> {
        let mut pairs = BTreeSet::new();
        let (mut all, mut n) = (0, 0);
        for query in queries.things() {
            let tokens = self.ground.tokens(query);
            all += tokens.len().saturating_sub(1);
            n += 1;
            pairs.extend(tokens.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
        }
        let value = crate::check::audit::figure::share(pairs.len(), all);
        (all > 0).then(|| Cell::new(data_type, value, n).held_to(Mark::AtLeastReference))
    }
}

impl Measure for Variety {
    fn see(&mut self, entry: &Entry) {
        let data_type = &entry.sample.data_type.0;
        let is_variant = entry.sample.base.is_some() && data_type != "ST_External" && data_type != "Based";
        if entry.turn() != 1 || is_variant {
            return;
        }
        let most = self.sizes.get(data_type).copied().unwrap_or(USUAL);
        let new = || Sketch::new(self.seed, most);
        let words = || entry.said().words.to_owned();
        self.queries.entry(data_type.clone()).or_insert_with(new).show(entry.sample.id.as_str(), words);
    }

    fn figure(&self) -> Figure {
        let cells = self.queries.iter().filter_map(|(data_type, queries)| self.cell(data_type, queries));
        Figure::new("variety", WHAT, cells.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, snapshots};

    fn figure(words: &[&str], size: usize) -> Figure {
        let sizes = [("ST_Perfect".to_owned(), size)].into_iter().collect();
        let mut measure = Variety::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7, sizes);
        for (index, words) in words.iter().enumerate() {
            measure.see(&entry(said(&format!("s{index}"), "ST_Perfect", words, "{}")));
        }
        measure.figure()
    }

    #[test]
    fn distinct_pairs_are_counted() {
        let cell = figure(&["a b c", "a b d"], 9).cells[0].clone();
        assert_eq!((cell.value, cell.n), (0.75, 2));
        assert_eq!(cell.mark.is_met(cell.value, Some(0.7)), Some(true));
    }

    #[test]
    fn no_more_are_compared_than_the_reference_has() {
        let many: Vec<String> = (0..50).map(|number| format!("way {number} home")).collect();
        assert_eq!(figure(&many.iter().map(String::as_str).collect::<Vec<_>>(), 10).cells[0].n, 10);
    }

    #[test]
    fn only_first_queries_of_their_own_count() {
        let mut measure = Variety::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7, IndexMap::new());
        for entry in snapshots("b/0", "Based", &["{}", r#"{"to": "Porto"}"#]) {
            measure.see(&entry);
        }
        let mut twin = said("t", "ir_ST_Perfect", "a b", "{}");
        twin.base = Some(crate::record::ItemId::root("x"));
        measure.see(&entry(twin));
        assert!(measure.figure().missing.is_some(), "`{{}}` has no words");
    }
}
