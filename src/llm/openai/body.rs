//! The body of a chat completion request.

use super::names::WireNames;
use crate::llm::config::ModelConfig;
use crate::llm::request::Request;
use crate::record::{FunctionCall, Message};
use serde_json::{Map, Value, json};

/// The body of `request`; `with_format` says whether the server is asked to hold to its schema.
pub(super) fn body(config: &ModelConfig, request: &Request, names: &WireNames, with_format: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.model));
    body.insert("messages".to_owned(), messages(request, names));
    for (name, value) in sampling(config, request) {
        body.insert(name.to_owned(), value);
    }
    if let Some(schema) = request.schema.as_deref().filter(|_| with_format) {
        body.insert("response_format".to_owned(), response_format(request, schema));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request, names));
    }
    if config.send_task {
        body.insert("fcgen".to_owned(), task(request));
    }
    body.extend(config.extra_body.clone());
    Value::Object(body)
}

fn messages(request: &Request, names: &WireNames) -> Value {
    let system = request.system.iter().map(|text| json!({ "role": "system", "content": text }));
    let mut calls = 0;
    let history = request.history.iter().map(|message| {
        let first = calls;
        calls += message.tool_calls.len();
        turn(message, first, names)
    });
    // A dialogue may end with a tool's answer; then the person says nothing now.
    let says = request.history.is_empty() || !request.user.is_empty();
    let user = says.then(|| json!({ "role": "user", "content": request.user }));
    system.chain(history).chain(user).collect()
}

/// A message of a dialogue. Calls have their ordinals in the dialogue for ids, by which tools answer them.
fn turn(message: &Message, first_call: usize, names: &WireNames) -> Value {
    let mut turn = json!({ "role": message.role, "content": message.content });
    if !message.tool_calls.is_empty() {
        let calls = (first_call..).zip(&message.tool_calls);
        turn["tool_calls"] = calls.map(|(ordinal, call)| call_made(ordinal, call, names)).collect();
    }
    if let Some(ordinal) = message.answers {
        turn["tool_call_id"] = json!(call_id(ordinal));
    }
    turn
}

fn call_made(ordinal: usize, call: &FunctionCall, names: &WireNames) -> Value {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    let function = json!({ "name": names.on_wire(&call.name), "arguments": arguments });
    json!({ "id": call_id(ordinal), "type": "function", "function": function })
}

fn call_id(ordinal: usize) -> String {
    format!("call_{ordinal}")
}

