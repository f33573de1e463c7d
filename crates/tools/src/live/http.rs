//! One call of an HTTP API that `origins.json` describes. Hosts that nobody named are refused, and no redirect is followed.

use super::LiveError;
use super::Target;
use super::WorldConfig;
use super::server::Reply;
use crate::http;
use crate::toolset::import::{Destination, Operation, Place, Scheme};
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder, Url};
use serde_json::Value as Json;

/// Most bytes of an answer that are read.
const MOST: usize = 4 << 20;

/// An API, and how it may be asked.
pub(super) struct Api<'a> {
    pub(super) config: &'a WorldConfig,
    pub(super) schemes: &'a IndexMap<String, Scheme>,
    pub(super) key: Option<&'a str>,
}

/// The parts of a request.
#[derive(Debug, Default, PartialEq)]
struct Parts {
    path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    cookies: Vec<String>,
    body: Option<Json>,
}

impl Api<'_> {
    /// Makes a call.
    pub(super) async fn call(&self, tool: &str, operation: &Operation, arguments: &Object) -> Result<Reply, LiveError> {
        let failed = |message: String| self.failed(tool, message);
        let mut parts = parts(operation, arguments);
        self.authorize(operation, &mut parts);
        let url = self.url(operation, &parts).map_err(failed)?;
        self.check_host(&url)?;
        let client = http::client().timeout(self.config.wait()).build();
        let client = client.map_err(|error| failed(error.to_string()))?;
        let method: Method =
            operation.method.parse().map_err(|_| failed(format!("invalid HTTP method `{}`", operation.method)))?;
        let request = request(client.request(method, url), parts, operation).map_err(failed)?;
        // An error of the transport may hold the address with a key in it.
        let answer = request.send().await.map_err(|error| failed(error.without_url().to_string()))?;
        let status = answer.status();
        let text = read(answer).await.map_err(failed)?;
        if status.is_redirection() {
            return Err(failed(format!("redirects are not followed (status {})", status.as_u16())));
        }
        if status.is_server_error() || status.as_u16() == 429 {
            return Err(failed(format!("HTTP status {}", status.as_u16())));
        }
        let value =
            if text.trim().is_empty() { Value::Null } else { Value::read(&text).unwrap_or(Value::from(text.as_str())) };
        Ok(Reply { value, failed: !status.is_success() })
    }

    /// The base URL that the settings name, else the one of the description, with path and query.
    fn url(&self, operation: &Operation, parts: &Parts) -> Result<Url, String> {
        let base = match self.config.server.as_deref() {
            Some(base) => base,
            None => operation.servers.first().map(String::as_str).ok_or("no base URL")?,
        };
        let whole = format!("{}{}", base.trim_end_matches('/'), parts.path);
        let mut url = Url::parse(&whole).map_err(|error| format!("invalid URL: {error}"))?;
        if !parts.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&parts.query);
        }
        Ok(url)
    }

    /// The host is that of `server`, or one of `hosts`.
    fn check_host(&self, url: &Url) -> Result<(), LiveError> {
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (Some(host), None) => host.to_owned(),
            (None, _) => String::new(),
        };
        let own = self.config.target()?;
        let named = own.as_ref().and_then(Target::host).into_iter().chain(self.config.hosts.iter().map(String::as_str));
        let is_web = matches!(url.scheme(), "http" | "https");
        if is_web && named.into_iter().any(|it| it.eq_ignore_ascii_case(&host)) {
            Ok(())
        } else {
            Err(LiveError::Host { host })
        }
    }

    /// Puts the key where the first scheme that the operation takes wants it, else into `Authorization`.
    fn authorize(&self, operation: &Operation, parts: &mut Parts) {
        let Some(key) = self.key else { return };
        let wanted = operation.security.iter().flat_map(IndexMap::keys).find_map(|name| self.schemes.get(name));
        let name = wanted.and_then(|scheme| scheme.name.clone()).unwrap_or_default();
        match wanted.and_then(|scheme| scheme.place.as_deref()) {
            Some("query") => parts.query.push((name, key.to_owned())),
            Some("header") => parts.headers.push((name, key.to_owned())),
            Some("cookie") => parts.cookies.push(format!("{name}={key}")),
            _ => parts.headers.push(("authorization".to_owned(), format!("Bearer {key}"))),
        }
    }

    fn failed(&self, tool: &str, message: String) -> LiveError {
        let target = self.config.target().ok().flatten();
        let server = target.map(|it| it.shown()).unwrap_or_default();
        LiveError::Failed { server, what: tool.to_owned(), message }
    }
}

