//! A killed process loses no reply that was said to be on disk, and a run that was killed goes on as if it had not been.
//!
//!     FCGEN_KILLS=100 cargo test --test it kill -- --nocapture
//!
//! kills a hundred times, and holds each kill to the fifty milliseconds within which an answer is on disk. Without the
//! number there are three kills, and a busy machine is no fault: what was on disk then is looked at instead.

use super::bench::{Bench, bytes};
use fcgen::llm::{Chat, ChatDeps, Journal, ModelConfig, Reply, Request, Task, Variables};
use fcgen::record::{Chance, Object};
use rusqlite::{Connection, OpenFlags};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        .args(["resume::kill::what_was_flushed_survives_a_kill", "--exact", "--nocapture"])
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

/// What was answered so long before a kill may be asked for again.
const WINDOW: Duration = Duration::from_millis(50);

/// When to kill.
enum Until {
    /// So many requests were answered.
    Answered(usize),
    /// So much time has passed, whatever the run is busy with.
    Passed(Duration),
}

/// A kill, and how many replies were on disk just before.
struct Kill {
    moment: Instant,
    kept: u32,
}

impl Bench {
    /// How many requests were answered by that moment, after the first `since`.
    fn answered_by(&self, since: usize, moment: Instant) -> usize {
        self.log.answered.lock().unwrap().iter().skip(since).filter(|(_, at)| *at <= moment).count()
    }
}

/// Kills a run; nothing if it was at its end before.
async fn kill(bench: &Bench, out: &Path, until: Until) -> Option<Kill> {
    let mut counts = bench.log.count.subscribe();
    let mut child = bench.spawn(out);
    // Its output ends when it does; until somebody waits for it, its id is nobody else's.
    let mut output = child.stdout.take().unwrap();
    let ended = tokio::task::spawn_blocking(move || output.read_to_end(&mut Vec::new()));
    let moment = async {
        match until {
            Until::Answered(number) => drop(counts.wait_for(|count| *count >= number).await),
            Until::Passed(time) => tokio::time::sleep(time).await,
        }
    };
    tokio::select! {
        () = moment => {}
        _ = ended => {}
    }
    let (kept, moment) = (kept(out).unwrap_or(0), Instant::now());
    child.kill().unwrap();
    let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    (!status.success()).then_some(Kill { moment, kept })
}

/// Replies on disk; none where the file is not even there.
fn kept(out: &Path) -> rusqlite::Result<u32> {
    let connection = Connection::open_with_flags(out.join("run.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.query_row("SELECT COUNT(*) FROM reply", [], |row| row.get(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_are_killed_give_the_same_bytes_and_repay_next_to_nothing() {
    let asked_for = std::env::var("FCGEN_KILLS").ok().and_then(|number| number.parse().ok());
    let bench = Bench::start().await;
    let (whole, began) = (bench.folder.path().join("whole"), Instant::now());
    bench.finish(&whole).await;
    let (expected, total, span) = (bytes(&whole), bench.count(), began.elapsed());
    assert!(total > 50 && bench.repeated(0).is_empty(), "{total} requests");
    let mut chance = Chance::of(&[b"moments to be killed at"]);
    let (mut killed, mut rounds, mut ages) = (0, 0, Vec::new());
    while killed < asked_for.unwrap_or(3) {
        let (out, since) = (bench.folder.path().join(rounds.to_string()), bench.count());
        let until = match rounds % 2 {
            0 => Until::Answered(since + 1 + chance.below(total - 1)),
            _ => Until::Passed(span.mul_f64(f64::from(u32::try_from(chance.below(1000)).unwrap()) / 1000.0)),
        };
        let kill = kill(&bench, &out, until).await;
        bench.finish(&out).await;
        assert!(bytes(&out) == expected, "round {rounds} gave other bytes");
        let repeated = bench.repeated(since);
        assert_eq!(bench.count() - since, total + repeated.len(), "round {rounds}: nothing is asked that need not be");
        rounds += 1;
        let Some(Kill { moment, kept }) = kill else {
            assert!(repeated.is_empty(), "it was at its end");
            continue;
        };
        // What was in flight was answered after the kill, to nobody.
        let early = repeated.iter().filter(|(earlier, _)| *earlier <= moment).count();
        let answered = bench.answered_by(since, moment);
        assert!(early + kept as usize <= answered, "{early} repeated, {kept} of {answered} were on disk");
        ages.extend(repeated.iter().map(|(earlier, _)| moment.saturating_duration_since(*earlier)));
        killed += 1;
    }
    let (late, oldest) =
        (ages.iter().filter(|age| **age > WINDOW).count(), ages.iter().max().unwrap_or(&Duration::ZERO));
    println!(
        "{killed} kills in {rounds} rounds of {total} requests: the same bytes, {} answers asked for again, {late} of them \
         older than {WINDOW:?} at the kill, the oldest {oldest:?}",
        ages.len()
    );
    assert!(
        asked_for.is_none() || late == 0,
        "{late} answers of more than {WINDOW:?} before a kill were asked for again"
    );
}
