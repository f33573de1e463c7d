//! Verdicts on HammerBench's vectors: items, parsing and comparing by themselves, and the figures of both levels.

use super::lines::{parsed, put_facts};
use super::profile::{label_of, load_words, said_of};
use crate::VectorError;
use crate::assets::Assets;
use crate::hammerbench::layout::LogLine;
use crate::hammerbench::metric::upstream::{
    Comparer, Conversations, Facts, Flag, Metric, Parser, Rules, Snapshots, Verdict, Words,
};
use crate::record::{BorrowedObject, BorrowedValue, Object, Value, ValueError};
use crate::vectors::{each_line, read};
use indexmap::IndexMap;
use std::path::Path;

/// Where a snapshot stands.
pub(super) struct Case {
    pub locale: String,
    pub data_type: String,
    pub conversation: String,
    pub turn: u64,
    pub is_marked: bool,
}

/// What was found of a snapshot, by its locale's metric and by the Chinese one.
pub(super) struct Judged {
    pub key: String,
    pub facts: Facts,
    pub by_chinese: Facts,
    /// Whether the sentence that refuses was said to the letter.
    pub is_exact: bool,
}

/// Judges a set: first the items, then texts to parse, pairs to compare, and the figures.
pub fn verdicts(assets: &Assets, folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let cases = read_cases(&folder.join("cases.jsonl"))?;
    let words = load_words(assets)?;
    let judged = items(&folder.join(format!("predictions-{set}.jsonl")), &words, give)?;
    parses(&folder.join(format!("parse-{set}.jsonl")), give)?;
    compares(&folder.join(format!("compare-{set}.jsonl")), give)?;
    snapshot_figures(&cases, &judged, give);
    conversation_figures(&cases, &judged, give);
    intent_shift(&cases, &judged, give);
    Ok(())
}

