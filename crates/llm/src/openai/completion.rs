//! A chat completion as servers really send it: fields missing, null, or of another kind than the reference says.

use super::body::WireNames;
use super::error_text::ErrorText;
use crate::config::ModelConfig;
use crate::fault::Fault;
use crate::request::{FinishReason, Reply, Request, Usage};
use crate::text::ToolCallText;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The body of an answer; whatever is not needed is not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Completion {
    choices: Option<Vec<Choice>>,
    usage: Value,
    error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    message: Option<Message>,
    finish_reason: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Value,
    refusal: Value,
    reasoning_content: Value,
    reasoning: Value,
    tool_calls: Value,
}

impl Completion {
    /// The reply in it.
    pub(super) fn into_reply(self, names: &WireNames) -> Result<Reply, Fault> {
        if !self.error.is_null() {
            return Err(error_in_disguise(&self.error));
        }
        let choice = self.choices.into_iter().flatten().next().ok_or_else(|| malformed("the answer has no choices"))?;
        let message = choice.message.ok_or_else(|| malformed("the answer has no message"))?;
        let tool_calls = tool_calls(&message.tool_calls, names);
        let finish = finish_reason(&choice.finish_reason, !tool_calls.is_empty());
        if let FinishReason::Other(word) = &finish {
            if BROKEN_OFF.contains(&word.as_str()) {
                return Err(malformed(&format!("the server broke off (`finish_reason` is `{word}`)")));
            }
        }
        let spoken = text(&message.content);
        Ok(Reply {
            text: if spoken.is_empty() { text(&message.refusal) } else { spoken },
            tool_calls,
            reasoning: [&message.reasoning_content, &message.reasoning]
                .map(text)
                .into_iter()
                .find(|text| !text.is_empty()),
            finish,
            usage: usage(&self.usage),
            cached: false,
        })
    }
}

/// With these words a server says that it failed, and not that the model was done.
const BROKEN_OFF: [&str; 2] = ["error", "abort"];

/// Some gateways say 200 and put the error of the server behind them into the body.
pub(super) fn error_in_disguise(error: &Value) -> Fault {
    let text = ErrorText::from_json(error);
    let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    match status.filter(|code| (400..600).contains(code)) {
        Some(status) => Fault::Status { status, code: text.code, message: text.message, wait: None },
        None => malformed(&format!("the answer is an error: {}", text.message)),
    }
}

/// Content is a text, a list of parts, or absent.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn tool_calls(value: &Value, names: &WireNames) -> Vec<ToolCallText> {
    let functions = value.as_array().into_iter().flatten().filter_map(|call| call.get("function"));
    functions.map(|function| tool_call(function, names)).collect()
}

fn tool_call(function: &Value, names: &WireNames) -> ToolCallText {
    let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        // Some servers send the object itself.
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    ToolCallText { name: names.original(name).to_owned(), arguments }
}

fn finish_reason(value: &Value, has_calls: bool) -> FinishReason {
    match value.as_str().unwrap_or_default() {
        // Several servers say `stop`, or nothing, after a tool call.
        "stop" | "" if has_calls => FinishReason::ToolCalls,
        "stop" | "" => FinishReason::Stop,
        // Gateways pass on the words of what is behind them.
        "length" | "max_tokens" | "MAX_TOKENS" | "model_length" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "content_filter" => FinishReason::ContentFilter,
        other => FinishReason::Other(other.to_owned()),
    }
}

/// No reply takes more; a server that says so must not upset the sums.
pub(super) const MOST_TOKENS: u64 = 1_000_000_000;

fn usage(value: &Value) -> Usage {
    let tokens = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(0).min(MOST_TOKENS);
    Usage { prompt: tokens("prompt_tokens"), completion: tokens("completion_tokens") }
}

pub(super) fn malformed(detail: &str) -> Fault {
    Fault::Malformed { detail: detail.to_owned() }
}

// Embeddings on the wire: the body of a request, and the vectors in the answer.

/// The body of a request: every message of its history is a text.
pub(super) fn body(config: &ModelConfig, request: &Request) -> Value {
    let texts = request.history.iter().map(|message| message.content.as_deref().unwrap_or_default());
    let fields = [("model", json!(config.model)), ("input", texts.collect())];
    let mut body: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    body.extend(config.extra_body.clone());
    Value::Object(body)
}

