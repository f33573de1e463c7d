//! Verdicts on BFCL's vectors: predictions of a set, texts to be decoded, and odd cases of the checker.

use crate::VectorError;
use crate::bfcl::layout::ResultLine;
use crate::bfcl::metric::{
    Call, Category, Crash, Item, Reply, Verdict, as_value, decode_text, is_well_formed, upstream,
};
use crate::python::{PythonValue, repr};
use crate::record::{BorrowedObject, BorrowedValue, Object, Value};
use crate::vectors::{each_line, read};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

/// Judges a set, or the files of texts and odd cases, which belong to every set.
pub fn verdicts(folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let (decoding, edge) = ("decode-cases", "edge-cases");
    if ![decoding, edge].contains(&set) {
        predictions(folder, set, give)?;
    }
    if set != edge && folder.join("decode-cases.jsonl").is_file() {
        each(&folder.join("decode-cases.jsonl"), |at, fields| {
            give(decoded(at, &fields)?);
            Some(())
        })?;
    }
    if set != decoding && folder.join("edge-cases.jsonl").is_file() {
        each(&folder.join("edge-cases.jsonl"), |at, fields| {
            give(checked(at, fields)?);
            Some(())
        })?;
    }
    Ok(())
}

/// Hands out every line's fields; a line that is not what it should be ends it.
fn each(path: &Path, mut take: impl FnMut(usize, BorrowedObject<'_>) -> Option<()>) -> Result<(), VectorError> {
    let text = read(path)?;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |problem: &dyn Display| VectorError::line(path, at + 1, problem);
        let value = BorrowedValue::read_lenient(line).map_err(|error| fault(&error))?;
        let taken = value.into_object().and_then(|fields| take(at, fields));
        taken.ok_or_else(|| fault(&"invalid line"))?;
    }
    Ok(())
}

fn predictions(folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let mut items: IndexMap<String, Item> = IndexMap::new();
    each(&folder.join(format!("items-{set}.jsonl")), |_, mut fields| {
        let id = fields.get("id")?.as_str()?.to_owned();
        let category = Category::of_name(fields.get("category")?.as_str()?)?;
        let answers = fields.take("ground_truth");
        items.insert(id, Item::read(category, fields.get("function")?, answers)?);
        Some(())
    })?;
    let path = folder.join(format!("predictions-{set}.jsonl"));
    let text = read(&path)?;
    each_line(&path, &text, |line| {
        let line = ResultLine::read(line).map_err(|error| error.to_string())?.ok_or("no result")?;
        let item = items.get(&*line.id).ok_or_else(|| format!("no item `{}`", line.id))?;
        give(judged(item, &line));
        Ok::<(), String>(())
    })
}

fn judged(item: &Item, line: &ResultLine<'_>) -> Object {
    let reply = Reply { given: &line.given, native: line.native, underscores: line.underscores.unwrap_or_default() };
    let key = line.pid.as_deref().unwrap_or(&line.id);
    let mut object = named("key", key);
    object.extend(named("id", &line.id));
    object.extend(line.pid.as_deref().map(|pid| named("pid", pid)).into_iter().flatten());
    object.extend(named("category", item.category.as_str()));
    object.extend(fields(&upstream::judge(item, reply)));
    object
}

/// A verdict's fields, by the names that upstream's score files have.
pub(super) fn fields(verdict: &Verdict) -> Object {
    let mut object: Object = [("valid".to_owned(), Value::Bool(verdict.is_valid()))].into();
    match verdict {
        Verdict::Valid => {}
        Verdict::Wrong(kind, others) => {
            object.extend(named("error_type", kind.as_str()));
            if !others.is_empty() {
                let others = others.iter().map(|kind| kind.as_str().into()).collect();
                object.insert("sub_error_types".to_owned(), Value::List(others));
            }
        }
        Verdict::Crash(crash) => object.extend(named("upstream_crash", crash.as_str())),
        Verdict::Unscorable(reason) => object.extend(named("unscorable", reason)),
    }
    object
}

fn named(name: &str, text: &str) -> Object {
    [(name.to_owned(), text.into())].into()
}

fn decoded(at: usize, fields: &BorrowedObject<'_>) -> Option<Object> {
    let calls = decode_text(fields.get("text")?.as_str()?);
    let mut object = named("key", &format!("decode/{at}"));
    object.insert("ok".to_owned(), Value::Bool(calls.is_ok()));
    if let Ok(calls) = calls {
        object.extend(named("decoded_repr", &repr(&as_value(&calls))));
        object.insert("fc_format".to_owned(), Value::Bool(is_well_formed(&calls)));
        object.insert("empty".to_owned(), Value::Bool(calls.is_empty()));
    }
    Some(object)
}

