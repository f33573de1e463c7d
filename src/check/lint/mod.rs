//! The rules that hold for every bench, each in a file of its own.

mod bases;
mod bfcl;
mod callnavi;
mod candidates;
mod complexfunc;
mod confetti;
mod duplicates;
mod functionchat;
mod ids;
mod labels;
mod markers;
mod names;
mod particles;
mod script;
mod sources;
mod texts;
mod turns;
mod values;

use super::bench::{Bench, BenchError, Seen};
use super::entry::{Entry, Place};
use super::finding::{Finding, Findings, Severity};
use super::ground::Ground;
use super::replay::Replay;
use crate::record::SuiteId;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A rule that looks at every entry, in the order of the bench.
trait Rule {
    /// Looks at one entry.
    fn see(&mut self, entry: &Entry, findings: &mut Findings);

    /// Says what can be said only at the end.
    fn end(&mut self, _findings: &mut Findings) {}
}

/// All rules over one bench.
pub struct Lint {
    rules: Vec<Box<dyn Rule>>,
    /// Those for items of BFCL, whose texts, types and answers are held to its own rules alone.
    bfcl: Vec<Box<dyn Rule>>,
    /// Those for turns of chats, of which people say no more than once what a call takes, in whatever turn.
    chats: Vec<Box<dyn Rule>>,
    /// Those for items of conversations, of which several tell one story.
    confetti: Vec<Box<dyn Rule>>,
    report: LintReport,
}

/// What the rules found.
#[derive(Debug, Clone, Default)]
pub struct LintReport {
    /// Samples by data type.
    pub by_type: IndexMap<String, usize>,
    /// First turns by data type: single-turn samples, and conversations.
    pub beginnings: IndexMap<String, usize>,
    /// Where the tools come from.
    pub sources: BTreeSet<String>,
    /// What is wrong, and what was counted.
    pub findings: Findings,
}

impl Lint {
    /// The rules for a bench. The authors' layout says less of a sample, and less can be asked of it.
    pub fn new(ground: &Arc<Ground>, is_authors: bool) -> Self {
        let rules: Vec<Box<dyn Rule>> = vec![
            Box::new(ids::Ids::default()),
            Box::new(bases::Bases::default()),
            Box::new(candidates::Candidates),
            Box::new(labels::Labels),
            Box::new(values::Values::new(ground.clone())),
            Box::new(turns::Turns::default()),
            Box::new(markers::Markers::new(is_authors)),
            Box::new(particles::ParticleAgreement::new(ground.clone())),
            Box::new(script::RightScript::new(ground.clone())),
            Box::new(texts::Texts),
            Box::new(duplicates::Duplicates::new(ground, is_authors)),
            Box::new(sources::Sources::new(ground, is_authors)),
            Box::new(callnavi::Callnavi::new(ground, is_authors)),
            Box::new(complexfunc::Complexfunc::new(ground, is_authors)),
        ];
        let sources = || -> Box<dyn Rule> { Box::new(sources::Sources::new(ground, is_authors)) };
        let bfcl: Vec<Box<dyn Rule>> =
            vec![Box::new(ids::Ids::default()), Box::new(bfcl::Bfcl), Box::new(names::Names::default()), sources()];
        let with_sources = |mut rules: Vec<Box<dyn Rule>>| {
            rules.push(sources());
            rules
        };
        let chats = with_sources(functionchat::rules(ground, is_authors));
        let confetti = with_sources(confetti::rules(ground, is_authors));
        Self { rules, bfcl, chats, confetti, report: LintReport::default() }
    }

    /// Looks at what the bench shows next.
    pub fn see(&mut self, seen: Seen<'_>) {
        match seen {
            Ok(entry) => {
                self.report.count(entry);
                let suite = &entry.sample.suite;
                if suite.known().is_none() && !suite.is_training() {
                    let message = format!("`{suite}` is no suite: it is checked and replayed by HammerBench's rules");
                    self.report.findings.warning("suite", entry, message);
                }
                let rules = match suite.known() {
                    Some(SuiteId::Bfcl) => &mut self.bfcl,
                    Some(SuiteId::Confetti) => &mut self.confetti,
                    Some(SuiteId::FunctionChat) => &mut self.chats,
                    _ => &mut self.rules,
                };
                for rule in rules {
                    rule.see(entry, &mut self.report.findings);
                }
            }
            Err(finding) => self.report.findings.add(finding.clone()),
        }
    }

