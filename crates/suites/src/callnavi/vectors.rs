//! Verdicts on CallNavi's vectors: predictions, several runs of one question, and odd cases made by hand.

use crate::VectorError;
use crate::callnavi::metric::upstream::{Abort, Form, Route, Stability, Triple, Washer, election, judge, judge_score};
use crate::record::{BorrowedObject, BorrowedValue, Object, Value, ValueError};
use crate::vectors::{each_line, read};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};

/// Who is handed the lines.
type Give<'g> = &'g mut dyn FnMut(Object);

/// What is right to a question.
struct Truth<'t> {
    value: BorrowedValue<'t>,
    route: Route,
}

/// The files of a set. Any of them may be absent, but not all.
struct Files {
    predictions: PathBuf,
    stability: PathBuf,
    edge: PathBuf,
    yaml: PathBuf,
    examples: PathBuf,
}

/// Judges a set, `A`, or one of its files by its name, `predictions-A`; the odd cases in YAML, and the paper's examples of
/// votes, belong to every set.
pub fn verdicts(folder: &Path, set: &str, give: Give<'_>) -> Result<(), VectorError> {
    let files = Files::of(folder, set);
    let is_there = [&files.predictions, &files.stability, &files.edge, &files.yaml].map(|path| path.is_file());
    let [predictions, stability, edge, yaml] = is_there;
    if predictions || is_there == [false; 4] {
        items(&folder.join("questions.jsonl"), &files.predictions, give)?;
    }
    if stability {
        runs(&files.stability, give)?;
    }
    if edge {
        edges(&files.edge, give)?;
    }
    if yaml {
        let text = read(&files.yaml)?;
        cases("edge-yaml", &list(&files.yaml, &text)?, Form::Yaml, give);
    }
    if files.examples.is_file() {
        let text = read(&files.examples)?;
        examples(&list(&files.examples, &text)?, give);
    }
    Ok(())
}

impl Files {
    fn of(folder: &Path, set: &str) -> Self {
        let by_name = ["predictions-", "stability-", "edge-"].iter().find(|kind| set.starts_with(**kind));
        let file = |kind: &str, ending: &str| match by_name {
            None => folder.join(format!("{kind}{set}.{ending}")),
            Some(wanted) if *wanted == kind => folder.join(format!("{set}.{ending}")),
            Some(_) => PathBuf::new(),
        };
        let is_yaml = set == "edge-yaml" || set == "yaml";
        Self {
            predictions: file("predictions-", "jsonl"),
            stability: file("stability-", "jsonl"),
            edge: if is_yaml { PathBuf::new() } else { file("edge-", "json") },
            yaml: if is_yaml || by_name.is_none() { folder.join("edge-yaml.json") } else { PathBuf::new() },
            examples: if by_name.is_none() { folder.join("stability-paper-examples.json") } else { PathBuf::new() },
        }
    }
}

/// Predictions, each with its question's truth.
fn items(questions: &Path, predictions: &Path, give: Give<'_>) -> Result<(), VectorError> {
    let (questions_text, text) = (read(questions)?, read(predictions)?);
    let mut truths: IndexMap<String, Truth<'_>> = IndexMap::new();
    each_line::<ValueError>(questions, &questions_text, |line| {
        let mut fields = BorrowedObject::read_fields(line, &["id", "ground_truth"])?;
        let value = fields.take("ground_truth").unwrap_or_default();
        let names = value.as_object().and_then(|truth| truth.get("API")).unwrap_or(&BorrowedValue::Null);
        truths.insert(text_of(&fields, "id").to_owned(), Truth { route: Route::of(names), value });
        Ok(())
    })?;
    let mut washer = Washer::default();
    each_line::<ValueError>(predictions, &text, |line| {
        let fields = read_prediction(line)?;
        let (id, run) = (text_of(&fields, "id"), text_of(&fields, "run"));
        let mut object = keyed(&if run.is_empty() { id.to_owned() } else { format!("{run}/{id}") });
        put(&mut object, [("run", run.into()), ("id", id.into())]);
        if let Some(truth) = truths.get(id) {
            let given = text_of(&fields, "predict");
            put_case(
                &mut object,
                given,
                fields.get("repair_reply").and_then(BorrowedValue::as_str),
                &truth.value,
                Form::Json,
                &mut washer,
            );
            let routed = fields.get("route_predict").and_then(BorrowedValue::as_str);
            put(&mut object, [("routing", routed.map_or(Value::Null, |reply| truth.route.matches(reply).into()))]);
            let said = fields.get("judge_reply").and_then(BorrowedValue::as_str).and_then(judge_score);
            put(&mut object, [("gpt", said.map_or(Value::Null, Value::from))]);
        }
        for name in ["kind", "route_kind"] {
            put(&mut object, [(name, Value::from(fields.get(name).cloned().unwrap_or_default()))]);
        }
        give(object);
        Ok(())
    })
}

