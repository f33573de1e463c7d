//! Scores a benchmark: every sample with what was said to it.

use super::board::{Board, Found};
use super::lines::{strict_verdict, upstream_verdict};
use super::profile::{Profile, load_words};
use super::rules::LocaleRules;
use crate::format::{Bench, Predictions, Said};
use crate::hammerbench::metric::strict::{Answer, ErrorClass, Verdict as StrictVerdict, Wanted};
use crate::hammerbench::metric::upstream::{self, Comparer, Facts, Label, Metric, Parser};
use crate::question::{Pending, Question};
use crate::record::{BorrowedObject, BorrowedValue, Expected, Object, Paradigm, Sample, SuiteId, Value, history};
use crate::replies::Replies;
use crate::score::{Gold, missing_of, topics};
use crate::text::read_verdict;
use crate::{Missing, ScoreError, VerdictSink};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The data type whose transformation is a turn more.
const INSERTED: &str = "SO_case2";

/// How is scored.
#[derive(Debug, Clone)]
pub struct Options {
    /// By which rules.
    pub profile: Profile,
    /// What is right while required arguments are missing; the authors' profiles know snapshots alone.
    pub paradigm: Paradigm,
    /// How the authors' profiles read replies.
    pub parser: Parser,
    /// What becomes of samples without a prediction.
    pub missing: Missing,
    /// Score this locale alone.
    pub locale: Option<String>,
    /// Compare every locale's values as the authors compare Chinese ones.
    pub chinese_metric: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            paradigm: Paradigm::Snapshot,
            parser: Parser::default(),
            missing: Missing::default(),
            locale: None,
            chinese_metric: false,
        }
    }
}

/// Scores one run of a file of predictions. Each verdict is handed out as it is found.
pub fn score(
    bench: &Bench,
    predictions: &Predictions,
    run: u32,
    board: &mut Board,
    options: &Options,
    replies: &mut Replies,
    sink: VerdictSink<'_>,
) -> Result<(), ScoreError> {
    let words = load_words(replies.prompts().assets())?;
    let mut scorer = Scorer {
        options,
        predictions,
        run,
        rules: LocaleRules::new(replies.prompts().assets()),
        upstream: upstream::Rules { parser: options.parser, words: &words },
        comparers: [Comparer::new(Metric::English), Comparer::new(Metric::Chinese)],
        earlier: Earlier::default(),
        replies,
    };
    bench.each(&mut |sample| scorer.take(&sample, board, sink))?;
    if options.profile != Profile::Strict {
        mark_behind_inserted(board);
    }
    Ok(())
}

struct Scorer<'s> {
    options: &'s Options,
    predictions: &'s Predictions,
    run: u32,
    rules: LocaleRules,
    upstream: upstream::Rules<'s>,
    comparers: [Comparer; 2],
    earlier: Earlier,
    replies: &'s mut Replies,
}

/// Values that were right at earlier turns of the conversation that is being read.
#[derive(Default)]
struct Earlier {
    conversation: String,
    values: IndexMap<String, Vec<Value>>,
}

