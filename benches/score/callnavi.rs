//! CallNavi's items: washing, calls with parameters and routes together, as the authors' three scripts were measured; and, beside
//! them, our own rules, YAML, and the agreement of five runs.

use crate::timing::{Fallible, each_line, timed};
use fcgen::record::{
    BorrowedObject, BorrowedValue, Chance, Expected, FunctionCall, Object, PredictionTurn, Sample, Step, Value,
};
use fcgen::suite::callnavi::metric::strict::{Given, Gold};
use fcgen::suite::callnavi::metric::upstream::{Form, Route, Stability, Washer, judge};
use serde::Deserialize;
use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Items a second of the authors' scripts together, on the machine on which ours was measured first.
const AUTHORS: f64 = 6_300.0;
/// Questions of the benchmark.
const QUESTIONS: usize = 729;
/// Runs that are compared.
const RUNS: usize = 5;

/// The least that anybody who scores must read of a line, by `serde_json`.
#[derive(Deserialize)]
struct Floor<'t> {
    #[serde(rename = "id")]
    _id: usize,
    #[serde(borrow, rename = "predict")]
    _predict: Cow<'t, str>,
    #[serde(borrow, rename = "route_predict")]
    _route: Cow<'t, str>,
}

/// A question with its truth.
struct Question {
    truth: Value,
    names: Vec<String>,
    sample: Sample,
}

/// Writes predictions, and times their scoring.
pub(crate) fn run(count: usize) -> Fallible<()> {
    let mut chance = Chance::new(7, "bench", "callnavi", 0);
    let questions = (0..QUESTIONS).map(|at| Question::draw(at, &mut chance)).collect::<Fallible<Vec<_>>>()?;
    let path = std::env::temp_dir().join(format!("fcgen-bench-{}-calls.jsonl", std::process::id()));
    write_predictions(&path, &questions, count, Form::Json, &mut chance)?;
    println!("\nCallNavi: {count} items, 1 thread, {} MiB", std::fs::metadata(&path)?.len() >> 20);
    let floor = timed(count, || read_floor(&path))?;
    let upstream = timed(count, || score_upstream(&path, &questions, Form::Json))?;
    let strict = timed(count, || score_strict(&path, &questions, Form::Json))?;
    println!("wash + parameters + routing  {upstream:>9.0} items/s  {:>6.1} times the authors'", upstream / AUTHORS);
    println!("the same by our own rules    {strict:>9.0} items/s  {:>6.1} times the authors'", strict / AUTHORS);
    println!("of which JSON floor          {floor:>9.0} items/s");
    let few = count / 20;
    write_predictions(&path, &questions, few, Form::Yaml, &mut chance)?;
    let yaml = timed(few, || score_upstream(&path, &questions, Form::Yaml))?;
    println!("the first, of YAML           {yaml:>9.0} items/s");
    std::fs::remove_file(&path)?;
    let runs: Vec<Vec<String>> =
        questions.iter().map(|question| (0..RUNS).map(|_| question.said(Form::Json, &mut chance)).collect()).collect();
    let stable = timed(QUESTIONS, || Ok(compare_runs(&runs)))?;
    println!("agreement of {RUNS} runs          {stable:>9.0} questions/s");
    Ok(())
}

