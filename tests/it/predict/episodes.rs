//! Requests that want several steps, over real sockets: the model plays against golden answers and is told what is wrong.

use super::*;

/// So many requests for a boat; whatever the model must find out begins with `secret`.
fn episodes(count: usize) -> Bench {
    let bench = Bench::new();
    let tool = |name: &str, parameter: &str| {
        let properties = json!({parameter: {"type": "string"}});
        let parameters = json!({"type": "object", "properties": properties, "required": [parameter]});
        json!({"name": name, "description": format!("Does {name}"), "parameters": parameters, "kinds": {parameter: "a_kind"}})
    };
    let step = |name: &str, arguments: Value, data: Value| json!({"calls": [{"name": name, "arguments": arguments}], "answers": [{"status": true, "data": data}]});
    let steps = [
        step("Find_Port", json!({"query": "Hill"}), json!({"id": "secret_port"})),
        step("Get_Boat", json!({"port": "secret_port"}), json!({"leaves": "12:00"})),
    ];
    let lines = (0..count).map(|ordinal| {
        json!({
            "id": format!("Boats-{ordinal}"), "suite": "complexfuncbench", "data_type": "Boats", "locale": "en",
            "messages": [{"role": "user", "content": format!("When does boat {ordinal} leave Hill?")}],
            "candidates": [tool("Find_Port", "query"), tool("Get_Boat", "port")], "expected": {"steps": steps},
            "group": "g", "licence": "CC0", "source": "test", "provenance": {"template": true, "draws": []},
        })
    });
    bench.write("samples.jsonl", &lines.map(|line| line.to_string() + "\n").collect::<String>());
    bench
}

fn calling(name: &str, arguments: &str) -> StubReply {
    let call = ToolCallText { name: name.to_owned(), arguments: arguments.to_owned() };
    StubReply::Reply(Reply { tool_calls: vec![call], ..Reply::default() })
}

/// Finds the port, forgets it once, and then asks for the port that it was told.
fn player() -> (Rule, Arc<Mutex<Vec<Value>>>) {
    listening(|request| {
        let messages = request.body["messages"].as_array().unwrap();
        let last = request.last_message();
        match messages.len() {
            1 => calling("Find_Port", "{\"query\": \"Hill\"}"),
            3 => calling("Get_Boat", "{}"),
            5 if last.contains("do not provide {'port'}") => calling("Get_Boat", "{\"port\": \"secret_port\"}"),
            7 if last.contains("12:00") => StubReply::text("At noon."),
            _ => StubReply::text("I am lost."),
        }
    })
}

#[test]
fn a_model_plays_with_native_tools_and_is_scored_as_it_was_played() {
    let ((rule, heard), bench) = (player(), episodes(1));
    let server = Server::saying(rule);
    must(&bench, &server.line("--mode tools --concurrency 1"));
    let rows = predictions(&bench, "predictions.jsonl");
    assert_eq!((rows.len(), rows[0].turns.len(), rows[0].variant.as_deref()), (1, 4, Some("tools")));
    assert_eq!(content_of(&rows[0]), "At noon.");
    let heard = heard.lock().unwrap();
    assert!(heard.iter().all(|body| !body.to_string().contains("a_kind")));
    assert!(!heard[0].to_string().contains("secret") && heard[1].to_string().contains("secret_port"));
    let last = heard[3]["messages"].as_array().unwrap();
    let roles: Vec<&str> = last.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool"]);
    assert_eq!(last[1]["tool_calls"][0]["id"], last[2]["tool_call_id"]);
    let score = bench.must("score samples.jsonl --predictions predictions.jsonl --format csv").stdout;
    assert!(score.contains("overall,predictions,Success,value,1,"), "{score}");
    assert!(score.contains("corrections,predictions,corrected,value,1,"), "{score}");
}

#[test]
fn what_was_said_is_not_paid_for_twice() {
    let ((rule, _), bench) = (player(), episodes(3));
    let server = Server::saying(rule);
    must(&bench, &server.line("--mode tools"));
    let (asked, first) = (server.total(), bench.read("predictions.jsonl"));
    must(&bench, &server.line("--mode tools"));
    assert_eq!((asked, server.total(), bench.read("predictions.jsonl")), (12, 12, first));
}

