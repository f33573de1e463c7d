//! Decontamination: items that are too like those of another bench.

use super::bench::{Bench, BenchError};
use super::entry::Entry;
use super::finding::{Finding, Findings, Severity};
use super::ground::Ground;
use super::hash::hash;
use crate::locale::NearDuplicates;
use std::collections::BTreeSet;

/// What the other bench says: its queries, and its runs of words as hashes. Memory grows with the other bench, not with the
/// one that is looked at.
pub struct Other {
    queries: NearDuplicates,
    ids: Vec<String>,
    runs: BTreeSet<u64>,
    tools: BTreeSet<u64>,
    threshold: f64,
}

/// How many words in a row are too many to be chance.
const RUN: usize = 13;

impl Other {
    /// Reads the other bench.
    pub fn read(bench: &Bench, ground: &Ground) -> Result<Self, BenchError> {
        let rouge = &ground.language.rouge;
        let mut other = Self {
            queries: NearDuplicates::new(ground.language.rouge_l()),
            ids: Vec::new(),
            runs: BTreeSet::new(),
            tools: BTreeSet::new(),
            threshold: rouge.near_duplicate_rouge_l,
        };
        bench.each(&mut |seen| seen.into_iter().for_each(|entry| other.take(entry, ground)))?;
        Ok(other)
    }

    fn take(&mut self, entry: &Entry, ground: &Ground) {
        self.tools.extend(entry.sample.candidates.iter().map(|tool| hash(&[&tool.name])));
        self.runs.extend(runs(&entry.sample.query(), ground));
        if is_query(entry) && self.queries.insert_if_new(entry.said().words, self.threshold).is_ok() {
            self.ids.push(entry.sample.id.to_string());
        }
    }

    /// Finds the items of a bench that are too like one of the other's.
    pub fn compare(&self, bench: &Bench, ground: &Ground) -> Result<Findings, BenchError> {
        let mut findings = Findings::default();
        bench.each(&mut |seen| seen.into_iter().for_each(|entry| self.look(entry, ground, &mut findings)))?;
        Ok(findings)
    }

    fn look(&self, entry: &Entry, ground: &Ground, findings: &mut Findings) {
        if !is_query(entry) {
            return;
        }
        let is_there = |name: &str| self.tools.contains(&hash(&[name]));
        let gold = entry.calls().iter().any(|called| is_there(&called.call.name));
        let known = gold || entry.label().is_some_and(|call| is_there(&call.name));
        findings.tally("right tools are not in the other bench", !known);
        let words = entry.said().words;
        let alike = self.queries.like(words, self.threshold).and_then(|at| self.ids.get(at));
        findings.tally("queries are unlike those of the other bench", alike.is_none());
        if let Some(id) = alike {
            contaminated(entry, format!("`{words}` is much like `{id}` of the other bench"), findings);
        } else if runs(&entry.sample.query(), ground).any(|run| self.runs.contains(&run)) {
            contaminated(entry, format!("{RUN} words in a row stand in the other bench as well"), findings);
        }
    }
}

fn contaminated(entry: &Entry, message: String, findings: &mut Findings) {
    findings.add(Finding::new("contaminated", Severity::Warning, &entry.place, entry.sample.id.as_str(), message));
}

/// Whether the words are the item's own: a first query that repeats no other, or a turn that makes its data type.
fn is_query(entry: &Entry) -> bool {
    let data_type = entry.sample.data_type.0.as_str();
    entry.is_question()
        || data_type.starts_with("ST_")
        || entry.is_marked()
        || (data_type == "Based" && entry.turn() == 1)
}

/// The text's runs of words (of letters where words do not stand apart), as hashes.
fn runs(text: &str, ground: &Ground) -> impl Iterator<Item = u64> {
    let tokens = ground.tokens(text);
    let length = if ground.spaced { RUN } else { 2 * RUN };
    (0..(tokens.len() + 1).saturating_sub(length)).map(move |at| {
        let run: Vec<&str> = tokens[at..at + length].iter().map(String::as_str).collect();
        hash(&run)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{questions, said};
    use super::*;

    /// A bench of queries.
    fn bench(queries: &[&str]) -> (tempfile::TempDir, Bench) {
        let folder = tempfile::tempdir().unwrap();
        let line = |(index, words): (usize, &&str)| {
            serde_json::to_string(&said(&format!("s{index}"), "ST_Perfect", words, "{}")).unwrap()
        };
        let lines: Vec<String> = queries.iter().enumerate().map(line).collect();
        std::fs::write(folder.path().join("samples.jsonl"), lines.join("\n")).unwrap();
        let bench = Bench::open(folder.path(), None).unwrap();
        (folder, bench)
    }

    fn found(own: &[&str], other: &[&str]) -> Vec<String> {
        let ground = Ground::load("en").unwrap();
        let (own, other) = (bench(own), bench(other));
        let findings = Other::read(&other.1, &ground).unwrap().compare(&own.1, &ground).unwrap();
        let (_, tally) = findings.tallies().next().unwrap();
        assert_eq!(tally.right, 0, "the tools are the same");
        findings.rules().flat_map(|(_, _, _, first)| first).map(|it| it.message.clone()).collect()
    }

    #[test]
    fn a_query_that_is_much_the_same_is_found() {
        let own = ["get me two seats on the night train to Porto", "sing me a song"];
        let other = ["what is the weather", "get me two seats on the night train to Porto!"];
        assert_eq!(found(&own, &other), [format!("`{}` is much like `s1` of the other bench", own[0])]);
    }

    #[test]
    fn questions_are_compared_by_their_words_and_calls() {
        let ground = Ground::load("en").unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), serde_json::to_string(&questions("hard")).unwrap())
            .unwrap();
        let bench = Bench::open(folder.path(), None).unwrap();
        let mut other = Other::read(&bench, &ground).unwrap();
        let of = |other: &Other| {
            let findings = other.compare(&bench, &ground).unwrap();
            (findings.of("contaminated"), findings.tallies().next().unwrap().1.right)
        };
        assert_eq!(of(&other), (1, 0));
        other.tools.clear();
        assert_eq!(of(&other), (1, 1));
    }

    #[test]
    fn a_long_run_of_words_is_found_in_whatever_stands_around_it() {
        let run = "the fair begins at nine in the great hall behind the old railway station";
        let own = format!("EK:Dear all, {run}.\nquery:wake me for the thing in the mail");
        let other = format!("EK:{run}, as every year since we moved here.\nquery:add that to my plans");
        assert_eq!(found(&[&own], &[&other]), ["13 words in a row stand in the other bench as well"]);
        assert_eq!(found(&["wake me at nine"], &[&other]), Vec::<String>::new());
    }
}
