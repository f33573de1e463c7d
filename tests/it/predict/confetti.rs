//! CONFETTI's conversations, over real sockets: each item by itself, and a model that runs on.

use super::*;

/// A conversation of two turns: a port and its boat are found in one, and the boat is booked in the other. What a model must
/// find out or must not see has `secret` in it.
fn conversation(source: &str) -> Bench {
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let calls = [
        call("Harbour.Find_Port", json!({"query": "Hill"})),
        call("Harbour.Get_Boat", json!({"port": "secret_port"})),
        call("Harbour.Book", json!({"boat": "secret_boat", "seats": 2})),
    ];
    let answers = ["{\"id\":\"secret_port\"}", "{\"boat\":\"secret_boat\"}", "{\"booked\":true}"];
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut messages =
        vec![said("system", "It is noon on 4 March 2026."), said("user", "When does a boat leave Hill?")];
    let mut samples = Vec::new();
    for (at, (call, answer)) in calls.iter().zip(answers).enumerate() {
        if at == 2 {
            samples.push(sample("dialogacts_0", &messages, &json!({"acts": ["agent_inform_user"]}), 1, source));
            messages.extend([said("assistant", "At one."), said("user", "Two seats, please.")]);
        }
        let turn = if at == 2 { 2 } else { 1 };
        samples.push(sample(&format!("conversationsclean_{at}"), &messages, &json!({"call": call}), turn, source));
        messages.push(json!({"role": "assistant", "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "content": answer, "answers": at}));
    }
    samples.push(sample("dialogacts_1", &messages, &json!({"acts": ["agent_inform_user"]}), 2, source));
    let bench = Bench::new();
    bench.write("samples.jsonl", &samples.iter().map(|line| line.to_string() + "\n").collect::<String>());
    bench
}

fn sample(id: &str, messages: &[Value], expected: &Value, turn: usize, source: &str) -> Value {
    let tool = |name: &str, properties: Value| {
        let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
        let parameters = json!({"type": "object", "properties": properties, "required": required});
        json!({"name": name, "description": format!("Does {name}"), "parameters": parameters, "kinds": {"query": "secret_kind"}})
    };
    let text = json!({"type": "string"});
    let tools = [
        tool("Harbour.Find_Port", json!({"query": text})),
        tool("Harbour.Get_Boat", json!({"port": text})),
        tool("Harbour.Book", json!({"boat": text, "seats": {"type": "integer"}})),
        tool("Find_Town", json!({"query": text})),
    ];
    let data_type = id.split('_').next().unwrap();
    let facts = json!({"complexity": "secret", "turn_text": "secret", "turn_calls": "[\"secret\"]"});
    json!({
        "id": id, "suite": "confetti", "data_type": data_type, "locale": "en", "messages": messages, "candidates": tools,
        "expected": expected, "group": "u", "reference_time": "2026-03-04T12:00:00", "licence": "CC0", "source": source,
        "snapshot": {"conversation": "u", "turn": turn, "turns": 2, "tool": ""},
        "provenance": {"template": true, "draws": [], "facts": facts},
    })
}

/// A native call, or the same written where there are no tools.
fn calling(request: &StubRequest, name: &str, arguments: &Value) -> StubReply {
    if request.body["tools"].is_null() {
        let value = |value: &Value| value.to_string();
        let given: Vec<String> =
            arguments.as_object().unwrap().iter().map(|(name, it)| format!("{name}={}", value(it))).collect();
        return StubReply::text(&format!("[{name}({})]", given.join(", ")));
    }
    let name = name.replace('.', "_");
    let call = ToolCallText { name, arguments: arguments.to_string() };
    StubReply::Reply(Reply { tool_calls: vec![call], ..Reply::default() })
}

/// Calls what is right after what stands before, and speaks where an answer is asked for.
fn right(request: &StubRequest) -> StubReply {
    let last = request.last_message();
    let replies = request.body["messages"][0]["content"].as_str().unwrap().contains("either make one function call");
    match last {
        _ if replies => StubReply::text("At one."),
        "When does a boat leave Hill?" => calling(request, "Harbour.Find_Port", &json!({"query": "Hill"})),
        "Two seats, please." => calling(request, "Harbour.Book", &json!({"boat": "secret_boat", "seats": 2})),
        text if text.contains("secret_port") => calling(request, "Harbour.Get_Boat", &json!({"port": "secret_port"})),
        _ => StubReply::text("I am lost."),
    }
}

fn ast(bench: &Bench, more: &str) -> String {
    bench
        .must(&format!("score samples.jsonl --suite confetti --predictions predictions.jsonl --format csv{more}"))
        .stdout
}

#[test]
fn every_item_is_asked_by_itself_and_scored_in_both_modes() {
    for mode in ["tools", "prompt"] {
        let (rule, heard) = listening(right);
        let (server, bench) = (Server::saying(rule), conversation("test"));
        must(&bench, &server.line(&format!("--mode {mode}")));
        let rows = predictions(&bench, "predictions.jsonl");
        assert!(rows.len() == 5 && rows.iter().all(|row| row.variant.as_deref() == Some(mode)), "{rows:?}");
        assert_eq!(server.total(), 5);
        let heard = heard.lock().unwrap();
        for body in heard.iter() {
            let shown = body.to_string();
            assert!(!shown.contains("secret_kind") && !shown.contains("agent_inform"), "{shown}");
            assert!(body["messages"][0]["content"].as_str().unwrap().starts_with("It is noon on 4 March 2026."));
        }
        let first = heard.iter().find(|body| body["messages"].as_array().unwrap().len() == 2).unwrap();
        assert!(!first.to_string().contains("secret"), "{first}");
        for profile in ["", " --profile upstream"] {
            let score = ast(&bench, profile);
            let right =
                score.contains("overall,predictions,AST,value,1,") && score.contains("AST soft (chains),value,1,1,1,2");
            assert!(right, "{mode}{profile}: {score}");
        }
    }
}

#[test]
fn who_runs_on_is_told_what_is_recorded_and_is_asked_once_for_each_step() {
    let (rule, heard) = listening(right);
    let (server, bench) = (Server::saying(rule), conversation("test"));
    for mode in ["tools", "prompt"] {
        must(&bench, &server.line(&format!("--mode {mode} --policy on_policy --out {mode}.jsonl")));
    }
    assert_eq!(server.total(), 2 * 5, "items of a chain share what was asked");
    for mode in ["tools", "prompt"] {
        let rows = predictions(&bench, &format!("{mode}.jsonl"));
        let variants: Vec<&str> = rows.iter().map(|row| row.variant.as_deref().unwrap()).collect();
        let running = format!("{mode}-on_policy");
        assert_eq!(variants, [&running, &running, mode, &running, mode]);
        assert!(rows.iter().all(|row| row.turns.len() == 1));
    }
    let rows = predictions(&bench, "tools.jsonl");
    assert_eq!(rows[1].turns[0].tool_calls[0].0, "Harbour.Get_Boat");
    let heard = heard.lock().unwrap();
    let second = heard.iter().find(|body| body["messages"].as_array().unwrap().len() == 4).unwrap();
    assert_eq!(second["messages"][3]["content"], "{\"id\":\"secret_port\"}");
    std::fs::copy(bench.path("prompt.jsonl"), bench.path("predictions.jsonl")).unwrap();
    assert!(ast(&bench, "").contains("AST soft (chains),value,1,1,1,2"));
}

#[test]
fn who_runs_on_into_nowhere_is_told_an_error_and_what_comes_after_is_lost() {
    let (rule, heard) = listening(|request| match request.last_message() {
        "When does a boat leave Hill?" => calling(request, "Harbour.Find_Port", &json!({"query": "Dale"})),
        text if text.contains("no_match") => StubReply::text("There is none."),
        _ => StubReply::text("I am lost."),
    });
    let (server, bench) = (Server::saying(rule), conversation("test"));
    must(&bench, &server.line("--mode tools --policy on_policy"));
    let rows = predictions(&bench, "predictions.jsonl");
    assert_eq!(rows[0].turns[0].tool_calls[0].1, "{\"query\":\"Dale\"}");
    assert_eq!((rows[1].turns[0].content.as_deref(), rows[1].turns.len()), (Some("There is none."), 1));
    assert!(heard.lock().unwrap().iter().any(|body| body.to_string().contains("no_match")));
}

#[test]
fn the_world_of_a_run_answers_what_nothing_is_recorded_of() {
    let (rule, heard) = listening(|request| match request.last_message() {
        "When does a boat leave Hill?" => calling(request, "Find_Town", &json!({"query": "Greyford"})),
        _ => StubReply::text("Done."),
    });
    let (server, bench) = (Server::saying(rule), conversation("inn"));
    let inn = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/toolsets/inn");
    for file in ["en/inns.toml", "en/towns.csv", "world/inns.toml", "world/towns.csv"] {
        bench.write(&format!("toolsets/inn/{file}"), &std::fs::read_to_string(inn.join(file)).unwrap());
    }
    let line = server.line("--mode tools --policy on_policy");
    let answer = |at: usize| {
        let heard = heard.lock().unwrap();
        let bodies = heard.iter().filter(|body| body["messages"].as_array().unwrap().len() == 4);
        let shown: Vec<String> = bodies.map(|body| body["messages"][3]["content"].to_string()).collect();
        shown[at].clone()
    };
    must(&bench, &line);
    assert!(answer(0).contains("no_match"), "without a manifest nobody knows how the world was drawn");
    let manifest = json!({
        "fcgen": "0", "pipeline": "p", "locale": "en", "seed": 3, "plan_hash": "h", "template": true, "licence": "CC0",
        "models": {}, "prompts": {}, "stages": [], "samples": {}, "rejects": {}, "owed": {}, "counted": {}, "usage": [],
        "wall_seconds": 0.0,
    });
    bench.write("manifest.json", &manifest.to_string());
    must(&bench, &line);
    assert!(answer(1).contains("Greyford") && answer(1).contains("\\\"id\\\":\\\"T2\\\""), "{}", answer(1));
}

#[test]
fn what_cannot_be_asked_is_told_before_anything_is() {
    let (server, bench) = (Server::saying(Rule::Text("x".to_owned())), conversation("test"));
    let ended = bench.run("predict samples.jsonl --out other.jsonl -q");
    assert!(ended.code == 11 && ended.stderr.contains("choose a model with `--model`"), "{}", ended.stderr);
    bench.write("samples.jsonl", &bench.read("samples.jsonl").replace("dialogacts_0", "dialogacts_1"));
    let ended = bench.run(&server.line("--policy on_policy"));
    assert!(ended.code == 11 && ended.stderr.contains("duplicate sample id `dialogacts_1`"), "{}", ended.stderr);
    assert_eq!(server.total(), 0);
}
