//! Whether the golden calls of a sample are a shortest path to its goals, by the proof of the stage of that name.

use crate::assets::Assets;
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::locale::Pack;
use crate::record::{Expected, FINAL_ANSWER_FACT, SuiteId};
use crate::toolset::{Declaration, Toolset};
use crate::world::{DeclaredWorld, Flaw, Limits, Path, Proof, Prover};
use indexmap::IndexMap;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};

const RULE: &str = "shortest_path";

/// How many samples are proved at once: enough to keep all cores at work, few enough to be held.
const TOGETHER: usize = 128;

/// Proves the paths of samples in the worlds that they come from, on all cores.
pub(super) struct Paths {
    assets: Assets,
    /// The seed of the run, by which its worlds were drawn.
    pub(super) seed: Option<u64>,
    /// The worlds that were drawn anew, by toolset and locale; none where it cannot be done.
    provers: IndexMap<(String, String), Option<Prover>>,
    /// The samples that wait for their proofs.
    waiting: Vec<Entry>,
}

impl Paths {
    /// No path yet; worlds are drawn from these files.
    pub(super) fn new(assets: &Assets) -> Self {
        Self { assets: assets.clone(), seed: None, provers: IndexMap::new(), waiting: Vec::new() }
    }

    /// Takes a sample in; what is not proved is an error once enough of them are together, or at the end.
    pub(super) fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if entry.sample.suite != SuiteId::ComplexFuncBench || !matches!(entry.sample.expected, Expected::Steps(_)) {
            return;
        }
        self.draw(entry, findings);
        self.waiting.push(entry.clone());
        if self.waiting.len() >= TOGETHER {
            self.end(findings);
        }
    }

    /// Proves the paths of those that wait.
    pub(super) fn end(&mut self, findings: &mut Findings) {
        let waiting = std::mem::take(&mut self.waiting);
        let proofs = on_all_cores(&waiting, |entry| self.prove(entry));
        for (entry, proof) in waiting.iter().zip(proofs) {
            // The authors' rows say nothing of where arguments come from.
            let Some(proof) = proof else { continue };
            findings.tally("golden calls are proved to be a shortest path", proof.is_ok());
            if let Err(flaw) = proof {
                findings.error(RULE, entry, format!("{}: {flaw}", flaw.reason()));
            }
        }
    }

    fn prove(&self, entry: &Entry) -> Option<Result<Proof, Flaw>> {
        let sample = &entry.sample;
        let Expected::Steps(steps) = &sample.expected else { return None };
        let offered: Vec<String> = sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        let answer = sample.provenance.facts.get(FINAL_ANSWER_FACT).map_or("", String::as_str);
        let (path, limits) = (Path { steps, offered: &offered, answer }, Limits::default());
        let noted = steps.iter().flat_map(|step| &step.notes).any(|notes| !notes.is_empty());
        match self.provers.get(&key(entry)).and_then(Option::as_ref) {
            Some(prover) => Some(prover.prove(path, limits)),
            None => noted.then(|| Prover::recorded(&sample.candidates).prove(path, limits)),
        }
    }

    /// Draws the world of a sample's toolset at its first mention.
    fn draw(&mut self, entry: &Entry, findings: &mut Findings) {
        let key = key(entry);
        if self.provers.contains_key(&key) {
            return;
        }
        let prover = self.seed.and_then(|seed| prover(&self.assets, &key.0, &key.1, seed));
        let is_drawn = |world: &Declaration| !world.functions.values().any(|it| it.live);
        let is_ours =
            Toolset::load(&self.assets, &key.0, &key.1).is_ok_and(|it| it.world.as_deref().is_some_and(is_drawn));
        if prover.is_none() && is_ours {
            let message = format!("no manifest with the seed of the world of `{}`", key.0);
            findings.warning("no_world", entry, format!("{message}; paths are checked against recorded answers only"));
        }
        self.provers.insert(key, prover);
    }
}

fn key(entry: &Entry) -> (String, String) {
    (entry.sample.source.clone(), entry.sample.locale.clone())
}

/// What comes of each, in order; whoever is free takes the next.
fn on_all_cores<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let ours = std::iter::from_fn(|| {
            let at = next.fetch_add(1, Ordering::Relaxed);
            all.get(at).map(|one| (at, work(one)))
        });
        ours.collect::<Vec<_>>()
    };
    let cores = available_parallelism().map_or(1, NonZero::get).min(all.len());
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|it| it.join().unwrap_or_else(|fault| resume_unwind(fault))).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, one)| one).collect()
}

