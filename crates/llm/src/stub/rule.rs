//! What the stub answers when it does not fail.

use super::fault::StubFault;
use crate::Variables;
use crate::chat::BuiltIn;
use crate::request::{Reply, Request};
use crate::tasks::Task;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What the stub says.
#[derive(Clone, Default)]
pub enum Rule {
    /// The last message.
    #[default]
    Echo,
    /// Always this.
    Text(String),
    /// Whatever the function says.
    Handler(Arc<dyn Fn(&StubRequest) -> StubReply + Send + Sync>),
}

/// What a handler sees.
#[derive(Debug, Clone, PartialEq)]
pub struct StubRequest {
    /// The ordinal among the chat requests, from 0.
    pub ordinal: u64,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
}

/// What a handler answers.
#[derive(Debug, Clone, PartialEq)]
pub enum StubReply {
    /// A completion.
    Reply(Reply),
    /// A failure.
    Fault(StubFault),
}

/// The `fcgen` field of a request that was sent with `send_task`.
#[derive(Deserialize)]
struct SentTask {
    task: Task,
    variables: Arc<Variables>,
    item: Arc<str>,
    stage: Arc<str>,
    draw: u32,
}

impl Rule {
    /// Whatever the function says.
    pub fn handler(handler: impl Fn(&StubRequest) -> StubReply + Send + Sync + 'static) -> Self {
        Self::Handler(Arc::new(handler))
    }

    /// The built-in model over HTTP; the request must say its task (`send_task = true`).
    pub fn builtin(model: Arc<dyn BuiltIn>) -> Self {
        Self::handler(move |request| match request.question() {
            Ok(question) => StubReply::Reply(model.answer(&question)),
            Err(fault) => StubReply::Fault(StubFault::text(400, fault)),
        })
    }

    pub(super) fn answer(&self, request: &StubRequest) -> StubReply {
        match self {
            Self::Echo => StubReply::text(request.last_message()),
            Self::Text(text) => StubReply::text(text),
            Self::Handler(handler) => handler(request),
        }
    }
}

impl StubRequest {
    /// The text of the last message.
    pub fn last_message(&self) -> &str {
        let messages = self.body.get("messages").and_then(Value::as_array);
        messages.and_then(|messages| messages.last()?.get("content")?.as_str()).unwrap_or_default()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The question as it was before it became text, where the sender told it; else what is wrong.
    pub fn question(&self) -> Result<Request, String> {
        let sent = self.body.get("fcgen").ok_or("no `fcgen` in the body; set `send_task = true`")?;
        let sent: SentTask =
            serde_json::from_value(sent.clone()).map_err(|error| format!("`fcgen` in the body: {error}"))?;
        let SentTask { task, variables, item, stage, draw } = sent;
        let user = self.last_message().to_owned();
        let temperature = self.body.get("temperature").and_then(Value::as_f64);
        Ok(Request {
            task,
            stage,
            item,
            draw,
            system: None,
            history: Vec::new(),
            user,
            variables,
            schema: None,
            tools: Vec::new(),
            temperature,
        })
    }
}

impl StubReply {
    /// A completion that says this.
    pub fn text(text: &str) -> Self {
        Self::Reply(Reply { text: text.to_owned(), ..Reply::default() })
    }
}

/// The body of a completion.
pub(super) fn completion(request: &StubRequest, reply: &Reply) -> Value {
    let calls: Vec<Value> = (0..)
        .zip(&reply.tool_calls)
        .map(|(ordinal, call)| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "id": format!("call_{ordinal}"), "type": "function", "function": function })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    if let Some(reasoning) = &reply.reasoning {
        message["reasoning_content"] = json!(reasoning);
    }
    json!({
        "id": format!("stub-{}", request.ordinal), "object": "chat.completion", "created": 0,
        "model": request.body.get("model"), "usage": usage(request, reply),
        "choices": [{ "index": 0, "message": message, "finish_reason": reply.finish.word() }],
    })
}

