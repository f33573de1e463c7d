//! A live MCP server: started or connected, asked for its tools, called. Each request has a time-out, and an answer is data.

use super::server::{Key, Listed, Reply};
use super::{LiveError, Target};
use crate::http;
use fcgen_core::record::{Object, Value};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, PaginatedRequestParams, Tool as McpTool};
use rmcp::service::RunningService;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::future::Future;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Most pages of a list of tools: a server that never ends is told.
const PAGES: usize = 200;
/// Variables without which programs are not found or find nothing.
const ENVIRONMENT: [&str; 18] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "TMPDIR",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "PROGRAMFILES",
    "TEMP",
    "TMP",
    "PATHEXT",
    "NODE_EXTRA_CA_CERTS",
];
/// How long a server may take to end.
const ENDING: Duration = Duration::from_secs(3);

/// A session with a live MCP server.
#[derive(Debug)]
pub struct Server {
    service: RunningService<RoleClient, ()>,
    shown: String,
    timeout: Duration,
}

/// What a program is told of our environment: where programs and files are, and no key of anybody.
fn plain_environment() -> impl Iterator<Item = (String, String)> {
    ENVIRONMENT.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
}

impl Server {
    /// Starts or connects a server and shakes hands. The key goes into the `Authorization` of requests over HTTP; a program
    /// has it in its environment under its own name, and nothing else that is secret there.
    pub async fn open(target: &Target, key: Option<&Key>, wait: Duration) -> Result<Self, LiveError> {
        let shown = target.shown();
        let service = match target {
            Target::Command { program, arguments } => {
                let mut command = Command::new(program);
                command.args(arguments).kill_on_drop(true).env_clear().envs(plain_environment());
                command.envs(key.map(|key| (&key.name, &key.value)));
                let started = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
                let fault =
                    |error: std::io::Error| LiveError::Start { command: shown.clone(), message: error.to_string() };
                let (process, _) = started.map_err(fault)?;
                begin(&shown, wait, ().serve(process)).await?
            }
            Target::Address(address) => {
                let transport = transport(address, key.map(|key| key.value.as_str()))
                    .map_err(|message| failed(&shown, "connect", message))?;
                begin(&shown, wait, ().serve(transport)).await?
            }
        };
        Ok(Self { service, shown, timeout: wait })
    }

    /// The name that the server gives itself; its command or address where it gives none.
    pub fn name(&self) -> String {
        let info = self.service.peer_info();
        info.and_then(|it| Some(serde_json::to_value(&*it).ok()?.pointer("/serverInfo/name")?.as_str()?.to_owned()))
            .unwrap_or_else(|| self.shown.clone())
    }

    /// Everything that the server offers, page by page.
    pub async fn tools(&self) -> Result<Vec<Listed>, LiveError> {
        let (mut tools, mut cursor, mut seen) = (Vec::new(), None, BTreeSet::new());
        for _ in 0..PAGES {
            let page: PaginatedRequestParams = serde_json::from_value(serde_json::json!({ "cursor": cursor }))
                .map_err(|error| self.failed("tools/list", error))?;
            let page = self.within("tools/list", self.service.list_tools(Some(page))).await?;
            tools.extend(page.tools.iter().map(Listed::of));
            cursor = page.next_cursor;
            match &cursor {
                Some(next) if seen.insert(next.clone()) => {}
                Some(next) => return Err(self.failed("tools/list", format!("page `{next}` was returned twice"))),
                None => return Ok(tools),
            }
        }
        Err(self.failed("tools/list", format!("more than {PAGES} pages")))
    }

    /// Calls a tool by its name there.
    pub async fn call(&self, tool: &str, arguments: &Object) -> Result<Reply, LiveError> {
        let arguments = match Json::from(&Value::Object(arguments.clone())) {
            Json::Object(arguments) => arguments,
            _ => serde_json::Map::new(),
        };
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.within(tool, self.service.call_tool(request)).await;
        match result {
            Ok(result) => Ok(Reply { failed: result.is_error.unwrap_or(false), value: value_of(result) }),
            Err(fault) => Err(fault),
        }
    }

    /// Ends the session; a server that does not end is stopped.
    pub async fn close(mut self) {
        // Whatever happens, nothing is asked of it any more, and dropping it stops the process.
        drop(self.service.close_with_timeout(ENDING).await);
    }

