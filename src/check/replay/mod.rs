//! The scorer tried on the bench itself: the gold must pass as a perfect model's answers, what is made wrong of it must
//! fail, and what is the same in another form must pass.

mod calls;
mod chats;
mod complex;
mod paths;
mod questions;
mod variants;

use super::audit::{Cell, Figure, Mark};
use crate::lint::calls::is_called;
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::lint::ground::Ground;
use crate::record::{Expected, FunctionCall, ItemId, PredictionTurn, REFUSAL_FACT, Value};
use crate::score::{Estimate, Gold};
use crate::suite::hammerbench::metric::strict::{Answer, Outcome, Rules, Sums, Verdict, Wanted};
use crate::suite::hammerbench::{LocaleRules, RulesError};
use calls::Calls;
use chats::Chats;
use complex::Complex;
use indexmap::IndexMap;
use paths::Paths;
use questions::Questions;
use variants::{Pool, mutants};

/// Replays a bench through the strict scorer.
pub struct Replay {
    rules: Rules,
    refusal: String,
    sums: Sums,
    /// The conversation at hand, with its outcomes and the values that were right in it before.
    conversation: Option<ItemId>,
    outcomes: Vec<Outcome>,
    earlier: IndexMap<String, Vec<Value>>,
    pool: Pool,
    mutants: IndexMap<&'static str, (usize, usize)>,
    forms: IndexMap<&'static str, (usize, usize)>,
    questions: Questions,
    chats: Chats,
    calls: Calls,
    complex: Complex,
    paths: Paths,
}

/// Least share of mutants that fail, and of other forms that pass.
const MARK: f64 = 0.99;

const GOLD: &str = "the gold answers replayed as predictions, by the strict scorer";
const MUTANTS: &str = "wrong answers derived from the gold: share that the strict scorer rejects";
const FORMS: &str = "correct answers in other formats: share that the strict scorer accepts; accepted values where \
    the benchmark lists any";

impl Replay {
    /// Begins a replay in a locale, with the rules that `score` has for it.
    pub fn new(ground: &Ground) -> Result<Self, RulesError> {
        Ok(Self {
            rules: LocaleRules::new(&ground.assets).of(&ground.language.code)?.clone(),
            refusal: ground.refusal.clone(),
            sums: Sums::default(),
            conversation: None,
            outcomes: Vec::new(),
            earlier: IndexMap::new(),
            pool: Pool::default(),
            mutants: IndexMap::new(),
            forms: IndexMap::new(),
            questions: Questions::default(),
            chats: Chats::new(ground),
            calls: Calls::default(),
            complex: Complex::new(ground.settings.clone()),
            paths: Paths::new(&ground.assets),
        })
    }

    /// A replay of a run with this seed, by which the worlds of its toolsets can be drawn anew.
    #[must_use]
    pub fn of_run(mut self, seed: Option<u64>) -> Self {
        self.paths.seed = seed;
        self
    }