/// The reply that an answer to `count` texts amounts to: its text is a list of vectors, in the order of the texts.
pub(super) fn read(answer: &[u8], count: usize) -> Result<Reply, Fault> {
    let shown = |error| {
        malformed(&format!("the answer is not the JSON of embeddings ({error}): {}", ErrorText::read(answer).message))
    };
    let answer: Answer = serde_json::from_slice(answer).map_err(shown)?;
    if !answer.error.is_null() {
        return Err(error_in_disguise(&answer.error));
    }
    let usage = vector_usage(&answer.usage);
    let vectors = vectors(answer.data.unwrap_or_default(), count)?;
    let text = serde_json::to_string(&vectors).map_err(|error| malformed(&error.to_string()))?;
    Ok(Reply { text, usage, finish: FinishReason::Stop, ..Reply::default() })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    data: Option<Vec<Item>>,
    usage: Value,
    error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item {
    index: Option<usize>,
    embedding: Value,
}

/// The vectors by their places; who gives no places gives them in order.
fn vectors(items: Vec<Item>, count: usize) -> Result<Vec<Vec<f32>>, Fault> {
    if items.len() != count {
        return Err(malformed(&format!("the answer has {} vectors for {count} texts", items.len())));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (at, item) in items.into_iter().enumerate() {
        let place = vectors.get_mut(item.index.unwrap_or(at)).filter(|place| place.is_empty());
        let place = place.ok_or_else(|| malformed("the places of the vectors are not those of the texts"))?;
        *place = vector(&item.embedding).ok_or_else(|| malformed("a vector is not a list of numbers"))?;
    }
    let are_even = vectors.iter().all(|vector| Some(vector.len()) == vectors.first().map(Vec::len));
    if are_even { Ok(vectors) } else { Err(malformed("the vectors are of different lengths")) }
}

fn vector(value: &Value) -> Option<Vec<f32>> {
    #[expect(clippy::cast_possible_truncation, reason = "models compute in single precision or less")]
    let number = |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    let numbers: Vec<f32> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}

/// Tokens read; some servers tell the sum alone.
fn vector_usage(value: &Value) -> Usage {
    let tokens = |name: &str| value.get(name).and_then(Value::as_u64).filter(|count| *count > 0);
    let prompt = tokens("prompt_tokens").or_else(|| tokens("total_tokens")).unwrap_or(0);
    Usage { prompt: prompt.min(MOST_TOKENS), completion: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(body: Value) -> Result<Reply, Fault> {
        serde_json::from_value::<Completion>(body).unwrap().into_reply(&WireNames::new(["a.b"]))
    }

    fn choice(message: &Value, finish: &Value) -> Value {
        json!({ "choices": [{ "message": message, "finish_reason": finish }] })
    }

    fn detail(body: Value) -> String {
        read(body).unwrap_err().to_string()
    }

    #[test]
    fn a_usual_answer() {
        let mut body =
            choice(&json!({"role": "assistant", "content": "hi", "reasoning_content": "hm"}), &json!("stop"));
        body["usage"] = json!({"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": null});
        let reply = read(body).unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("hi", Some("hm")));
        assert_eq!(reply.usage, Usage { prompt: 3, completion: 4 });
        assert_eq!(reply.finish, FinishReason::Stop);
    }

    #[test]
    fn usage_may_be_missing_odd_or_absurd() {
        let usage = |usage: Value| {
            let mut body = choice(&json!({"content": "x"}), &json!("stop"));
            body["usage"] = usage;
            read(body).unwrap().usage
        };
        assert_eq!(usage(Value::Null), Usage::default());
        assert_eq!(usage(json!({"prompt_tokens": null, "completion_tokens": "5"})), Usage::default());
        assert_eq!(
            usage(json!({"prompt_tokens": u64::MAX, "completion_tokens": -1})),
            Usage { prompt: MOST_TOKENS, completion: 0 }
        );
    }

    /// Any JSON, a few levels deep, with the names that a completion has.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            ".{0,9}".prop_map(Value::from)
        ];
        let names = prop::sample::select(vec![
            "choices",
            "message",
            "content",
            "text",
            "finish_reason",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "usage",
            "error",
            "code",
        ]);
        leaf.prop_recursive(6, 64, 4, move |inner| {
            let object = prop::collection::btree_map(names.clone(), inner.clone(), 0..5);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                object.prop_map(|fields| json!(fields))
            ]
        })
    }

    proptest! {
        #[test]
        fn any_answer_is_a_reply_or_a_fault(body in any_json()) {
            if let Ok(completion) = serde_json::from_value::<Completion>(body) {
                drop(completion.into_reply(&WireNames::default()));
            }
        }
    }

    #[test]
    fn content_in_parts_null_or_refused() {
        let text = |message: Value| read(choice(&message, &Value::Null)).unwrap().text;
        assert_eq!(text(json!({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]})), "ab");
        assert_eq!(text(json!({"content": null})), "");
        assert_eq!(text(json!({"content": null, "refusal": "no"})), "no");
    }

    #[test]
    fn tool_calls_come_back_under_our_names() {
        let calls = json!([
            {"function": {"name": "a_b", "arguments": "{\"n\": 1.0}"}},
            {"function": {"name": "other", "arguments": {"n": 1}}},
            {"function": {"name": "bare", "arguments": null}},
            {"type": "strange"},
        ]);
        let reply = read(choice(&json!({"tool_calls": calls}), &json!("stop"))).unwrap();
        let call =
            |name: &str, arguments: &str| ToolCallText { name: name.to_owned(), arguments: arguments.to_owned() };
        assert_eq!(reply.tool_calls, [call("a.b", "{\"n\": 1.0}"), call("other", "{\"n\":1}"), call("bare", "")]);
        assert_eq!(reply.finish, FinishReason::ToolCalls);
    }

    #[test]
    fn every_finish_reason_is_kept() {
        let finish = |word: &str| read(choice(&json!({"content": "x"}), &json!(word))).unwrap().finish;
        for word in ["length", "max_tokens", "MAX_TOKENS", "model_length"] {
            assert_eq!(finish(word), FinishReason::Length, "{word}");
        }
        assert_eq!(finish("content_filter"), FinishReason::ContentFilter);
        assert_eq!(finish("eos_token"), FinishReason::Other("eos_token".to_owned()));
    }

    #[test]
    fn what_is_no_reply_says_why() {
        insta::assert_snapshot!(detail(json!({"choices": []})), @"the answer has no choices");
        insta::assert_snapshot!(detail(json!({})), @"the answer has no choices");
        insta::assert_snapshot!(detail(json!({"choices": [{}]})), @"the answer has no message");
        insta::assert_snapshot!(detail(choice(&json!({"content": ""}), &json!("error"))), @"the server broke off (`finish_reason` is `error`)");
        insta::assert_snapshot!(detail(json!({"error": {"message": "upstream", "code": 502}})), @"HTTP 502: upstream");
        insta::assert_snapshot!(detail(json!({"error": "odd"})), @r"the answer is an error: odd");
    }

    #[test]
    fn of_several_choices_the_first_counts_and_what_is_spoken_goes_before_a_refusal() {
        let choices =
            json!({"choices": [{"message": {"content": "one", "refusal": "no"}}, {"message": {"content": "two"}}]});
        assert_eq!(read(choices).unwrap().text, "one");
        let broken = json!({"choices": [{"message": null}, {"message": {"content": "two"}}]});
        insta::assert_snapshot!(detail(broken), @"the answer has no message");
    }

    #[test]
    fn a_thought_is_found_under_either_name() {
        let thought = |message: Value| read(choice(&message, &Value::Null)).unwrap().reasoning;
        assert_eq!(thought(json!({"reasoning": "hm"})).as_deref(), Some("hm"));
        assert_eq!(thought(json!({"reasoning_content": "", "reasoning": "hm"})).as_deref(), Some("hm"));
        assert_eq!(thought(json!({"reasoning_content": null, "content": "x"})), None);
    }

    #[test]
    fn an_error_counts_as_a_status_only_where_it_is_one() {
        let fault = |code: Value| read(json!({"error": {"message": "odd", "code": code}, "choices": []})).unwrap_err();
        assert!(matches!(fault(json!(429)), Fault::Status { status: 429, wait: None, .. }));
        for code in [json!(200), json!(1_000_000), json!("502"), json!(-1), Value::Null] {
            assert!(matches!(fault(code.clone()), Fault::Malformed { .. }), "{code}");
        }
    }

    #[test]
    fn who_calls_has_called_whatever_reason_is_given() {
        let calls = json!([{"function": {"name": "a_b", "arguments": "{}"}}]);
        let finish = |word: Value| read(choice(&json!({"tool_calls": calls}), &word)).unwrap().finish;
        assert_eq!(
            (finish(Value::Null), finish(json!("function_call"))),
            (FinishReason::ToolCalls, FinishReason::ToolCalls)
        );
        assert_eq!(finish(json!("length")), FinishReason::Length, "a call that was cut off is known as such");
    }
}

