//! What is wrong in a bench: findings with their places, counted by rule.

use crate::format::Place;
use crate::lint::entry::Entry;
use indexmap::IndexMap;
use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The bench breaks a rule.
    Error,
    /// Somebody should look at it.
    Warning,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's short name.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// The sample's id; empty where the line could not be read.
    pub id: String,
    /// What was found, and what was expected.
    pub message: String,
}

/// Findings by rule. All are counted; of each rule the first ones are kept, so that memory stays bounded.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    by_rule: IndexMap<(&'static str, Severity), Kept>,
    tallies: IndexMap<&'static str, Tally>,
}

/// How often something was looked at, and how often it was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// How often it was right.
    pub right: usize,
    /// How often it was looked at.
    pub of: usize,
}

/// What one rule found.
#[derive(Debug, Clone, Default)]
struct Kept {
    count: usize,
    first: Vec<Finding>,
}

/// How many findings of a rule are kept.
const KEPT: usize = 200;

/// Labels of what is counted, by the name that machine-readable reports have.
const LABELS: &[(&str, &str)] = &[
    ("questions name only APIs of their list", "questions use only listed APIs"),
    ("questions give only declared parameters", "calls have only declared parameters"),
    ("questions give every required parameter", "calls have all required parameters"),
    ("questions have values of the declared types", "values have the declared types"),
    ("values from earlier answers are found in them", "values noted as from earlier answers occur there"),
    ("values stand in their question", "values occur in the question"),
    ("APIs are asked for by some question", "APIs used by at least one question"),
    ("ids are regular", "regular ids"),
    ("particles agree with the value before them", "particles agree with the preceding value"),
    ("user texts are in the right script", "user texts in the locale's script"),
    ("identifiers stand before the call that uses them", "identifiers occur before the call that uses them"),
    ("items that a call of their own answers satisfies", "items that pass with a call of their accepted answers"),
    ("items that the same call satisfies as a text", "items that pass with this call as text"),
    ("items that the same call satisfies as a native one", "items that pass with this call as a native tool call"),
    ("golden calls have the form that their functions ask for", "golden calls match the schemas of their functions"),
    ("golden calls are proved to be a shortest path", "golden calls proven to be a shortest path"),
    ("arguments say where they come from", "arguments with provenance"),
    ("values stand in their request", "values occur in the request"),
    ("gold calls obey the schemas of their functions", "gold calls match the schemas of their functions"),
    ("values said in another form have an acceptable form", "values worded differently have acceptable alternatives"),
    ("values stand in their text", "values occur in the text"),
    ("queries and conversations are new", "queries and conversations without near duplicates"),
    ("questions of dialogs ask for what is missing", "dialog questions ask for missing values"),
    ("REJECT is CALL with its tool exchanged for another", "REJECT samples are CALL samples with another tool"),
    ("SLOT-some says a number where it gives one", "SLOT-some requests state the numbers that they give"),
    ("SLOT-all gives nothing", "SLOT-all requests give no values"),
    ("what tools answer is JSON", "tool answers are JSON"),
    ("lists have as many tools as their name says", "tool lists have the size in their name"),
    ("short lists of close tools are within the longer ones", "short lists of close tools are part of the longer ones"),
    ("queries and dialogs are new", "queries and dialogs without duplicates"),
    (
        "acceptable values are of the right type, and others than the gold",
        "acceptable values have the right type and differ from the gold value",
    ),
    (
        "what is declined has no tool that serves it elsewhere",
        "refused requests list no tool that serves them elsewhere",
    ),
    ("instructions are those of the first sample", "instructions equal those of the first sample"),
    ("values stand in what was said", "values occur in the dialog"),
    ("figures that are told come from a tool or a call", "numbers in answers come from a tool answer or a call"),
    ("letters are whole ones", "texts are NFC-normalized"),
    ("items are not in the other data", "items without contamination"),
    ("right tools are not in the other data", "expected tools that are not in the other data"),
    ("rows are kept by the loader", "rows accepted by the loader"),
    ("rows hold no item of a benchmark", "rows without contamination by a benchmark"),
    ("rows share nothing with another part", "rows without overlap with another part"),
];

/// What people see in place of the name by which something is counted.
pub fn tally_label(what: &str) -> &str {
    LABELS.iter().find(|(name, _)| *name == what).map_or(what, |(_, label)| *label)
}

