//! CallNavi's scorer tried on a bench of questions: the gold as a perfect model's answers, and what is made of it.

mod variants;

use super::super::audit::{Cell, Figure, Mark};
use super::{MARK, count, said};
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::record::{BorrowedValue, PredictionTurn, SuiteId, Value};
use crate::suite::callnavi::layout::Gold;
use crate::suite::callnavi::metric::strict::{Given, Gold as Wanted};
use crate::suite::callnavi::metric::upstream::{Form, Route, Triple, Washer, judge};
use indexmap::IndexMap;

/// Replays questions; the others are none of its business.
#[derive(Default)]
pub(super) struct Questions {
    washer: Washer,
    /// What passes, of how many, by the measures of the strict scorer and by those of the authors'.
    gold: IndexMap<&'static str, (usize, usize)>,
    authors: IndexMap<&'static str, (usize, usize)>,
    mutants: IndexMap<&'static str, (usize, usize)>,
    forms: IndexMap<&'static str, (usize, usize)>,
}

const AUTHORS: &str =
    "the gold answers replayed as predictions, by the authors' scorer, which fails every answer with an apostrophe";

impl Questions {
    /// Replays an entry; a gold answer that does not pass is an error of the bench or of the scorer.
    pub(super) fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(gold) = Gold::of(&entry.sample).filter(|_| entry.sample.suite == SuiteId::CallNavi) else { return };
        let Some(wanted) = Wanted::of(&entry.sample) else { return };
        self.strict(entry, &gold, &wanted, findings);
        self.authors(entry, &gold, findings);
        let passes = |turn: &PredictionTurn| wanted.judge(Given::Said(turn), Form::Json, None).ast;
        for (kind, turn) in variants::mutants(entry, &gold) {
            count(&mut self.mutants, kind, !passes(&turn));
        }
        for (kind, turn) in variants::forms(entry, &gold) {
            count(&mut self.forms, kind, passes(&turn));
        }
    }

    /// Figures of everything that was replayed; none where there was no question.
    pub(super) fn finish(self) -> Vec<Figure> {
        if self.gold.is_empty() {
            return Vec::new();
        }
        let cells = |counts: &IndexMap<&'static str, (usize, usize)>, mark| {
            counts.iter().map(|(kind, (good, n))| Cell::share(*kind, *good, *n).held_to(mark)).collect()
        };
        vec![
            Figure::new("replay", super::GOLD, cells(&self.gold, Mark::AtLeast(1.0))),
            Figure::new("authors' replay", AUTHORS, cells(&self.authors, Mark::Shown)),
            Figure::new("wrong mutants", super::MUTANTS, cells(&self.mutants, Mark::AtLeast(MARK))),
            Figure::new("equal forms", super::FORMS, cells(&self.forms, Mark::AtLeast(MARK))),
        ]
    }

    fn strict(&mut self, entry: &Entry, gold: &Gold, wanted: &Wanted<'_>, findings: &mut Findings) {
        let calls = wanted.judge(Given::Said(&said(&value(gold).to_string())), Form::Json, None);
        let route = wanted.judge_route(Given::Said(&said(&names(gold))));
        let measures = [
            ("syntax", calls.syntax),
            ("API calls", calls.order),
            ("structure", calls.structure),
            ("AST match", calls.ast),
            ("routing", route.right),
        ];
        for (measure, passes) in measures {
            count(&mut self.gold, measure, passes);
        }
        if !calls.ast || !route.right {
            let reasons = [calls.reason, route.reason].join(" ");
            findings.error("replay", entry, format!("the gold answer does not pass: {}", reasons.trim()));
        }
    }

    fn authors(&mut self, entry: &Entry, gold: &Gold, findings: &mut Findings) {
        let (truth, answer) = (value(gold), value(gold).to_string());
        let washed = self.washer.wash(&answer, Form::Json, None);
        let triple = judge(&washed.value, &BorrowedValue::from(&truth)).unwrap_or_default();
        let listed: Vec<&str> = gold.api.iter().map(String::as_str).collect();
        let route = Route::from(listed.as_slice()).matches(&names(gold));
        let measures = [
            ("syntax", washed.syntax),
            ("API calls", triple.order),
            ("structure", triple.structure),
            ("AST match", triple.ast),
            ("routing", route),
        ];
        for (measure, passes) in measures {
            count(&mut self.authors, measure, passes);
        }
        if triple != Triple::ALL || !route {
            // The bench is sound, and nobody can score full marks on it by the authors' script.
            let message = "the authors' script fails the gold answer: it treats every apostrophe as a quotation mark";
            findings.warning("authors_replay", entry, message);
        }
    }
}

/// The names of the calls as a model lists them.
fn names(gold: &Gold) -> String {
    format!("[{}]", gold.api.join(", "))
}

/// The gold as the authors write it.
fn value(gold: &Gold) -> Value {
    let names: Vec<Value> = gold.api.iter().map(|name| Value::from(name.as_str())).collect();
    let parameters: Vec<Value> = gold.parameters.iter().cloned().map(Value::Object).collect();
    Value::Object([("API".to_owned(), names.into()), ("parameters".to_owned(), parameters.into())].into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::finding::Severity;
    use crate::lint::testing::{arguments, entry, questions, sample};
    use crate::record::Sample;

    fn replayed(samples: Vec<Sample>) -> (Vec<Figure>, Findings) {
        let (mut replay, mut findings) = (Questions::default(), Findings::default());
        for sample in samples {
            replay.see(&entry(sample), &mut findings);
        }
        (replay.finish(), findings)
    }

    #[test]
    fn the_gold_passes_and_what_is_made_wrong_of_it_fails() {
        let (figures, findings) = replayed(["easy", "medium", "hard"].map(questions).into());
        assert_eq!(findings.rules().count(), 0);
        for figure in &figures {
            assert!(!figure.cells.is_empty(), "{}", figure.name);
            for cell in &figure.cells {
                assert!((cell.value - 1.0).abs() < 1e-9, "{} {cell:?}", figure.name);
            }
        }
        assert_eq!(figures[0].cell("AST match").unwrap().n, 3);
    }

    #[test]
    fn what_the_authors_script_cannot_read_is_a_warning() {
        let mut sample = questions("easy");
        arguments(&mut sample, 0).insert("customerId".to_owned(), "O'Brien".into());
        let (figures, findings) = replayed(vec![sample]);
        let (rule, severity, count, _) = findings.rules().next().unwrap();
        assert_eq!((rule, severity, count), ("authors_replay", Severity::Warning, 1));
        let syntax = |figure: &Figure| figure.cell("syntax").unwrap().value;
        assert_eq!((syntax(&figures[0]), syntax(&figures[1])), (1.0, 0.0));
    }

    #[test]
    fn other_suites_have_no_figures_here() {
        assert!(replayed(vec![sample("a", "ST_Perfect")]).0.is_empty());
    }
}
