//! `fcgen score BENCH --stdin`: a reply in, its reward out, a JSON line each, for a trainer to call.

use super::arguments::ScoreArguments;
use crate::cli::exit::{Complaint, OK};
use crate::cli::talk::give;
use fcgen::export::{Judge, Reward, Right, Rights};
use fcgen::format::Bench;
use fcgen::record::{PredictionTurn, Value};
use serde_json::json;
use std::io::BufRead;

/// Answers every line until there are no more.
pub(super) fn run(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<u8> {
    let rights = Rights::of(bench, arguments.paradigm()).map_err(Complaint::from)?;
    let mut judge = Judge::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            give(answer(&line, |id| rights.find(id), &mut judge))?;
        }
    }
    Ok(OK)
}

/// A line for a line: what cannot be read has no reward and says why.
fn answer<'r>(line: &str, find: impl Fn(&str) -> Option<&'r Right>, judge: &mut Judge) -> String {
    let fault =
        |id: Option<&str>, reason: &str| json!({"id": id, "reward": null, "reason": reason, "detail": ""}).to_string();
    let Ok(value) = Value::read(line) else { return fault(None, "unreadable_line") };
    let Some(request) = value.as_object() else { return fault(None, "unreadable_line") };
    let id = request.get("id").and_then(Value::as_str);
    // A row whose tools go by other names than the bench's says itself what is right.
    let own = request.get("ground_truth").filter(|it| !it.is_null()).map(Right::read);
    let right = match (&own, id) {
        (Some(Some(own)), _) => own,
        (Some(None), _) => return fault(id, "unreadable_ground_truth"),
        (None, None) => return fault(None, "no_id"),
        (None, Some(id)) => match find(id) {
            Some(right) => right,
            None => return fault(Some(id), "unknown_id"),
        },
    };
    let Some(reply) = reply(request) else { return fault(id, "no_reply") };
    let Reward { reward, reason, detail } = judge.reward(right, &reply);
    json!({"id": id, "reward": reward, "reason": reason, "detail": detail}).to_string()
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
    use fcgen::export::Aim;

    fn right() -> Right {
        let calls = serde_json::from_str(r#"[{"name": "f", "arguments": {"n": 2}}]"#).unwrap();
        Right {
            aim: Aim::Call,
            calls,
            acceptable: indexmap::IndexMap::new(),
            open: Vec::new(),
            asked: Vec::new(),
            locale: "en".to_owned(),
            exported: std::collections::BTreeMap::new(),
        }
    }

    fn told(line: &str) -> String {
        let right = right();
        answer(line, |id| (id == "a").then_some(&right), &mut Judge::default())
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