fn read_prediction(line: &str) -> Result<BorrowedObject<'_>, ValueError> {
    let wanted = ["run", "id", "kind", "predict", "repair_reply", "judge_reply", "route_kind", "route_predict"];
    BorrowedObject::read_fields(line, &wanted)
}

/// Several runs of each question.
fn runs(path: &Path, give: Give<'_>) -> Result<(), VectorError> {
    let text = read(path)?;
    each_line::<ValueError>(path, &text, |line| {
        let fields = BorrowedObject::read_fields(line, &["id", "runs"])?;
        let id = text_of(&fields, "id");
        let mut object = keyed(&format!("stability/{id}"));
        put(&mut object, [("id", id.into())]);
        let it = Stability::of(&texts(fields.get("runs")));
        let measures = [
            ("election_raw", it.map(|it| it.election)),
            ("election_norm", it.map(|it| it.election_cleaned)),
            ("levenshtein_raw", it.map(|it| it.levenshtein)),
            ("levenshtein_norm", it.map(|it| it.levenshtein_cleaned)),
        ];
        put(&mut object, measures.map(|(name, it)| (name, it.map_or(Value::Null, Value::from))));
        give(object);
        Ok(())
    })
}

fn edges(path: &Path, give: Give<'_>) -> Result<(), VectorError> {
    let text = read(path)?;
    let whole = BorrowedValue::read_lenient(&text).map_err(|error| broken(path, &error))?;
    let mut parts = whole.into_object().unwrap_or_default();
    let mut part = |name: &str| match parts.take(name) {
        Some(BorrowedValue::List(list)) => list.into_iter().filter_map(BorrowedValue::into_object).collect(),
        _ => Vec::new(),
    };
    cases("ast", &part("ast"), Form::Json, give);
    for (at, case) in part("routing").iter().enumerate() {
        let route = Route::of(case.get("ground_truth").unwrap_or(&BorrowedValue::Null));
        let mut object = keyed(&format!("routing/{at}"));
        put(&mut object, [("match", route.matches(text_of(case, "predict")).into())]);
        give(object);
    }
    for (at, case) in part("judge_reply").iter().enumerate() {
        let said = judge_score(text_of(case, "reply"));
        let mut object = keyed(&format!("judge_reply/{at}"));
        let error = if said.is_some() { Value::Null } else { "ValueError".into() };
        put(&mut object, [("value", said.map_or(Value::Null, Value::from)), ("error", error)]);
        give(object);
    }
    Ok(())
}

