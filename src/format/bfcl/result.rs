//! A line of a model's results.

use crate::record::{BorrowedObject, BorrowedValue, Prediction, ValueError};
use std::borrow::Cow;

/// What a model gave to one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResultLine<'t> {
    /// The item.
    pub id: Cow<'t, str>,
    /// The prediction's own id, where an item has several.
    pub pid: Option<Cow<'t, str>>,
    /// Whether the model has native tools; where the line does not say it, a list of calls does.
    pub native: bool,
    /// Whether dots of functions' names were put as underscores, where the line says so.
    pub underscores: Option<bool>,
    /// What the model gave.
    pub given: BorrowedValue<'t>,
    /// What the model said beside its calls.
    pub words: Option<Cow<'t, str>>,
    /// Whether its calls are read already, with arguments as objects.
    pub decoded: bool,
    /// The dialog acts that somebody found in it, with commas between them.
    pub labels: Option<String>,
    /// Why there is nothing that it gave: its server could not be reached.
    pub error: Option<String>,
    /// Which run of several.
    pub run: u32,
}

impl<'t> ResultLine<'t> {
    /// Reads a line of BFCL's, or a prediction of fcgen's. Nothing if it is neither.
    pub fn read(text: &'t str) -> Result<Option<Self>, ValueError> {
        const WANTED: [&str; 8] = ["id", "pid", "mode", "underscore_to_dot", "result", "turns", "calls", "labels"];
        let mut fields = BorrowedObject::read_fields(text, &WANTED)?;
        if fields.get("turns").is_some() {
            let labels = fields.take("labels").and_then(labels);
            return Ok(prediction(text).map(|line| Self { labels, ..line }));
        }
        let id = fields.take("id").and_then(word);
        let labels = fields.take("labels").and_then(labels);
        let (result, calls) = (fields.take("result"), fields.take("calls"));
        let decoded = result.is_none() && calls.is_some();
        // A line may say what a reply does without its words.
        let said = labels.as_ref().map(|_| BorrowedValue::Null);
        let (Some(id), Some(given)) = (id, result.or(calls).or(said)) else { return Ok(None) };
        let native = match fields.get("mode").and_then(BorrowedValue::as_str) {
            Some(mode) => mode == "fc",
            None => !matches!(given, BorrowedValue::String(_)),
        };
        let underscores = match fields.get("underscore_to_dot") {
            Some(BorrowedValue::Bool(underscores)) => Some(*underscores),
            _ => None,
        };
        let pid = fields.take("pid").and_then(word);
        Ok(Some(Self { id, pid, native, underscores, given, decoded, labels, ..Self::default() }))
    }
}

/// Labels of a list, or of a text with commas.
fn labels(value: BorrowedValue<'_>) -> Option<String> {
    match value {
        BorrowedValue::String(text) => Some(text.into_owned()),
        BorrowedValue::List(list) => {
            let labels: Vec<&str> = list.iter().filter_map(BorrowedValue::as_str).collect();
            Some(labels.join(","))
        }
        _ => None,
    }
}

fn word(value: BorrowedValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        BorrowedValue::String(text) => Some(text),
        _ => None,
    }
}

/// A prediction of fcgen's: its native calls, or its text.
fn prediction(text: &str) -> Option<ResultLine<'static>> {
    let prediction: Prediction = serde_json::from_str(text).ok()?;
    let turn = prediction.turns.into_iter().next().unwrap_or_default();
    // The first word of a variant is its mode.
    let mode = prediction.variant.as_deref().and_then(|variant| variant.split('-').next());
    let native = mode == Some("tools") || !turn.tool_calls.is_empty();
    let call = |(name, arguments): (String, String)| {
        let entry = (Cow::Owned(name), BorrowedValue::String(Cow::Owned(arguments)));
        BorrowedValue::Object([entry].into_iter().collect())
    };
    let text = turn.content.unwrap_or_default();
    let (given, words) = if turn.tool_calls.is_empty() {
        (BorrowedValue::String(Cow::Owned(text)), None)
    } else {
        let words = Some(Cow::Owned(text)).filter(|text: &Cow<'_, str>| !text.trim().is_empty());
        (BorrowedValue::List(turn.tool_calls.into_iter().map(call).collect()), words)
    };
    let id = Cow::Owned(prediction.id.to_string());
    let (error, run) = (prediction.error, prediction.run);
    // Names that went without their dots came back with them.
    let underscores = Some(false);
    Some(ResultLine { id, native, underscores, given, words, error, run, ..ResultLine::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ResultLine<'_> {
        ResultLine::read(text).unwrap().unwrap()
    }

    #[test]
    fn texts_and_calls_are_told_apart() {
        let line = read(r#"{"id": "simple_python_7", "result": "[f(a=1)]", "latency": 1.5}"#);
        assert_eq!((&*line.id, line.native, line.given.as_str()), ("simple_python_7", false, Some("[f(a=1)]")));
        assert!(read(r#"{"id": "a_1", "result": [{"f": "{}"}]}"#).native);
        let line = read(r#"{"id": "a_1", "pid": "A-1", "mode": "fc", "underscore_to_dot": true, "result": ""}"#);
        assert_eq!((line.native, line.underscores, line.pid.as_deref()), (true, Some(true), Some("A-1")));
    }

    #[test]
    fn predictions_of_our_own_are_read_too() {
        let line =
            read(r#"{"id": "a_1", "run": 2, "variant": "tools", "turns": [{"tool_calls": [["f", "{\"a\": 1}"]]}]}"#);
        let call = line.given;
        let BorrowedValue::List(list) = &call else { panic!("a list") };
        assert_eq!(list[0].as_object().unwrap().get("f").unwrap().as_str(), Some("{\"a\": 1}"));
        assert_eq!((line.run, line.native, line.words), (2, true, None));
        let both = read(r#"{"id": "a_1", "turns": [{"content": "One moment.", "tool_calls": [["f", "{}"]]}]}"#);
        assert_eq!((both.words.as_deref(), both.labels), (Some("One moment."), None));
        let named = read(r#"{"id": "a_1", "turns": [{"content": "Hi"}], "labels": ["agent_other"]}"#);
        assert_eq!(named.labels.as_deref(), Some("agent_other"));
        let line = read(r#"{"id": "a_1", "variant": "prompt", "turns": [{"content": "f()"}], "error": "gone"}"#);
        assert_eq!((line.given.as_str(), line.native, line.error.as_deref()), (Some("f()"), false, Some("gone")));
        assert_eq!(line.underscores, Some(false), "its names have their dots, whatever an option says");
        let native = |variant: &str| {
            let text = format!(r#"{{"id": "a_1", "variant": "{variant}", "turns": [{{"content": "Done."}}]}}"#);
            read(&text).native
        };
        assert!(native("tools") && native("tools-on_policy") && !native("prompt-on_policy") && !native("toolsmith"));
    }

    #[test]
    fn what_is_no_result_is_none_or_a_fault() {
        assert_eq!(ResultLine::read(r#"{"id": "a_1"}"#).unwrap(), None);
        assert_eq!(ResultLine::read(r#"{"result": "x"}"#).unwrap(), None);
        assert_eq!(ResultLine::read(r#"{"id": 5, "result": "x"}"#).unwrap(), None);
        assert!(ResultLine::read("[").is_err());
    }
}