fn request(mut request: RequestBuilder, parts: Parts, operation: &Operation) -> Result<RequestBuilder, String> {
    for (name, value) in parts.headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| format!("invalid header name `{name}`"))?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| format!("invalid value of the header `{name}`"))?;
        value.set_sensitive(true);
        request = request.header(name, value);
    }
    if !parts.cookies.is_empty() {
        request = request.header(COOKIE, parts.cookies.join("; "));
    }
    if let Some(body) = parts.body {
        let form = operation.content_type.as_deref().unwrap_or("application/json");
        request = request.header(CONTENT_TYPE, form).body(body.to_string());
    }
    Ok(request)
}

async fn read(mut answer: reqwest::Response) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| error.without_url().to_string())? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MOST {
            return Err(format!("the response exceeds {MOST} bytes"));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn parts(operation: &Operation, arguments: &Object) -> Parts {
    let mut parts = Parts { path: operation.path.clone(), ..Parts::default() };
    for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
        let Some(to) = operation.parameters.get(name) else { continue };
        match to.place {
            Place::Path => parts.path = parts.path.replace(&format!("{{{}}}", to.name), &escaped(&joined(value, ","))),
            Place::Query => parts.query.extend(pairs(to, value)),
            Place::Header => parts.headers.push((to.name.clone(), joined(value, ","))),
            Place::Cookie => parts.cookies.push(format!("{}={}", to.name, escaped(&joined(value, ",")))),
            Place::Body => {
                put(parts.body.get_or_insert(Json::Null), to.pointer.as_deref().unwrap_or(""), Json::from(value));
            }
        }
    }
    parts
}

/// The pairs of a query parameter: by default each element of a list is one.
fn pairs(to: &Destination, value: &Value) -> Vec<(String, String)> {
    let separator = match to.style.as_deref() {
        Some("spaceDelimited") => " ",
        Some("pipeDelimited") => "|",
        _ => ",",
    };
    match value {
        Value::List(list) if to.explode.unwrap_or(separator == ",") => {
            list.iter().map(|it| (to.name.clone(), joined(it, separator))).collect()
        }
        Value::Object(object) if to.style.as_deref() == Some("deepObject") => {
            object.iter().map(|(key, it)| (format!("{}[{key}]", to.name), joined(it, ","))).collect()
        }
        Value::Object(object) if to.explode.unwrap_or(true) => {
            object.iter().map(|(key, it)| (key.clone(), joined(it, ","))).collect()
        }
        other => vec![(to.name.clone(), joined(other, separator))],
    }
}

fn joined(value: &Value, separator: &str) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::List(list) => list.iter().map(|it| joined(it, separator)).collect::<Vec<_>>().join(separator),
        Value::Object(object) => {
            let pairs = object.iter().flat_map(|(key, it)| [key.clone(), joined(it, separator)]);
            pairs.collect::<Vec<_>>().join(separator)
        }
        other => other.to_string(),
    }
}