/// Predictions that bring their truth along.
fn cases(name: &str, list: &[BorrowedObject<'_>], form: Form, give: Give<'_>) {
    let mut washer = Washer::default();
    for (at, case) in list.iter().enumerate() {
        let mut object = keyed(&format!("{name}/{at}"));
        put(&mut object, [("n", i64::try_from(at).unwrap_or(i64::MAX).into())]);
        let repair = case.get("repair_reply").and_then(BorrowedValue::as_str);
        let truth = case.get("ground_truth").unwrap_or(&BorrowedValue::Null);
        put_case(&mut object, text_of(case, "predict"), repair, truth, form, &mut washer);
        give(object);
    }
}

fn examples(list: &[BorrowedObject<'_>], give: Give<'_>) {
    for (at, case) in list.iter().enumerate() {
        let mut object = keyed(&format!("example/{at}"));
        put(&mut object, [("election", election(&texts(case.get("runs"))).into())]);
        give(object);
    }
}

/// Washes and judges a prediction.
fn put_case(
    object: &mut Object,
    text: &str,
    repair: Option<&str>,
    truth: &BorrowedValue<'_>,
    form: Form,
    washer: &mut Washer,
) {
    let washed = washer.wash(text, form, repair);
    let judged = judge(&washed.value, truth);
    let Triple { order, structure, ast } = judged.unwrap_or_default();
    let error = judged.err().map(Abort::as_str);
    put(
        object,
        [
            ("syntax", washed.syntax.into()),
            ("order", order.into()),
            ("structure", structure.into()),
            ("ast", ast.into()),
            ("error", error.map_or(Value::Null, Value::from)),
            ("washed", washed.value.into()),
        ],
    );
}

fn keyed(key: &str) -> Object {
    [("key".to_owned(), Value::from(key))].into()
}

fn put<const N: usize>(object: &mut Object, fields: [(&str, Value); N]) {
    object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
}

fn text_of<'f>(fields: &'f BorrowedObject<'_>, name: &str) -> &'f str {
    fields.get(name).and_then(BorrowedValue::as_str).unwrap_or_default()
}

fn texts<'v>(value: Option<&'v BorrowedValue<'_>>) -> Vec<&'v str> {
    match value {
        Some(BorrowedValue::List(list)) => list.iter().map(|text| text.as_str().unwrap_or_default()).collect(),
        _ => Vec::new(),
    }
}

fn list<'t>(path: &Path, text: &'t str) -> Result<Vec<BorrowedObject<'t>>, VectorError> {
    match BorrowedValue::read_lenient(text).map_err(|error| broken(path, &error))? {
        BorrowedValue::List(list) => Ok(list.into_iter().filter_map(BorrowedValue::into_object).collect()),
        _ => Ok(Vec::new()),
    }
}