fn read_floor(path: &Path) -> Fallible<f64> {
    let mut lines = 0.0;
    each_line(path, |line| {
        std::hint::black_box(serde_json::from_str::<Floor<'_>>(line)?);
        lines += 1.0;
        Ok(())
    })?;
    Ok(lines)
}

fn score_upstream(path: &Path, questions: &[Question], form: Form) -> Fallible<f64> {
    let truths: Vec<(BorrowedValue<'_>, Route)> = questions.iter().map(Question::prepared).collect();
    let mut washer = Washer::default();
    let mut right = 0.0;
    each_prediction(path, |id, predict, route| {
        let Some((truth, names)) = truths.get(id) else { return };
        let washed = washer.wash(predict, form, None);
        let verdict = judge(&washed.value, truth).unwrap_or_default();
        right += f64::from(u8::from(verdict.ast)) + f64::from(u8::from(names.matches(route)));
    })?;
    Ok(right)
}

fn score_strict(path: &Path, questions: &[Question], form: Form) -> Fallible<f64> {
    let gold: Vec<Gold<'_>> = questions.iter().filter_map(|question| Gold::of(&question.sample)).collect();
    let mut right = 0.0;
    each_prediction(path, |id, predict, route| {
        let Some(gold) = gold.get(id) else { return };
        let turn = |text: &str| PredictionTurn { content: Some(text.to_owned()), ..PredictionTurn::default() };
        let verdict = gold.judge(Given::Said(&turn(predict)), form, None);
        let routed = gold.judge_route(Given::Said(&turn(route)));
        right += f64::from(u8::from(verdict.ast)) + f64::from(u8::from(routed.right));
    })?;
    Ok(right)
}

fn each_prediction(path: &Path, mut take: impl FnMut(usize, &str, &str)) -> Fallible<()> {
    each_line(path, |line| {
        let fields = BorrowedObject::read_fields(line, &["id", "predict", "route_predict"])?;
        let text = |name: &str| fields.get(name).and_then(BorrowedValue::as_str).unwrap_or_default();
        let Some(BorrowedValue::Number(id)) = fields.get("id") else { return Err("a line without an id".into()) };
        take(id.parse()?, text("predict"), text("route_predict"));
        Ok(())
    })
}

fn compare_runs(runs: &[Vec<String>]) -> f64 {
    let of = |outputs: &Vec<String>| {
        let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
        Stability::of(&outputs).map_or(0.0, |it| it.levenshtein + it.election_cleaned)
    };
    runs.iter().map(of).sum()
}

fn write_predictions(
    path: &PathBuf,
    questions: &[Question],
    count: usize,
    form: Form,
    chance: &mut Chance,
) -> Fallible<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for at in 0..count {
        let id = at % questions.len();
        let Some(question) = questions.get(id) else { continue };
        let (said, route) = (question.said(form, chance), question.routed(chance));
        let (said, route) = (serde_json::to_string(&said)?, serde_json::to_string(&route)?);
        writeln!(out, "{{\"id\": {id}, \"kind\": \"any\", \"predict\": {said}, \"route_predict\": {route}}}")?;
    }
    Ok(out.flush()?)
}

impl Question {
    /// As many calls and parameters as the benchmark has on average, now and then with a free or a nested value.
    fn draw(at: usize, chance: &mut Chance) -> Fallible<Self> {
        let words = ["customerID", "accountNumber", "startDate", "currencyPair", "amount", "shipmentId", "details"];
        let mut steps = Vec::new();
        for _ in 0..=chance.below(3) {
            let mut arguments = Object::new();
            for _ in 0..=chance.below(3) {
                let name = words[chance.below(words.len())];
                let value = match chance.below(10) {
                    0..=3 => Value::from("$$$"),
                    4 => Value::from(2024),
                    5 => {
                        Value::Object([("weight".to_owned(), "12kg".into()), ("note".to_owned(), "$$$".into())].into())
                    }
                    _ => Value::from(format!("{}-{}", name.to_uppercase(), chance.below(100_000))),
                };
                arguments.insert(name.to_owned(), value);
            }
            let name = format!("get{}Details{}", words[chance.below(words.len())], chance.below(9));
            steps.push(Step { calls: vec![FunctionCall { name, arguments }], answers: Vec::new(), notes: Vec::new() });
        }
        let calls = || steps.iter().flat_map(|step| &step.calls);
        let names: Vec<String> = calls().map(|call| call.name.clone()).collect();
        let parameters = calls().map(|call| Value::Object(call.arguments.clone())).collect();
        let list = names.iter().map(|name| name.as_str().into()).collect();
        let truth = Value::Object(
            [("API".to_owned(), Value::List(list)), ("parameters".to_owned(), Value::List(parameters))].into(),
        );
        Ok(Self { truth, names, sample: sample(at, steps)? })
    }

    fn prepared(&self) -> (BorrowedValue<'_>, Route) {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        (BorrowedValue::from(&self.truth), Route::from(names.as_slice()))
    }

    /// What a model says: mostly the truth, in one of the forms that models write.
    fn said(&self, form: Form, chance: &mut Chance) -> String {
        let json = self.truth.to_string();
        let json = if chance.happens(0.3) { json.replacen("20", "19", 1) } else { json };
        match (form, chance.below(10)) {
            (Form::Yaml, at) if at < 8 => self.yaml(),
            (_, 0..=3) => json,
            (_, 4..=6) => format!("```json\n{json}\n```"),
            (_, 7..=8) => json.replace('"', "'"),
            _ => format!("Here is the answer: {json}"),
        }
    }

    fn yaml(&self) -> String {
        let mut lines = vec!["API:".to_owned()];
        lines.extend(self.names.iter().map(|name| format!("- {name}")));
        lines.push("parameters:".to_owned());
        for step in self.calls() {
            let entries = step.arguments.iter().enumerate();
            lines.extend(
                entries.map(|(at, (name, value))| format!("{} {name}: {value}", if at == 0 { "-" } else { " " })),
            );
        }
        lines.join("\n")
    }

    fn calls(&self) -> impl Iterator<Item = &FunctionCall> {
        let steps = match &self.sample.expected {
            Expected::Steps(steps) => steps.as_slice(),
            _ => &[],
        };
        steps.iter().flat_map(|step| &step.calls)
    }

    fn routed(&self, chance: &mut Chance) -> String {
        let quoted: Vec<String> = self.names.iter().map(|name| format!("'{name}'")).collect();
        match chance.below(4) {
            0 => self.names.join(", "),
            1 => format!("```json\n[{}]\n```", quoted.join(", ").replace('\'', "\"")),
            _ => format!("[{}]", quoted.join(", ")),
        }
    }
}

fn sample(at: usize, steps: Vec<Step>) -> Fallible<Sample> {
    let bare = format!(
        r#"{{"id": "{at}", "suite": "callnavi", "data_type": "hard", "locale": "en", "messages": [], "candidates": [], "expected": "refusal", "group": "", "licence": "", "source": "", "provenance": {}}}"#,
        serde_json::to_string(&fcgen::record::Provenance::default())?
    );
    Ok(Sample { expected: Expected::Steps(steps), ..serde_json::from_str(&bare)? })
}
