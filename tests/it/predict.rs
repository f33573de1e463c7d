//! `fcgen predict` against a server over real sockets: what is sent, what is kept, how it ends, how it goes on.

mod bfcl;
mod confetti;
mod episodes;
mod navigation;

use crate::cli::bench::{Bench, Ended};
use fcgen::llm::stub::{FaultPlan, Rule, Stub, StubFault, StubOptions, StubReply, StubRequest};
use fcgen::llm::{Reply, ToolCallText, Usage};
use fcgen::record::Prediction;
use serde_json::{Value, json};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Replies of the last moment, which are put on disk together; a kill may come before that.
const LATE: u64 = 100;

/// A server with the runtime that it lives in.
struct Server {
    stub: Stub,
    _runtime: Runtime,
}

impl Server {
    fn start(options: StubOptions) -> Self {
        let runtime = Runtime::new().unwrap();
        let stub = runtime.block_on(Stub::start(options)).unwrap();
        Self { stub, _runtime: runtime }
    }

    fn saying(rule: Rule) -> Self {
        Self::start(StubOptions { rule, ..StubOptions::default() })
    }

    /// A server that repeats what it is told, and word of the `nth` request to it.
    fn echo(nth: u64, latency: Duration) -> (Self, Receiver<()>) {
        let (sender, receiver) = channel();
        let asked = AtomicU64::new(0);
        let rule = Rule::handler(move |request| {
            if asked.fetch_add(1, Ordering::Relaxed) + 1 == nth {
                sender.send(()).unwrap_or_default();
            }
            StubReply::text(request.last_message())
        });
        (Self::start(StubOptions { rule, latency, ..StubOptions::default() }), receiver)
    }

    /// The command line of a run against this server; with the tools in the prompt, unless it is told.
    fn line(&self, more: &str) -> String {
        let mode = if more.contains("--mode") { "" } else { " --mode prompt" };
        let url = self.stub.base_url();
        let line = format!("predict samples.jsonl --model m --base-url {url} --set backoff=1ms -q{mode} {more}");
        line.trim_end().to_owned()
    }

    fn total(&self) -> u64 {
        self.stub.stats().total
    }
}

/// A folder with so many conversations of two turns, each followed by a request of one turn.
fn bench(conversations: usize) -> Bench {
    let bench = Bench::new();
    let lines = (0..conversations).flat_map(|ordinal| {
        let first = json!([{"role": "user", "content": format!("A cab for {ordinal}, please")}]);
        let mut second = first.as_array().unwrap().clone();
        second.push(json!({"role": "assistant", "content": "Where to?"}));
        second.push(json!({"role": "user", "content": "Pier 4"}));
        let place = |turn: usize| json!({"conversation": "c", "turn": turn, "turns": 2, "tool": "Travel.Cabs.bookCab"});
        let single = json!([{"role": "user", "content": format!("A cab to Pier {ordinal}")}]);
        [
            sample(&format!("c{ordinal}/turn/0"), &first, Some(&place(1))),
            sample(&format!("c{ordinal}/turn/1"), &second.into(), Some(&place(2))),
            sample(&format!("s{ordinal}"), &single, None),
        ]
    });
    let text: String = lines.map(|line| line.to_string() + "\n").collect();
    bench.write("samples.jsonl", &text);
    bench
}