/// The declared world of a toolset, if there is one.
fn prover(assets: &Assets, source: &str, locale: &str, seed: u64) -> Option<Prover> {
    let toolset = Toolset::load(assets, source, locale).ok()?;
    let mut pack = Pack::load(assets, locale).ok()?;
    toolset.extend(&mut pack).ok()?;
    // What a live server would answer is known from the sample alone.
    if toolset.world.as_ref()?.functions.values().any(|it| it.live) {
        return None;
    }
    Some(Prover::new(Arc::new(DeclaredWorld::new(toolset.world?, Arc::new(pack), seed).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, questions};
    use crate::record::{Sample, Tool};
    use serde_json::json;

    const FOLDER: &str = "tests/fixtures/toolsets/inn";

    /// A town is looked up and its inns are searched; the request says the days.
    fn sample(town: &str) -> Sample {
        let origin =
            if town == "T2" { json!({"answer": {"call": 0, "field": "/data/0/id"}}) } else { json!("verbatim") };
        let search = json!({"town_id": town, "arrival": "2024-11-01", "departure": "2024-11-03"});
        let steps = json!([
            {"calls": [{"name": "Find_Town", "arguments": {"query": "Greyford"}}], "answers": [{"data": [{"id": "T2"}]}],
             "notes": [{"query": {"origin": "verbatim"}}]},
            {"calls": [{"name": "Search_Inns", "arguments": search}], "answers": [{"data": {"inns": []}}],
             "notes": [{"town_id": {"origin": origin}, "arrival": {"origin": "verbatim"}, "departure": {"origin": "verbatim"}}]}]);
        let mut sample = questions("hard");
        (sample.suite, sample.source) = (SuiteId::ComplexFuncBench.into(), FOLDER.to_owned());
        sample.expected = Expected::Steps(serde_json::from_value(steps).unwrap());
        sample.candidates = Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap().tools;
        sample
    }

    fn told(seed: Option<u64>, samples: &[Sample]) -> Vec<String> {
        let (mut paths, mut findings) = (Paths { seed, ..Paths::new(crate::fixtures::assets()) }, Findings::default());
        for sample in samples {
            paths.see(&entry(sample.clone()), &mut findings);
        }
        paths.end(&mut findings);
        findings.rules().flat_map(|(.., first)| first).map(|it| format!("{}: {}", it.rule, it.message)).collect()
    }

    #[test]
    fn a_path_is_proved_in_the_world_that_it_comes_from() {
        assert_eq!(told(Some(7), &[sample("T2"), sample("T2")]), Vec::<String>::new());
        let idle = "shortest_path: idle_call: unused call Find_Town(query=\"Greyford\"): no other call and no answer depends on it";
        assert_eq!(told(Some(7), &[sample("T1")]), [idle]);
    }

    #[test]
    fn without_a_seed_recorded_answers_tell() {
        let found = told(None, &[sample("T2"), sample("T2")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("no_world: no manifest with the seed"), "{found:?}");
        let mut foreign = sample("T1");
        foreign.source = "somewhere else".to_owned();
        let late = told(Some(7), &[foreign.clone()]);
        assert!(late.len() == 1 && late[0].starts_with("shortest_path: shorter_path: Search_Inns("), "{late:?}");
        foreign.candidates.push(Arc::new(Tool::default()));
        if let Expected::Steps(steps) = &mut foreign.expected {
            for step in steps {
                step.notes.clear();
            }
        }
        assert!(told(Some(7), &[foreign]).is_empty(), "nothing is known of its arguments");
    }

    #[test]
    fn what_is_proved_together_is_told_in_order() {
        let samples: Vec<Sample> = (0..TOGETHER + 5)
            .map(|at| {
                let mut sample = sample(if at % 40 == 7 { "T1" } else { "T2" });
                sample.id = crate::record::ItemId::root(format!("s{at}"));
                sample
            })
            .collect();
        let mut paths = Paths { seed: Some(7), ..Paths::new(crate::fixtures::assets()) };
        let mut findings = Findings::default();
        for sample in &samples {
            paths.see(&entry(sample.clone()), &mut findings);
        }
        assert_eq!(paths.waiting.len(), 5, "the others were enough");
        paths.end(&mut findings);
        let told = findings.rules().flat_map(|(.., first)| first).map(|it| it.id.clone()).collect::<Vec<_>>();
        assert_eq!(told, ["s7", "s47", "s87", "s127"]);
    }

    #[test]
    fn whatever_there_is_to_do_comes_out_in_order() {
        let squares = on_all_cores(&(0..50).collect::<Vec<u32>>(), |it| it * it);
        assert!(squares.iter().enumerate().all(|(at, square)| u32::try_from(at * at) == Ok(*square)));
        assert_eq!(on_all_cores(&[], |it: &u32| *it), Vec::<u32>::new());
    }

    #[test]
    fn other_suites_have_no_paths() {
        assert!(told(Some(7), &[questions("hard")]).is_empty());
    }
}