#[cfg(test)]
mod embedding_tests {
    use super::*;
    use crate::record::Message;
    use crate::testing::request;

    fn answer(data: &Value) -> Value {
        json!({"object": "list", "data": data, "usage": {"prompt_tokens": 7, "total_tokens": 7}})
    }

    fn fault(data: &Value, count: usize) -> String {
        read(answer(data).to_string().as_bytes(), count).unwrap_err().to_string()
    }

    #[test]
    fn every_text_goes_out_with_what_else_the_server_wants() {
        let extra_body = json!({"dimensions": 2}).as_object().unwrap().clone();
        let config =
            ModelConfig { model: "m".to_owned(), temperature: Some(0.5), extra_body, ..ModelConfig::default() };
        let request = Request { history: vec![Message::user("a"), Message::user("")], ..request("x", 0) };
        insta::assert_snapshot!(body(&config, &request), @r#"{"model":"m","input":["a",""],"dimensions":2}"#);
    }

    #[test]
    fn vectors_come_back_in_the_order_of_the_texts() {
        let data = json!([{"index": 1, "embedding": [3, 4.5]}, {"index": 0, "embedding": [1, 2]}]);
        let reply = read(answer(&data).to_string().as_bytes(), 2).unwrap();
        assert_eq!((reply.text.as_str(), reply.usage), ("[[1.0,2.0],[3.0,4.5]]", Usage { prompt: 7, completion: 0 }));
        let bare =
            read(br#"{"data": [{"embedding": [1]}, {"embedding": [2]}], "usage": {"total_tokens": 3}}"#, 2).unwrap();
        assert_eq!((bare.text.as_str(), bare.usage.prompt), ("[[1.0],[2.0]]", 3));
    }

    #[test]
    fn what_is_no_vector_for_each_text_is_told() {
        let one = json!([{"index": 0, "embedding": [1]}]);
        insta::assert_snapshot!(fault(&one, 2), @"the answer has 1 vectors for 2 texts");
        insta::assert_snapshot!(fault(&json!([{"index": 1, "embedding": [1]}]), 1), @"the places of the vectors are not those of the texts");
        let twice = json!([{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]);
        assert_eq!(fault(&twice, 2), "the places of the vectors are not those of the texts");
        for wrong in [json!("AACAPw=="), json!([]), json!([1e300]), json!([null])] {
            assert_eq!(fault(&json!([{"embedding": wrong}]), 1), "a vector is not a list of numbers");
        }
        insta::assert_snapshot!(fault(&json!([{"embedding": [1]}, {"embedding": [1, 2]}]), 2), @"the vectors are of different lengths");
        insta::assert_snapshot!(read(b"[", 1).unwrap_err(), @"the answer is not the JSON of embeddings (EOF while parsing a list at line 1 column 1): [");
    }

    #[test]
    fn an_error_in_an_answer_that_says_yes_is_an_error() {
        let disguised = read(br#"{"error": {"message": "too long", "code": 413}}"#, 1).unwrap_err();
        assert!(matches!(disguised, Fault::Status { status: 413, .. }), "{disguised}");
        assert_eq!(read(br#"{"error": "no"}"#, 1).unwrap_err().to_string(), "the answer is an error: no");
    }
}
