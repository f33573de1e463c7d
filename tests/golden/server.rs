//! A model for `predict` that answers by the hash of what it is asked, and remembers the requests.

use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply, StubRequest};
use fcgen::llm::{Reply, ToolCallText};
use std::sync::{Arc, Mutex};
use tokio::runtime::Runtime;

pub(crate) struct Server {
    stub: Stub,
    _runtime: Runtime,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(rule: fn(&StubRequest) -> StubReply) -> Self {
        let runtime = Runtime::new().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = asked.clone();
        let rule = Rule::handler(move |request| {
            seen.lock().unwrap().push(request.body.to_string());
            rule(request)
        });
        let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
        Self { stub, _runtime: runtime, asked }
    }

    pub(crate) fn url(&self) -> String {
        self.stub.base_url()
    }

    /// The bodies of all requests since the last time, one on each line, in an order of their own.
    pub(crate) fn requests(&self) -> String {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.sort();
        asked.into_iter().map(|body| body + "\n").collect()
    }
}

/// A call of one of the tools, a question or a refusal, as the request's hash has it.
pub(crate) fn answer(request: &StubRequest) -> StubReply {
    let hash = blake3::hash(request.body.to_string().as_bytes());
    let chance = usize::from(hash.as_bytes()[0]);
    let tools = request.body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    match chance % 4 {
        0 => StubReply::text("I am sorry, I cannot help with that."),
        1 => StubReply::text("Which one do you mean?"),
        _ if tools.is_empty() => {
            StubReply::text(r#"{"name": "find_place", "arguments": {"query": "café", "count": 2}}"#)
        }
        _ => {
            let name = tools[chance / 4 % tools.len()]["function"]["name"].as_str().unwrap().to_owned();
            let call = ToolCallText { name, arguments: r#"{"query": "café", "count": 2}"#.to_owned() };
            StubReply::Reply(Reply { tool_calls: vec![call], ..Reply::default() })
        }
    }
}
