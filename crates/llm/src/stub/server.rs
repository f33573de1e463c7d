//! The server itself: one task a connection, until the handle is dropped.

use super::batches::{BatchPlan, BatchStats, Batches};
use super::fault::{FaultPlan, StubFault, fraction};
use super::http::{Connection, RawRequest, head, read_request};
use super::rule::{Rule, StubReply, StubRequest, completion, scores, vectors};
use crate::request::{FinishReason, Reply};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// How the stub behaves.
#[derive(Clone, Default)]
pub struct StubOptions {
    /// Port on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    /// What it says.
    pub rule: Rule,
    /// When it fails, and how.
    pub faults: FaultPlan,
    /// How long an answer takes.
    pub latency: Duration,
    /// How much longer it takes at most; how much depends on the request's ordinal.
    pub jitter: Duration,
    /// How batches go.
    pub batches: BatchPlan,
    /// How many requests it works on at once; where it is set, more are refused at once with a 429.
    pub capacity: Option<u64>,
    /// How many requests it works on at its usual speed; where it is set, twice as many take twice as long.
    pub at_ease: Option<u64>,
    /// Headers of every answer to a question that does not fail, such as `x-ratelimit-remaining-requests`.
    pub headers: Vec<(String, String)>,
}

/// A running stub; it stops when dropped.
pub struct Stub {
    address: SocketAddr,
    served: Arc<Served>,
    task: JoinHandle<()>,
}

pub(super) struct Served {
    pub(super) options: StubOptions,
    pub(super) counters: Counters,
    pub(super) batches: Batches,
}

impl Stub {
    /// Starts to listen.
    pub async fn start(options: StubOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
        let address = listener.local_addr()?;
        let served = Arc::new(Served { options, counters: Counters::default(), batches: Batches::default() });
        let task = tokio::spawn(accept_all(listener, served.clone()));
        Ok(Self { address, served, task })
    }

    /// The base URL, as `base_url` wants it.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The counts so far.
    pub fn stats(&self) -> StubStats {
        self.served.counters.snapshot()
    }

    /// Requests that are being worked on now.
    pub fn in_flight(&self) -> u64 {
        self.served.counters.in_flight()
    }

    /// The counts of files and batches so far.
    pub fn batch_stats(&self) -> BatchStats {
        self.served.batches.stats()
    }

    /// Stops listening, ends every connection, and returns when all of that is done.
    pub async fn stop(mut self) {
        self.task.abort();
        // It was cancelled; that is its only end.
        (&mut self.task).await.unwrap_or_default();
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept_all(listener: TcpListener, served: Arc<Served>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let served = served.clone();
        connections.spawn(async move {
            // Whoever breaks a connection off has its reasons; the next one is served all the same.
            served.serve(stream).await.unwrap_or_default();
        });
    }
}

impl Served {
    async fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut connection = BufStream::new(stream);
        while let Some(request) = read_request(&mut connection).await? {
            match (request.method.as_str(), request.path.trim_start_matches("/v1")) {
                ("POST", "/chat/completions") => self.answer(&mut connection, request, None).await?,
                ("POST", "/embeddings") => self.answer(&mut connection, request, Some(vectors)).await?,
                ("POST", "/pairs") => self.answer(&mut connection, request, Some(scores)).await?,
                ("GET", "/models") => send_json(&mut connection, 200, &models()).await?,
                ("GET", "/health") => send_json(&mut connection, 200, &json!({ "status": "ok" })).await?,
                ("GET", "/stats") => send_json(&mut connection, 200, &json!(self.counters.snapshot())).await?,
                (_, path) if path.starts_with("/files") || path.starts_with("/batches") => {
                    self.answer_batches(&mut connection, &request).await?;
                }
                _ => send_json(&mut connection, 404, &json!({ "error": { "message": "no such path" } })).await?,
            }
        }
        Ok(())
    }

