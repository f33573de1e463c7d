//! Verdicts on HammerBench's vectors: items, parsing and comparing by themselves, and the figures of both levels.

use super::lines::{parsed, put_facts};
use super::profile::{label_of, load_words, said_of};
use super::vector_figures::{conversation_figures, intent_shift, snapshot_figures};
use crate::format::hammerbench::LogLine;
use crate::record::{BorrowedObject, BorrowedValue, Object, Value, ValueError};
use crate::score::hammerbench::upstream::{Comparer, Facts, Metric, Parser, Rules, Verdict, Words};
use crate::suite::VectorError;
use crate::suite::vectors::{each_line, read};
use indexmap::IndexMap;
use std::path::Path;

/// Where a snapshot stands.
pub(super) struct Case {
    pub(super) locale: String,
    pub(super) data_type: String,
    pub(super) conversation: String,
    pub(super) turn: u64,
    pub(super) is_marked: bool,
}

/// What was found of a snapshot, by its locale's metric and by the Chinese one.
pub(super) struct Judged {
    pub(super) key: String,
    pub(super) facts: Facts,
    pub(super) by_chinese: Facts,
    /// Whether the sentence that refuses was said to the letter.
    pub(super) is_exact: bool,
}

/// Judges a set: first the items, then texts to parse, pairs to compare, and the figures.
pub fn verdicts(folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let cases = read_cases(&folder.join("cases.jsonl"))?;
    let words = load_words()?;
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
    each_line(path, &text, |line| {
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
    each_line(path, &text, |line| {
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
    each_line(path, &text, |line| {
        let mut object = Object::new();
        object.insert("key".to_owned(), format!("{name}/{ordinal}").into());
        object.insert("ordinal".to_owned(), ordinal.into());
        judge(&mut object, line)?;
        give(object);
        ordinal += 1;
        Ok(())
    })
}