fn broken(path: &Path, error: &ValueError) -> VectorError {
    VectorError::line(path, error.place.line, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    const QUESTIONS: &str =
        r#"{"id": "q1", "ground_truth": {"API": ["getX"], "parameters": [{"a": "1", "b": "$$$"}]}}"#;

    fn judged(set: &str, files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut lines = Vec::new();
        let result = verdicts(folder.path(), set, &mut |line| lines.push(Value::from(line).to_string()));
        lines.extend(result.err().map(|error| error.to_string().replace(&folder.path().display().to_string(), "")));
        lines.join("\n")
    }

    #[test]
    fn an_item_is_washed_judged_and_routed() {
        let predictions = [
            r#"{"run": "A-x", "id": "q1", "kind": "py", "predict": "{'API': ['getX'], 'parameters': [{'a': '1', 'b': 5}]}", "judge_reply": "[[0.9]]", "route_kind": "bare", "route_predict": "GETX"}"#,
            r#"{"run": "A-x", "id": "q1", "predict": "Error", "repair_reply": "{\"API\": [\"getX\"], \"parameters\": [null]}", "judge_reply": "good"}"#,
            r#"{"id": "q9", "predict": "{}"}"#,
        ];
        let files = [("questions.jsonl", QUESTIONS), ("predictions-A.jsonl", &predictions.join("\n"))];
        assert_snapshot!(judged("A", &files), @r#"
        {"key":"A-x/q1","run":"A-x","id":"q1","syntax":true,"order":true,"structure":true,"ast":true,"error":null,"washed":{"API":["getX"],"parameters":[{"a":"1","b":5}]},"routing":true,"gpt":0.9,"kind":"py","route_kind":"bare"}
        {"key":"A-x/q1","run":"A-x","id":"q1","syntax":false,"order":false,"structure":false,"ast":false,"error":"TypeError","washed":{"API":["getX"],"parameters":[null]},"routing":null,"gpt":null,"kind":null,"route_kind":null}
        {"key":"q9","run":"","id":"q9","kind":null,"route_kind":null}
        "#);
        assert_eq!(judged("predictions-A", &files), judged("A", &files));
    }

    #[test]
    fn runs_of_one_question_have_four_measures_unless_there_is_one_run_alone() {
        let stability =
            "{\"id\": \"q1\", \"runs\": [\"['a']\", \"[\\\"a\\\"]\"]}\n{\"id\": \"q2\", \"runs\": [\"a\"]}\n";
        assert_snapshot!(judged("B", &[("stability-B.jsonl", stability)]), @r#"
        {"key":"stability/q1","id":"q1","election_raw":0.0,"election_norm":1.0,"levenshtein_raw":0.6,"levenshtein_norm":1.0}
        {"key":"stability/q2","id":"q2","election_raw":null,"election_norm":null,"levenshtein_raw":null,"levenshtein_norm":null}
        "#);
    }

    #[test]
    fn odd_cases_are_judged_by_themselves() {
        let edge = r#"{"ast": [{"n": 0, "ground_truth": {"API": ["f"], "parameters": [{}]}, "predict": "{\"API\": [\"f\"], \"parameters\": [null]}"}],
            "routing": [{"predict": "f", "ground_truth": ["f"]}, {"predict": "(f)", "ground_truth": ["f"]}],
            "judge_reply": [{"reply": "[[.5]]"}, {"reply": "half"}]}"#;
        let yaml = r#"[{"ground_truth": {"API": ["f"], "parameters": [{}]}, "predict": "API: [f]\nparameters: [{}]"}]"#;
        let examples = r#"[{"runs": ["A", "A", "B"]}]"#;
        let files = [("edge-C.json", edge), ("edge-yaml.json", yaml), ("stability-paper-examples.json", examples)];
        assert_snapshot!(judged("C", &files), @r#"
        {"key":"ast/0","n":0,"syntax":true,"order":true,"structure":true,"ast":true,"error":null,"washed":{"API":["f"],"parameters":[null]}}
        {"key":"routing/0","match":true}
        {"key":"routing/1","match":false}
        {"key":"judge_reply/0","value":0.5,"error":null}
        {"key":"judge_reply/1","value":null,"error":"ValueError"}
        {"key":"edge-yaml/0","n":0,"syntax":true,"order":true,"structure":true,"ast":true,"error":null,"washed":{"API":["f"],"parameters":[{}]}}
        {"key":"example/0","election":0.5}
        "#);
        assert_snapshot!(judged("edge-yaml", &files), @r#"{"key":"edge-yaml/0","n":0,"syntax":true,"order":true,"structure":true,"ast":true,"error":null,"washed":{"API":["f"],"parameters":[{}]}}"#);
        assert_eq!(judged("yaml", &files).lines().next(), judged("edge-yaml", &files).lines().next());
    }

    #[test]
    fn a_set_without_any_file_and_a_broken_file_are_told() {
        assert_eq!(judged("Z", &[]), "cannot read `/questions.jsonl`");
        assert_eq!(judged("Z", &[("questions.jsonl", "")]), "cannot read `/predictions-Z.jsonl`");
        assert_snapshot!(judged("Z", &[("edge-Z.json", "{\n[")]), @"`/edge-Z.json`, line 2: not JSON: expected a key in double quotes at line 2, column 1 (byte 2)");
        assert_snapshot!(judged("Z", &[("stability-Z.jsonl", "5")]), @"`/stability-Z.jsonl`, line 1: not JSON: expected an object at line 1, column 1 (byte 0)");
    }
}
