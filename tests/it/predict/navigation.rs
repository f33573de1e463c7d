//! CallNavi's questions over real sockets: a router before the model, rounds backwards, native calls, schemas, runs.

use super::*;

/// So many questions to a bank; whatever is secret of them begins with that word.
fn questions(count: usize) -> Bench {
    let bench = Bench::new();
    let tool = |name: &str, parameter: &str| {
        let properties = json!({parameter: {"type": "string"}});
        let parameters = json!({"type": "object", "properties": properties, "required": [parameter]});
        json!({"name": name, "description": format!("Does {name}"), "parameters": parameters, "kinds": {parameter: "secret_kind"}})
    };
    let call = json!({"name": "secretCall", "arguments": {"secretParameter": "secret_value"}});
    let lines = (0..count).map(|ordinal| {
        json!({
            "id": format!("q{ordinal}"), "suite": "callnavi", "data_type": "hard", "difficulty": "hard", "locale": "en",
            "messages": [{"role": "user", "content": format!("Freeze the latest card of CU{ordinal}")}],
            "candidates": [tool("getCard", "customerId"), tool("freezeCard", "cardId"), tool("listOffers", "region")],
            "expected": {"steps": [{"calls": [call], "answers": [{"secretField": "secret_answer"}]}]}, "tags": ["secret_tag"],
            "group": "g", "licence": "CC0", "source": "test", "provenance": {"template": true, "draws": []},
        })
    });
    let text: String = lines.map(|line| line.to_string() + "\n").collect();
    bench.write("samples.jsonl", &text);
    bench
}

/// The names of the tools that a request's system prompt shows.
fn shown(body: &Value) -> Vec<&'static str> {
    let system = body["messages"][0]["content"].as_str().unwrap();
    ["getCard", "freezeCard", "listOffers"].into_iter().filter(|name| system.contains(&format!("{name}\""))).collect()
}

fn assert_no_secret(heard: &Mutex<Vec<Value>>) {
    let heard = heard.lock().unwrap();
    assert!(!heard.is_empty());
    assert!(heard.iter().all(|body| !body.to_string().contains("secret")), "{heard:?}");
}

fn contents(row: &Prediction) -> Vec<&str> {
    row.turns.iter().map(|turn| turn.content.as_deref().unwrap()).collect()
}