    async fn within<T, E: ToString>(
        &self,
        what: &str,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, LiveError> {
        let late = || LiveError::Late { server: self.shown.clone(), what: what.to_owned(), after: self.timeout };
        timeout(self.timeout, work).await.map_err(|_| late())?.map_err(|error| self.failed(what, error))
    }

    fn failed(&self, what: &str, message: impl ToString) -> LiveError {
        failed(&self.shown, what, message)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "errors of any kind are given away here")]
fn failed(server: &str, what: &str, message: impl ToString) -> LiveError {
    LiveError::Failed { server: server.to_owned(), what: what.to_owned(), message: message.to_string() }
}

/// HTTP without redirects: they could lead to a host that nobody named, with the key.
fn transport(address: &str, key: Option<&str>) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let mut headers = reqwest::header::HeaderMap::new();
    if let Some(key) = key {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| "the key is not a valid header value".to_owned())?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let client = http::client().default_headers(headers).build();
    let client = client.map_err(|error| error.to_string())?;
    let config = StreamableHttpClientTransportConfig::with_uri(address.to_owned());
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

async fn begin<E: ToString>(
    shown: &str,
    wait: Duration,
    work: impl Future<Output = Result<RunningService<RoleClient, ()>, E>>,
) -> Result<RunningService<RoleClient, ()>, LiveError> {
    let late = || LiveError::Late { server: shown.to_owned(), what: "initialize".to_owned(), after: wait };
    let fault = |error: E| LiveError::Begin { server: shown.to_owned(), message: error.to_string() };
    timeout(wait, work).await.map_err(|_| late())?.map_err(fault)
}

impl Listed {
    fn of(tool: &McpTool) -> Self {
        Self {
            name: tool.name.to_string(),
            description: tool.description.as_ref().map(ToString::to_string).unwrap_or_default(),
            parameters: Json::Object((*tool.input_schema).clone()),
            returns: tool.output_schema.as_ref().map(|schema| Json::Object((**schema).clone())),
            reads: tool.annotations.as_ref().and_then(|it| it.read_only_hint).unwrap_or(false),
        }
    }
}

fn value_of(result: CallToolResult) -> Value {
    if let Some(structured) = result.structured_content {
        return Value::from(structured);
    }
    let mut parts: Vec<Value> = result.content.iter().map(part).collect();
    if parts.len() == 1 { parts.remove(0) } else { Value::List(parts) }
}

/// A part of an answer. What is no text is named by its sort: nobody asks about bytes.
fn part(content: &ContentBlock) -> Value {
    let ContentBlock::Text(text) = content else {
        let whole = serde_json::to_value(content).unwrap_or_default();
        let kept = ["type", "mimeType", "uri", "name"].into_iter();
        let kept = kept.filter_map(|key| Some((key.to_owned(), Value::from(whole.get(key)?.clone()))));
        return Value::Object(kept.collect());
    };
    match serde_json::from_str::<Value>(&text.text) {
        Ok(value @ (Value::Object(_) | Value::List(_))) => value,
        _ => Value::from(text.text.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: Json) -> String {
        value_of(serde_json::from_value(json).unwrap()).to_string()
    }

    #[test]
    fn an_answer_is_what_is_structured_or_else_the_json_or_the_text() {
        let text = |text: &str| serde_json::json!({"type": "text", "text": text});
        assert_eq!(
            value(serde_json::json!({"content": [text("x")], "structuredContent": {"a": 1.50}})),
            r#"{"a":1.5}"#
        );
        assert_eq!(value(serde_json::json!({"content": [text("{\"a\": 1.50}")]})), r#"{"a":1.50}"#);
        assert_eq!(value(serde_json::json!({"content": [text("7 {{ x }}")]})), r#""7 {{ x }}""#);
        assert_eq!(value(serde_json::json!({"content": [text("a"), text("b")]})), r#"["a","b"]"#);
        let image = serde_json::json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        assert_eq!(value(serde_json::json!({"content": [image]})), r#"{"type":"image","mimeType":"image/png"}"#);
    }

    #[test]
    fn a_tool_writes_unless_its_server_says_that_it_only_reads() {
        let listed = |annotations: Json| {
            let tool = serde_json::json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": annotations});
            Listed::of(&serde_json::from_value(tool).unwrap())
        };
        assert!(listed(serde_json::json!({"readOnlyHint": true})).reads);
        assert!(!listed(serde_json::json!({})).reads && !listed(serde_json::json!({"readOnlyHint": false})).reads);
    }

    #[test]
    fn a_program_is_told_no_secret() {
        assert!(plain_environment().all(|(name, _)| ENVIRONMENT.contains(&name.as_str())));
        let secretive = |name: &&&str| ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word));
        assert_eq!(ENVIRONMENT.iter().filter(secretive).count(), 0);
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_named() {
        let target = Target::read("no-such-program-anywhere --token abc").unwrap();
        let error = Server::open(&target, None, Duration::from_secs(2)).await.unwrap_err().to_string();
        assert!(error.starts_with("failed to start `no-such-program-anywhere`") && !error.contains("abc"), "{error}");
    }
}
