//! The rules that benches are checked by: those that suites share, and a file for each suite.

use super::replay::Replay;
use crate::format::{Bench, Place};
use crate::lint::entry::{Entry, Seen, each_entry};
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::ground::Ground;
use crate::lint::{Context, Rule, samples};
use crate::record::SuiteId;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All rules over one bench.
pub struct Lint {
    context: Context,
    rules: Vec<Box<dyn Rule>>,
    /// Those for items of BFCL, whose texts, types and answers its own rules alone check.
    bfcl: Vec<Box<dyn Rule>>,
    /// Those for turns of chats, of which people say no more than once what a call takes, in whatever turn.
    chats: Vec<Box<dyn Rule>>,
    /// Those for items of conversations, of which several tell one story.
    confetti: Vec<Box<dyn Rule>>,
    /// Those that hold for samples of any suite.
    own: Vec<Box<dyn Rule>>,
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
            Box::new(samples::Ids::default()),
            Box::new(crate::suite::hammerbench::lint::Bases::default()),
            Box::new(samples::candidates),
            Box::new(crate::suite::hammerbench::lint::labels),
            Box::new(crate::suite::hammerbench::lint::values),
            Box::new(crate::suite::hammerbench::lint::Turns::default()),
            Box::new(crate::suite::hammerbench::lint::Markers::default()),
            Box::new(samples::particles),
            Box::new(samples::RightScript::default()),
            Box::new(samples::texts),
            Box::new(crate::suite::hammerbench::lint::Duplicates::new(ground)),
            Box::new(samples::sources),
            Box::new(crate::suite::callnavi::lint::rules(is_authors)),
            Box::new(crate::suite::complexfunc::lint::rules(is_authors)),
        ];
        let bfcl: Vec<Box<dyn Rule>> = vec![
            Box::new(samples::Ids::default()),
            Box::new(samples::satisfiable),
            Box::new(samples::Names::default()),
            Box::new(samples::sources),
        ];
        let (mut chats, mut confetti) =
            (crate::suite::functionchat::lint::rules(), crate::suite::confetti::lint::rules(is_authors));
        chats.push(Box::new(samples::sources));
        confetti.push(Box::new(samples::sources));
        let own: Vec<Box<dyn Rule>> = vec![
            Box::new(samples::Ids::default()),
            Box::new(samples::RightScript::default()),
            Box::new(samples::texts),
            Box::new(samples::sources),
        ];
        let context = Context { ground: ground.clone(), is_authors };
        Self { context, rules, bfcl, chats, confetti, own, report: LintReport::default() }
    }

    /// Looks at what the bench shows next.
    pub fn see(&mut self, seen: Seen<'_>) {
        match seen {
            Ok(entry) => {
                self.report.count(entry);
                let suite = &entry.sample.suite;
                if suite.known().is_none() && !suite.is_training() {
                    let message =
                        format!("`{suite}` is not a built-in suite: only the rules for all suites are checked");
                    self.report.findings.warning("suite", entry, message);
                }
                let rules = match suite.known() {
                    None if !suite.is_training() => &mut self.own,
                    Some(SuiteId::Bfcl) => &mut self.bfcl,
                    Some(SuiteId::Confetti) => &mut self.confetti,
                    Some(SuiteId::FunctionChat) => &mut self.chats,
                    _ => &mut self.rules,
                };
                rules.see(&self.context, entry, &mut self.report.findings);
            }
            Err(finding) => self.report.findings.add(finding.clone()),
        }
    }

    /// What was found.
    pub fn finish(mut self) -> LintReport {
        for rules in [&mut self.rules, &mut self.bfcl, &mut self.chats, &mut self.confetti, &mut self.own] {
            rules.end(&self.context, &mut self.report.findings);
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
pub fn lint(bench: &Bench, ground: &Arc<Ground>, replay: &mut Replay) -> LintReport {
    let mut lint = Lint::new(ground, bench.is_authors());
    each_entry(bench, &mut |seen| {
        lint.see(seen);
        if let Ok(entry) = seen {
            replay.see(entry, &mut lint.report.findings);
        }
    });
    replay.end(&mut lint.report.findings);
    let mut report = lint.finish();
    if report.by_type.is_empty() {
        let place = Place { file: bench.path().display().to_string().into(), line: 1 };
        report.findings.add(Finding::new("readable", Severity::Error, &place, "", "the benchmark contains no samples"));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, place, sample};

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
        let bench = Bench::open(folder.path()).unwrap();
        let ground = Ground::load(crate::fixtures::assets(), "en").unwrap();
        let report = lint(&bench, &ground, &mut Replay::new(&ground).unwrap());
        assert_eq!((report.findings.of("readable"), report.beginnings.len()), (1, 0));
    }
}