#[test]
fn a_model_without_native_tools_writes_lists_and_reads_lists() {
    let (rule, heard) = listening(|request| {
        let last = request.last_message();
        StubReply::text(match last {
            said if said.contains("secret_port") => {
                "```json\n[{\"name\": \"Get_Boat\", \"arguments\": {\"port\": \"secret_port\"}}]\n```"
            }
            said if said.contains("12:00") => "At noon.",
            _ => "[{\"name\": \"Find_Port\", \"arguments\": {\"query\": \"Hill\"}}]",
        })
    });
    let (server, bench) = (Server::saying(rule), episodes(1));
    must(&bench, &server.line(""));
    let heard = heard.lock().unwrap();
    assert!(
        heard.iter().all(|body| body["messages"][0]["content"].as_str().unwrap().contains("\"name\":\"Get_Boat\""))
    );
    assert_eq!(heard[1]["messages"][3]["content"], r#"[{"status":true,"data":{"id":"secret_port"}}]"#);
    let rows = predictions(&bench, "predictions.jsonl");
    assert_eq!((rows[0].turns.len(), rows[0].variant.as_deref()), (3, Some("prompt")));
    let score =
        bench.must("score samples.jsonl --predictions predictions.jsonl --profile upstream --format csv").stdout;
    assert!(score.contains("overall,predictions,Success of those run,value,1,"), "{score}");
}

#[test]
fn who_never_ends_is_asked_so_often_and_the_built_in_reader_not_at_all() {
    let (rule, _) = listening(|_| calling("Get_Boat", "{}"));
    let (server, bench) = (Server::saying(rule), episodes(1));
    must(&bench, &server.line("--mode tools --max-turns 3"));
    assert_eq!(predictions(&bench, "predictions.jsonl")[0].turns.len(), 4);
    let ended = bench.run("predict samples.jsonl --out other.jsonl -q");
    assert!(
        ended.code == 11 && ended.stderr.contains("the built-in reader does not support steps of calls"),
        "{}",
        ended.stderr
    );
}

/// Looks for `the hill`, which is the same to the judge, and then for a boat by another name, which is not.
fn judged_player() -> (Rule, Arc<Mutex<Vec<Value>>>) {
    listening(|request| {
        let last = request.last_message();
        if request.body["model"] == "j" {
            let is_hill = last.contains("output: {\"name\":\"Find_Port\"");
            return StubReply::text(if is_hill { "{\"is_equal\": true}" } else { "{\"is_equal\": false}" });
        }
        match request.body["messages"].as_array().unwrap().len() {
            1 => calling("Find_Port", "{\"query\": \"the hill\"}"),
            3 if last.contains("secret_port") => calling("Get_Boat", "{\"port\": \"the port\"}"),
            5 if last.contains("api_status") => calling("Get_Boat", "{\"port\": \"secret_port\"}"),
            7 if last.contains("12:00") => StubReply::text("At noon."),
            _ => StubReply::text("I am lost."),
        }
    })
}

#[test]
fn a_judge_decides_meanwhile_and_the_same_is_scored_without_it() {
    let ((rule, heard), bench) = (judged_player(), episodes(2));
    let server = Server::saying(rule);
    let line = server.line("--mode tools --judge-model j --runs 2");
    must(&bench, &line);
    let rows = predictions(&bench, "predictions.jsonl");
    assert!(rows.len() == 4 && rows.iter().all(|row| row.turns.len() == 4 && content_of(row) == "At noon."));
    let judgements = bench.read("judgements.jsonl");
    assert_eq!(judgements.lines().count(), 4, "each of two samples has two calls to judge, however often it is played");
    assert!(judgements.lines().next().unwrap().contains("\"id\":\"Boats-0\",\"question\":\"complexfunc_equal\""));
    let judge = |body: &&Value| body["model"] == "j";
    let shown: Vec<String> = heard.lock().unwrap().iter().filter(judge).map(Value::to_string).collect();
    assert!(
        shown.iter().any(|text| text.contains("the port") && text.contains("secret_port")),
        "what came back is shown"
    );
    let score =
        |more: &str| bench.must(&format!("score samples.jsonl --predictions predictions.jsonl --format csv{more}"));
    assert!(score(" --judgements judgements.jsonl").stdout.contains("overall,predictions #0,Success,value,1,"));
    assert!(
        score("").stdout.contains("overall,predictions #0,Success,value,0,"),
        "without its words it is another game"
    );
    let (asked, first) = (server.total(), bench.read("predictions.jsonl"));
    must(&bench, &line);
    assert_eq!(
        (server.total(), bench.read("judgements.jsonl"), bench.read("predictions.jsonl")),
        (asked, judgements, first)
    );
}

#[test]
fn a_judge_that_fails_loses_the_sample_and_the_same_command_asks_again() {
    let failed = AtomicBool::new(false);
    let (rule, _) = listening(move |request| {
        if request.body["model"] == "j" {
            let fails = !failed.swap(true, Ordering::Relaxed);
            return if fails {
                StubReply::Fault(StubFault::status(400))
            } else {
                StubReply::text("{\"is_equal\": true}")
            };
        }
        let is_first = request.body["messages"].as_array().unwrap().len() == 1;
        if is_first { calling("Find_Port", "{\"query\": \"the hill\"}") } else { StubReply::text("At noon.") }
    });
    let (server, bench) = (Server::saying(rule), episodes(1));
    let line = server.line("--mode tools --judge-model j");
    let ended = bench.run(&line);
    assert_eq!((ended.code, predictions(&bench, "predictions.jsonl")[0].turns.len()), (12, 1));
    assert!(ended.stderr.contains("the judge `j` gave no answer"), "{}", ended.stderr);
    must(&bench, &line);
    assert_eq!(content_of(&predictions(&bench, "predictions.jsonl")[0]), "At noon.");
}

#[test]
fn calls_are_matched_by_vectors_which_are_asked_for_once() {
    let (rule, _) = listening(|request| match request.body["messages"].as_array().unwrap().len() {
        1 => StubReply::Reply(Reply {
            tool_calls: [("Get_Boat", "{\"port\": \"x\"}"), ("Find_Port", "{\"query\": \"Hil\"}")]
                .map(|(name, text)| ToolCallText { name: name.to_owned(), arguments: text.to_owned() })
                .into(),
            ..Reply::default()
        }),
        _ => StubReply::text("At noon."),
    });
    let (server, bench) = (Server::saying(rule), episodes(1));
    let line = server.line("--mode tools --mapping embedding --embedding-model e");
    must(&bench, &line);
    assert_eq!(server.total(), 3, "two turns, and the texts of the calls at once");
    must(&bench, &line);
    assert_eq!(server.total(), 3);
    let ended = bench.run(&server.line("--mode tools --mapping embedding"));
    assert!(ended.code == 2 && ended.stderr.contains("needs an embedding model"), "{}", ended.stderr);
}

fn content_of(prediction: &Prediction) -> &str {
    prediction.turns.last().unwrap().content.as_deref().unwrap()
}
