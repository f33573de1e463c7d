//! Keeps so many complex queries of each domain, of as many functions, shapes and paths as there are (`ComplexFuncBench`, section 3.2).

use crate::record::{ComplexQuery, Item, Record, RecordKind, Reject};
use crate::settings::{Amount, Count, Factor, count};
use crate::stage::context::Context;
use crate::stage::facts::{Scope, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The reason of those that were good and not wanted.
pub const NOT_SELECTED: &str = "not_selected";

/// Keeps a number of complex queries per domain, with as many different shapes and paths as possible.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectConfig {
    /// Queries kept for each domain that is not listed in `domains`.
    #[serde(default = "count::<15>")]
    per_domain: Count,
    /// Queries kept for single domains, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    domains: IndexMap<String, Amount>,
    /// Target averages of steps and calls of the kept queries, by domain; no target for domains that are not listed.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    average: IndexMap<String, [f64; 2]>,
}

impl Stage for SelectConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("select", &[RecordKind::ComplexQuery], RecordKind::ComplexQuery).scope(Scope::Tool)
    }

    fn scale(&mut self, factor: Factor) {
        self.per_domain = self.per_domain.times(factor);
        self.domains.values_mut().for_each(|amount| *amount = amount.times(factor));
    }

    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        Some(Box::new(Selected { config: self.clone(), kept: BTreeMap::new() }))
    }
}

/// What is known of a candidate.
#[derive(Clone)]
struct Candidate {
    steps: f64,
    calls: f64,
    path: String,
    functions: BTreeSet<String>,
}

/// How many were kept of each domain before.
struct Selected {
    config: SelectConfig,
    kept: BTreeMap<String, usize>,
}

impl Scan for Selected {
    /// Chooses among the queries of one domain, which come together.
    fn scan(&mut self, context: &Context, items: Vec<Item>) -> Outcome {
        let mut domains: IndexMap<String, Vec<Item>> = IndexMap::new();
        let mut outcome = Outcome::default();
        for item in items {
            match &item.record {
                Record::ComplexQuery(query) => domains.entry(query.catalogue.domain.clone()).or_default().push(item),
                _ => outcome.kept.push(item),
            }
        }
        for (domain, items) in domains {
            let before = self.kept.entry(domain.clone()).or_default();
            let required = self.config.required(&domain).saturating_sub(*before);
            let candidates: Vec<Candidate> = items.iter().filter_map(candidate).collect();
            let kept = choose(&candidates, required, self.config.average.get(&domain));
            *before += kept.len();
            for (place, item) in items.into_iter().enumerate() {
                if kept.contains(&place) {
                    outcome.kept.push(item);
                } else {
                    let detail = format!("others of `{domain}` give a better choice of steps and paths");
                    outcome.rejected.push(reject(context, &item, detail));
                }
            }
        }
        outcome
    }
}

impl SelectConfig {
    fn required(&self, domain: &str) -> usize {
        self.domains.get(domain).map_or(self.per_domain.get(), |it| it.get())
    }
}

fn reject(context: &Context, item: &Item, detail: String) -> Reject {
    let text = item.record.said().unwrap_or_default();
    let mut outcome = context.reject(&item.id, Fault::new(NOT_SELECTED, detail), text);
    outcome.rejected.remove(0)
}

#[expect(clippy::cast_precision_loss, reason = "nobody makes 2^52 calls")]
fn candidate(item: &Item) -> Option<Candidate> {
    let Record::ComplexQuery(query) = &item.record else { return None };
    let path = query.path().iter().map(|step| step.join("+")).collect::<Vec<_>>().join(">");
    let functions = query.path().into_iter().flatten().map(ToString::to_string).collect();
    Some(Candidate { steps: query.steps.len() as f64, calls: calls(query) as f64, path, functions })
}

fn calls(query: &ComplexQuery) -> usize {
    query.call_count()
}

/// Places of those that are chosen: such as call functions that no other does, then new paths; after that the averages are mended by exchanges.
fn choose(candidates: &[Candidate], owed: usize, average: Option<&[f64; 2]>) -> Vec<usize> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let times = seen.entry(&candidate.path).or_default();
        order.push((*times, place));
        *times += 1;
    }
    order.sort_unstable();
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut brings_new = |(_, place): &(usize, usize)| {
        let before = called.len();
        called.extend(candidates.get(*place).into_iter().flat_map(|it| &it.functions).map(String::as_str));
        called.len() > before
    };
    let (new, known): (Vec<_>, Vec<_>) = order.into_iter().partition(|it| brings_new(it));
    let order: Vec<(usize, usize)> = new.into_iter().chain(known).collect();
    let mut chosen: Vec<usize> = order.iter().take(owed).map(|(_, place)| *place).collect();
    let mut others: Vec<usize> = order.iter().skip(owed).map(|(_, place)| *place).collect();
    if let Some(wanted) = average {
        mend(candidates, &mut chosen, &mut others, wanted);
    }
    chosen.sort_unstable();
    chosen
}

