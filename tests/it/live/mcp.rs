//! A live MCP server from import to benchmark: our own of `examples/mcp_server.rs`, and, on wish, one of a registry.

use super::bench::{Bench, KEY, holding, requests};
use serde_json::{Value as Json, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The example, built if this test alone was asked for.
fn example() -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let target = deps.parent().unwrap().parent().unwrap();
    let path = target.join("examples").join(format!("mcp_server{}", std::env::consts::EXE_SUFFIX));
    if !path.is_file() {
        let built = Command::new(env!("CARGO")).args(["build", "--quiet", "--example", "mcp_server"]).status().unwrap();
        assert!(built.success());
    }
    path
}

/// The archive's server over HTTP, while this lives.
struct Served(Child, String);

impl Served {
    fn start() -> Self {
        let mut child = Command::new(example()).args(["--http", "0"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self(child, line.trim().to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A folder with the archive imported and explored over standard input and output.
fn explored() -> Bench {
    let bench = Bench::new();
    let server = format!("'{}'", example().display());
    bench.must(&["toolset", "import", "--mcp", &server, "--out", "archive"]);
    bench.must(&["toolset", "explore", "archive", "--mcp", &server]);
    fs::write(bench.path("archive.toml"), requests("archive")).unwrap();
    bench
}

#[test]
fn what_a_server_lists_becomes_a_toolset_over_lines_and_over_http() {
    let bench = Bench::new();
    let server = format!("'{}'", example().display());
    let said = bench.must(&["toolset", "import", "--mcp", &server, "--out", "lines"]);
    assert!(said.contains("archive (mcp): 6 of 6 tools imported"), "{said}");
    let served = Served::start();
    bench.must(&["toolset", "import", "--mcp", &served.1, "--api-key-env", "SERVER_KEY", "--out", "http"]);
    for file in ["tools/archive.toml", "en/archive.toml", "origins.json", "live.toml"] {
        assert_eq!(bench.read(&format!("lines/{file}")), bench.read(&format!("http/{file}")), "{file}");
    }
    assert_eq!(bench.json("lines/origins.json")["tools"]["create_loan"]["reads"], false);
    assert_eq!(holding(bench.folder.path(), KEY), Vec::<PathBuf>::new());
    let (code, said) = bench.run(&["toolset", "import", "--mcp", "no-such-program-anywhere", "--out", "none"]);
    assert_eq!(code, 12, "{said}");
}

#[test]
fn exploration_finds_what_exists_and_changes_nothing() {
    let bench = explored();
    let anchors = bench.json("archive/anchors.json");
    let values = |name: &str| anchors["anchors"][name]["values"].as_array().cloned().unwrap_or_default();
    assert!(values("get_record.record_id").len() >= 3, "{anchors}");
    assert!(values("get_keeper.keeper_id").len() >= 2 && values("search_records.query").len() >= 2, "{anchors}");
    assert!(values("create_loan.record_id").len() >= 3 && values("create_loan.reader").len() == 1, "{anchors}");
    assert_eq!(anchors["skipped"].as_object().unwrap().keys().collect::<Vec<_>>(), ["create_loan"]);
    let called = anchors["called"].as_array().unwrap();
    assert!(called.iter().all(|it| it["tool"] != "create_loan") && called.len() <= 120);
    let again = explored();
    assert_eq!(
        again.read("archive/anchors.json"),
        bench.read("archive/anchors.json"),
        "the same server, the same anchors"
    );
}

#[test]
fn requests_ask_for_what_exists_and_a_replay_needs_no_server() {
    let bench = explored();
    let server = format!("world.archive.server='{}'", example().display());
    bench.pipeline("archive.toml", "one", &[&server]);
    let samples = bench.samples("one");
    assert!(samples.len() >= 3, "{}", bench.read("one/rejects.jsonl"));
    let keys = ["R-", "K-", "L-", "S-"];
    let is_key = |word: &str| keys.iter().any(|key| word.starts_with(key) && word.len() > 3);
    for sample in &samples {
        let text = sample["messages"][0]["content"].as_str().unwrap();
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        assert_eq!(words.filter(|word| is_key(word)).count(), 0, "a key that nobody would say: {text}");
        for step in sample["expected"]["steps"].as_array().unwrap() {
            assert!(step["answers"].as_array().unwrap().iter().all(|answer| answer.get("error").is_none()), "{step}");
        }
    }
    bench.pipeline(
        "archive.toml",
        "two",
        &["world.archive.replay=one/recording.db", "world.archive.server=no-such-program-anywhere"],
    );
    assert_eq!(bench.written("one"), bench.written("two"));
}

#[test]
fn a_script_of_a_run_gives_the_run_again() {
    let bench = explored();
    bench.pipeline("archive.toml", "one", &["model.generator.record=true"]);
    bench.must(&["script", "one", "--out", "replies.jsonl"]);
    let scripted = ["model.generator.provider=scripted", "model.generator.script=replies.jsonl"];
    bench.pipeline("archive.toml", "two", &[&scripted[..], &["world.archive.replay=one/recording.db"]].concat());
    let texts = |run: &str| {
        let text = |sample: &Json| sample["messages"].clone();
        bench.samples(run).iter().map(text).collect::<Vec<_>>()
    };
    assert!(!texts("one").is_empty());
    assert_eq!(texts("one"), texts("two"));
}

#[test]
fn nothing_is_started_by_a_check_and_secrets_are_in_no_file() {
    let bench = explored();
    let touched = bench.path("touched");
    let server = format!("world.archive.server=touch '{}'", touched.display());
    bench.must(&["pipeline", "archive.toml", "--check", "--set", &server]);
    assert!(!touched.exists());
    fs::write(bench.path("archive/live.toml"), "mask = [\"mail\"]\nlist = 5\ntext = 200\n").unwrap();
    let served = Served::start();
    bench.must(&["toolset", "explore", "archive", "--mcp", &served.1, "--api-key-env", "SERVER_KEY"]);
    let server = format!("world.archive.server={}", served.1);
    bench.pipeline("archive.toml", "one", &[&server, "world.archive.api_key_env=SERVER_KEY"]);
    for secret in [KEY, "orla@example.com"] {
        assert_eq!(holding(bench.folder.path(), secret), Vec::<PathBuf>::new());
    }
    let recorded = bench.read("archive/recording.jsonl");
    assert!(recorded.contains("\"mail\":\"***\"") && recorded.contains("Orla Fennick"));
}

#[test]
fn the_gold_of_live_calls_passes_the_check_and_its_own_scorer() {
    let bench = explored();
    bench.pipeline("archive.toml", "one", &[]);
    let said = bench.must(&["check", "one"]);
    assert!(said.contains("no violations") && said.contains("0 errors, 0 warnings"), "{said}");
    let mut perfect = String::new();
    for sample in bench.samples("one") {
        let call = |call: &Json| json!([call["name"], call["arguments"].to_string()]);
        let turn =
            |step: &Json| json!({"tool_calls": step["calls"].as_array().unwrap().iter().map(call).collect::<Vec<_>>()});
        let steps = sample["expected"]["steps"].as_array().unwrap();
        let turns: Vec<Json> = steps.iter().map(turn).chain([json!({"content": "Done."})]).collect();
        perfect += &(json!({"id": sample["id"], "variant": "tools", "turns": turns}).to_string() + "\n");
    }
    fs::write(bench.path("perfect.jsonl"), perfect).unwrap();
    let table = bench.must(&["score", "one", "--predictions", "perfect.jsonl", "--format", "csv"]);
    assert!(table.contains("overall,perfect,Success,value,1,"), "{table}");
}

/// Chats and conversations over the archive.
const TALKS: [(&str, &str); 2] = [
    (
        "functionchat",
        "[[stage]]\nkind = \"single_calls\"\nextraction = { none = 2, simple = 3 }\nqueries = 2\n[[stage]]\nkind = \"parameters\"\n\
         [[stage]]\nkind = \"tool_lists\"\nlists = [\"exact\"]\n[[stage]]\nkind = \"dialogs\"\nfrom = [\"toolset\"]\n",
    ),
    (
        "confetti",
        "[[stage]]\nkind = \"scenarios\"\nchains = [6, 3, 1]\noffered = [{ from = 2, to = 4, count = 109 }]\n\
         [[stage]]\nkind = \"conversations\"\n[[stage]]\nkind = \"turn_items\"\n",
    ),
];

#[test]
fn chats_and_conversations_are_held_on_real_answers_and_replayed() {
    let bench = explored();
    let server = format!("world.archive.server='{}'", example().display());
    for (format, stages) in TALKS {
        let toolset = "[[stage]]\nkind = \"toolset\"\npath = \"archive\"\n";
        let head =
            format!("[pipeline]\nname = \"talk\"\nlocale = \"en\"\nseed = 7\nfloor = 0\nformat = \"{format}\"\n");
        fs::write(bench.path("archive.toml"), format!("{head}{toolset}{stages}")).unwrap();
        let (one, two) = (format!("{format}-one"), format!("{format}-two"));
        bench.pipeline("archive.toml", &one, &[&server]);
        let text = bench.read(&format!("{one}/samples.jsonl"));
        assert!(text.lines().count() >= 20 && text.contains("Letters of the"), "{format}: {}", text.lines().count());
        bench.pipeline("archive.toml", &two, &[&format!("world.archive.replay={one}/recording.db")]);
        assert_eq!(bench.written(&one), bench.written(&two), "{format}");
    }
}

/// A server of a registry, by npm; only where the network is wanted.
#[test]
fn a_server_of_a_registry_is_imported_explored_and_executed() {
    if std::env::var("FCGEN_REGISTRIES").is_err() {
        return;
    }
    let bench = Bench::new();
    let server = "npx -y @modelcontextprotocol/server-everything stdio";
    let wait = ["--timeout", "120"];
    bench.must(&[&["toolset", "import", "--mcp", server, "--out", "everything"][..], &wait].concat());
    // Most of its tools say that they only read; these two are allowed by name, whatever they say.
    let allowed = ["--allow", "echo", "--allow", "get-sum"];
    let said = bench.must(&[&["toolset", "explore", "everything", "--mcp", server][..], &wait, &allowed].concat());
    let recorded = bench.read("everything/recording.jsonl");
    assert!(recorded.lines().count() >= 10, "{said}");
    // Its tool `get-env` tells its whole environment: no key of ours may be in it.
    assert!(recorded.contains("\"PATH\"") && !recorded.contains(KEY), "{recorded}");
}