fn sample(id: &str, messages: &Value, place: Option<&Value>) -> Value {
    let tool = |name: &str, about: &str| {
        let parameters = json!({"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]});
        json!({"name": name, "description": about, "parameters": parameters, "kinds": {"place": "secret_kind"}})
    };
    // Both names become one where a server takes no dots.
    let tools = [tool("Travel.Cabs.bookCab", "Books a cab"), tool("Travel_Cabs_bookCab", "Books a cabin")];
    json!({
        "id": id, "suite": "hammerbench", "data_type": "Based", "locale": "en", "messages": messages, "candidates": tools,
        "expected": {"call": {"name": "Travel.Cabs.bookCab", "arguments": {"place": "secret_label"}}}, "group": id,
        "snapshot": place, "licence": "CC0", "source": "test", "provenance": {"template": true, "draws": []},
    })
}

fn predictions(bench: &Bench, name: &str) -> Vec<Prediction> {
    bench.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn content(prediction: &Prediction) -> &str {
    prediction.turns[0].content.as_deref().unwrap()
}

/// A rule that keeps what it was sent.
fn listening(answer: impl Fn(&StubRequest) -> StubReply + Send + Sync + 'static) -> (Rule, Arc<Mutex<Vec<Value>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = heard.clone();
    let rule = Rule::handler(move |request| {
        keep.lock().unwrap().push(request.body.clone());
        answer(request)
    });
    (rule, heard)
}

fn must(bench: &Bench, line: &str) -> Ended {
    let ended = bench.must(line);
    assert_eq!(ended.stderr, "", "quiet is quiet");
    ended
}

#[test]
fn a_prompt_has_the_tools_in_it_and_neither_label_nor_kinds() {
    let (rule, heard) = listening(|request| StubReply::text(request.last_message()));
    let (server, bench) = (Server::saying(rule), bench(1));
    assert_eq!(must(&bench, &server.line("")).stdout, "predictions.jsonl\n");
    let rows = predictions(&bench, "predictions.jsonl");
    assert_eq!(content(&rows[1]), "user:A cab for 0, please\nassistant:Where to?\nuser:Pier 4");
    assert_eq!(content(&rows[2]), "A cab to Pier 0");
    assert_eq!((rows[0].variant.as_deref(), rows[0].finish_reason.as_deref()), (Some("prompt"), Some("stop")));
    assert_eq!(rows[0].usage, Some((5, 5)), "words, as this server counts");
    for body in heard.lock().unwrap().iter() {
        let text = body.to_string();
        assert!(text.contains("Travel.Cabs.bookCab") && !text.contains("secret"), "{text}");
        assert_eq!((&body["temperature"], &body["max_tokens"], body.get("tools")), (&json!(0.0), &json!(4096), None));
    }
}

#[test]
fn tools_go_natively_unless_an_option_is_about_the_prompt() {
    let (server, bench) = (Server::saying(Rule::Text("x".to_owned())), bench(1));
    let line = server.line("--out plain.jsonl").replace(" --mode prompt", "");
    must(&bench, &line);
    assert_eq!(meta(&bench, "plain.meta.json")["mode"], "tools");
    let text = bench.read("samples.jsonl").replace("\"hammerbench\"", "\"callnavi\"");
    bench.write("samples.jsonl", &text);
    must(&bench, &line.replace("plain.jsonl", "routing.jsonl --task routing"));
    assert_eq!(meta(&bench, "routing.meta.json")["mode"], "prompt");
}

#[test]
fn a_server_without_native_tools_is_asked_by_the_prompt_on_a_hint() {
    let server = Server::saying(Rule::handler(|request| match request.body.get("tools") {
        Some(_) => StubReply::Fault(StubFault::json(400, r#"{"error": {"message": "m does not support tools"}}"#)),
        None => StubReply::text("x"),
    }));
    let bench = bench(1);
    let ended = bench.run(&server.line("--mode tools"));
    assert_eq!(ended.code, 12);
    assert!(
        ended.stderr.contains("hint: the server does not seem to support native tools; use `--mode prompt` "),
        "{}",
        ended.stderr
    );
    must(&bench, &server.line("--mode prompt"));
    assert!(predictions(&bench, "predictions.jsonl").iter().all(|row| row.error.is_none()));
}

#[test]
fn native_tools_lose_their_dots_on_the_way_and_have_them_again() {
    let (rule, heard) = listening(|request| {
        let names = request.body["tools"].as_array().unwrap().iter();
        let calls = names.map(|tool| ToolCallText {
            name: tool["function"]["name"].as_str().unwrap().to_owned(),
            arguments: r#"{"place": "Pier 4"}"#.to_owned(),
        });
        StubReply::Reply(Reply { tool_calls: calls.collect(), ..Reply::default() })
    });
    let (server, bench) = (Server::saying(rule), bench(1));
    must(&bench, &server.line("--mode tools"));
    let rows = predictions(&bench, "predictions.jsonl");
    let called: Vec<&str> = rows[1].turns[0].tool_calls.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(called, ["Travel.Cabs.bookCab", "Travel_Cabs_bookCab"]);
    assert_eq!((rows[1].variant.as_deref(), &rows[1].turns[0].content), (Some("tools"), &None));
    let heard = heard.lock().unwrap();
    let dialogue = heard.iter().find(|body| body["messages"].as_array().unwrap().len() == 4).unwrap();
    let roles: Vec<&str> =
        dialogue["messages"].as_array().unwrap().iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    let names: Vec<&str> =
        dialogue["tools"].as_array().unwrap().iter().map(|it| it["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Travel_Cabs_bookCab", "Travel_Cabs_bookCab_2"]);
    assert!(!dialogue.to_string().contains("secret"));
}

/// What lies beside a file of predictions.
fn meta(bench: &Bench, name: &str) -> Value {
    serde_json::from_str(&bench.read(name)).unwrap()
}

#[test]
fn what_was_asked_and_how_lies_beside_the_predictions() {
    let (server, bench) = (Server::saying(Rule::Text("x".to_owned())), bench(2));
    must(&bench, &server.line("--mode prompt --limit 2 --out said.jsonl"));
    let mut kept = meta(&bench, "said.meta.json");
    assert_eq!(kept["bench_hash"].take().as_str().unwrap().len(), 64);
    assert_eq!(kept["ids"].take().as_array().unwrap().len(), 2);
    assert_eq!(
        kept,
        json!({
            "format": 1, "bench_hash": null, "suite": "hammerbench", "paradigm": "snapshot", "mode": "prompt",
            "prompts": {"name": "fcgen", "hash": null}, "limit": 2, "seed": 7, "ids": null,
            "model": "m", "fcgen": env!("CARGO_PKG_VERSION"),
        })
    );
    must(&bench, "predict samples.jsonl -q --out reader.jsonl");
    let reader = meta(&bench, "reader.meta.json");
    assert_eq!((&reader["mode"], reader.get("model"), &reader["limit"]), (&json!("built-in"), None, &Value::Null));
    assert_eq!(reader["ids"].as_array().unwrap().len(), 6);
}

#[test]
fn a_model_that_may_ask_is_told_so_and_its_question_is_right() {
    let (rule, heard) = listening(|_| StubReply::text("Where to?"));
    let (server, bench) = (Server::saying(rule), bench(1));
    for (mode, variant) in [("prompt", "prompt-ask"), ("tools", "tools-ask")] {
        heard.lock().unwrap().clear();
        must(&bench, &server.line(&format!("--mode {mode} --paradigm ask --out {mode}.jsonl")));
        assert_eq!(predictions(&bench, &format!("{mode}.jsonl"))[0].variant.as_deref(), Some(variant));
        assert_eq!(meta(&bench, &format!("{mode}.meta.json"))["paradigm"], "ask");
        for body in heard.lock().unwrap().iter() {
            let system = body["messages"][0]["content"].as_str().unwrap();
            assert!(system.contains("Ask the user for it") && !system.contains("Never ask"), "{system}");
        }
    }
    let text = bench.read("samples.jsonl").replace("\"arguments\":{\"place\":\"secret_label\"}", "\"arguments\":{}");
    bench.write("lacking.jsonl", &text);
    must(&bench, &server.line("--mode tools --paradigm ask").replace("samples.jsonl", "lacking.jsonl"));
    bench.must("score lacking.jsonl --predictions predictions.jsonl --items items.jsonl");
    let page = "report lacking.jsonl --predictions predictions.jsonl --no-audit --html page.html";
    assert!(bench.must(page).stderr.contains("predictions: 3 samples scored"));
    let told = bench.must(&format!("{page} --paradigm snapshot")).stderr;
    assert!(told.contains("predictions was predicted in paradigm `ask` and is scored in `snapshot`"), "{told}");
    assert_eq!(bench.read("items.jsonl").matches("\"right\":true").count(), 3);
    let ended = bench.run(&server.line("--mode tools --paradigm snapshot").replace("samples.jsonl", "lacking.jsonl"));
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("mode `tools` and paradigm `ask`"), "{}", ended.stderr);
    bench.write("samples.jsonl", &bench.read("samples.jsonl").replace("\"hammerbench\"", "\"bfcl\""));
    let ended = bench.run(&server.line("--paradigm snapshot --out other.jsonl"));
    assert!(
        ended.code == 2 && ended.stderr.contains("`--paradigm snapshot` applies to HammerBench only"),
        "{}",
        ended.stderr
    );
}

#[test]
fn who_was_asked_in_another_way_is_not_overwritten() {
    let (server, bench) = (Server::saying(Rule::Text("x".to_owned())), bench(1));
    must(&bench, &server.line("--mode prompt"));
    let before = (bench.read("predictions.jsonl"), server.total());
    for line in [server.line("--mode tools"), "predict samples.jsonl -q".to_owned()] {
        let ended = bench.run(&line);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(
            ended.stderr.contains("`predictions.jsonl` was made in mode `prompt`") && ended.stderr.contains("`--out`")
        );
    }
    assert_eq!((bench.read("predictions.jsonl"), server.total()), before);
    // Another benchmark is another job.
    bench.write("other.jsonl", &bench.read("samples.jsonl").replace("A cab", "A taxi"));
    must(&bench, &server.line("--mode tools").replace("samples.jsonl", "other.jsonl"));
    assert_eq!(meta(&bench, "predictions.meta.json")["mode"], "tools");
    // Replies of the built-in reader cost nothing and come again.
    must(&bench, "predict samples.jsonl -q --out free.jsonl");
    must(&bench, &server.line("--mode tools --out free.jsonl"));
    assert_eq!(meta(&bench, "free.meta.json")["mode"], "tools");
}

#[test]
fn what_was_not_asked_is_not_scored() {
    let bench = bench(2);
    must(&bench, "predict samples.jsonl -q --limit 4 --out four.jsonl");
    must(&bench, "predict samples.jsonl -q --out all.jsonl");
    let ended = bench.must("score samples.jsonl --predictions four.jsonl --items items.jsonl");
    assert!(
        ended.stderr.starts_with("four: 2 of 6 items were not predicted\nfour: 4 samples scored\n"),
        "{}",
        ended.stderr
    );
    assert_eq!(bench.read("items.jsonl").lines().count(), 4);
    // An item that was asked and has no prediction is still a miss.
    let first = bench.read("four.jsonl").split_inclusive('\n').take(3).collect::<String>();
    bench.write("four.jsonl", &first);
    let ended = bench.must("score samples.jsonl --predictions four.jsonl all.jsonl --items items.jsonl");
    assert!(ended.stderr.contains("four: 4 samples scored\n  1 sample without a prediction\n"), "{}", ended.stderr);
    assert_eq!(bench.read("items.jsonl").lines().count(), 4 + 6);
    bench.must("report samples.jsonl --predictions four.jsonl --no-audit --html page.html");
    let changed = bench.read("samples.jsonl").replace("A cab for 1", "A taxi for 1");
    bench.write("samples.jsonl", &changed);
    let ended = bench.must("score samples.jsonl --predictions all.jsonl");
    assert!(ended.stderr.starts_with("warning: all: the benchmark has changed"), "{}", ended.stderr);
}

#[test]
fn the_authors_show_one_tool_after_the_first_turn() {
    let (rule, heard) = listening(|_| StubReply::text("x"));
    let (server, bench) = (Server::saying(rule), bench(1));
    must(&bench, &server.line("--mode tools --candidates upstream"));
    let mut shown: Vec<usize> =
        heard.lock().unwrap().iter().map(|body| body["tools"].as_array().unwrap().len()).collect();
    shown.sort_unstable();
    assert_eq!(shown, [1, 2, 2]);
    assert_eq!(predictions(&bench, "predictions.jsonl")[0].variant.as_deref(), Some("tools-upstream"));
}

#[test]
fn an_id_that_stands_twice_is_told_before_anything_is_asked() {
    let (server, bench) = (Server::saying(Rule::Text("x".to_owned())), bench(2));
    bench.write("samples.jsonl", &bench.read("samples.jsonl").replace("\"id\":\"s1\"", "\"id\":\"s0\""));
    let ended = bench.run(&server.line(""));
    assert!(ended.code == 11 && ended.stderr.contains("duplicate sample id `s0`"), "{}", ended.stderr);
    assert_eq!(server.total(), 0);
}

#[test]
fn a_server_that_wants_a_pause_gets_it_and_answers_all() {
    let busy = StubFault::status(429).with_header("retry-after", "0");
    let faults = FaultPlan::first([busy.clone(), busy, StubFault::DropBeforeHeaders]);
    let (server, bench) = (Server::start(StubOptions { faults, ..StubOptions::default() }), bench(2));
    must(&bench, &server.line(""));
    assert!(predictions(&bench, "predictions.jsonl").iter().all(|row| row.error.is_none() && row.turns.len() == 1));
    assert_eq!(server.total(), 6 + 3);
}

#[test]
fn a_row_without_an_answer_holds_the_error_and_is_asked_for_again() {
    let broken = Arc::new(AtomicBool::new(true));
    let switch = broken.clone();
    let server = Server::saying(Rule::handler(move |request| {
        let lost = request.last_message().contains("Pier 1") && switch.load(Ordering::Relaxed);
        if lost { StubReply::Fault(StubFault::DropAfterHeaders) } else { StubReply::text(request.last_message()) }
    }));
    let bench = bench(3);
    let line = server.line("--set retries=1 --concurrency 1");
    let ended = bench.run(&line);
    assert_eq!((ended.code, ended.stdout.as_str()), (12, "predictions.jsonl\n"));
    let told = "\nerror: 1 prediction failed, for example: no answer from `m` after 2 attempts: ";
    assert!(ended.stderr.starts_with(told), "{}", ended.stderr);
    assert!(ended.stderr.contains("\n\nhint: their rows contain the error; retry with: fcgen predict "));
    let rows = predictions(&bench, "predictions.jsonl");
    let lost: Vec<&Prediction> = rows.iter().filter(|row| row.error.is_some()).collect();
    assert_eq!((rows.len(), lost.len(), lost[0].id.as_str(), lost[0].turns.len()), (9, 1, "s1", 0));
    assert_eq!(server.total(), 8 + 2);
    broken.store(false, Ordering::Relaxed);
    must(&bench, &line);
    assert_eq!(server.total(), 8 + 2 + 1, "what was answered is not asked again");
    let (other, _) = Server::echo(0, Duration::ZERO);
    must(&bench, &other.line("--out undisturbed.jsonl"));
    assert_eq!(bench.read("predictions.jsonl"), bench.read("undisturbed.jsonl"));
}

#[test]
fn what_the_server_refuses_is_an_error_and_the_others_are_answered() {
    let server = Server::saying(Rule::handler(|request| {
        let refused = request.last_message().contains("Pier 0");
        if refused { StubReply::Fault(StubFault::status(400)) } else { StubReply::text("x") }
    }));
    let bench = bench(1);
    assert_eq!(bench.run(&server.line("")).code, 12);
    let errors: Vec<Option<String>> =
        predictions(&bench, "predictions.jsonl").into_iter().map(|row| row.error).collect();
    assert_eq!(errors, [None, None, Some("`m` refuses the request with 400: stub says 400".to_owned())]);
}

#[test]
fn every_run_is_asked_for_by_itself() {
    let replies = AtomicU64::new(0);
    let server = Server::saying(Rule::handler(move |_| {
        StubReply::text(&format!("reply {}", replies.fetch_add(1, Ordering::Relaxed)))
    }));
    let bench = bench(2);
    let line = server.line("--runs 3 --temperature 0.7 --limit 4");
    must(&bench, &line);
    let rows = predictions(&bench, "predictions.jsonl");
    let places: Vec<(String, u32)> = rows.iter().map(|row| (row.id.to_string(), row.run)).collect();
    let ids = ["c0/turn/0", "c0/turn/1", "s0", "c1/turn/0"];
    let wanted: Vec<(String, u32)> = ids.iter().flat_map(|id| (0..3).map(|run| ((*id).to_owned(), run))).collect();
    assert_eq!(places, wanted);
    let mut said: Vec<&str> = rows.iter().map(content).collect();
    said.sort_unstable();
    said.dedup();
    assert_eq!((said.len(), server.total()), (12, 12));
    let before = bench.read("predictions.jsonl");
    must(&bench, &line);
    assert_eq!((bench.read("predictions.jsonl"), server.total()), (before, 12), "a second time costs nothing");
}

#[test]
fn one_at_a_time_and_all_at_once_write_the_same() {
    let jitter = Duration::from_millis(20);
    let server = Server::start(StubOptions { jitter, ..StubOptions::default() });
    let bench = bench(40);
    must(&bench, &server.line("--concurrency 1 --out one.jsonl --limit 60"));
    must(&bench, &server.line("--concurrency 64 --out many.jsonl --limit 60"));
    assert_eq!(bench.read("one.jsonl"), bench.read("many.jsonl"));
    let stats = server.stub.stats();
    assert!(stats.total == 120 && (8..=64).contains(&stats.max_in_flight), "{stats:?}");
}

#[test]
fn a_spent_budget_stops_it_and_more_of_it_goes_on() {
    let usage = Usage { prompt: 100, completion: 100 };
    let server = Server::saying(Rule::handler(move |_| StubReply::Reply(Reply { usage, ..Reply::default() })));
    let bench = bench(3);
    let line = server.line("--concurrency 1 --max-tokens 100 --price 0,10000");
    let ended = bench.run(&format!("{line} --max-cost 4"));
    assert_eq!(ended.code, 13, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error: the budget is spent: $4.0000 of $4.0000 spent"), "{}", ended.stderr);
    assert!(!bench.path("predictions.jsonl").exists() && server.total() == 4);
    must(&bench, &line);
    assert_eq!(server.total(), 9, "what was paid for is not paid for again");
}

#[test]
fn a_killed_process_repays_nothing_and_ends_with_the_same_bytes() {
    let (server, word) = Server::echo(500, Duration::from_millis(2));
    let bench = bench(250);
    let line = server.line("--concurrency 8");
    let mut child = spawn(&bench, &line);
    word.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.path("predictions.jsonl").exists(), "the file appears whole or not at all");
    assert_same_as_undisturbed(&bench, &server, &line, 8 + LATE);
}

#[cfg(unix)]
#[test]
fn an_interrupted_process_says_so_and_goes_on() {
    let (server, word) = Server::echo(100, Duration::from_millis(5));
    let bench = bench(100);
    let line = server.line("--concurrency 8");
    let child = spawn(&bench, &line);
    word.recv().unwrap();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("error: interrupted\n\nhint: resume with: ") && told.trim_end().ends_with(&line), "{told}");
    assert!(!bench.path("predictions.jsonl").exists());
    assert_eq!(meta(&bench, "predictions.meta.json")["ids"].as_array().unwrap().len(), 300);
    // Whoever was let in while the others left has sent as well.
    assert_same_as_undisturbed(&bench, &server, &line, 2 * 8);
}

/// Starts `fcgen` and lets it go on.
fn spawn(bench: &Bench, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    command.args(line.split(' ')).current_dir(bench.path("")).env_remove("OPENAI_API_KEY");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs the command to its end: it pays again for no more than was under way, and leaves what an undisturbed one leaves.
fn assert_same_as_undisturbed(bench: &Bench, server: &Server, line: &str, under_way: u64) {
    must(bench, line);
    let rows = predictions(bench, "predictions.jsonl").len() as u64;
    let paid_twice = server.total() - rows;
    assert!(paid_twice <= under_way, "{paid_twice} of {rows}");
    must(bench, &format!("{line} --out undisturbed.jsonl"));
    assert_eq!(bench.read("predictions.jsonl"), bench.read("undisturbed.jsonl"));
}
