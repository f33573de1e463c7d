//! Whether the golden calls of a sample are a shortest path to its goals, by the proof of the stage of that name.

use super::super::entry::Entry;
use super::super::finding::Findings;
use crate::format::complexfunc::{FINAL_ANSWER_FACT, SUITE};
use crate::locale::Pack;
use crate::record::{Expected, Step};
use crate::toolset::Toolset;
use crate::world::{DeclaredWorld, Flaw, Limits, Path, Proof, Prover};
use indexmap::IndexMap;
use std::sync::Arc;

const RULE: &str = "shortest_path";

/// Proves the paths of samples in the worlds that they come from.
#[derive(Default)]
pub(super) struct Paths {
    /// The seed of the run, by which its worlds were drawn.
    pub(super) seed: Option<u64>,
    /// The worlds that were drawn anew, by toolset and locale; none where it cannot be done.
    provers: IndexMap<(String, String), Option<Prover>>,
}

impl Paths {
    /// Proves a sample's path; what is not proved is an error.
    pub(super) fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Expected::Steps(steps) = &entry.sample.expected else { return };
        if entry.sample.suite != SUITE {
            return;
        }
        // The authors' rows say nothing of where arguments come from.
        let Some(proof) = self.prove(entry, steps, findings) else { return };
        findings.tally("golden calls are proved to be a shortest path", proof.is_ok());
        if let Err(flaw) = proof {
            findings.error(RULE, entry, format!("{}: {flaw}", flaw.reason()));
        }
    }

    fn prove(&mut self, entry: &Entry, steps: &[Step], findings: &mut Findings) -> Option<Result<Proof, Flaw>> {
        let sample = &entry.sample;
        let offered: Vec<String> = sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        let answer = sample.provenance.facts.get(FINAL_ANSWER_FACT).map_or("", String::as_str);
        let (path, limits) = (Path { steps, offered: &offered, answer }, Limits::default());
        let noted = steps.iter().flat_map(|step| &step.notes).any(|notes| !notes.is_empty());
        match self.prover(entry, findings) {
            Some(prover) => Some(prover.prove(path, limits)),
            None => noted.then(|| Prover::recorded(&sample.candidates).prove(path, limits)),
        }
    }

    /// The world of a sample's toolset, drawn at its first mention.
    fn prover(&mut self, entry: &Entry, findings: &mut Findings) -> Option<&Prover> {
        let key = (entry.sample.source.clone(), entry.sample.locale.clone());
        if !self.provers.contains_key(&key) {
            let prover = self.seed.and_then(|seed| prover(&key.0, &key.1, seed));
            let is_ours = Toolset::load(&key.0, &key.1).is_ok_and(|toolset| toolset.world.is_some());
            if prover.is_none() && is_ours {
                let message = format!("no manifest tells by which seed the world of `{}` was drawn", key.0);
                findings.warning("no_world", entry, format!("{message}; recorded answers alone tell of its paths"));
            }
            self.provers.insert(key.clone(), prover);
        }
        self.provers.get(&key)?.as_ref()
    }
}

/// The declared world of a toolset, if there is one.
fn prover(source: &str, locale: &str, seed: u64) -> Option<Prover> {
    let toolset = Toolset::load(source, locale).ok()?;
    let mut pack = Pack::load(locale).ok()?;
    toolset.extend(&mut pack).ok()?;
    Some(Prover::new(Arc::new(DeclaredWorld::new(toolset.world?, Arc::new(pack), seed).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, questions};
    use super::*;
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
        (sample.suite, sample.source) = (SUITE.to_owned(), FOLDER.to_owned());
        sample.expected = Expected::Steps(serde_json::from_value(steps).unwrap());
        sample.candidates = Toolset::load(FOLDER, "en").unwrap().tools;
        sample
    }

    fn told(seed: Option<u64>, samples: &[Sample]) -> Vec<String> {
        let (mut paths, mut findings) = (Paths { seed, ..Paths::default() }, Findings::default());
        for sample in samples {
            paths.see(&entry(sample.clone()), &mut findings);
        }
        findings.rules().flat_map(|(.., first)| first).map(|it| format!("{}: {}", it.rule, it.message)).collect()
    }

    #[test]
    fn a_path_is_proved_in_the_world_that_it_comes_from() {
        assert_eq!(told(Some(7), &[sample("T2"), sample("T2")]), Vec::<String>::new());
        let idle = "shortest_path: idle_call: Find_Town(query=\"Greyford\") feeds nothing and answers nothing";
        assert_eq!(told(Some(7), &[sample("T1")]), [idle]);
    }

    #[test]
    fn without_a_seed_recorded_answers_tell() {
        let found = told(None, &[sample("T2"), sample("T2")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("no_world: no manifest tells by which seed"), "{found:?}");
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
    fn other_suites_have_no_paths() {
        assert!(told(Some(7), &[questions("hard")]).is_empty());
    }
}
