//! A small server for `tests/fixtures/openapi/nursery.yaml`: plants by name and by code, orders by customer. The nursery is
//! invented.

use super::bench::KEY;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};

/// Code, name, light, price and neighbours of each plant.
const PLANTS: [(&str, &str, &str, f64, &[&str]); 6] = [
    ("PL-1042", "ostrich fern", "shade", 12.5, &["PL-2218", "PL-5120"]),
    ("PL-2218", "silver birch", "full_sun", 48.0, &["PL-1042"]),
    ("PL-3907", "garden sage", "full_sun", 6.9, &["PL-4471", "PL-6003"]),
    ("PL-4471", "swamp rose", "half_shade", 17.0, &["PL-3907"]),
    ("PL-5120", "wood anemone", "shade", 4.25, &["PL-1042", "PL-4471"]),
    ("PL-6003", "mountain thyme", "full_sun", 5.5, &["PL-3907"]),
];

/// Whether there is a plant of that code.
pub(crate) fn has(code: &str) -> bool {
    PLANTS.iter().any(|plant| plant.0 == code)
}

/// The server, while this lives.
pub(crate) struct Nursery {
    pub(crate) url: String,
    port: u16,
    state: Arc<State>,
    work: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    heard: Mutex<Vec<String>>,
    refused: AtomicUsize,
    closed: AtomicBool,
}

impl Nursery {
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<State>::default();
        let shared = state.clone();
        let work = spawn(move || {
            for stream in listener.incoming().take_while(|_| !shared.closed.load(Ordering::Relaxed)) {
                shared.serve(stream.unwrap());
            }
        });
        Self { url: format!("http://127.0.0.1:{port}/v2"), port, state, work: Some(work) }
    }

    /// The first line of each request.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.state.heard.lock().unwrap().clone()
    }

    /// Requests without the key.
    pub(crate) fn refused(&self) -> usize {
        self.state.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        self.state.closed.store(true, Ordering::Relaxed);
        // Wakes the one who listens.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        self.work.take().map(JoinHandle::join);
    }
}

impl State {
    /// Answers one request and closes.
    fn serve(&self, mut stream: TcpStream) {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let Some(first) = head.first() else { return };
        self.heard.lock().unwrap().push(first.clone());
        let is_staff = head.iter().any(|line| line.eq_ignore_ascii_case(&format!("x-staff-key: {KEY}")));
        self.refused.fetch_add(usize::from(!is_staff), Ordering::Relaxed);
        let (status, body) = if is_staff { answer(first) } else { ("401 Unauthorized", "{}".to_owned()) };
        let length = body.len();
        let form = "content-type: application/json\r\nconnection: close";
        write!(stream, "HTTP/1.1 {status}\r\n{form}\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    }
}

fn answer(line: &str) -> (&'static str, String) {
    let address = line.split(' ').nth(1).and_then(|it| it.strip_prefix("/v2")).unwrap_or_default();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let asked = |name: &str| {
        let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.map(|it| it.replace('+', " ").replace("%40", "@"))
    };
    match (path, path.strip_prefix("/plants/")) {
        ("/plants", _) => ("200 OK", found(&asked("name").unwrap_or_default(), asked("light").as_deref())),
        ("/orders", _) => ("200 OK", orders(&asked("customer").unwrap_or_default())),
        (_, Some(code)) if has(code) => ("200 OK", sheet(code, true)),
        _ => ("404 Not Found", r#"{"error": "there is no such thing"}"#.to_owned()),
    }
}

fn found(name: &str, light: Option<&str>) -> String {
    let name = name.to_lowercase();
    let fits = |plant: &&(&str, &str, &str, f64, &[&str])| {
        plant.1.contains(&name) && light.is_none_or(|light| light == plant.2)
    };
    let sheets: Vec<String> = PLANTS.iter().filter(fits).map(|plant| sheet(plant.0, false)).collect();
    format!("[{}]", sheets.join(","))
}

fn sheet(code: &str, whole: bool) -> String {
    let (_, name, light, price, neighbours) = PLANTS.iter().find(|plant| plant.0 == code).unwrap();
    let beside: Vec<String> = neighbours.iter().filter(|_| whole).map(|code| sheet(code, false)).collect();
    let beside = if whole { format!(r#","neighbours":[{}]"#, beside.join(",")) } else { String::new() };
    format!(r#"{{"code":"{code}","name":"{name}","light":"{light}","price":{price}{beside}}}"#)
}

fn orders(customer: &str) -> String {
    let order = format!(r#"{{"id":4410,"code":"PL-1042","pieces":3,"customer":"{customer}","state":"open"}}"#);
    if customer.contains('@') { format!("[{order}]") } else { "[]".to_owned() }
}
