//! BFCL's questions, over real sockets: from its own folder and from samples, natively and in words, to the score.

use super::*;

const NAME: &str = "geo.area";

/// A folder in BFCL's layout: two questions that want calls, one that wants none, and one that nobody scores.
fn folder() -> Bench {
    let bench = Bench::new();
    let function = json!([{"name": NAME, "description": "Gives areas", "parameters": {"type": "dict", "properties": {"side": {"type": "float"}}, "required": ["side"]}}]);
    let question = |id: &str, text: &str| {
        let line = json!({"id": id, "question": [[{"role": "user", "content": text}]], "function": function});
        line.to_string() + "\n"
    };
    let answer = |id: &str, sides: &[f64]| {
        let calls: Vec<Value> = sides.iter().map(|side| json!({NAME: {"side": [side]}})).collect();
        json!({"id": id, "ground_truth": calls}).to_string() + "\n"
    };
    let files = [
        ("BFCL_v4_simple_python.json", question("simple_python_0", "side 2")),
        ("BFCL_v4_parallel.json", question("parallel_0", "sides 2 and 3")),
        ("BFCL_v4_irrelevance.json", question("irrelevance_0", "sing")),
        ("BFCL_v4_multi_turn_base.json", question("multi_turn_base_0", "side 2, and then 3")),
        ("possible_answer/BFCL_v4_simple_python.json", answer("simple_python_0", &[2.0])),
        ("possible_answer/BFCL_v4_parallel.json", answer("parallel_0", &[2.0, 3.0])),
    ];
    for (name, text) in &files {
        bench.write(&format!("data/{name}"), text);
    }
    bench
}

/// Does right what it is asked, natively where it has tools.
fn right(request: &StubRequest) -> StubReply {
    let sides: Vec<&str> = request.last_message().split(' ').filter(|word| word.parse::<u8>().is_ok()).collect();
    if sides.is_empty() {
        return StubReply::text("I cannot sing.");
    }
    let Some(tools) = request.body["tools"].as_array() else {
        let calls: Vec<String> = sides.iter().map(|side| format!("{NAME}(side={side}.0)")).collect();
        return StubReply::text(&format!("[{}]", calls.join(", ")));
    };
    let name = tools[0]["function"]["name"].as_str().unwrap();
    let call = |side: &&str| ToolCallText { name: name.to_owned(), arguments: format!("{{\"side\": {side}}}") };
    StubReply::Reply(Reply { tool_calls: sides.iter().map(call).collect(), ..Reply::default() })
}

#[test]
fn its_own_folder_is_asked_and_scored_in_both_modes() {
    for mode in ["tools", "prompt"] {
        let (rule, heard) = listening(right);
        let (server, bench) = (Server::saying(rule), folder());
        must(&bench, &server.line(&format!("--mode {mode}")).replace("samples.jsonl", "data"));
        let rows = predictions(&bench, "predictions.jsonl");
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["irrelevance_0", "parallel_0", "simple_python_0"], "what nobody scores is left out");
        let heard = heard.lock().unwrap();
        assert!(heard.iter().all(|body| !body.to_string().contains("2.0") && body.to_string().contains("Gives areas")));
        if mode == "tools" {
            assert!(heard.iter().all(|body| body["tools"][0]["function"]["name"] == "geo_area"));
            assert!(heard.iter().all(|body| body["messages"].as_array().unwrap().len() == 1));
            assert_eq!(rows[2].turns[0].tool_calls[0].0, NAME, "a name comes back with its dots");
        }
        for more in ["", " --profile upstream", " --underscore-to-dot"] {
            let line = format!("score data --suite bfcl --predictions predictions.jsonl --format csv{more}");
            let score = bench.must(&line).stdout;
            for category in ["simple_python", "parallel", "irrelevance"] {
                // Upstream knows no whole number beside a double but at the top, which is all there is here.
                assert!(
                    score.contains(&format!("categories,predictions,{category},value,1,")),
                    "{mode}{more}: {score}"
                );
            }
        }
    }
}

#[test]
fn samples_of_it_are_asked_alike_and_the_built_in_reader_is_not() {
    let (server, bench) = (Server::saying(Rule::handler(right)), folder());
    bench.must("import data --from bfcl --out made.jsonl");
    must(&bench, &server.line("").replace("samples.jsonl", "made.jsonl"));
    assert_eq!((predictions(&bench, "predictions.jsonl").len(), server.total()), (3, 3));
    let score = bench.must("score made.jsonl --predictions predictions.jsonl --format csv").stdout;
    assert!(score.contains("categories,predictions,parallel,value,1,"), "{score}");
    let ended = bench.run("predict data --out other.jsonl -q");
    assert!(ended.code == 11 && ended.stderr.contains("choose a model with `--model`"), "{}", ended.stderr);
}
