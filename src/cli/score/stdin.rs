//! `fcgen score BENCH --stdin`: a reply in, its reward out, a JSON line each, for a trainer to call.

use super::arguments::ScoreArguments;
use crate::cli::console::exit::{Complaint, OK};
use crate::cli::console::talk::give;
use fcgen::export::{Judge, Reward, Right, Rights};
use fcgen::format::Bench;
use fcgen::record::{Paradigm, PredictionTurn, Value};
use serde_json::json;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::BufRead;

/// Answers every line until there are no more.
pub(super) fn run(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<u8> {
    let mut rights = Known { bench, given: arguments.paradigm(), rights: BTreeMap::new() };
    // A benchmark that cannot be read is an error before the first line.
    rights.load(rights.given.unwrap_or_default())?;
    let mut judge = Judge::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            give(answer(&line, &mut rights, &mut judge)?)?;
        }
    }
    Ok(OK)
}

/// What is right for the samples of a bench, in each paradigm that a row was taught in.
struct Known<'b> {
    bench: &'b Bench,
    /// The paradigm that was given: it goes before that of any row.
    given: Option<Paradigm>,
    rights: BTreeMap<Paradigm, Rights>,
}

impl Known<'_> {
    fn load(&mut self, paradigm: Paradigm) -> anyhow::Result<&Rights> {
        Ok(match self.rights.entry(paradigm) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Rights::of(self.bench, paradigm).map_err(Complaint::from)?),
        })
    }

    /// What is right for a row of that paradigm; `own` is what the row itself says.
    fn find(&mut self, own: Option<Right>, paradigm: Option<Paradigm>, id: Option<&str>) -> anyhow::Result<Found> {
        let wanted = self.given.or(paradigm);
        // A row whose tools go by other names than the bench's says itself what is right.
        let own = own.filter(|own| wanted.is_none_or(|wanted| wanted == own.paradigm));
        let Some(id) = id else { return Ok(own.map_or(Found::Nothing("no_id"), |own| Found::Right(Box::new(own)))) };
        if let Some(own) = own {
            return Ok(Found::Right(Box::new(own)));
        }
        let known = self.load(wanted.unwrap_or_default())?.find(id);
        Ok(known.map_or(Found::Nothing("unknown_id"), |right| Found::Right(Box::new(right.clone()))))
    }
}