    /// Answers a question, or one for vectors or scores, which the rule has no say in.
    async fn answer(
        &self,
        connection: &mut Connection,
        raw: RawRequest,
        numbers: Option<fn(&Value) -> Value>,
    ) -> io::Result<()> {
        let in_flight = self.counters.enter(&raw.body);
        if self.options.capacity.is_some_and(|capacity| in_flight.crowd > capacity) {
            in_flight.answered(Some(429), false);
            return send_json(connection, 429, &json!({ "error": { "message": "too many at once" } })).await;
        }
        tokio::time::sleep(self.delay(in_flight.ordinal, in_flight.crowd)).await;
        let Ok(body) = serde_json::from_slice(&raw.body) else {
            in_flight.answered(Some(400), false);
            return send_json(connection, 400, &json!({ "error": { "message": "the body is not JSON" } })).await;
        };
        let request = StubRequest { ordinal: in_flight.ordinal, headers: raw.headers, body };
        let reply = match self.options.faults.fault(request.ordinal) {
            Some(fault) => StubReply::Fault(fault.clone()),
            None => match numbers {
                Some(numbers) => {
                    in_flight.answered(Some(200), true);
                    return send_json(connection, 200, &numbers(&request.body)).await;
                }
                None => self.options.rule.answer(&request),
            },
        };
        match reply {
            StubReply::Reply(reply) => {
                in_flight.answered(Some(200), true);
                let headers = [&json_header(), self.options.headers.as_slice()].concat();
                send(connection, 200, &headers, &completion(&request, &reply).to_string()).await
            }
            StubReply::Fault(fault) => fail(connection, &in_flight, &request, fault).await,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    fn delay(&self, ordinal: u64, crowd: u64) -> Duration {
        let delay = self.options.latency + self.options.jitter.mul_f64(fraction(0, ordinal, u64::MAX));
        let times = self.options.at_ease.map_or(1.0, |at_ease| crowd as f64 / at_ease.max(1) as f64);
        delay.mul_f64(times.max(1.0))
    }
}

async fn fail(
    connection: &mut Connection,
    in_flight: &InFlight<'_>,
    request: &StubRequest,
    fault: StubFault,
) -> io::Result<()> {
    let whole = completion(request, &Reply { text: request.last_message().to_owned(), ..Reply::default() }).to_string();
    let half = || whole.chars().take(whole.chars().count() / 2).collect::<String>();
    let status = match &fault {
        StubFault::Answer { status, .. } => Some(*status),
        StubFault::DropBeforeHeaders | StubFault::DropAfterHeaders | StubFault::TruncatedBody => None,
        _ => Some(200),
    };
    in_flight.answered(status, false);
    match fault {
        StubFault::Answer { status, headers, body } => send(connection, status, &headers, &body).await,
        StubFault::DropBeforeHeaders => Err(io::ErrorKind::ConnectionAborted.into()),
        StubFault::DropAfterHeaders => break_off(connection, &whole, "").await,
        StubFault::TruncatedBody => break_off(connection, &whole, &half()).await,
        StubFault::Trickle(pause) => trickle(connection, &whole, pause).await,
        StubFault::HalfJson => send(connection, 200, &json_header(), &half()).await,
        StubFault::WrongContentType => send(connection, 200, &content_type("text/event-stream"), &whole).await,
        StubFault::EmptyChoices => send_json(connection, 200, &json!({ "choices": [] })).await,
        StubFault::Finish(word) => {
            let text = request.last_message().to_owned();
            let reply = Reply { text, finish: FinishReason::Other(word), ..Reply::default() };
            send_json(connection, 200, &completion(request, &reply)).await
        }
    }
}

pub(super) async fn break_off(connection: &mut Connection, whole: &str, sent: &str) -> io::Result<()> {
    connection.write_all((head(200, &json_header(), whole.len()) + sent).as_bytes()).await?;
    connection.flush().await?;
    Err(io::ErrorKind::ConnectionAborted.into())
}

async fn trickle(connection: &mut Connection, whole: &str, pause: Duration) -> io::Result<()> {
    connection.write_all(head(200, &json_header(), whole.len()).as_bytes()).await?;
    for byte in whole.bytes() {
        connection.flush().await?;
        tokio::time::sleep(pause).await;
        connection.write_all(&[byte]).await?;
    }
    connection.flush().await
}

pub(super) async fn send_json(connection: &mut Connection, status: u16, body: &Value) -> io::Result<()> {
    send(connection, status, &json_header(), &body.to_string()).await
}

pub(super) async fn send(
    connection: &mut Connection,
    status: u16,
    headers: &[(String, String)],
    body: &str,
) -> io::Result<()> {
    connection.write_all((head(status, headers, body.len()) + body).as_bytes()).await?;
    connection.flush().await
}

pub(super) fn json_header() -> [(String, String); 1] {
    content_type("application/json")
}

pub(super) fn content_type(kind: &str) -> [(String, String); 1] {
    [("content-type".to_owned(), kind.to_owned())]
}

fn models() -> Value {
    json!({ "object": "list", "data": [{ "id": "stub", "object": "model", "created": 0, "owned_by": "fcgen" }] })
}

// What the stub counts.

/// Counts of the chat requests so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StubStats {
    /// Requests that came.
    pub total: u64,
    /// Those that were answered with a whole completion.
    pub ok: u64,
    /// Those that failed without a whole answer.
    pub broken: u64,
    /// Answers by status.
    pub by_status: BTreeMap<u16, u64>,
    /// Most requests that were worked on at once.
    pub max_in_flight: u64,
    /// Requests whose body had come before.
    pub repeated: u64,
}

/// The counters, and what they are counted from.
#[derive(Default)]
pub(super) struct Counters {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    stats: StubStats,
    in_flight: u64,
    seen: BTreeSet<[u8; 32]>,
}

/// A request that is being worked on; it ends when dropped.
pub(super) struct InFlight<'a> {
    counters: &'a Counters,
    pub(super) ordinal: u64,
    /// How many there are with it.
    pub(super) crowd: u64,
}

