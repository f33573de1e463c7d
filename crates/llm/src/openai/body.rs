//! The body of a chat completion request.

use super::strict::is_strict;
use crate::config::ModelConfig;
use crate::record::{FunctionCall, Message};
use crate::request::Request;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// The body of `request`; `with_format` says whether the server is asked to hold to its schema. What the temperature is, see
/// [`super::endpoint::Endpoint::temperature`].
pub(super) fn body(
    config: &ModelConfig,
    request: &Request,
    names: &WireNames,
    (with_format, temperature): (bool, Option<f64>),
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.model));
    body.insert("messages".to_owned(), messages(request, names));
    for (name, value) in sampling(config, request, temperature) {
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

fn sampling(
    config: &ModelConfig,
    request: &Request,
    temperature: Option<f64>,
) -> impl Iterator<Item = (&'static str, Value)> {
    // Servers with a seed answer equal prompts equally; the draws of one prompt must still differ.
    let seed = config.seed.map(|seed| seed.wrapping_add(request.seed_step()));
    let fields = [
        ("temperature", temperature.map(Value::from)),
        ("top_p", config.top_p.map(Value::from)),
        ("max_tokens", config.max_tokens.map(Value::from)),
        ("seed", seed.map(Value::from)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

fn response_format(request: &Request, schema: &Value) -> Value {
    // One that strict mode refuses, such as a user's own, is still held to where a server can.
    let strict = is_strict(schema);
    json!({ "type": "json_schema", "json_schema": { "name": request.task.folder(), "schema": schema, "strict": strict } })
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

// Tool names on the wire: servers take `[a-zA-Z0-9_-]{1,64}` only, ours have dots and may be in any script.

/// The names of one request's tools, there and back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WireNames {
    by_wire: IndexMap<String, String>,
}

const LONGEST: usize = 64;

impl WireNames {
    /// Gives each tool a name of its own on the wire, the same way every time.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut wire_names = Self::default();
        for name in names {
            let wire = wire_names.free_name(&clean(name));
            wire_names.by_wire.insert(wire, name.to_owned());
        }
        wire_names
    }

    /// The wire names, in the order of the tools.
    pub(super) fn wire(&self) -> impl Iterator<Item = &str> {
        self.by_wire.keys().map(String::as_str)
    }

    /// The tool that a reply means; a name that was not offered stays as it is.
    pub(super) fn original<'a>(&'a self, wire: &'a str) -> &'a str {
        self.by_wire.get(wire).map_or(wire, String::as_str)
    }

    /// What a tool is called on the wire; one that is not offered goes by its cleaned name.
    pub(super) fn on_wire(&self, name: &str) -> String {
        let offered = self.by_wire.iter().find(|(_, original)| *original == name);
        offered.map_or_else(|| clean(name), |(wire, _)| wire.clone())
    }

    fn free_name(&self, wanted: &str) -> String {
        let numbered = (2..).map(|number| {
            let ending = format!("_{number}");
            first(wanted, LONGEST - ending.len()) + &ending
        });
        let free = |name: &String| !self.by_wire.contains_key(name);
        std::iter::once(wanted.to_owned()).chain(numbered).find(free).unwrap_or_default()
    }
}

fn clean(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let cleaned: String = name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    if cleaned.chars().any(|letter| letter.is_ascii_alphanumeric()) {
        first(&cleaned, LONGEST)
    } else {
        "tool".to_owned()
    }
}

fn first(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Role, Tool};
    use crate::testing::request;
    use insta::{assert_compact_json_snapshot, assert_snapshot};
    use std::sync::Arc;

    fn config() -> ModelConfig {
        ModelConfig { model: "m".to_owned(), ..ModelConfig::default() }
    }

    fn plain(config: &ModelConfig, request: &Request) -> Value {
        body(config, request, &WireNames::default(), (true, request.temperature.or(config.temperature)))
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
        assert_compact_json_snapshot!(plain(&config(), &asked)["response_format"], @r#"{"type": "json_schema", "json_schema": {"name": "judge_call", "schema": {"type": "object"}, "strict": false}}"#);
        let without = body(&config(), &asked, &WireNames::default(), (false, None));
        assert_eq!(without.get("response_format"), None);
    }

    #[test]
    fn tools_go_by_their_wire_names() {
        let tool = Tool { name: "Map.Search.find".to_owned(), description: "Finds.".to_owned(), ..Tool::default() };
        let asked = Request { tools: vec![Arc::new(tool)], system: Some("Be brief.".to_owned()), ..request("a", 0) };
        let names = WireNames::new(["Map.Search.find"]);
        let body = body(&config(), &asked, &names, (true, None));
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
        assert_snapshot!(body(&config(), &asked, &names, (true, None))["messages"], @r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Tea?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"Map_Search_find","arguments":"{\"what\":\"tea\"}"}}]},{"role":"tool","content":"Pier 4","tool_call_id":"call_0"},{"role":"user","content":"Nearer"}]"#);
        let over = Request { user: String::new(), ..asked };
        assert_eq!(body(&config(), &over, &names, (true, None))["messages"].as_array().unwrap().len(), 4);
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

#[cfg(test)]
mod names_tests {
    use super::*;
    use proptest::prelude::*;

    fn wire(names: &[&str]) -> Vec<String> {
        WireNames::new(names.iter().copied()).wire().map(str::to_owned).collect()
    }

    #[test]
    fn dots_and_other_scripts_go() {
        assert_eq!(wire(&["Navigation.Map.search"]), ["Navigation_Map_search"]);
        assert_eq!(wire(&["지도.검색", "날씨"]), ["tool", "tool_2"]);
    }

    #[test]
    fn names_that_become_equal_are_numbered_and_come_back() {
        let names = WireNames::new(["a.b", "a_b", "a-b"]);
        assert_eq!(names.wire().collect::<Vec<_>>(), ["a_b", "a_b_2", "a-b"]);
        assert_eq!(names.original("a_b_2"), "a_b");
        assert_eq!(names.original("invented"), "invented");
        assert_eq!((names.on_wire("a_b"), names.on_wire("a.c")), ("a_b_2".to_owned(), "a_c".to_owned()));
    }

    proptest! {
        #[test]
        fn any_names_pass_the_wire_and_return(names in proptest::collection::vec(".{0,90}", 0..8)) {
            let wire_names = WireNames::new(names.iter().map(String::as_str));
            let wire: Vec<&str> = wire_names.wire().collect();
            prop_assert_eq!(wire.len(), names.len());
            for (wire, name) in wire.iter().zip(&names) {
                prop_assert!((1..=64).contains(&wire.len()));
                prop_assert!(wire.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)));
                prop_assert_eq!(wire_names.original(wire), name);
            }
        }
    }
}