fn read_cases(path: &Path) -> Result<IndexMap<String, Case>, VectorError> {
    let text = read(path)?;
    let mut cases = IndexMap::new();
    each_line::<ValueError>(path, &text, |line| {
        let wanted = ["key", "lang", "data_type", "conversation", "turn", "mid"];
        let fields = BorrowedObject::read_fields(line, &wanted)?;
        let text = |name: &str| fields.get(name).and_then(BorrowedValue::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| match fields.get(name) {
            Some(BorrowedValue::Number(number)) => (*number).to_owned(),
            _ => text(name),
        };
        let case = Case {
            locale: text("lang"),
            data_type: text("data_type"),
            conversation: number("conversation"),
            turn: number("turn").parse().unwrap_or(0),
            is_marked: fields.get("mid") == Some(&BorrowedValue::Bool(true)),
        };
        cases.insert(text("key"), case);
        Ok(())
    })?;
    Ok(cases)
}

fn items(path: &Path, words: &Words, give: &mut dyn FnMut(Object)) -> Result<Vec<Judged>, VectorError> {
    let text = read(path)?;
    let rules = Rules { parser: Parser::Default, words };
    let (mut english, mut chinese) = (Comparer::new(Metric::English), Comparer::new(Metric::Chinese));
    let mut judged = Vec::new();
    each_line::<ValueError>(path, &text, |line| {
        let line = LogLine::read(line)?;
        let predict = line.predict.unwrap_or_default();
        let is_exact = predict.as_str().is_some() && line.label.as_ref() == Some(&predict);
        let Some(label) = line.label.and_then(label_of) else { return Ok(()) };
        let key = line.id.unwrap_or_default().into_owned();
        let by_chinese = rules.judge(&label, said_of(&predict), &mut chinese);
        let verdict = match Metric::for_locale(line.locale.as_deref().unwrap_or_default()) {
            Metric::Chinese => by_chinese.clone(),
            Metric::English => rules.judge(&label, said_of(&predict), &mut english),
        };
        let mut object = Object::new();
        object.insert("id".to_owned(), key.as_str().into());
        object.insert("key".to_owned(), key.as_str().into());
        object.extend(line.kind.map(|kind| ("kind".to_owned(), Value::from(&*kind))));
        put_verdict(&mut object, &verdict);
        object.insert("args_ok_by_zh_metric".to_owned(), by_chinese.facts.args_ok.into());
        give(object);
        judged.push(Judged { key, facts: verdict.facts, by_chinese: by_chinese.facts, is_exact });
        Ok(())
    })?;
    Ok(judged)
}

fn put_verdict(object: &mut Object, verdict: &Verdict<'_>) {
    object.insert("parsed".to_owned(), verdict.parsed.clone().map_or(Value::Null, parsed));
    put_facts(object, &verdict.facts);
}

/// Texts that only have to be parsed.
fn parses(path: &Path, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    each_vector(path, "parse", give, |object, line| {
        let fields = BorrowedObject::read_fields(line, &["kind", "text"])?;
        let text = fields.get("text").and_then(BorrowedValue::as_str).unwrap_or_default();
        let kind = fields.get("kind").cloned().unwrap_or_default();
        object.insert("kind".to_owned(), kind.into());
        object.insert("expect".to_owned(), Parser::Default.read(text).map_or(Value::Null, parsed));
        Ok(())
    })
}

/// Arguments that only have to be compared.
fn compares(path: &Path, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let mut comparers = [("en", Comparer::new(Metric::English)), ("zh", Comparer::new(Metric::Chinese))];
    each_vector(path, "compare", give, |object, line| {
        let mut fields = BorrowedObject::read_fields(line, &["label", "predict"])?;
        let label = fields.take("label").and_then(BorrowedValue::into_object).unwrap_or_default();
        let predicted = fields.take("predict").unwrap_or_default();
        let mut passes =
            |(name, comparer): &mut (&str, Comparer)| ((*name).to_owned(), comparer.passes(&label, &predicted).into());
        object.insert("expect".to_owned(), Value::Object(comparers.iter_mut().map(&mut passes).collect()));
        let pair = label.iter().next().filter(|_| label.len() == 1);
        let pair = pair.and_then(|(name, value)| Some((value, predicted.as_object()?.get(name)?)));
        if let Some((value, other)) = pair {
            let mut f = |(name, comparer): &mut (&str, Comparer)| ((*name).to_owned(), comparer.f(value, other).into());
            object.insert("rouge_l_f".to_owned(), Value::Object(comparers.iter_mut().map(&mut f).collect()));
        }
        Ok(())
    })
}

fn each_vector(
    path: &Path,
    name: &str,
    give: &mut dyn FnMut(Object),
    mut judge: impl FnMut(&mut Object, &str) -> Result<(), ValueError>,
) -> Result<(), VectorError> {
    let text = read(path)?;
    let mut ordinal = 0_i64;
    each_line::<ValueError>(path, &text, |line| {
        let mut object = Object::new();
        object.insert("key".to_owned(), format!("{name}/{ordinal}").into());
        object.insert("ordinal".to_owned(), ordinal.into());
        judge(&mut object, line)?;
        give(object);
        ordinal += 1;
        Ok(())
    })
}

// Figures of both levels on HammerBench's vectors, group by group.

/// Of this data type the last snapshot has no call to compare, which breaks the authors' evaluator.
const SHIFT: &str = "IS";

/// A turn with its place in the conversation, what was found of it, and whether it is marked.
type Turn = (u64, Facts, bool);

/// Figures where no snapshot knows of another: of each locale, of each of its data types, of what could be parsed.
pub(super) fn snapshot_figures(cases: &IndexMap<String, Case>, judged: &[Judged], give: &mut dyn FnMut(Object)) {
    let mut groups: IndexMap<String, Snapshots> = IndexMap::new();
    for it in judged {
        let Some(case) = cases.get(&it.key) else { continue };
        let mut add = |group: String, facts: &Facts| groups.entry(group).or_default().add(facts);
        add(case.locale.clone(), &it.facts);
        add(format!("{}/{}", case.locale, case.data_type), &it.facts);
        if Metric::for_locale(&case.locale) == Metric::English {
            add(format!("{}_en_metric", case.locale), &it.facts);
            add(format!("{}_zh_metric", case.locale), &it.by_chinese);
        }
        if it.facts.parsed {
            add(format!("{}_parsable_only", case.locale), &it.facts);
        }
    }
    for (group, sums) in groups {
        give(figures(&format!("snapshot_level/{group}"), &sums.figures()));
    }
}

/// Figures of whole conversations: of each data type, and of all that have several turns.
pub(super) fn conversation_figures(cases: &IndexMap<String, Case>, judged: &[Judged], give: &mut dyn FnMut(Object)) {
    let mut conversations: IndexMap<(&str, &str, &str), Vec<Turn>> = IndexMap::new();
    let facts: IndexMap<&str, Facts> = judged.iter().map(|it| (it.key.as_str(), it.facts)).collect();
    for (key, case) in cases.iter().filter(|(_, case)| case.data_type != SHIFT) {
        let Some(facts) = facts.get(key.as_str()) else { continue };
        let id = (case.locale.as_str(), case.data_type.as_str(), case.conversation.as_str());
        conversations.entry(id).or_default().push((case.turn, *facts, case.is_marked));
    }
    let mut groups: IndexMap<(String, Flag), Conversations> = IndexMap::new();
    for ((locale, data_type, _), mut turns) in conversations {
        turns.sort_by_key(|(turn, ..)| *turn);
        let turns: Vec<(Facts, bool)> = turns.into_iter().map(|(_, facts, is_marked)| (facts, is_marked)).collect();
        let several = (!data_type.contains("ST-")).then(|| format!("{locale}/ALL-multi-turn-except-IS"));
        for group in [Some(format!("{locale}/{data_type}")), several].into_iter().flatten() {
            for flag in [Flag::All, Flag::First, Flag::Last, Flag::Marked] {
                groups.entry((group.clone(), flag)).or_insert_with(|| Conversations::new(flag)).add(&turns);
            }
        }
    }
    for ((group, flag), sums) in groups {
        give(figures(&format!("conversation_level/{group}/{}", flag.as_str()), &sums.figures()));
    }
}

/// The paper's own measure of intent shifts, at which the evaluator breaks off.
pub(super) fn intent_shift(cases: &IndexMap<String, Case>, judged: &[Judged], give: &mut dyn FnMut(Object)) {
    let ends = judged.iter().filter(|it| it.facts.terminal && cases.contains_key(&it.key));
    let (mut all, mut terminated, mut exact) = (0_i64, 0_i64, 0_i64);
    for end in ends {
        all += 1;
        terminated += i64::from(!end.facts.parsed && end.facts.refusal_word);
        exact += i64::from(end.is_exact);
    }
    let entries = [
        ("key", Value::from("intent_shift_ours")),
        ("n", all.into()),
        ("terminated", terminated.into()),
        ("exact_string", exact.into()),
    ];
    give(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
}

/// A group's figures as a line.
fn figures(key: &str, figures: &impl serde::Serialize) -> Object {
    let mut object = Object::new();
    object.insert("key".to_owned(), key.into());
    if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(figures) {
        object.extend(fields.into_iter().map(|(name, value)| (name, Value::from(value))));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::verdicts as suite_verdicts;
    use insta::assert_snapshot;

    const CASES: &str = r#"{"key": "en/Based_0_1", "lang": "en", "data_type": "Based", "conversation": 0, "turn": 1, "mid": false}
    {"key": "en/Based_0_2", "lang": "en", "data_type": "Based", "conversation": 0, "turn": 2, "mid": true}
    {"key": "zh/ST-Perfect_4_1", "lang": "zh", "data_type": "ST-Perfect", "conversation": "4", "turn": 1, "mid": false}
    {"key": "en/IS_0_2", "lang": "en", "data_type": "IS", "conversation": 0, "turn": 2, "mid": false}
    "#;

    /// A line of a log: a boat is to be booked, with these arguments.
    fn line(key: &str, predict: &str, arguments: &str) -> String {
        let (lang, _) = key.split_once('/').unwrap();
        let predict = Value::from(predict);
        format!(
            r#"{{"key": "{key}", "lang": "{lang}", "predict": {predict}, "label": {{"name": "A.boat", "arguments": {arguments}}}}}"#
        )
    }

    /// A folder of vectors; a file without a text is not there.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("hammerbench")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join("hammerbench").join(name), text).unwrap();
        }
        folder
    }

    fn judged(folder: &tempfile::TempDir) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        let judged = suite_verdicts(crate::fixtures::assets(), "hammerbench", folder.path(), "A", &mut |line| {
            lines.push(Value::from(line).to_string());
        });
        judged.map(|()| lines).map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
    }

    /// The lines that a log leads to, those with this beginning alone.
    fn of_log(lines: &[String], beginning: &str) -> String {
        let all = [
            ("cases.jsonl", CASES),
            ("predictions-A.jsonl", &lines.join("\n")),
            ("parse-A.jsonl", ""),
            ("compare-A.jsonl", ""),
        ];
        let beginning = format!("{{\"key\":\"{beginning}");
        let judged = judged(&folder(&all)).unwrap();
        let id = beginning.replace("{\"key", "{\"id");
        judged
            .into_iter()
            .filter(|line| line.starts_with(&beginning) || line.starts_with(&id))
            .collect::<Vec<_>>()
            .join("\n")
    }

    const RIGHT: &str = r#"{"name": "A.boat", "parameters": {"pier": "North"}}"#;
    const PIER: &str = r#"{"pier": "North"}"#;

    #[test]
    fn an_item_is_judged_with_the_call_that_was_found() {
        let log = [
            line("en/Based_0_1", RIGHT, PIER),
            line("en/Based_0_2", "```json\n{\"name\": \"A.boat\", \"arguments\": {\"day\": NaN, \"n\": 1}}\n```", PIER),
            line("zh/ST-Perfect_4_1", "Sorry, no boat goes there.", "{}"),
        ];
        assert_snapshot!(of_log(&log, "en/Based"), @r#"
        {"id":"en/Based_0_1","key":"en/Based_0_1","parsed":{"name":"A.boat","arguments":{"pier":"North"}},"refusal_word":false,"func_ok":true,"args_ok":true,"hallucinated":0,"missing":0,"args_ok_by_zh_metric":true}
        {"id":"en/Based_0_2","key":"en/Based_0_2","parsed":{"name":"A.boat","arguments":{"day":"__NaN__","n":1}},"refusal_word":false,"func_ok":true,"args_ok":false,"hallucinated":2,"missing":1,"args_ok_by_zh_metric":false}
        "#);
        assert_snapshot!(of_log(&log, "zh/"), @r#"{"id":"zh/ST-Perfect_4_1","key":"zh/ST-Perfect_4_1","parsed":null,"refusal_word":true,"func_ok":false,"args_ok":false,"hallucinated":0,"missing":0,"args_ok_by_zh_metric":false}"#);
    }

    #[test]
    fn a_label_in_words_ends_a_shift_and_has_no_call_to_compare() {
        let said = |predict: &str| {
            format!(r#"{{"key": "en/IS_0_2", "lang": "en", "predict": "{predict}", "label": "Sorry, none fits."}}"#)
        };
        let log = [said("Sorry, none fits."), said("sorry, I cannot"), said("Which pier?")];
        assert_snapshot!(of_log(&log[..1], "en/IS"), @r#"{"id":"en/IS_0_2","key":"en/IS_0_2","parsed":null,"refusal_word":true,"terminal_label":true,"args_ok_by_zh_metric":false}"#);
        let shifts = of_log(&log, "intent_shift_ours");
        assert_snapshot!(shifts, @r#"{"key":"intent_shift_ours","n":3,"terminated":2,"exact_string":1}"#);
        assert_eq!(
            of_log(&[], "intent_shift_ours"),
            r#"{"key":"intent_shift_ours","n":0,"terminated":0,"exact_string":0}"#
        );
    }

    #[test]
    fn figures_do_not_depend_on_the_order_of_the_log() {
        let log = [
            line("en/Based_0_1", RIGHT, PIER),
            line("en/Based_0_2", r#"{"name": "A.boat", "parameters": {"pier": "South"}}"#, PIER),
            line("zh/ST-Perfect_4_1", RIGHT, PIER),
        ];
        let turned: Vec<String> = log.iter().rev().cloned().collect();
        let sorted = |log: &[String], level: &str| {
            let mut lines: Vec<String> = of_log(log, level).lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        for level in ["snapshot_level/", "conversation_level/"] {
            assert_eq!(sorted(&log, level), sorted(&turned, level));
        }
    }

    #[test]
    fn a_conversation_is_counted_by_all_its_turns_by_the_first_the_last_and_the_marked_ones() {
        let log = [
            line("en/Based_0_1", RIGHT, PIER),
            line("en/Based_0_2", r#"{"name": "A.boat", "parameters": {"pier": "South"}}"#, PIER),
        ];
        let passed = |flag: &str| {
            let line = of_log(&log, &format!("conversation_level/en/Based/{flag}\""));
            let figures = Value::read(&line).unwrap().as_object().unwrap().clone();
            // The authors' trace in the denominators is rounded away.
            ["conversations", "snapshots", "acc", "sr"]
                .map(|name| format!("{:.3}", figures[name].as_number().unwrap().as_f64()))
                .join(" ")
        };
        assert_eq!(passed("all"), "1.000 2.000 0.500 0.000");
        assert_eq!(passed("0"), "1.000 1.000 1.000 1.000");
        assert_eq!(passed("-1"), "1.000 1.000 0.000 0.000");
        assert_eq!(passed("mid"), passed("-1"));
        let several = of_log(&log, "conversation_level/en/ALL-multi-turn-except-IS/all");
        assert_eq!(
            several.replace("ALL-multi-turn-except-IS", "Based"),
            of_log(&log, "conversation_level/en/Based/all")
        );
    }

    #[test]
    fn single_turns_stand_in_no_group_of_several_turns_and_shifts_in_no_conversation() {
        let shift = r#"{"key": "en/IS_0_2", "lang": "en", "predict": "x", "label": "Sorry, none fits."}"#.to_owned();
        let log = [line("zh/ST-Perfect_4_1", RIGHT, PIER), shift];
        let groups = |level: &str| {
            let name = |line: &str| Value::read(line).unwrap().as_object().unwrap()["key"].as_str().unwrap().to_owned();
            of_log(&log, level).lines().map(name).collect::<Vec<_>>()
        };
        assert_eq!(
            groups("conversation_level/"),
            ["all", "0", "-1", "mid"].map(|flag| format!("conversation_level/zh/ST-Perfect/{flag}"))
        );
        let snapshots = ["zh", "zh/ST-Perfect", "zh_parsable_only", "en", "en/IS", "en_en_metric", "en_zh_metric"];
        assert_eq!(groups("snapshot_level/"), snapshots.map(|group| format!("snapshot_level/{group}")));
    }

    #[test]
    fn what_is_in_no_case_is_judged_and_counted_nowhere() {
        let log = [line("en/Based_9_1", RIGHT, PIER)];
        assert!(of_log(&log, "en/Based_9_1").contains("\"args_ok\":true"));
        assert_eq!(
            (of_log(&log, "snapshot_level/"), of_log(&log, "conversation_level/")),
            (String::new(), String::new())
        );
    }

    #[test]
    fn a_line_without_a_label_is_passed_over() {
        let log =
            [r#"{"key": "en/Based_0_1", "lang": "en", "predict": "x"}"#, r#"{"key": "en/Based_0_1", "label": 5}"#];
        assert_eq!(of_log(&log.map(str::to_owned), "en/"), "");
    }

    #[test]
    fn texts_are_parsed_and_pairs_compared_in_their_order() {
        let parse = "{\"kind\": \"odd\", \"text\": \"{\\\"name\\\": Infinity, \\\"parameters\\\": {\\\"n\\\": [-Infinity]}}\"}\n\n{\"text\": \"hm\"}\n";
        let compare = "{\"label\": {\"n\": 5}, \"predict\": {\"n\": \"5\"}}\n{\"label\": {\"a\": 1, \"b\": 2}, \"predict\": {\"a\": 1, \"b\": 2}}\n{\"label\": {\"n\": 5}, \"predict\": 5}\n";
        let files =
            [("cases.jsonl", ""), ("predictions-A.jsonl", ""), ("parse-A.jsonl", parse), ("compare-A.jsonl", compare)];
        assert_snapshot!(judged(&folder(&files)).unwrap().join("\n"), @r#"
        {"key":"parse/0","ordinal":0,"kind":"odd","expect":{"name":"__Infinity__","arguments":{"n":["__-Infinity__"]}}}
        {"key":"parse/1","ordinal":1,"kind":null,"expect":null}
        {"key":"compare/0","ordinal":0,"expect":{"en":true,"zh":true},"rouge_l_f":{"en":0.999999995,"zh":0.999999995}}
        {"key":"compare/1","ordinal":1,"expect":{"en":true,"zh":true}}
        {"key":"compare/2","ordinal":2,"expect":{"en":false,"zh":false}}
        {"key":"intent_shift_ours","n":0,"terminated":0,"exact_string":0}
        "#);
    }

    #[test]
    fn every_file_of_a_set_must_be_there() {
        let names = ["cases.jsonl", "predictions-A.jsonl", "parse-A.jsonl", "compare-A.jsonl"];
        for (at, name) in names.iter().enumerate() {
            let there: Vec<(&str, &str)> = names[..at].iter().map(|name| (*name, "")).collect();
            assert_eq!(judged(&folder(&there)).unwrap_err(), format!("cannot read `/hammerbench/{name}`"));
        }
    }

    #[test]
    fn a_broken_line_is_named_in_whatever_file_it_stands() {
        let names = ["cases.jsonl", "predictions-A.jsonl", "parse-A.jsonl", "compare-A.jsonl"];
        for broken in names {
            let files: Vec<(&str, &str)> =
                names.iter().map(|name| (*name, if *name == broken { "{}\n[]\n" } else { "" })).collect();
            let error = judged(&folder(&files)).unwrap_err();
            assert_eq!(
                error,
                format!("`/hammerbench/{broken}`, line 2: not JSON: expected an object at line 1, column 1 (byte 0)")
            );
        }
    }
}