impl Counters {
    pub(super) fn snapshot(&self) -> StubStats {
        self.with(|inner| inner.stats.clone())
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.with(|inner| inner.in_flight)
    }

    /// Counts a request in.
    pub(super) fn enter(&self, body: &[u8]) -> InFlight<'_> {
        let hash = *blake3::hash(body).as_bytes();
        let (ordinal, crowd) = self.with(|inner| {
            inner.stats.repeated += u64::from(!inner.seen.insert(hash));
            inner.in_flight += 1;
            inner.stats.max_in_flight = inner.stats.max_in_flight.max(inner.in_flight);
            inner.stats.total += 1;
            (inner.stats.total - 1, inner.in_flight)
        });
        InFlight { counters: self, ordinal, crowd }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl InFlight<'_> {
    /// Counts an answer, or that there was none.
    pub(super) fn answered(&self, status: Option<u16>, whole_completion: bool) {
        self.counters.with(|inner| {
            inner.stats.ok += u64::from(whole_completion);
            match status {
                Some(status) => *inner.stats.by_status.entry(status).or_default() += 1,
                None => inner.stats.broken += 1,
            }
        });
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.counters.with(|inner| inner.in_flight -= 1);
    }
}

#[cfg(test)]
pub(super) mod tests_support {
    use super::*;