impl Scorer<'_> {
    fn take(&mut self, sample: &Sample, board: &mut Board, sink: VerdictSink<'_>) -> Result<(), ScoreError> {
        let is_known = matches!(sample.expected, Expected::Call(_) | Expected::Refusal);
        let locale = self.options.locale.as_ref();
        if !board.counts.coverage.wants(sample, locale, sample.suite == SuiteId::HammerBench && is_known) {
            return Ok(());
        }
        self.earlier.enter(sample);
        let said = self.said(sample, board);
        if said.as_ref().is_none_or(|said| matches!(said, Said::Failed(_))) && self.options.missing == Missing::Skip {
            // What was right in a turn that is left out is a stale value later on all the same.
            self.earlier.keep(sample);
            return Ok(());
        }
        let found = match self.options.profile {
            Profile::Strict => self.strict(sample, said.as_ref(), board, sink)?,
            Profile::Upstream | Profile::UpstreamSnapshot => self.upstream(sample, said.as_ref(), sink)?,
        };
        self.earlier.keep(sample);
        board.counts.coverage.scored += 1;
        if !found.undecided {
            put(board, sample, found);
        }
        Ok(())
    }

    /// What was said to a sample; by its id, by its id without the locale, as the authors' logs have it, or by that of the
    /// snapshot that it is a copy of.
    fn said(&self, sample: &Sample, board: &mut Board) -> Option<Said> {
        let id = sample.id.as_str();
        let bare = id.strip_prefix(&format!("{}/", sample.locale));
        let find = |id: &str| self.predictions.find(id, self.run);
        let found = find(id).or_else(|| find(bare?)).or_else(|| find(sample.copy_of.as_ref()?.as_str()));
        board.counts.coverage.said(sample, found, |said| matches!(said, Said::Failed(_)))
    }

    fn strict(
        &mut self,
        sample: &Sample,
        said: Option<&Said>,
        board: &mut Board,
        sink: VerdictSink<'_>,
    ) -> Result<Found, ScoreError> {
        let missing = question(sample, self.options.paradigm);
        let wanted = match &sample.expected {
            Expected::Call(_) if !missing.is_empty() => Wanted::Question(&missing),
            Expected::Call(call) => {
                let (arguments, earlier) = (&call.arguments, &self.earlier.values);
                Wanted::Call(&call.name, Gold { arguments, acceptable: &sample.acceptable, earlier })
            }
            _ => Wanted::Refusal,
        };
        let turn = said.and_then(Said::turn);
        let answer = match (&turn, said) {
            (Some(turn), _) => Answer::Said(turn),
            (None, Some(Said::Failed(detail))) => Answer::Failed(detail),
            _ => Answer::Missing,
        };
        let mut verdict = self.rules.of(&sample.locale)?.judge(wanted, answer);
        if !sample.candidates.is_empty() {
            verdict.check_offered(sample.candidates.iter().map(|tool| tool.name.as_str()));
        }
        ask_judge(self.replies, sample, &mut verdict);
        board.counts.undecided += u64::from(verdict.undecided);
        count(board, &verdict);
        let facts = Facts {
            parsed: verdict.parsed.is_some(),
            refusal_word: verdict.status.is_refusal(),
            terminal: matches!(wanted, Wanted::Refusal),
            func_ok: verdict.func_ok,
            args_ok: verdict.args_ok,
            hallucinated: verdict.hallucinated,
            missing: verdict.missing,
        };
        let wants_question = !missing.is_empty();
        sink(&|| strict_verdict(sample, wants_question, &verdict, &facts))?;
        Ok(Found { right: verdict.right, undecided: verdict.undecided, facts, wants_question, ..place(sample) })
    }

    fn upstream(&mut self, sample: &Sample, said: Option<&Said>, sink: VerdictSink<'_>) -> Result<Found, ScoreError> {
        let label = label(sample);
        let comparer = match Metric::for_locale(&sample.locale) {
            Metric::English if !self.options.chinese_metric => &mut self.comparers[0],
            _ => &mut self.comparers[1],
        };
        let native = said.and_then(native_call);
        let said = match (said, &native) {
            (_, Some(call)) => upstream::Said::Read(call.into()),
            (Some(Said::Turn(turn)), _) => upstream::Said::Text(turn.content.as_deref().unwrap_or_default()),
            (Some(Said::Read(value)), _) => upstream::Said::Read(value.into()),
            (Some(Said::Failed(_)) | None, _) => upstream::Said::Text(""),
        };
        let mut verdict = self.upstream.judge(&label, said, comparer);
        if !verdict.facts.terminal {
            let is_open = verdict.facts.func_ok && verdict.facts.hallucinated == 0 && verdict.facts.missing == 0;
            let output = verdict.parsed.as_ref().filter(|_| is_open).and_then(|call| call.arguments.as_object());
            if self.replies.is_asked(Question::SameArguments) {
                let judged = output.and_then(|it| is_same(self.replies, sample, it.clone().into()));
                verdict.facts.args_ok = judged == Some(true);
            }
        }
        sink(&|| upstream_verdict(sample, &verdict))?;
        Ok(Found { right: verdict.facts.args_ok, facts: verdict.facts, ..place(sample) })
    }
}