/// Exchanges the chosen for others as long as that brings the averages nearer; between equals, paths that repeat go first.
fn mend(candidates: &[Candidate], chosen: &mut [usize], others: &mut [usize], wanted: &[f64; 2]) {
    for _ in 0..chosen.len() * 4 {
        let best = distance(candidates, chosen, wanted);
        let mut found: Option<(f64, usize, usize)> = None;
        for one in 0..chosen.len() {
            for (other, place) in others.iter_mut().enumerate() {
                std::mem::swap(&mut chosen[one], place);
                let gained = distance(candidates, chosen, wanted);
                std::mem::swap(&mut chosen[one], place);
                if gained < found.map_or(best, |it| it.0) - 1e-9 {
                    found = Some((gained, one, other));
                }
            }
        }
        let Some((_, one, other)) = found else { return };
        std::mem::swap(&mut chosen[one], &mut others[other]);
    }
}

/// How far the averages are from what is wanted, how often paths repeat, which weighs little, and how many functions nobody
/// calls.
#[expect(clippy::cast_precision_loss, reason = "pools are small")]
fn distance(candidates: &[Candidate], chosen: &[usize], wanted: &[f64; 2]) -> f64 {
    let n = chosen.len().max(1) as f64;
    let mean =
        |of: &dyn Fn(&Candidate) -> f64| chosen.iter().filter_map(|it| candidates.get(*it)).map(of).sum::<f64>() / n;
    // Both are mended at once: what helps one much may cost the other a little.
    let off = (mean(&|it| it.steps) - wanted[0]).hypot(mean(&|it| it.calls) - wanted[1]);
    let mut paths: Vec<&str> = chosen.iter().filter_map(|it| candidates.get(*it)).map(|it| it.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    // What is within a twentieth is near enough; then a new path is worth more.
    let functions =
        |of: &mut dyn Iterator<Item = &Candidate>| of.flat_map(|it| &it.functions).collect::<BTreeSet<_>>().len();
    let called = functions(&mut chosen.iter().filter_map(|it| candidates.get(*it)));
    let missing = functions(&mut candidates.iter()) - called;
    (off - 0.05).max(0.0) + 0.02 * (n - paths.len() as f64) / n + 0.02 * missing as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pool(shapes: &[(u32, u32, &str)]) -> Vec<Candidate> {
        let candidate = |(steps, calls, path): &(u32, u32, &str)| Candidate {
            steps: f64::from(*steps),
            calls: f64::from(*calls),
            path: (*path).to_owned(),
            functions: BTreeSet::from([(*path).to_owned()]),
        };
        shapes.iter().map(candidate).collect()
    }

    #[test]
    fn new_paths_come_before_known_ones() {
        let pool = pool(&[(2, 2, "a"), (2, 2, "a"), (2, 2, "b"), (2, 2, "c")]);
        assert_eq!(choose(&pool, 3, None), [0, 2, 3]);
        assert_eq!(choose(&pool, 9, None), [0, 1, 2, 3]);
        assert!(choose(&[], 2, None).is_empty());
    }

    #[test]
    fn averages_are_mended() {
        let pool = pool(&[(2, 2, "a"), (2, 2, "b"), (4, 6, "c"), (4, 6, "d"), (3, 4, "e")]);
        let chosen = choose(&pool, 2, Some(&[4.0, 6.0]));
        assert_eq!(chosen, [2, 3]);
        assert_eq!(choose(&pool, 2, Some(&[3.0, 4.0])).len(), 2);
    }

    proptest! {
        #[test]
        fn so_many_as_are_owed_are_chosen_and_none_twice(
            shapes in prop::collection::vec((1_u32..6, 1_u32..9, 0_usize..4), 0..24),
            owed in 0_usize..12,
        ) {
            let names = ["a", "b", "c", "d"];
            let shapes: Vec<(u32, u32, &str)> = shapes.into_iter().map(|(steps, calls, name)| (steps, calls, names[name])).collect();
            let pool = pool(&shapes);
            let mut chosen = choose(&pool, owed, Some(&[3.0, 5.0]));
            prop_assert_eq!(chosen.len(), owed.min(pool.len()));
            chosen.dedup();
            prop_assert_eq!(chosen.len(), owed.min(pool.len()));
        }
    }
}