/// What is right, or why that is not known.
enum Found {
    Right(Box<Right>),
    Nothing(&'static str),
}

/// A line for a line: what cannot be read has no reward and says why.
fn answer(line: &str, rights: &mut Known<'_>, judge: &mut Judge) -> anyhow::Result<String> {
    let fault = |id: Option<&str>, reason: &str| {
        Ok(json!({"id": id, "reward": null, "reason": reason, "detail": ""}).to_string())
    };
    let Ok(value) = Value::read(line) else { return fault(None, "unreadable_line") };
    let Some(request) = value.as_object() else { return fault(None, "unreadable_line") };
    let id = request.get("id").and_then(Value::as_str);
    let given = |name: &str| request.get(name).filter(|value| !value.is_null());
    let own = given("ground_truth").map(Right::read);
    if matches!(own, Some(None)) {
        return fault(id, "unreadable_ground_truth");
    }
    let paradigm = given("paradigm").map(|value| value.as_str().and_then(Paradigm::named));
    if matches!(paradigm, Some(None)) {
        return fault(id, "unreadable_paradigm");
    }
    let right = match rights.find(own.flatten(), paradigm.flatten(), id)? {
        Found::Right(right) => right,
        Found::Nothing(reason) => return fault(id, reason),
    };
    let Some(reply) = reply(request) else { return fault(id, "no_reply") };
    let Reward { reward, reason, detail } = judge.reward(&right, &reply);
    Ok(json!({"id": id, "reward": reward, "reason": reason, "detail": detail}).to_string())
}

/// The last of `turns`, or a message as servers give it: `content` and `tool_calls`.
fn reply(request: &fcgen::record::Object) -> Option<PredictionTurn> {
    if let Some(turns) = request.get("turns").and_then(Value::as_list) {
        return serde_json::from_str(&turns.last()?.to_string()).ok();
    }
    let message = request.get("message").and_then(Value::as_object).unwrap_or(request);
    let (content, calls) = (message.get("content"), message.get("tool_calls"));
    if content.is_none() && calls.is_none() {
        return None;
    }
    let call = |call: &Value| {
        let call = call.as_object()?;
        let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
        let arguments = function.get("arguments")?;
        let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        Some((function.get("name")?.as_str()?.to_owned(), text))
    };
    let calls = calls.and_then(Value::as_list).unwrap_or_default();
    Some(PredictionTurn {
        content: content.and_then(Value::as_str).map(str::to_owned),
        tool_calls: calls.iter().map(|it| call(it).unwrap_or_default()).collect(),
        ..PredictionTurn::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    /// A bench of one sample, whose call of `f` lacks `n` or has it.
    fn bench(arguments: &str) -> (tempfile::TempDir, Bench) {
        let folder = tempfile::tempdir().unwrap();
        let tool = json!({"name": "f", "description": "", "parameters": {"type": "object",
            "properties": {"n": {"type": "integer", "description": "How many"}}, "required": ["n"]}});
        let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
        let sample = json!({
            "id": "a", "suite": "hammerbench", "data_type": "ST_Imperfect", "locale": "en", "candidates": [tool],
            "messages": [{"role": "user", "content": "some"}], "expected": {"call": {"name": "f", "arguments": arguments}},
            "group": "a", "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []},
        });
        std::fs::write(folder.path().join("samples.jsonl"), sample.to_string()).unwrap();
        let bench = Bench::open(folder.path()).unwrap();
        (folder, bench)
    }

    fn told_of(arguments: &str, given: Option<Paradigm>, line: &str) -> String {
        let (_folder, bench) = bench(arguments);
        let mut rights = Known { bench: &bench, given, rights: BTreeMap::new() };
        answer(line, &mut rights, &mut Judge::default()).unwrap()
    }

    fn told(line: &str) -> String {
        told_of(r#"{"n": 2}"#, None, line)
    }

    #[test]
    fn a_row_is_rewarded_in_the_paradigm_that_it_teaches_unless_another_is_given() {
        let right = |given, row: &str, reply: &str| {
            told_of("{}", given, &format!(r#"{{"id": "a"{row}, {reply}}}"#)).contains(r#""reward":1.0"#)
        };
        let (asks, calls) = (r#""content": "How many?""#, r#""tool_calls": [{"name": "f", "arguments": {}}]"#);
        let (ask, snapshot) = (r#", "paradigm": "ask""#, r#", "paradigm": "snapshot""#);
        let truth = r#", "ground_truth": {"aim": "question", "asked": ["n"], "paradigm": "ask"}"#;
        for (given, row, asking) in [
            (None, "", true),
            (None, ask, true),
            (None, snapshot, false),
            (None, truth, true),
            (Some(Paradigm::Snapshot), ask, false),
            (Some(Paradigm::Snapshot), truth, false),
            (Some(Paradigm::Ask), snapshot, true),
        ] {
            assert_eq!((right(given, row, asks), right(given, row, calls)), (asking, !asking), "{given:?} {row}");
        }
        assert!(told(r#"{"id": "a", "paradigm": "other", "content": ""}"#).contains("unreadable_paradigm"));
    }

    #[test]
    fn replies_are_read_as_servers_and_predictions_have_them() {
        for line in [
            r#"{"id": "a", "turns": [{"tool_calls": [["f", "{\"n\": 2}"]]}]}"#,
            r#"{"id": "a", "tool_calls": [{"function": {"name": "f", "arguments": "{\"n\": 2}"}}]}"#,
            r#"{"id": "a", "message": {"content": null, "tool_calls": [{"name": "f", "arguments": {"n": 2}}]}}"#,
            r#"{"id": "a", "content": "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"n\": 2}}\n</tool_call>"}"#,
        ] {
            assert_eq!(told(line), r#"{"id":"a","reward":1.0,"reason":"right","detail":""}"#, "{line}");
        }
        assert!(told(r#"{"id": "a", "content": "no"}"#).contains(r#""reward":0.0,"reason":"no_call""#));
    }

    #[test]
    fn a_line_may_say_itself_what_is_right() {
        let truth = r#"{"aim": "call", "calls": [{"name": "f_safe", "arguments": {"n": 2}}]}"#;
        let said = |name: &str| format!(r#""tool_calls": [{{"name": "{name}", "arguments": {{"n": 2}}}}]"#);
        for truth in [truth.to_owned(), serde_json::to_string(truth).unwrap()] {
            let line = |name: &str| format!(r#"{{"id": "a", "ground_truth": {truth}, {}}}"#, said(name));
            assert!(told(&line("f_safe")).contains(r#""reward":1.0"#), "{}", told(&line("f_safe")));
            assert!(told(&line("f")).contains("wrong_function"));
        }
        assert!(
            told(&format!(r#"{{"ground_truth": {truth}, {}}}"#, said("f_safe"))).contains(r#""id":null,"reward":1.0"#)
        );
        assert!(told(&format!(r#"{{"id": "a", "ground_truth": null, {}}}"#, said("f"))).contains(r#""reward":1.0"#));
        assert!(told(r#"{"id": "a", "ground_truth": "?", "content": ""}"#).contains("unreadable_ground_truth"));
    }

    #[test]
    fn what_cannot_be_rewarded_says_why() {
        for (line, reason) in [
            ("oops", "unreadable_line"),
            ("[]", "unreadable_line"),
            ("{}", "no_id"),
            (r#"{"id": "b"}"#, "unknown_id"),
            (r#"{"id": "a"}"#, "no_reply"),
        ] {
            assert!(told(line).contains(&format!(r#""reward":null,"reason":"{reason}""#)), "{line}");
        }
    }
}
