//! A question with what is offered, and the answers that are accepted.

use crate::record::{
    BorrowedObject, BorrowedValue, FunctionCall, Message, Object, Prediction, Role, Value, ValueError,
};
use std::borrow::Cow;

/// A question of BFCL's, in any version's shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// What is said before the model has to act: the first turn.
    pub messages: Vec<Message>,
    /// How many turns it has.
    pub turns: usize,
    /// The functions that are offered, as they stand in the file; none where a world offers them.
    pub functions: Option<Value>,
    /// The accepted answers, as they stand in their file.
    pub answers: Option<Value>,
}

/// Why a line is no question.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EntryError {
    /// It is no JSON.
    #[error(transparent)]
    Json(#[from] ValueError),
    /// A field is not what it should be.
    #[error("`{0}` is missing or invalid")]
    Field(&'static str),
}

impl Entry {
    /// Reads a line of a file of questions.
    pub fn read(line: &str) -> Result<Self, EntryError> {
        let mut fields = BorrowedObject::read_fields(line, &["id", "question", "function", "ground_truth"])?;
        let id = fields.get("id").and_then(BorrowedValue::as_str).ok_or(EntryError::Field("id"))?.to_owned();
        let question = fields.take("question").ok_or(EntryError::Field("question"))?;
        let (messages, turns) = said(&question).ok_or(EntryError::Field("question"))?;
        let functions = fields.take("function").map(Value::from);
        Ok(Self { id, messages, turns, functions, answers: fields.take("ground_truth").map(Value::from) })
    }

    /// Whether a line is a question of BFCL's: it offers functions to a question under an id with a number.
    pub fn is_entry(line: &str) -> bool {
        let fields = BorrowedObject::read_fields(line, &["id", "question", "function", "involved_classes"]);
        fields.is_ok_and(|fields| {
            let has = |name: &str| fields.get(name).is_some();
            has("id") && has("question") && (has("function") || has("involved_classes"))
        })
    }
}

/// The messages of the first turn, and the number of turns. Earlier versions have a text, or messages without turns.
fn said(question: &BorrowedValue<'_>) -> Option<(Vec<Message>, usize)> {
    match question {
        BorrowedValue::String(text) => Some((vec![Message::user(&**text)], 1)),
        BorrowedValue::List(list) if list.iter().any(|it| matches!(it, BorrowedValue::List(_))) => {
            let BorrowedValue::List(first) = list.first()? else { return None };
            Some((read(first.iter())?, list.len()))
        }
        BorrowedValue::List(list) => Some((read(list.iter())?, 1)),
        _ => None,
    }
}

// Messages of a question. What a model called and what it was answered stand as OpenAI has them, and every message has a
// text, since readers of BFCL's files ask for it.

/// Messages as a question has them.
pub(super) fn written(messages: &[Message]) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    let mut written = Vec::with_capacity(messages.len());
    for message in messages {
        let before = names.len();
        names.extend(message.tool_calls.iter().map(|call| call.name.as_str()));
        written.push(one(message, before, &names));
    }
    written
}

fn one(message: &Message, before: usize, names: &[&str]) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut fields = object([("role", role.into())]);
    fields.extend(object([("content", message.content.clone().unwrap_or_default().into())]));
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().zip(before..).map(|(call, at)| called(call, at));
        fields.insert("tool_calls".to_owned(), Value::List(calls.collect()));
    }
    if let Some(at) = message.answers {
        fields.extend(object([("tool_call_id", id(at).into())]));
        fields.extend(names.get(at).map(|name| ("name".to_owned(), Value::from(*name))));
    }
    Value::Object(fields)
}

fn called(call: &FunctionCall, at: usize) -> Value {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    let function = object([("name", call.name.as_str().into()), ("arguments", arguments.into())]);
    Value::Object(object([("id", id(at).into()), ("type", "function".into()), ("function", function.into())]))
}

