//! The API key: whatever a run leaves and says is searched for it, with a server that repeats it in every way.

use super::bench::Bench;
use super::server::Server;
use super::{scoring, scoring_confetti};
use assert_cmd::Command;
use fcgen::llm::stub::{StubFault, StubReply, StubRequest};
use fcgen::llm::{FinishReason, Reply, ToolCallText};
use std::path::{Path, PathBuf};
use std::time::Duration;

const KEY: &str = "sk-Zq7vXw3KpL9mTn5RbYc2";

/// The value of a further header.
const TEAM: &str = "tm-Hd4Gs8WqNf6JuEo1";

/// What no file may hold: the key, or enough of its beginning or end to count as a part of it.
const TRACES: [&str; 6] = [KEY, "sk-Zq7vXw", "5RbYc2", TEAM, "tm-Hd4Gs8", "6JuEo1"];

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Runs with the key set, and searches what was said and what was left for it.
fn assert_silent(name: &str, server: &Server) -> i32 {
    let bench = Bench::new();
    let key = "--set model.generator.api_key_env=FCGEN_TEST_KEY --set model.generator.headers.X-Team=FCGEN_TEST_TEAM";
    let code = assert_silent_in(&bench, name, &server.line(&format!("--limit 1 --out run {key}")));
    // Many servers say the same in several forms: what others make of the folder does not hang on the form.
    let further = ["status run", "script run --out script.jsonl"];
    for line in further.into_iter().filter(|_| !name.starts_with("text")) {
        assert_silent_in(&bench, name, line);
    }
    assert!(server.stub.stats().total > 0, "{name}: nobody was asked");
    code
}

/// The same for any command in a folder where some things are already.
fn assert_silent_in(bench: &Bench, name: &str, line: &str) -> i32 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    command.args(line.split(' ')).current_dir(bench.path("")).timeout(Duration::from_secs(60));
    for (variable, secret) in [("FCGEN_TEST_KEY", KEY), ("OPENAI_API_KEY", KEY), ("FCGEN_TEST_TEAM", TEAM)] {
        command.env(variable, secret);
    }
    let output = command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full").output().unwrap();
    let said = [("stdout".into(), output.stdout), ("stderr".into(), output.stderr)];
    let left =
        files(&bench.path("")).into_iter().map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()));
    for (place, bytes) in said.into_iter().chain(left) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(place != "stderr" || !text.contains("panicked at"), "{name}: {text}");
        assert!(TRACES.iter().all(|trace| !text.contains(trace)), "{name}: the key is in {place}: {text}");
    }
    output.status.code().unwrap()
}

/// A server that answers everything with what this makes of the headers.
fn repeating(answer: impl Fn(&str) -> StubFault + Send + Sync + 'static) -> Server {
    Server::handled(move |request: &StubRequest| StubReply::Fault(answer(&secrets(request))))
}

/// The secrets of a request, as a server sees them.
fn secrets(request: &StubRequest) -> String {
    ["authorization", "x-team"].iter().filter_map(|name| request.header(name)).collect::<Vec<_>>().join(" ")
}

/// A server that says yes and repeats the secrets wherever an answer has words.
fn gossiping() -> Server {
    Server::handled(|request| {
        let said = || secrets(request);
        StubReply::Reply(Reply {
            text: said(),
            reasoning: Some(said()),
            tool_calls: vec![ToolCallText { name: said(), arguments: said() }],
            finish: FinishReason::Other(said()),
            ..Reply::default()
        })
    })
}

#[test]
fn a_run_that_goes_well_leaves_no_key() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    assert_eq!(assert_silent("well", &server), 0);
}