/// What the reply says it took, or a word count: something that can be checked by eye.
fn usage(request: &StubRequest, reply: &Reply) -> Value {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let said = reply.usage != crate::request::Usage::default();
    let prompt = if said { reply.usage.prompt } else { words(request.last_message()) };
    let completion = if said { reply.usage.completion } else { words(&reply.text) };
    json!({ "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion })
}

// The stub's scores of pairs: the share of a claim's words that stand in its context.

/// The body of an answer to `pairs`.
pub(super) fn scores(body: &Value) -> Value {
    let pairs = body.get("pairs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    json!({ "scores": pairs.iter().map(score).collect::<Vec<_>>() })
}

fn score(pair: &Value) -> f64 {
    let words = |name: &str| -> Vec<&str> {
        pair.get(name).and_then(Value::as_str).unwrap_or_default().split_whitespace().collect()
    };
    let (context, claim) = (words("context"), words("claim"));
    let real = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let known = claim.iter().filter(|word| context.contains(word)).count();
    if claim.is_empty() { 0.0 } else { real(known) / real(claim.len()) }
}

// The stub's embeddings: texts are alike by their runs of three letters.

/// Places that runs of letters are hashed to.
const PLACES: u64 = 64;

/// The body of an answer to the texts of `input`, one or several.
pub(super) fn vectors(body: &Value) -> Value {
    let input = body.get("input").cloned().unwrap_or_default();
    let texts = if let Value::Array(texts) = input { texts } else { vec![input] };
    let texts: Vec<&str> = texts.iter().map(|text| text.as_str().unwrap_or_default()).collect();
    let data = texts.iter().enumerate();
    let data = data.map(|(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) }));
    let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    json!({
        "object": "list", "model": body.get("model"), "data": data.collect::<Value>(),
        "usage": { "prompt_tokens": words, "total_tokens": words },
    })
}

fn vector(text: &str) -> Vec<u32> {
    let letters: Vec<char> = format!(" {text} ").chars().collect();
    let mut vector: Vec<u32> = (0..PLACES).map(|_| 0).collect();
    for run in letters.windows(3) {
        let hash = run.iter().fold(7, |hash: u64, letter| hash.wrapping_mul(31).wrapping_add(u64::from(*letter)));
        if let Some(count) = usize::try_from(hash % PLACES).ok().and_then(|place| vector.get_mut(place)) {
            *count += 1;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCallText;

    fn request(body: Value) -> StubRequest {
        StubRequest { ordinal: 3, headers: vec![("x-a".to_owned(), "b".to_owned())], body }
    }

    #[test]
    fn the_last_message_is_echoed() {
        let messages = json!([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]);
        assert_eq!(Rule::Echo.answer(&request(json!({ "messages": messages }))), StubReply::text("u"));
        assert_eq!(Rule::Echo.answer(&request(json!({}))), StubReply::text(""));
        assert_eq!(Rule::Text("t".to_owned()).answer(&request(json!({}))), StubReply::text("t"));
    }

    #[test]
    fn headers_are_found_by_name() {
        assert_eq!(request(json!({})).header("x-a"), Some("b"));
        assert_eq!(request(json!({})).header("x-b"), None);
    }

    #[test]
    fn the_built_in_model_is_served_to_who_says_the_task() {
        let rule = Rule::builtin(Arc::new(|asked: &Request| Reply {
            text: format!("{} {}", asked.item, asked.draw),
            ..Reply::default()
        }));
        let task = json!({"task": "call", "variables": {"generate": {}}, "item": "a", "stage": "s", "draw": 2});
        assert_eq!(rule.answer(&request(json!({ "fcgen": task }))), StubReply::text("a 2"));
        let StubReply::Fault(fault) = rule.answer(&request(json!({ "fcgen": {"task": "sing"} }))) else { panic!() };
        let StubFault::Answer { body, .. } = fault else { panic!() };
        assert!(body.starts_with("`fcgen` in the body: unknown variant `sing`, expected one of `toolkits`"), "{body}");
    }

    #[test]
    fn a_completion_has_the_usual_shape() {
        let call = ToolCallText { name: "f".to_owned(), arguments: "{}".to_owned() };
        let reply = Reply { text: "two words".to_owned(), tool_calls: vec![call], ..Reply::default() };
        let body = completion(&request(json!({"model": "m"})), &reply);
        assert_eq!(body["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "f");
        assert_eq!(body["usage"]["completion_tokens"], 2);
        assert_eq!((&body["model"], &body["id"]), (&json!("m"), &json!("stub-3")));
    }
}

#[cfg(test)]
mod pairs_tests {
    use super::*;

    #[test]
    fn the_words_of_a_claim_are_looked_for_in_its_context() {
        let pairs = json!([
            {"context": "the red hotel", "claim": "red hotel"},
            {"context": "the red hotel", "claim": "blue hotel"},
            {"context": "x", "claim": ""},
        ]);
        assert_eq!(scores(&json!({ "pairs": pairs })), json!({"scores": [1.0, 0.5, 0.0]}));
        assert_eq!(scores(&json!({})), json!({"scores": []}));
    }
}

#[cfg(test)]
mod vectors_tests {
    use super::*;

    #[test]
    fn one_text_or_several_are_answered_in_order() {
        let several = vectors(&json!({"model": "m", "input": ["near the mill", "hill"]}));
        assert_eq!((&several["data"][1]["index"], &several["usage"]["prompt_tokens"]), (&json!(1), &json!(4)));
        let one = vectors(&json!({"input": "hill"}));
        assert_eq!(one["data"][0]["embedding"], several["data"][1]["embedding"]);
        assert_eq!(vectors(&json!({}))["data"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn what_shares_letters_is_alike() {
        let alike = |one: &str, other: &str| -> u32 {
            vector(one).iter().zip(vector(other)).map(|(one, other)| one * other).sum()
        };
        assert!(alike("Find_Port hill", "Find_Port mill") > alike("Find_Port hill", "Get_Boat noon"));
        assert_eq!(vector("a").iter().sum::<u32>(), 1);
    }
}