#[test]
fn a_router_chooses_and_another_model_fills_in() {
    let (routing, routed) = listening(|request| match request.last_message() {
        said if said.ends_with("CU0") => StubReply::text("['freezeCard', 'getMoon', 'getCard']"),
        said if said.ends_with("CU1") => StubReply::text("I cannot tell."),
        _ => StubReply::text("[\"listOffers\"]"),
    });
    let (calling, called) = listening(|_| StubReply::text("{\"API\": [], \"parameters\": []}"));
    let (router, model, bench) = (Server::saying(routing), Server::saying(calling), questions(3));
    let line = model.line(&format!("--concurrency 1 --router-model r --router-base-url {}", router.stub.base_url()));
    let ended = bench.must(&line.replace(" -q", ""));
    let told = "routed by `r`: 1 invented name dropped; 1 of 3 routings unusable, replaced by all candidates";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let names = |bodies: &Mutex<Vec<Value>>| {
        bodies.lock().unwrap().iter().map(|body| body["model"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((names(&routed), names(&called)), (vec![json!("r"); 3], vec![json!("m"); 3]));
    // Samples are under way side by side, and come in any order.
    let mut seen: Vec<_> = called.lock().unwrap().iter().map(shown).collect();
    seen.sort();
    assert_eq!(seen, [&["getCard", "freezeCard"][..], &["getCard", "freezeCard", "listOffers"], &["listOffers"]]);
    assert!(routed.lock().unwrap().iter().all(|body| shown(body).len() == 3), "the router is always shown all");
    let rows = predictions(&bench, "predictions.jsonl");
    let routing = rows[0].turns[0].routing.as_ref().unwrap();
    assert_eq!(
        (routing.passed.join(" "), routing.invented.join(" ")),
        ("freezeCard getCard".to_owned(), "getMoon".to_owned())
    );
    assert!(rows[1].turns[0].routing.as_ref().unwrap().passed.is_empty());
    assert_eq!(contents(&rows[2]), ["[\"listOffers\"]", "{\"API\": [], \"parameters\": []}"]);
    assert_eq!(rows[2].variant.as_deref(), Some("parameters-json-json-router"));
    assert_no_secret(&routed);
    assert_no_secret(&called);
}

#[test]
fn one_model_may_be_both() {
    let (rule, heard) = listening(|request| {
        let system = request.body["messages"][0]["content"].as_str().unwrap();
        StubReply::text(if system.contains("parameters\":") && system.contains("{\"API\"") {
            "calls"
        } else {
            "[getCard]"
        })
    });
    let (server, bench) = (Server::saying(rule), questions(2));
    must(&bench, &server.line("--router --candidates json-schema"));
    let rows = predictions(&bench, "predictions.jsonl");
    assert!(rows.iter().all(|row| contents(row) == ["[getCard]", "calls"]));
    assert_eq!((rows[0].variant.as_deref(), server.total()), (Some("parameters-json-json_schema-router"), 4));
    assert_no_secret(&heard);
}

#[test]
fn rounds_go_backwards_until_the_mark() {
    let (rule, heard) = listening(|request| {
        let said = request.body["messages"].as_array().unwrap().iter().filter(|it| it["role"] == "assistant").count();
        StubReply::text(["last", "two", "whole\n<!stop>", "never"][said])
    });
    let (server, bench) = (Server::saying(rule), questions(1));
    must(&bench, &server.line("--backward"));
    let row = &predictions(&bench, "predictions.jsonl")[0];
    assert_eq!(contents(row), ["last", "two", "whole\n<!stop>", "whole"]);
    assert_eq!((row.variant.as_deref(), server.total()), (Some("parameters-json-json-backward"), 3));
    let last = heard.lock().unwrap().last().unwrap().clone();
    let roles: Vec<&str> = last["messages"].as_array().unwrap().iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
    must(&bench, &server.line("--backward --rounds 1 --out short.jsonl"));
    assert_eq!(contents(&predictions(&bench, "short.jsonl")[0]), ["last", "two"]);
    assert_eq!(server.total(), 3 + 2, "another file has a journal of its own");
    assert_no_secret(&heard);
}

#[test]
fn native_calls_are_kept_in_their_order() {
    let (rule, heard) = listening(|_| {
        let call =
            |name: &str, arguments: &str| ToolCallText { name: name.to_owned(), arguments: arguments.to_owned() };
        let calls = vec![call("getCard", r#"{"customerId":"CU0"}"#), call("freezeCard", r#"{"cardId":"$$$"}"#)];
        StubReply::Reply(Reply { tool_calls: calls, ..Reply::default() })
    });
    let (server, bench) = (Server::saying(rule), questions(1));
    must(&bench, &server.line("--mode tools"));
    let row = &predictions(&bench, "predictions.jsonl")[0];
    let called: Vec<&str> = row.turns[0].tool_calls.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((called, row.variant.as_deref()), (vec!["getCard", "freezeCard"], Some("parameters-tools")));
    let body = heard.lock().unwrap()[0].clone();
    assert_eq!((body["tools"].as_array().unwrap().len(), body["messages"].as_array().unwrap().len()), (3, 2));
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("\"$$$\"") && shown(&body).is_empty());
    assert_no_secret(&heard);
}

#[test]
fn a_schema_is_made_of_the_candidates() {
    let (rule, heard) = listening(|_| StubReply::text("{}"));
    let (server, bench) = (Server::saying(rule), questions(1));
    must(&bench, &server.line("--structured --candidates signature"));
    let schema = heard.lock().unwrap()[0]["response_format"]["json_schema"]["schema"].clone();
    let names = schema.pointer("/properties/API/items/enum").unwrap();
    assert_eq!(*names, json!(["getCard", "freezeCard", "listOffers"]));
    assert_no_secret(&heard);
}

#[test]
fn names_alone_are_asked_for_and_kept_as_they_came() {
    let (rule, heard) = listening(|_| StubReply::text("['getCard']"));
    let (server, bench) = (Server::saying(rule), questions(1));
    must(&bench, &server.line("--task routing --candidates yaml"));
    let row = &predictions(&bench, "predictions.jsonl")[0];
    assert_eq!((row.task.as_deref(), row.variant.as_deref()), (Some("routing"), Some("routing-yaml")));
    assert!(contents(row) == ["['getCard']"] && row.turns[0].routing.is_none());
    let system = heard.lock().unwrap()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("- name: getCard\n"), "{system}");
}

#[test]
fn every_run_has_its_own_routing_and_a_second_time_costs_nothing() {
    let replies = AtomicU64::new(0);
    let server = Server::saying(Rule::handler(move |_| {
        StubReply::text(&format!("[getCard, invented{}]", replies.fetch_add(1, Ordering::Relaxed)))
    }));
    let bench = questions(2);
    let line = server.line("--router-model r --runs 3 --temperature 0.7");
    must(&bench, &line);
    let rows = predictions(&bench, "predictions.jsonl");
    assert_eq!((rows.len(), server.total()), (6, 12));
    let mut invented: Vec<_> = rows.iter().flat_map(|row| row.turns[0].routing.clone().unwrap().invented).collect();
    invented.sort();
    invented.dedup();
    assert_eq!(invented.len(), 6);
    let before = bench.read("predictions.jsonl");
    must(&bench, &line);
    assert_eq!((bench.read("predictions.jsonl"), server.total()), (before, 12));
}

#[test]
fn a_router_that_is_gone_costs_the_row_and_not_the_others() {
    let router = Server::saying(Rule::handler(|request| {
        let lost = request.last_message().ends_with("CU1");
        if lost { StubReply::Fault(StubFault::status(400)) } else { StubReply::text("[getCard]") }
    }));
    let (model, bench) = (Server::saying(Rule::handler(|_| StubReply::text("x"))), questions(3));
    let line = model.line(&format!("--router-model r --router-base-url {}", router.stub.base_url()));
    assert_eq!(bench.run(&line).code, 12);
    let rows = predictions(&bench, "predictions.jsonl");
    assert_eq!(rows.iter().map(|row| row.turns.len()).collect::<Vec<_>>(), [2, 0, 2]);
    assert!(rows[1].error.as_ref().unwrap().contains("`r` refuses"), "{:?}", rows[1].error);
}

#[test]
fn options_of_another_suite_are_refused_before_anything_is_asked() {
    let (server, _) = Server::echo(0, Duration::ZERO);
    for (bench, option, message) in [
        (bench(1), "--task routing", "`--task` applies to callnavi only, and these are hammerbench samples"),
        (bench(1), "--candidates signature", "`--candidates signature` applies to callnavi only"),
        (questions(1), "--candidates upstream", "`--candidates upstream` applies to hammerbench only"),
        (questions(1), "--mode tools --answer yaml", "`--mode tools` cannot be combined with `--answer`"),
    ] {
        let ended = bench.run(&server.line(option));
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.starts_with(&format!("error: {message}")), "{}", ended.stderr);
    }
    assert_eq!(server.total(), 0);
}

#[test]
fn the_built_in_reader_answers_in_every_way() {
    let bench = questions(2);
    let call = r#"{"API":["freezeCard"],"parameters":[{"cardId":"CU1"}]}"#;
    let whole = format!("{call}\n<!stop>");
    for (options, variant, said) in [
        ("--task routing", "routing-built_in", &["[\"freezeCard\"]"][..]),
        ("--answer yaml", "parameters-yaml-built_in", &["API:\n  - freezeCard\nparameters:\n  - cardId: CU1"]),
        ("--router", "parameters-json-built_in-router", &["[\"freezeCard\"]", call]),
        ("--backward", "parameters-json-built_in-backward", &[call, &whole, call]),
        ("--mode tools --runs 2", "parameters-json-built_in", &[call]),
    ] {
        must(&bench, &format!("predict samples.jsonl -q {options}"));
        let rows = predictions(&bench, "predictions.jsonl");
        let row = rows.last().unwrap();
        assert_eq!((row.variant.as_deref(), contents(row)), (Some(variant), said.to_vec()));
    }
}