    /// Replays an entry; a gold answer that does not pass is an error of the bench or of the scorer.
    pub fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let suite = &entry.sample.suite;
        if suite.known().is_none() && !suite.is_training() {
            return;
        }
        if is_called(&entry.sample) {
            self.calls.see(entry, findings);
            return;
        }
        if entry.is_chat() {
            self.chats.see(entry, findings);
            return;
        }
        if entry.is_complex() {
            self.complex.see(entry, findings);
            self.paths.see(entry, findings);
            return;
        }
        if entry.is_question() {
            self.questions.see(entry, findings);
            return;
        }
        let conversation = entry.sample.snapshot.as_ref().map(|snapshot| &snapshot.conversation);
        if conversation.is_none() || conversation != self.conversation.as_ref() {
            self.close();
            self.conversation = conversation.cloned();
        }
        let Some(gold) = self.gold(entry) else { return };
        let verdict = self.judge(entry, &gold);
        if !verdict.right {
            findings.error("replay", entry, format!("the gold answer does not pass: {}", verdict.reason));
        }
        self.outcomes.extend(wanted(entry, &self.earlier).map(|wanted| Outcome::of(wanted, &verdict)));
        self.try_mutants(entry);
        self.try_forms(entry);
        self.pool.learn(entry);
        self.learn(entry);
    }

    /// Finds what can be found only once all entries were seen.
    pub fn end(&mut self, findings: &mut Findings) {
        self.paths.end(findings);
    }

    /// Figures of everything that was replayed.
    pub fn finish(mut self) -> Vec<Figure> {
        self.close();
        let (questions, chats) = (self.questions.finish(), self.chats.finish());
        let questions: Vec<Figure> =
            questions.into_iter().chain(self.complex.finish()).chain(chats).chain(self.calls.finish()).collect();
        if !questions.is_empty() && self.mutants.is_empty() {
            return questions;
        }
        let cells = |counts: &IndexMap<&'static str, (usize, usize)>| {
            counts.iter().map(|(kind, (good, n))| Cell::share(*kind, *good, *n).held_to(Mark::AtLeast(MARK))).collect()
        };
        let own = [
            Figure::new("replay", GOLD, gold_cells(&self.sums)),
            Figure::new("wrong mutants", MUTANTS, cells(&self.mutants)),
            Figure::new("equal forms", FORMS, cells(&self.forms)),
        ];
        own.into_iter().chain(questions).collect()
    }

    /// What a perfect model says.
    fn gold(&self, entry: &Entry) -> Option<PredictionTurn> {
        match &entry.sample.expected {
            Expected::Call(call) => Some(turn(call)),
            Expected::Refusal => {
                // A language model's own refusal is a training target; an evaluated model is told which sentence refuses.
                let own =
                    entry.sample.provenance.facts.get(REFUSAL_FACT).filter(|_| !entry.sample.is_written_by_model());
                Some(said(own.unwrap_or(&self.refusal)))
            }
            _ => None,
        }
    }

    fn judge(&self, entry: &Entry, answer: &PredictionTurn) -> Verdict {
        let wanted = wanted(entry, &self.earlier).unwrap_or(Wanted::Refusal);
        self.rules.judge(wanted, Answer::Said(answer))
    }

    fn try_mutants(&mut self, entry: &Entry) {
        let mut wrong: Vec<(&'static str, PredictionTurn)> =
            mutants(entry, &self.pool).into_iter().map(|(kind, call)| (kind, turn(&call))).collect();
        if let (true, Some(tool)) = (entry.refuses(), entry.sample.candidates.first()) {
            let arguments = entry.label().map(|call| call.arguments.clone()).unwrap_or_default();
            wrong.push(("call instead of a refusal", turn(&FunctionCall { name: tool.name.clone(), arguments })));
        } else {
            wrong.push(("refusal instead of a call", said(&self.refusal)));
        }
        for (kind, answer) in wrong {
            let fails = !self.judge(entry, &answer).right;
            count(&mut self.mutants, kind, fails);
        }
    }

    fn try_forms(&mut self, entry: &Entry) {
        for (kind, answer) in variants::forms(entry) {
            let passes = self.judge(entry, &answer).right;
            count(&mut self.forms, kind, passes);
        }
    }

    fn learn(&mut self, entry: &Entry) {
        for (name, value) in entry.call().into_iter().flat_map(|call| &call.arguments) {
            self.earlier.entry(name.clone()).or_default().push(value.clone());
        }
    }

    fn close(&mut self) {
        self.sums.add(std::mem::take(&mut self.outcomes));
        self.earlier.clear();
    }
}

/// What the scorer is told to want.
fn wanted<'e>(entry: &'e Entry, earlier: &'e IndexMap<String, Vec<Value>>) -> Option<Wanted<'e>> {
    match &entry.sample.expected {
        Expected::Call(call) => {
            let gold = Gold { arguments: &call.arguments, acceptable: &entry.sample.acceptable, earlier };
            Some(Wanted::Call(&call.name, gold))
        }
        Expected::Refusal => Some(Wanted::Refusal),
        _ => None,
    }
}