fn id(at: usize) -> String {
    format!("call_{at}")
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Object {
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Messages of a question; nothing if one of them is none.
pub(super) fn read<'m, 't: 'm>(list: impl Iterator<Item = &'m BorrowedValue<'t>>) -> Option<Vec<Message>> {
    let mut ids: Vec<String> = Vec::new();
    list.map(|value| message(value, &mut ids)).collect()
}

fn message(value: &BorrowedValue<'_>, ids: &mut Vec<String>) -> Option<Message> {
    let fields = value.as_object()?;
    let role = match fields.get("role")?.as_str()? {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let tool_calls = match fields.get("tool_calls") {
        Some(BorrowedValue::List(list)) => list.iter().map(|it| call(it, ids)).collect::<Option<Vec<_>>>()?,
        _ => Vec::new(),
    };
    let said = fields.get("content").and_then(BorrowedValue::as_str);
    let content = if tool_calls.is_empty() { Some(said?) } else { said.filter(|text| !text.is_empty()) };
    let answered = fields.get("tool_call_id").and_then(BorrowedValue::as_str);
    let answers = answered.and_then(|wanted| ids.iter().rposition(|id| id == wanted));
    Some(Message { content: content.map(str::to_owned), tool_calls, answers, ..Message::new(role, "") })
}

fn call(value: &BorrowedValue<'_>, ids: &mut Vec<String>) -> Option<FunctionCall> {
    let fields = value.as_object()?;
    let function = fields.get("function")?.as_object()?;
    let arguments = Value::read(function.get("arguments")?.as_str()?).ok()?;
    ids.push(fields.get("id").and_then(BorrowedValue::as_str).unwrap_or_default().to_owned());
    let name = function.get("name")?.as_str()?.to_owned();
    Some(FunctionCall { name, arguments: arguments.as_object()?.clone() })
}

// A line of a model's results.

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

    fn said(question: &str) -> Option<(String, usize)> {
        let entry = Entry::read(&format!(r#"{{"id": "simple_0", "question": {question}, "function": []}}"#)).ok()?;
        let texts: Vec<String> = entry.messages.into_iter().filter_map(|message| message.content).collect();
        Some((texts.join("|"), entry.turns))
    }

    #[test]
    fn questions_of_all_versions_are_read() {
        assert_eq!(said("\"hi\"").unwrap(), ("hi".to_owned(), 1));
        assert_eq!(
            said(r#"[{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]"#).unwrap(),
            ("a|b".to_owned(), 1)
        );
        assert_eq!(
            said(r#"[[{"role": "user", "content": "b"}], [{"role": "user", "content": "c"}]]"#).unwrap(),
            ("b".to_owned(), 2)
        );
        assert_eq!(said("[]").unwrap(), (String::new(), 1));
    }

    #[test]
    fn what_is_no_question_is_told() {
        assert_eq!((said("5"), said(r#"[{"role": "robot", "content": ""}]"#), said("[[5]]")), (None, None, None));
        assert_eq!(Entry::read("{}").unwrap_err().to_string(), "`id` is missing or invalid");
        assert!(matches!(Entry::read("["), Err(EntryError::Json(_))));
        assert!(Entry::is_entry(r#"{"id": "a_1", "question": [], "function": []}"#));
        assert!(!Entry::is_entry(r#"{"id": "a_1", "question": []}"#) && !Entry::is_entry("x"));
    }
}

#[cfg(test)]
mod message_tests {
    use super::*;

    fn dialogue() -> Vec<Message> {
        let call = |name: &str| FunctionCall { name: name.to_owned(), arguments: object([("n", 1.into())]) };
        let calls = |content: Option<&str>, names: &[&str]| Message {
            content: content.map(str::to_owned),
            tool_calls: names.iter().map(|name| call(name)).collect(),
            ..Message::new(Role::Assistant, "")
        };
        let answer = |at: usize| Message { answers: Some(at), ..Message::new(Role::Tool, format!("{{\"at\":{at}}}")) };
        vec![
            Message::new(Role::System, "Be kind."),
            Message::user("Hi"),
            calls(None, &["A_f"]),
            answer(0),
            calls(Some("And"), &["A_g", "A_f"]),
            answer(1),
            answer(2),
            Message::new(Role::Assistant, "Done."),
        ]
    }

    fn again(messages: &[Message]) -> Option<Vec<Message>> {
        let text = Value::List(written(messages)).to_string();
        let BorrowedValue::List(list) = BorrowedValue::read_strict(&text).unwrap() else { panic!("a list") };
        read(list.iter())
    }

    #[test]
    fn calls_and_answers_are_written_and_read_back() {
        assert_eq!(again(&dialogue()).unwrap(), dialogue());
        let told: Vec<String> = written(&dialogue()).iter().map(Value::to_string).collect();
        assert_eq!(
            told[2],
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"call_0","type":"function","function":{"name":"A_f","arguments":"{\"n\":1}"}}]}"#
        );
        assert_eq!(told[5], r#"{"role":"tool","content":"{\"at\":1}","tool_call_id":"call_1","name":"A_g"}"#);
    }

    #[test]
    fn what_is_no_message_is_told() {
        for text in [
            r#"[{"role": "robot", "content": ""}]"#,
            r#"[{"role": "user"}]"#,
            "[5]",
            r#"[{"role": "assistant", "content": "", "tool_calls": [{"id": "x"}]}]"#,
            r#"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "5"}}]}]"#,
        ] {
            let BorrowedValue::List(list) = BorrowedValue::read_strict(text).unwrap() else { panic!("a list") };
            assert_eq!(read(list.iter()), None, "{text}");
        }
    }
}

#[cfg(test)]
mod result_tests {
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
