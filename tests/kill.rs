//! A killed process loses no reply that was said to be on disk.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

use fcgen::llm::{Chat, ChatDeps, Journal, ModelConfig, Reply, Request, Task, Variables};
use fcgen::record::Object;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Tells the test below that it is the process to be killed, and where its journal is.
const PLACE: &str = "FCGEN_TEST_JOURNAL";

#[tokio::test]
async fn what_was_flushed_survives_a_kill() {
    if let Ok(place) = std::env::var(PLACE) {
        return write_until_killed(Path::new(&place)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let flushed = start_and_kill(&path);
    let (chat, _journal) = open(&path, "after");
    for ordinal in 0..flushed {
        let reply = chat.ask(&request(ordinal)).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.cached), ("before", true), "{ordinal}");
    }
}

/// Starts this test as another process, and kills it in the midst of writing. Gives how many replies it had flushed.
fn start_and_kill(path: &Path) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["what_was_flushed_survives_a_kill", "--exact", "--nocapture"])
        .env(PLACE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let flushed = lines.filter_map(|line| line.strip_prefix("flushed ")?.parse().ok()).nth(20).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    flushed
}

#[expect(clippy::print_stdout, reason = "the process that kills reads it")]
async fn write_until_killed(path: &Path) {
    let (chat, journal) = open(path, "before");
    for ordinal in 0.. {
        chat.ask(&request(ordinal)).await.unwrap();
        if ordinal % 10 == 9 {
            journal.flush().unwrap();
            println!("flushed {}", ordinal + 1);
        }
    }
}

fn open(path: &Path, text: &'static str) -> (Chat, Arc<Journal>) {
    let journal = Arc::new(Journal::open(path).unwrap());
    let model = |_: &Request| Reply { text: text.to_owned(), ..Reply::default() };
    let deps = ChatDeps { journal: Some(journal.clone()), ..ChatDeps::new(Arc::new(model)) };
    let config = ModelConfig { record: true, ..ModelConfig::default() };
    (Chat::open("generator", &config, deps).unwrap(), journal)
}

fn request(ordinal: u32) -> Request {
    Request {
        task: Task::Generate,
        stage: Arc::from("write"),
        item: Arc::from(ordinal.to_string()),
        draw: 0,
        system: None,
        history: Vec::new(),
        user: String::new(),
        variables: Arc::new(Variables::Generate(Object::new())),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}