impl Findings {
    /// Adds what breaks a rule.
    pub fn error(&mut self, rule: &'static str, entry: &Entry, message: impl Into<String>) {
        self.add(Finding::new(rule, Severity::Error, &entry.place, entry.sample.id.as_str(), message));
    }

    /// Counts something that was looked at, and adds what is wrong with it.
    pub fn check(&mut self, what: &'static str, rule: &'static str, entry: &Entry, fault: Option<impl Into<String>>) {
        self.tally(what, fault.is_none());
        if let Some(message) = fault {
            self.error(rule, entry, message);
        }
    }

    /// Adds what somebody should look at.
    pub fn warning(&mut self, rule: &'static str, entry: &Entry, message: impl Into<String>) {
        self.add(Finding::new(rule, Severity::Warning, &entry.place, entry.sample.id.as_str(), message));
    }

    /// Adds a finding.
    pub fn add(&mut self, finding: Finding) {
        let kept = self.by_rule.entry((finding.rule, finding.severity)).or_default();
        kept.count += 1;
        if kept.first.len() < KEPT {
            kept.first.push(finding);
        }
    }

    /// Counts something that was looked at.
    pub fn tally(&mut self, what: &'static str, right: bool) {
        let tally = self.tallies.entry(what).or_default();
        (tally.right, tally.of) = (tally.right + usize::from(right), tally.of + 1);
    }

    /// Everything that was counted.
    pub fn tallies(&self) -> impl Iterator<Item = (&'static str, Tally)> {
        self.tallies.iter().map(|(what, tally)| (*what, *tally))
    }

    /// How many there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.rules().filter(|(_, other, ..)| *other == severity).map(|(_, _, count, _)| count).sum()
    }

    /// Every rule that found something: its name, its severity, how often, and the first findings.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, Severity, usize, &[Finding])> {
        self.by_rule.iter().map(|((rule, severity), kept)| (*rule, *severity, kept.count, kept.first.as_slice()))
    }

    /// How often a rule found something.
    pub fn of(&self, rule: &str) -> usize {
        self.rules().filter(|(name, ..)| *name == rule).map(|(_, _, count, _)| count).sum()
    }
}

impl Finding {
    /// A finding at a place.
    pub fn new(rule: &'static str, severity: Severity, place: &Place, id: &str, message: impl Into<String>) -> Self {
        Self { rule, severity, place: place.clone(), id: id.to_owned(), message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, sample};

    #[test]
    fn what_is_counted_has_a_label_or_its_own_name() {
        assert_eq!(tally_label("values stand in their text"), "values occur in the text");
        assert_eq!(tally_label("mine"), "mine");
    }

    #[test]
    fn findings_are_counted_by_rule_and_severity() {
        let (mut findings, entry) = (Findings::default(), entry(sample("a", "ST_Perfect")));
        findings.error("ids", &entry, "twice");
        findings.error("texts", &entry, "empty");
        findings.warning("texts", &entry, "short");
        assert_eq!((findings.count(Severity::Error), findings.count(Severity::Warning)), (2, 1));
        assert_eq!((findings.of("texts"), findings.of("ids"), findings.of("none")), (2, 1, 0));
        let (rule, severity, count, first) = findings.rules().next().unwrap();
        assert_eq!((rule, severity, count, first[0].message.as_str()), ("ids", Severity::Error, 1, "twice"));
        let json = serde_json::to_value(&first[0]).unwrap();
        assert_eq!(
            (json["file"].as_str(), json["line"].as_u64(), json["id"].as_str()),
            (Some("samples.jsonl"), Some(1), Some("a"))
        );
    }

    #[test]
    fn what_is_right_is_counted_too() {
        let mut findings = Findings::default();
        for right in [true, false, true] {
            findings.tally("values", right);
        }
        assert_eq!(findings.tallies().collect::<Vec<_>>(), [("values", Tally { right: 2, of: 3 })]);
    }

    #[test]
    fn thousands_are_counted_and_hundreds_kept() {
        let (mut findings, entry) = (Findings::default(), entry(sample("a", "ST_Perfect")));
        (0..3 * KEPT).for_each(|_| findings.error("ids", &entry, "twice"));
        let (_, _, count, first) = findings.rules().next().unwrap();
        assert_eq!((count, first.len()), (3 * KEPT, KEPT));
    }
}