fn gold_cells(sums: &Sums) -> Vec<Cell> {
    let accuracies = [
        ("Acc", sums.acc()),
        ("Func. Acc", sums.func_acc()),
        ("refusals", sums.refusals()),
        ("PR", sums.pr()),
        ("SR", sums.sr()),
    ];
    let errors = [("PHR", sums.phr()), ("PMR", sums.pmr()), ("other errors", sums.other_errors())];
    let cell = |(name, estimate): (&str, Option<Estimate>), mark| {
        estimate.map(|it| Cell::new(name, it.value, usize::try_from(it.n).unwrap_or(usize::MAX)).held_to(mark))
    };
    let right = accuracies.into_iter().filter_map(|it| cell(it, Mark::AtLeast(1.0)));
    right.chain(errors.into_iter().filter_map(|it| cell(it, Mark::AtMost(0.0)))).collect()
}

fn count(counts: &mut IndexMap<&'static str, (usize, usize)>, kind: &'static str, good: bool) {
    let counted = counts.entry(kind).or_default();
    (counted.0, counted.1) = (counted.0 + usize::from(good), counted.1 + 1);
}

/// A call as a model says it.
fn turn(call: &FunctionCall) -> PredictionTurn {
    said(&serde_json::to_string(call).unwrap_or_default())
}

fn said(text: &str) -> PredictionTurn {
    PredictionTurn { content: Some(text.to_owned()), ..PredictionTurn::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, sample, snapshots};

    fn replayed(entries: &[Entry]) -> (Vec<Figure>, usize) {
        let (mut replay, mut findings) =
            (Replay::new(&Ground::load(crate::fixtures::assets(), "en").unwrap()).unwrap(), Findings::default());
        for entry in entries {
            replay.see(entry, &mut findings);
        }
        (replay.finish(), findings.of("replay"))
    }

    fn refusing(words: &str) -> Entry {
        let mut refused = sample("r", "ir_ST_Perfect");
        refused.expected = Expected::Refusal;
        refused.provenance.facts.insert(REFUSAL_FACT.to_owned(), words.to_owned());
        entry(refused)
    }

    #[test]
    fn the_gold_passes_and_what_is_made_wrong_of_it_fails() {
        let mut entries = snapshots("m/0", "mSv", &[r#"{"to": "Porto"}"#, r#"{"to": "Lyon", "seats": 2}"#]);
        entries.extend([entry(sample("a", "ST_Perfect")), refusing("No tool can do that.")]);
        let (figures, errors) = replayed(&entries);
        assert_eq!(errors, 0);
        for figure in &figures {
            assert!(!figure.cells.is_empty() && figure.missing.is_none(), "{}", figure.name);
            for cell in &figure.cells {
                assert_eq!(cell.mark.is_met(cell.value, None), Some(true), "{} {cell:?}", figure.name);
            }
        }
        assert_eq!(figures[0].cell("PR").unwrap().n, 3, "a conversation and two requests");
        assert_eq!(figures[1].cell("value from an earlier turn").unwrap().n, 1);
    }

    #[test]
    fn a_refusal_that_nobody_would_take_for_one_is_an_error() {
        let (figures, errors) = replayed(&[refusing("Bananas.")]);
        assert_eq!((errors, figures[0].cell("refusals").unwrap().value), (1, 0.0));
    }

    #[test]
    fn a_models_own_words_are_no_answer_to_score() {
        let mut refused = refusing("I can't rent bikes here.");
        refused.sample.reference_time = Some("2026-03-02T09:30:00Z".to_owned());
        assert_eq!(replayed(&[refused]).1, 0);
    }

    #[test]
    fn without_words_of_its_own_the_locales_sentence_refuses() {
        let mut silent = refusing("");
        silent.sample.provenance.facts.clear();
        assert_eq!(replayed(&[silent]).1, 0);
    }
}