fn checked(at: usize, mut fields: BorrowedObject<'_>) -> Option<Object> {
    let category = Category::of_name(fields.get("category")?.as_str()?)?;
    let answers = fields.take("ground_truth");
    let item = Item::read(category, fields.get("function")?, answers)?;
    let underscores = matches!(fields.get("underscore_to_dot"), Some(BorrowedValue::Bool(true)));
    let calls = calls(fields.take("model_output")?);
    let verdict =
        calls.map_or(Verdict::Crash(Crash::Attribute), |calls| upstream::check_calls(&item, Some(&calls), underscores));
    let mut object = named("key", &format!("edge/{at}"));
    object.extend(self::fields(&verdict));
    Some(object)
}

/// Calls that are given as decoding leaves them.
fn calls(given: BorrowedValue<'_>) -> Option<Vec<Call<'_>>> {
    let BorrowedValue::List(list) = given else { return None };
    let call = |value: BorrowedValue<'_>| {
        let (name, arguments) = match value {
            BorrowedValue::Object(object) => object.into_entries().next()?,
            _ => return None,
        };
        Some(Call { name: Cow::Owned(name.into_owned()), arguments: PythonValue::from(arguments).into_owned() })
    };
    list.into_iter().map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts as suite_verdicts;

    const ITEM: &str = r#"{"id": "simple_python_0", "category": "simple_python", "function": [{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}}], "ground_truth": [{"f": {"a": [1]}}]}"#;

    fn judged(files: &[(&str, &str)], set: &str) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bfcl")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join("bfcl").join(name), text).unwrap();
        }
        let mut lines = Vec::new();
        let mut give = |line: Object| lines.push(Value::from(line).to_string());
        let judged = suite_verdicts(crate::fixtures::assets(), "bfcl", folder.path(), set, &mut give);
        judged.map(|()| lines).map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
    }

    #[test]
    fn predictions_texts_and_odd_cases_are_judged() {
        let predictions = concat!(
            r#"{"pid": "A-1", "id": "simple_python_0", "mode": "text", "underscore_to_dot": false, "result": "f(a=1)"}"#,
            "\n\n",
            r#"{"pid": "A-2", "id": "simple_python_0", "mode": "fc", "underscore_to_dot": false, "result": "no"}"#,
        );
        let edge =
            ITEM.replace("\"id\"", "\"underscore_to_dot\": false, \"model_output\": [{\"f\": {\"a\": 2}}], \"name\"");
        let files = [
            ("items-A.jsonl", ITEM),
            ("predictions-A.jsonl", predictions),
            ("decode-cases.jsonl", "{\"text\": \"f(a=x)\"}\n{\"text\": \"no no\"}"),
            ("edge-cases.jsonl", &edge),
        ];
        assert_eq!(
            judged(&files, "A").unwrap(),
            [
                r#"{"key":"A-1","id":"simple_python_0","pid":"A-1","category":"simple_python","valid":true}"#,
                r#"{"key":"A-2","id":"simple_python_0","pid":"A-2","category":"simple_python","valid":false,"error_type":"ast_decoder:decoder_failed"}"#,
                r#"{"key":"decode/0","ok":true,"decoded_repr":"[{'f': {'a': 'x'}}]","fc_format":true,"empty":false}"#,
                r#"{"key":"decode/1","ok":false}"#,
                r#"{"key":"edge/0","valid":false,"error_type":"value_error:others"}"#,
            ]
        );
        assert_eq!(judged(&files, "decode-cases").unwrap().len(), 2);
        assert_eq!(judged(&files, "edge-cases").unwrap().len(), 1);
    }

    #[test]
    fn a_faulty_line_is_told_with_its_place() {
        let files = |predictions| [("items-A.jsonl", ITEM), ("predictions-A.jsonl", predictions)];
        assert_eq!(
            judged(&files("{\"id\": \"x\"}"), "A").unwrap_err(),
            "`/bfcl/predictions-A.jsonl`, line 1: no result"
        );
        let told = judged(&files("{\"id\": \"x\", \"result\": \"\"}"), "A").unwrap_err();
        assert_eq!(told, "`/bfcl/predictions-A.jsonl`, line 1: no item `x`");
        assert!(judged(&[("items-A.jsonl", "{}")], "A").unwrap_err().ends_with("line 1: invalid line"));
    }
}