#[test]
fn a_server_that_repeats_the_key_it_refuses_leaves_none() {
    for status in [400, 401, 403, 404, 422, 429, 500, 503] {
        let told = move |said: &str| {
            format!(r#"{{"error": {{"message": "wrong: {said}", "code": "{said}", "type": "{said}"}}}}"#)
        };
        let server = repeating(move |said| StubFault::json(status, told(said)));
        assert_ne!(assert_silent(&format!("json {status}"), &server), 0);
        let server = repeating(move |said| StubFault::text(status, format!("wrong: {said}")));
        assert_ne!(assert_silent(&format!("text {status}"), &server), 0);
    }
}

#[test]
fn answers_that_are_no_answers_leave_no_key() {
    type Answer = fn(&str) -> StubFault;
    let answers: [(&str, Answer); 6] = [
        ("page", |said| {
            StubFault::text(200, format!("<title>{said}</title>")).with_header("content-type", "text/html")
        }),
        ("content type", |said| {
            StubFault::text(200, said)
                .with_header("content-type", &format!("text/{}", said.trim_start_matches("Bearer ")))
        }),
        ("no JSON", |said| StubFault::json(200, format!("no completion: {said}"))),
        ("no choices", |said| StubFault::json(200, format!(r#"{{"choices": [], "note": "{said}"}}"#))),
        ("error inside", |said| StubFault::json(200, format!(r#"{{"error": {{"message": "{said}", "code": 500}}}}"#))),
        ("redirect", |said| {
            StubFault::text(308, "")
                .with_header("location", &format!("https://else/{}/v1", said.trim_start_matches("Bearer ")))
        }),
    ];
    for (name, answer) in answers {
        assert_ne!(assert_silent(name, &repeating(answer)), 0, "{name}");
    }
}

#[test]
fn a_key_across_the_place_where_a_message_is_cut_is_not_left_in_part() {
    for before in (180..320).step_by(10) {
        let padded = move |said: &str| format!("{}{said}{}", "x ".repeat(before / 2), "y".repeat(400));
        let server = repeating(move |said| StubFault::text(401, padded(said)));
        assert_ne!(assert_silent(&format!("text {before}"), &server), 0);
    }
}

#[test]
fn answers_that_repeat_the_key_are_kept_without_it() {
    assert_silent("gossip", &gossiping());
}

#[test]
fn predictions_judges_and_makers_of_vectors_leave_no_key() {
    let talkative =
        || repeating(|said| StubFault::json(401, format!(r#"{{"error": {{"message": "wrong: {said}"}}}}"#)));
    let odd = || repeating(|said| StubFault::json(200, format!(r#"{{"choices": [], "data": "{said}"}}"#)));
    for server in [talkative(), odd(), gossiping()] {
        let url = server.stub.base_url();
        let (bench, hotels) = (scoring::scored(), scoring_confetti::hotels());
        let made = Bench::new();
        made.must("pipeline hammer --quiet --limit 1 --out run");
        let asked = format!(
            "--model m --base-url {url} --api-key-env FCGEN_TEST_KEY --set headers.X-Team=FCGEN_TEST_TEAM --set retries=0"
        );
        assert_silent_in(&made, "predict", &format!("predict run {asked} --out said.jsonl"));
        let judge = format!("--judge-model j --judge-base-url {url}");
        assert_silent_in(&bench, "judge", &format!("score theirs --predictions said.jsonl {judge}"));
        let line = scoring_confetti::LINE;
        assert_silent_in(&hotels, "judge of strings", &format!("{line} --validity --string-score judge {judge}"));
        let vectors = format!("--embedding-model e --embedding-base-url {url} --embedding-api-key-env FCGEN_TEST_KEY");
        assert_silent_in(&hotels, "vectors", &format!("{line} --string-score embedding {vectors}"));
        assert!(server.stub.stats().total > 3, "nobody was asked");
    }
}

#[test]
fn a_key_in_the_wrong_place_is_refused_and_not_repeated() {
    let bench = Bench::new();
    let model = |more: &str| {
        format!("[model.generator]\nprovider = \"openai\"\nmodel = \"m\"\n{more}\n[[stage]]\nkind = \"toolkits\"\n")
    };
    let wrong = [
        format!("api_key_env = \"{KEY}\""),
        format!("headers = {{ Authorization = \"Bearer {KEY}\" }}"),
        format!("base_url = \"https://me:{KEY}@127.0.0.1:9/v1\""),
        format!("base_url = \"https://127.0.0.1:9/v1?api_key={KEY}\""),
    ];
    // A command line is seen by everybody on the machine, and yet its errors go into logs.
    let flags = [
        format!("--base-url https://me:{KEY}@127.0.0.1:9/v1 --model m"),
        format!("--set model.generator.base_url=https://127.0.0.1:9/v1?api_key={KEY} --model m"),
        format!("--set model.generator.api_key_env={KEY} --model m"),
    ];
    for flag in flags {
        let ended = bench.run(&format!("pipeline hammer --check {flag}"));
        assert!(ended.code == 10 && TRACES.iter().all(|trace| !ended.told().contains(trace)), "{}", ended.told());
        assert!(ended.stderr.contains("*****"), "{}", ended.stderr);
    }
    bench.must("pipeline hammer --quiet --limit 1 --out run");
    for flag in [format!("--base-url https://me:{KEY}@127.0.0.1:9/v1"), format!("--api-key-env {KEY}")] {
        let ended = bench.run(&format!("predict run --model m {flag} --out said.jsonl"));
        assert!(ended.code != 0 && TRACES.iter().all(|trace| !ended.told().contains(trace)), "{}", ended.told());
    }
    for more in wrong {
        bench.write("p.toml", &model(&more));
        let ended = bench.run("pipeline p.toml --check");
        assert!(ended.code == 10 && TRACES.iter().all(|trace| !ended.told().contains(trace)), "{}", ended.told());
        assert!(ended.stderr.contains("*****"), "{}", ended.stderr);
    }
}