/// A part of a path: everything is escaped that could lead out of it.
fn escaped(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_~".contains(byte);
    let dots = text.bytes().all(|byte| byte == b'.');
    let escape = |byte: u8| {
        if plain(&byte) || (byte == b'.' && !dots) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(escape).collect()
}

/// Puts a value into a body at a JSON pointer, with the objects that lead there.
fn put(body: &mut Json, pointer: &str, value: Json) {
    let mut place = body;
    for key in pointer.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        if !place.is_object() {
            *place = Json::Object(serde_json::Map::new());
        }
        let Some(object) = place.as_object_mut() else { return };
        place = object.entry(key).or_insert(Json::Null);
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation() -> Operation {
        serde_json::from_value(serde_json::json!({
            "method": "POST", "path": "/plants/{id}", "servers": ["https://other.example.com/v1"], "reads": false,
            "security": [{"k": []}],
            "parameters": {
                "id": {"in": "path", "name": "id"}, "tags": {"in": "query", "name": "tag"},
                "near": {"in": "query", "name": "near", "style": "deepObject"}, "trace": {"in": "header", "name": "X-Trace"},
                "town": {"in": "body", "name": "town", "pointer": "/place/town"}, "size": {"in": "body", "name": "size", "pointer": "/size"},
            },
        }))
        .unwrap()
    }

    fn arguments(json: &str) -> Object {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_argument_goes_where_it_belongs() {
        let given = r#"{"id": "a/../b", "tags": ["x", "y"], "near": {"lat": 1.50}, "trace": 7, "town": "Ü", "size": 2, "gone": 1}"#;
        let parts = parts(&operation(), &arguments(given));
        assert_eq!(parts.path, "/plants/a%2F..%2Fb");
        let query: Vec<String> = parts.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(query, ["tag=x", "tag=y", "near[lat]=1.50"]);
        assert_eq!(parts.headers, [("X-Trace".to_owned(), "7".to_owned())]);
        assert_eq!(parts.body.unwrap().to_string(), r#"{"place":{"town":"Ü"},"size":2}"#);
        assert_eq!([escaped(".."), escaped("a.b")], ["%2E%2E", "a.b"]);
    }

    #[test]
    fn hosts_that_nobody_named_are_refused() {
        let refused = |server: Option<&str>, hosts: &[&str]| {
            let hosts = hosts.iter().map(|it| (*it).to_owned()).collect();
            let config = WorldConfig { server: server.map(str::to_owned), hosts, ..WorldConfig::default() };
            let api = Api { config: &config, schemes: &IndexMap::new(), key: None };
            let url = api.url(&operation(), &Parts { path: "/x".to_owned(), ..Parts::default() }).unwrap();
            api.check_host(&url).is_err()
        };
        assert!(refused(None, &[]) && refused(None, &["example.com"]) && refused(None, &["other.example.com:81"]));
        assert!(!refused(None, &["Other.example.com"]) && !refused(Some("http://localhost:8080/api"), &[]));
    }

    #[test]
    fn the_key_goes_where_the_scheme_wants_it() {
        let put = |place: &str| {
            let scheme = serde_json::json!({"type": "apiKey", "in": place, "name": "k"});
            let schemes = IndexMap::from([("k".to_owned(), serde_json::from_value(scheme).unwrap())]);
            let mut parts = Parts::default();
            Api { config: &WorldConfig::default(), schemes: &schemes, key: Some("abc") }
                .authorize(&operation(), &mut parts);
            parts
        };
        assert_eq!(put("query").query, [("k".to_owned(), "abc".to_owned())]);
        assert_eq!(put("header").headers, [("k".to_owned(), "abc".to_owned())]);
        assert_eq!(put("cookie").cookies, ["k=abc"]);
        assert_eq!(put("elsewhere").headers, [("authorization".to_owned(), "Bearer abc".to_owned())]);
    }

    /// The address of a server that gives these answers, one for each connection.
    fn served(answers: &[&str]) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers: Vec<String> = answers.iter().map(|it| (*it).to_owned()).collect();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && std::io::Read::read(&mut stream, &mut byte).unwrap() > 0 {
                    head.push(byte[0]);
                }
                std::io::Write::write_all(&mut stream, answer.as_bytes()).unwrap();
            }
        });
        address
    }

    #[tokio::test]
    async fn an_answer_is_data_and_no_redirect_is_followed() {
        let close = "Connection: close\r\n";
        let server = served(&[
            &format!("HTTP/1.1 200 OK\r\n{close}Content-Length: 12\r\n\r\n{{\"n\": 1.50 }}"),
            &format!(
                "HTTP/1.1 302 Found\r\n{close}Location: http://elsewhere.example.com/\r\nContent-Length: 0\r\n\r\n"
            ),
            &format!("HTTP/1.1 404 Not Found\r\n{close}Content-Length: 4\r\n\r\nnone"),
        ]);
        let config = WorldConfig { server: Some(server), timeout: 5, ..WorldConfig::default() };
        let (api, schemes) = (operation(), IndexMap::new());
        let api_of = Api { config: &config, schemes: &schemes, key: Some("abc") };
        let given = arguments(r#"{"id": "a"}"#);
        assert_eq!(api_of.call("t", &api, &given).await.unwrap().value.to_string(), r#"{"n":1.50}"#);
        let moved = api_of.call("t", &api, &given).await.unwrap_err().to_string();
        assert!(moved.ends_with("redirects are not followed (status 302)"), "{moved}");
        let missing = api_of.call("t", &api, &given).await.unwrap();
        assert_eq!((missing.value, missing.failed), ("none".into(), true));
    }
}