    /// What was found.
    pub fn finish(mut self) -> LintReport {
        let all = [&mut self.rules, &mut self.bfcl, &mut self.chats, &mut self.confetti];
        for rule in all.into_iter().flatten() {
            rule.end(&mut self.report.findings);
        }
        self.report
    }
}

impl LintReport {
    /// Counts an entry.
    pub fn count(&mut self, entry: &Entry) {
        let data_type = &entry.sample.data_type.0;
        *self.by_type.entry(data_type.clone()).or_default() += 1;
        *self.beginnings.entry(data_type.clone()).or_default() += usize::from(entry.turn() == 1);
        if !self.sources.contains(&entry.sample.source) {
            self.sources.insert(entry.sample.source.clone());
        }
    }
}

/// Looks a bench over by all rules, and replays its gold in the same reading.
pub fn lint(bench: &Bench, ground: &Arc<Ground>, replay: &mut Replay) -> Result<LintReport, BenchError> {
    let mut lint = Lint::new(ground, bench.is_authors());
    bench.each(&mut |seen| {
        lint.see(seen);
        if let Ok(entry) = seen {
            replay.see(entry, &mut lint.report.findings);
        }
    })?;
    replay.end(&mut lint.report.findings);
    let mut report = lint.finish();
    if report.by_type.is_empty() {
        let place = Place { file: bench.path().display().to_string().into(), line: 1 };
        report.findings.add(Finding::new("readable", Severity::Error, &place, "", "the bench holds no sample"));
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{entry, place, sample};
    use super::*;

    #[test]
    fn a_sound_sample_breaks_no_rule() {
        let mut lint = Lint::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), false);
        lint.see(Ok(&entry(sample("a", "ST_Perfect"))));
        let report = lint.finish();
        assert_eq!(report.findings.rules().next(), None);
        assert_eq!(report.by_type["ST_Perfect"], 1);
    }

    #[test]
    fn a_suite_that_nobody_knows_is_named() {
        let mut lint = Lint::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), false);
        for suite in ["hammerbench", "training", "hamerbench"] {
            let mut sample = sample(suite, "ST_Perfect");
            sample.suite = suite.into();
            lint.see(Ok(&entry(sample)));
        }
        let findings = lint.finish().findings;
        let first: Vec<_> = findings.rules().filter(|(rule, ..)| *rule == "suite").flat_map(|it| it.3).collect();
        assert_eq!(first.len(), 1);
        assert!(first[0].id == "hamerbench" && first[0].severity == Severity::Warning);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_an_error() {
        let mut lint = Lint::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), false);
        lint.see(Err(&Finding::new("readable", Severity::Error, &place(2), "", "no sample")));
        assert_eq!(lint.finish().findings.count(Severity::Error), 1);
    }

    #[test]
    fn a_bench_without_samples_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), "").unwrap();
        let bench = Bench::open(folder.path(), None).unwrap();
        let ground = Ground::load(crate::fixtures::assets(), "en").unwrap();
        let report = lint(&bench, &ground, &mut Replay::new(&ground).unwrap()).unwrap();
        assert_eq!((report.findings.of("readable"), report.beginnings.len()), (1, 0));
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    /// What a rule says of some entries: each finding as `rule: message`.
    pub(super) fn found(mut rule: impl Rule, entries: &[Entry]) -> Vec<String> {
        let mut findings = Findings::default();
        for entry in entries {
            rule.see(entry, &mut findings);
        }
        rule.end(&mut findings);
        findings.rules().flat_map(|(_, _, _, first)| first).map(|it| format!("{}: {}", it.rule, it.message)).collect()
    }
}