impl Earlier {
    /// Forgets what was right in another conversation.
    fn enter(&mut self, sample: &Sample) {
        let conversation = sample.snapshot.as_ref().map(|it| it.conversation.as_str()).unwrap_or_default();
        if conversation != self.conversation || conversation.is_empty() {
            conversation.clone_into(&mut self.conversation);
            self.values.clear();
        }
    }

    fn keep(&mut self, sample: &Sample) {
        let Expected::Call(call) = &sample.expected else { return };
        for (name, value) in &call.arguments {
            let values = self.values.entry(name.clone()).or_default();
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
}

/// What a question is to be for, where the right answer is one; empty where it is not.
fn question(sample: &Sample, paradigm: Paradigm) -> Vec<String> {
    match paradigm {
        Paradigm::Ask => topics(&sample.candidates, &missing_of(sample, &sample.candidates)),
        Paradigm::Snapshot => Vec::new(),
    }
}

/// A wrong value may mean the same, which a judge can tell; everything else is wrong whatever anybody says.
fn ask_judge(replies: &mut Replies, sample: &Sample, verdict: &mut StrictVerdict) {
    if verdict.errors != [ErrorClass::WrongValue] {
        return;
    }
    let Some(call) = verdict.parsed.as_ref().filter(|_| replies.is_asked(Question::SameArguments)) else { return };
    match is_same(replies, sample, call.arguments.clone()) {
        Some(true) => verdict.accept(),
        _ => verdict.undecided = false,
    }
}

/// What a judge says of predicted arguments; nothing while it is not known.
fn is_same(replies: &mut Replies, sample: &Sample, output: Object) -> Option<bool> {
    let reply = replies.ask(Question::SameArguments, || same_arguments(sample, output))?;
    read_verdict(reply).map(|(is_same, _)| is_same)
}

fn same_arguments(sample: &Sample, mut output: Object) -> Pending {
    let mut label = match &sample.expected {
        Expected::Call(call) => call.arguments.clone(),
        _ => sample.label.as_ref().map(|call| call.arguments.clone()).unwrap_or_default(),
    };
    label.sort_keys();
    output.sort_keys();
    let variables = [
        ("query".to_owned(), history(&sample.messages).into()),
        ("label".to_owned(), Value::Object(label)),
        ("output".to_owned(), Value::Object(output)),
    ];
    Pending::new(Question::SameArguments, sample, variables.into())
}

/// The authors' label: the call, also where a refusal is right, unless the conversation ends in a sentence that refuses.
fn label(sample: &Sample) -> Label<'_> {
    let call = match &sample.expected {
        Expected::Call(call) => Some(call),
        _ => sample.label.as_ref(),
    };
    call.map_or(Label::Text, |call| Label::Call {
        name: Cow::Borrowed(&call.name),
        arguments: BorrowedObject::from(&call.arguments),
    })
}

/// A native tool call as the authors' logs would hold it, read before it was written down.
fn native_call(said: &Said) -> Option<Value> {
    let Said::Turn(turn) = said else { return None };
    let (name, arguments) = turn.tool_calls.first()?;
    let arguments = BorrowedValue::read_lenient(arguments).map_or(Value::Null, Value::from);
    Some(Value::Object([("name".to_owned(), name.as_str().into()), ("arguments".to_owned(), arguments)].into()))
}

fn place(sample: &Sample) -> Found {
    let (turn, is_marked) = sample.snapshot.as_ref().map_or((1, false), |it| (it.turn, it.marked == Some(true)));
    Found { turn, is_marked, ..Found::default() }
}

/// To the authors, a turn that was inserted marks the next one as well.
fn mark_behind_inserted(board: &mut Board) {
    for conversation in board.conversations.get_mut(INSERTED).into_iter().flat_map(IndexMap::values_mut) {
        let marked: Vec<bool> = conversation.turns.iter().map(|found| found.is_marked).collect();
        for (found, before) in conversation.turns.iter_mut().skip(1).zip(marked) {
            found.is_marked |= before;
        }
    }
}

fn put(board: &mut Board, sample: &Sample, found: Found) {
    let id = sample.snapshot.as_ref().map_or(sample.id.as_str(), |it| it.conversation.as_str());
    let by_type = board.conversations.entry(sample.data_type.0.clone()).or_default();
    let conversation = by_type.entry(id.to_owned()).or_default();
    conversation.base = sample.base.as_ref().map(ToString::to_string);
    let at = conversation.turns.partition_point(|earlier| earlier.turn <= found.turn);
    conversation.turns.insert(at, found);
}

fn count(board: &mut Board, verdict: &StrictVerdict) {
    let add = |counts: &mut BTreeMap<String, u64>, name: &str| {
        *counts.entry(name.to_owned()).or_default() += 1;
    };
    add(&mut board.counts.status, verdict.status.as_str());
    if let Some(class) = verdict.errors.first().filter(|_| !verdict.undecided) {
        add(&mut board.counts.errors, class.as_str());
    }
    if let Some(way) = verdict.way {
        add(&mut board.counts.ways, &way.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Mark, Outcome, Verdict};
    use serde_json::json;

    /// What comes of predictions for some samples, in order.
    fn scored(samples: &[serde_json::Value], said: &[(&str, &str)], options: &Options) -> Vec<Verdict> {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let lines: Vec<String> = samples.iter().map(ToString::to_string).collect();
        std::fs::write(at("samples.jsonl"), lines.join("\n")).unwrap();
        let said = said.iter().map(|(id, text)| json!({"id": id, "predict": text}).to_string());
        std::fs::write(at("said.jsonl"), said.collect::<Vec<_>>().join("\n")).unwrap();
        let bench = Bench::open(folder.path()).unwrap();
        let predictions = Predictions::open(&at("said.jsonl")).unwrap();
        let (mut board, mut lines) = (Board::new("m", options.profile), Vec::new());
        let mut give = |verdict: &dyn Fn() -> Verdict| {
            lines.push(verdict());
            Ok(())
        };
        score(&bench, &predictions, 0, &mut board, options, &mut Replies::new(crate::fixtures::prompts()), &mut give)
            .unwrap();
        lines
    }

    fn sample(id: &str, turn: u32, expected: &serde_json::Value) -> serde_json::Value {
        json!({
            "id": id, "suite": "hammerbench", "data_type": "SO_case1", "locale": "en", "group": "g", "licence": "", "source": "",
            "messages": [{"role": "user", "content": "a train"}], "candidates": [], "expected": expected,
            "snapshot": {"conversation": "c", "turn": turn, "turns": 2, "tool": "book"},
            "provenance": crate::record::Provenance::default(),
        })
    }

    fn call(to: &str) -> serde_json::Value {
        json!({"call": {"name": "book", "arguments": {"to": to}}})
    }

    #[test]
    fn a_value_of_a_turn_that_is_left_out_is_stale_later_on() {
        let samples = [sample("c_1", 1, &call("Porto")), sample("c_2", 2, &call("Faro"))];
        let said = [("c_2", r#"{"name": "book", "arguments": {"to": "Porto"}}"#)];
        let error = |missing| {
            let lines = scored(&samples, &said, &Options { missing, ..Options::default() });
            lines.last().unwrap().error.unwrap()
        };
        assert_eq!(error(Missing::Skip), error(Missing::Fail));
        assert_eq!(error(Missing::Skip), ErrorClass::StaleValue.as_str());
    }

    #[test]
    fn a_snapshot_that_is_left_out_of_the_file_is_scored_by_what_was_said_to_its_original() {
        let of = |conversation: &str, turn: u32, more: serde_json::Value| {
            let mut sample = sample(&format!("{conversation}/turn/{}", turn - 1), turn, &call("Porto"));
            sample["snapshot"]["conversation"] = json!(conversation);
            sample["snapshot"]["marked"] = json!(false);
            sample.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            sample
        };
        let mut variant = of("b/v", 2, json!({"base": "b"}));
        variant["snapshot"]["shared"] = json!({"conversation": "b", "turns": 1});
        let samples = [of("b", 1, json!({})), of("b", 2, json!({})), variant];
        let (right, wrong) = ("Porto", "Faro");
        let told = |first: &str| {
            let said = [("b/turn/0", first), ("b/turn/1", wrong), ("b/v/turn/1", right)];
            let said = said.map(|(id, to)| (id, format!(r#"{{"name": "book", "arguments": {{"to": "{to}"}}}}"#)));
            let said: Vec<(&str, &str)> = said.iter().map(|(id, text)| (*id, text.as_str())).collect();
            let lines = scored(&samples, &said, &Options::default());
            lines.iter().map(|it| (it.sample.clone(), it.error.is_none())).collect::<Vec<_>>()
        };
        let ids = ["b/turn/0", "b/turn/1", "b/v/turn/0", "b/v/turn/1"].map(str::to_owned);
        let with = |right: [bool; 4]| ids.iter().cloned().zip(right).collect::<Vec<_>>();
        assert_eq!(told(right), with([true, false, true, true]));
        assert_eq!(told(wrong), with([false, false, false, true]));
    }

    #[test]
    fn while_required_arguments_are_missing_the_question_is_right_or_the_call_by_the_paradigm() {
        let tool = json!({"name": "book", "description": "", "parameters": {"type": "object",
            "properties": {"to": {"type": "string", "description": "The station"}}, "required": ["to"]}});
        let with_tool = |mut sample: serde_json::Value| {
            sample["candidates"] = json!([tool]);
            sample
        };
        let partial = json!({"call": {"name": "book", "arguments": {}}});
        let samples =
            [("c_1", 1, &partial), ("c_2", 2, &call("Porto"))].map(|(id, turn, it)| with_tool(sample(id, turn, it)));
        let right = |paradigm, first: &str| {
            let said = [("c_1", first), ("c_2", r#"{"name": "book", "arguments": {"to": "Porto"}}"#)];
            let found = scored(&samples, &said, &Options { paradigm, ..Options::default() });
            assert!(found.iter().all(|it| it.marks.get(Mark::Right) == it.line["right"].as_bool()));
            assert!(found.iter().all(|it| it.outcome.is_right() == it.line["right"].as_bool()));
            assert_eq!(found[1].outcome, Outcome::Right);
            (found[0].outcome == Outcome::Right, found[0].marks.get(Mark::Function).is_some())
        };
        let (question, called) = ("Which station?", r#"{"name": "book", "arguments": {}}"#);
        assert_eq!((right(Paradigm::Ask, question), right(Paradigm::Ask, called)), ((true, false), (false, false)));
        assert_eq!(
            (right(Paradigm::Snapshot, question), right(Paradigm::Snapshot, called)),
            ((false, true), (true, true))
        );
    }

    #[test]
    fn every_answer_has_an_outcome_in_every_profile() {
        let mut labelled = sample("c_2", 2, &json!("refusal"));
        labelled["label"] = call("Faro")["call"].clone();
        let samples = [sample("c_1", 1, &call("Porto")), labelled, sample("c_3", 3, &json!("refusal"))];
        let (porto, faro) =
            (r#"{"name": "book", "arguments": {"to": "Porto"}}"#, r#"{"name": "book", "arguments": {"to": "Faro"}}"#);
        let sorry = "Sorry, no tool is suitable for your request.";
        for profile in [Profile::Strict, Profile::Upstream, Profile::UpstreamSnapshot] {
            let right = |said: [&str; 3]| {
                let said: Vec<(&str, &str)> = ["c_1", "c_2", "c_3"].into_iter().zip(said).collect();
                let found = scored(&samples, &said, &Options { profile, ..Options::default() });
                found.iter().map(|it| it.outcome.is_right()).collect::<Vec<_>>()
            };
            assert_eq!(right([porto, sorry, sorry]), [Some(true); 3], "{profile:?}");
            assert_eq!(right([faro, faro, faro]), [Some(false); 3], "{profile:?}");
        }
    }
}
