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
        ended.code == 11 && ended.stderr.contains("the built-in reader plays no steps of calls"),
        "{}",
        ended.stderr
    );
}

fn content_of(prediction: &Prediction) -> &str {
    prediction.turns.last().unwrap().content.as_deref().unwrap()
}