    /// Everything of a stub but its sockets.
    pub(in crate::stub) fn served(faults: FaultPlan) -> Served {
        let options = StubOptions { faults, ..StubOptions::default() };
        Served { options, counters: Counters::default(), batches: Batches::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    /// Sends the text and reads until the stub ends the connection.
    async fn talk(stub: &Stub, text: &str) -> String {
        let mut stream = TcpStream::connect(stub.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    fn post(body: &str) -> String {
        format!("POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn paths_besides_chat() {
        let stub = Stub::start(StubOptions::default()).await.unwrap();
        assert!(talk(&stub, "GET /health HTTP/1.1\r\n\r\n").await.ends_with(r#"{"status":"ok"}"#));
        assert!(talk(&stub, "GET /v1/models HTTP/1.1\r\n\r\n").await.contains(r#""id":"stub""#));
        assert!(talk(&stub, "GET /else HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 404"));
        assert!(talk(&stub, "GET /stats HTTP/1.1\r\n\r\n").await.contains(r#""total":0"#));
    }

    #[tokio::test]
    async fn one_connection_carries_many_requests() {
        let stub = Stub::start(StubOptions::default()).await.unwrap();
        let body = r#"{"messages":[{"role":"user","content":"hello"}]}"#;
        let answer = talk(&stub, &post(body).repeat(3)).await;
        assert_eq!(answer.matches("\"content\":\"hello\"").count(), 3);
        let stats = stub.stats();
        assert_eq!((stats.total, stats.ok, stats.repeated, stats.max_in_flight), (3, 3, 2, 1));
    }

    #[tokio::test]
    async fn texts_become_vectors_and_fail_like_questions() {
        let faults = FaultPlan::first([StubFault::status(503)]);
        let stub = Stub::start(StubOptions { faults, ..StubOptions::default() }).await.unwrap();
        let body = r#"{"input": ["a", "b"]}"#;
        let text = format!("POST /v1/embeddings HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        assert!(talk(&stub, &text).await.starts_with("HTTP/1.1 503"));
        assert_eq!(talk(&stub, &text).await.matches("\"embedding\":[").count(), 2);
        assert_eq!(stub.stats().ok, 1);
    }

    #[tokio::test]
    async fn a_body_that_is_not_json_is_refused() {
        let stub = Stub::start(StubOptions::default()).await.unwrap();
        assert!(talk(&stub, &post("{")).await.starts_with("HTTP/1.1 400"));
        assert_eq!(stub.stats().by_status, [(400, 1)].into());
    }

    #[tokio::test]
    async fn whole_answers_can_be_wrong_as_well() {
        let faults = FaultPlan::first([
            StubFault::integer_code(429).with_header("retry-after", "1.5"),
            StubFault::WrongContentType,
            StubFault::EmptyChoices,
            StubFault::Finish("eos_token".to_owned()),
            StubFault::HalfJson,
            StubFault::html(502),
        ]);
        let stub = Stub::start(StubOptions { faults, ..StubOptions::default() }).await.unwrap();
        let signs = [
            "retry-after: 1.5\r\n",
            "content-type: text/event-stream\r\n",
            "{\"choices\":[]}",
            "\"finish_reason\":\"eos_token\"",
            "\"id\":\"stub-4\"",
            "<title>502 from the proxy</title>",
        ];
        for sign in signs {
            let answer = talk(&stub, &post("{}")).await;
            assert!(answer.contains(sign), "{sign}: {answer}");
        }
        let stats = stub.stats();
        assert_eq!((stats.ok, stats.broken), (0, 0));
        assert_eq!(stats.by_status, [(200, 4), (429, 1), (502, 1)].into());
    }

    #[tokio::test]
    async fn a_trickle_arrives_whole_in_the_end() {
        let faults = FaultPlan::first([StubFault::Trickle(Duration::ZERO)]);
        let stub = Stub::start(StubOptions { faults, ..StubOptions::default() }).await.unwrap();
        let answer = talk(&stub, &post("{}")).await;
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        assert_eq!(serde_json::from_str::<Value>(body).unwrap()["choices"][0]["finish_reason"], "stop");
    }

    #[test]
    fn the_jitter_stays_within_its_bound_and_repeats() {
        let (latency, jitter) = (Duration::from_millis(10), Duration::from_millis(5));
        let served = Served {
            options: StubOptions { latency, jitter, ..StubOptions::default() },
            counters: Counters::default(),
            batches: Batches::default(),
        };
        let delays: Vec<Duration> = (0..50).map(|ordinal| served.delay(ordinal, 1)).collect();
        assert!(delays.iter().all(|delay| (latency..latency + jitter).contains(delay)));
        assert_eq!(served.delay(7, 1), delays[7]);
        assert_ne!(delays[0], delays[1]);
    }

    #[test]
    fn a_crowd_takes_longer_than_those_it_is_at_ease_with() {
        let options = StubOptions { latency: Duration::from_millis(10), at_ease: Some(4), ..StubOptions::default() };
        let served = Served { options, counters: Counters::default(), batches: Batches::default() };
        assert_eq!([1, 4, 8, 40].map(|crowd| served.delay(0, crowd).as_millis()), [10, 10, 20, 100]);
    }

    #[tokio::test]
    async fn more_than_it_can_do_is_refused_and_headers_come_with_answers() {
        let headers = vec![("x-ratelimit-remaining-requests".to_owned(), "7".to_owned())];
        let stub = Stub::start(StubOptions { headers, ..StubOptions::default() }).await.unwrap();
        assert!(talk(&stub, &post("{}")).await.contains("\r\nx-ratelimit-remaining-requests: 7\r\n"));
        let stub = Stub::start(StubOptions { capacity: Some(0), ..StubOptions::default() }).await.unwrap();
        assert!(talk(&stub, &post("{}")).await.starts_with("HTTP/1.1 429"));
        assert_eq!(stub.stats().by_status, [(429, 1)].into());
    }

    #[tokio::test]
    async fn connections_break_off_where_planned() {
        let faults =
            FaultPlan::first([StubFault::DropBeforeHeaders, StubFault::DropAfterHeaders, StubFault::TruncatedBody]);
        let stub = Stub::start(StubOptions { faults, ..StubOptions::default() }).await.unwrap();
        assert_eq!(talk(&stub, &post("{}")).await, "");
        assert!(talk(&stub, &post("{}")).await.ends_with("\r\n\r\n"));
        let cut = talk(&stub, &post("{}")).await;
        assert!(cut.contains("stub-2") && !cut.contains("finish_reason"), "{cut}");
        assert_eq!(stub.stats().broken, 3);
    }

    #[tokio::test]
    async fn a_stopped_stub_is_gone() {
        let stub = Stub::start(StubOptions::default()).await.unwrap();
        let address = stub.address;
        stub.stop().await;
        assert!(TcpStream::connect(address).await.is_err());
    }
}

#[cfg(test)]
mod stats_tests {
    use super::*;

    #[test]
    fn everything_is_counted() {
        let counters = Counters::default();
        let (first, second) = (counters.enter(b"a"), counters.enter(b"b"));
        assert_eq!((first.crowd, second.crowd), (1, 2));
        first.answered(Some(200), true);
        second.answered(None, false);
        assert_eq!(counters.in_flight(), 2);
        drop((first, second));
        let third = counters.enter(b"a");
        third.answered(Some(429), false);
        let by_status = [(200, 1), (429, 1)].into();
        let expected = StubStats { total: 3, ok: 1, broken: 1, by_status, max_in_flight: 2, repeated: 1 };
        assert_eq!(counters.snapshot(), expected);
        assert_eq!(third.ordinal, 2);
    }
}