fn sampling(config: &ModelConfig, request: &Request) -> impl Iterator<Item = (&'static str, Value)> {
    // Servers with a seed answer equal prompts equally; the draws of one prompt must still differ.
    let seed = config.seed.map(|seed| seed.wrapping_add(request.seed_step()));
    let fields = [
        ("temperature", request.temperature.or(config.temperature).map(Value::from)),
        ("top_p", config.top_p.map(Value::from)),
        ("max_tokens", config.max_tokens.map(Value::from)),
        ("seed", seed.map(Value::from)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

fn response_format(request: &Request, schema: &Value) -> Value {
    json!({ "type": "json_schema", "json_schema": { "name": request.task.folder(), "schema": schema, "strict": true } })
}

fn tools(request: &Request, names: &WireNames) -> Value {
    let function = |(tool, name): (&std::sync::Arc<crate::record::Tool>, &str)| {
        let function = json!({ "name": name, "description": tool.description, "parameters": tool.parameters });
        json!({ "type": "function", "function": function })
    };
    request.tools.iter().zip(names.wire()).map(function).collect()
}

fn task(request: &Request) -> Value {
    json!({
        "task": request.task.folder(), "variables": request.variables, "item": request.item,
        "stage": request.stage, "draw": request.draw,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::testing::request;
    use crate::record::{Role, Tool};
    use insta::{assert_compact_json_snapshot, assert_snapshot};
    use std::sync::Arc;

    fn config() -> ModelConfig {
        ModelConfig { model: "m".to_owned(), ..ModelConfig::default() }
    }

    fn plain(config: &ModelConfig, request: &Request) -> Value {
        body(config, request, &WireNames::default(), true)
    }

    #[test]
    fn a_plain_question() {
        assert_compact_json_snapshot!(plain(&config(), &request("a", 0)), @r#"{"model": "m", "messages": [{"role": "user", "content": "Is a right?"}]}"#);
    }

    #[test]
    fn sampling_and_further_fields() {
        let mut config = ModelConfig { temperature: Some(0.5), seed: Some(7), max_tokens: Some(9), ..config() };
        config.extra_body.insert("top_k".to_owned(), json!(20));
        config.extra_body.insert("max_tokens".to_owned(), json!(8));
        let body = plain(&config, &request("a", 2));
        assert_eq!((&body["temperature"], &body["seed"], &body["top_k"]), (&json!(0.5), &json!(9), &json!(20)));
        assert_eq!(body["max_tokens"], 8, "what the file says verbatim wins");
        let warm = Request { temperature: Some(1.0), ..request("a", 0) };
        assert_eq!(plain(&config, &warm)["temperature"], 1.0);
    }

    #[test]
    fn a_schema_goes_along_only_where_wanted() {
        let asked = Request { schema: Some(Arc::new(json!({"type": "object"}))), ..request("a", 0) };
        assert_compact_json_snapshot!(plain(&config(), &asked)["response_format"], @r#"{"type": "json_schema", "json_schema": {"name": "judge_call", "schema": {"type": "object"}, "strict": true}}"#);
        let without = body(&config(), &asked, &WireNames::default(), false);
        assert_eq!(without.get("response_format"), None);
    }

    #[test]
    fn tools_go_by_their_wire_names() {
        let tool = Tool { name: "Map.Search.find".to_owned(), description: "Finds.".to_owned(), ..Tool::default() };
        let asked = Request { tools: vec![Arc::new(tool)], system: Some("Be brief.".to_owned()), ..request("a", 0) };
        let names = WireNames::new(["Map.Search.find"]);
        let body = body(&config(), &asked, &names, true);
        assert_snapshot!(body["tools"], @r#"[{"type":"function","function":{"name":"Map_Search_find","description":"Finds.","parameters":{"type":"object","properties":{},"required":[]}}}]"#);
        assert_eq!(body["messages"][0]["role"], "system");
    }

    #[test]
    fn a_dialogue_goes_as_messages_with_its_calls_and_their_answers() {
        let call = FunctionCall {
            name: "Map.Search.find".to_owned(),
            arguments: serde_json::from_str(r#"{"what": "tea"}"#).unwrap(),
        };
        let calling = Message { content: None, tool_calls: vec![call], ..Message::new(Role::Assistant, "") };
        let answer = Message { answers: Some(0), ..Message::new(Role::Tool, "Pier 4") };
        let asked = Request {
            system: Some("Be brief.".to_owned()),
            history: vec![Message::user("Tea?"), calling, answer],
            user: "Nearer".to_owned(),
            ..request("a", 0)
        };
        let names = WireNames::new(["Map.Search.find"]);
        assert_snapshot!(body(&config(), &asked, &names, true)["messages"], @r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Tea?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"Map_Search_find","arguments":"{\"what\":\"tea\"}"}}]},{"role":"tool","content":"Pier 4","tool_call_id":"call_0"},{"role":"user","content":"Nearer"}]"#);
        let over = Request { user: String::new(), ..asked };
        assert_eq!(body(&config(), &over, &names, true)["messages"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn the_task_is_sent_where_it_is_asked_for() {
        let config = ModelConfig { send_task: true, ..config() };
        assert_compact_json_snapshot!(plain(&config, &request("a", 1))["fcgen"], @r#"{"task": "judge_call", "variables": {"generate": {"item": "a"}}, "item": "a", "stage": "judge", "draw": 1}"#);
    }

    #[test]
    fn parallel_calls_are_numbered_through_the_dialogue() {
        let call = |name: &str| FunctionCall { name: name.to_owned(), ..FunctionCall::default() };
        let calling = |calls: Vec<FunctionCall>| Message {
            content: None,
            tool_calls: calls,
            ..Message::new(Role::Assistant, "")
        };
        let answer = |ordinal| Message { answers: Some(ordinal), ..Message::new(Role::Tool, "{}") };
        let history =
            vec![calling(vec![call("f"), call("g")]), answer(1), answer(0), calling(vec![call("h.i")]), answer(2)];
        let asked = Request { history, user: String::new(), ..request("a", 0) };
        let body = plain(&config(), &asked);
        let ids = |pointer: &str| body.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        assert_eq!(ids("/messages/0/tool_calls/1/id"), ids("/messages/1/tool_call_id"));
        assert_eq!(ids("/messages/3/tool_calls/0/id"), ids("/messages/4/tool_call_id"));
        assert_eq!(
            ids("/messages/3/tool_calls/0/function/name"),
            "h_i",
            "what is no longer offered has a wire name too"
        );
    }

    #[test]
    fn an_empty_question_is_asked_where_nothing_was_said_before() {
        let asked = Request { user: String::new(), ..request("a", 0) };
        assert_compact_json_snapshot!(plain(&config(), &asked)["messages"], @r#"[{"role": "user", "content": ""}]"#);
    }

    #[test]
    fn draws_of_one_prompt_have_seeds_of_their_own_and_a_server_without_one_gets_none() {
        let seeded = ModelConfig { seed: Some(u64::MAX), ..config() };
        let seed = |draw| plain(&seeded, &request("a", draw))["seed"].as_u64();
        assert_eq!((seed(0), seed(1)), (Some(u64::MAX), Some(0)));
        assert_eq!(plain(&config(), &request("a", 1)).get("seed"), None);
    }
}
