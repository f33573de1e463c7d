//! The model layer against a server that fails in every way: what is asked, how often, and what people read.

mod bench;
mod charges;
mod load;
mod schemas;

use bench::{Bench, ask_text, key_variable, request};
use fcgen::llm::stub::{FaultPlan, Rule, StubFault, StubOptions, StubReply};
use fcgen::llm::{Budget, ChatError, FinishReason, ModelConfig, Price, Reply, TextDuration};
use fcgen::record::Tool;
use futures::future::join_all;
use insta::assert_snapshot;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Faults that pass: the first request fails, the second is answered.
async fn passes(fault: StubFault) {
    let bench = Bench::with_faults(FaultPlan::first([fault.clone()])).await;
    let reply = bench.ask("a", 0).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
    assert_eq!((reply.text.as_str(), bench.total()), ("say a", 2), "{fault:?}");
    let usage = &bench.usage.snapshot()[0];
    assert_eq!((usage.attempts, usage.retries, usage.failures), (2, 1, 0), "{fault:?}");
}

/// Faults that do not pass: what people read in the end, and after how many requests.
async fn ends(plan: FaultPlan) -> String {
    let bench = Bench::with_faults(plan).await;
    let error = bench.ask("a", 0).await.unwrap_err();
    format!("{} [{}]", bench.tell(&error), bench.total())
}

#[tokio::test]
async fn statuses_that_pass_are_asked_again_once_and_not_four_times() {
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        passes(StubFault::status(status)).await;
        passes(StubFault::integer_code(status)).await;
    }
    passes(StubFault::text(429, "Too Many Requests")).await;
    passes(StubFault::html(502)).await;
}

#[tokio::test]
async fn every_form_of_retry_after_is_taken() {
    for (name, value) in [
        ("retry-after", "0"),
        ("retry-after", "0.002"),
        ("retry-after-ms", "2"),
        ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("retry-after", "soon"),
    ] {
        passes(StubFault::integer_code(429).with_header(name, value)).await;
    }
}

#[tokio::test]
async fn a_date_is_measured_by_the_server_s_own_clock() {
    let fault = StubFault::status(429)
        .with_header("date", "Sun, 06 Nov 2044 08:49:37 GMT")
        .with_header("retry-after", "Sun, 06 Nov 2044 08:49:37 GMT");
    passes(fault).await;
}

#[tokio::test]
async fn a_clock_that_is_wrong_neither_stops_a_run_nor_lets_it_hammer() {
    // Without the server's own time, a date of another year says more of the clock here than of the server.
    passes(StubFault::status(429).with_header("retry-after", "Sun, 06 Nov 2044 08:49:37 GMT")).await;
    passes(StubFault::status(503).with_header("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")).await;
    let always = StubFault::status(429).with_header("retry-after", "Sun, 06 Nov 2044 08:49:37 GMT");
    assert_snapshot!(ends(FaultPlan::always(always)).await, @"no answer from `m` after 4 attempts: HTTP 429: stub says 429 [4]");
}

#[tokio::test]
async fn broken_connections_and_bodies_are_asked_again() {
    for fault in [
        StubFault::DropBeforeHeaders,
        StubFault::DropAfterHeaders,
        StubFault::TruncatedBody,
        StubFault::HalfJson,
        StubFault::WrongContentType,
        StubFault::EmptyChoices,
        StubFault::html(200),
        StubFault::json(200, ""),
        StubFault::json(200, "[1, 2]"),
        StubFault::json(200, r#"{"error": {"message": "upstream is busy", "code": 503}}"#),
        StubFault::Finish("error".to_owned()),
    ] {
        passes(fault).await;
    }
}

#[tokio::test]
async fn an_answer_that_trickles_is_cut_off_by_the_timeout() {
    let plan = FaultPlan::first([StubFault::Trickle(Duration::from_millis(20))]);
    let bench = Bench::new(StubOptions { faults: plan, ..StubOptions::default() }, |config| {
        config.timeout = TextDuration::from_millis(150);
    });
    assert_eq!(bench.await.ask("a", 0).await.unwrap().text, "say a");
}

#[tokio::test]
async fn who_never_answers_is_given_up() {
    let options = StubOptions { latency: Duration::from_secs(500), ..StubOptions::default() };
    let bench =
        Bench::new(options, |config| (config.timeout, config.retries) = (TextDuration::from_millis(20), 1)).await;
    let error = bench.ask("a", 0).await.unwrap_err();
    assert_snapshot!(bench.tell(&error), @"no answer from `m` after 2 attempts: the server did not answer in time (`timeout`)");
}

#[tokio::test]
async fn the_wait_that_is_asked_for_is_kept() {
    let bench =
        Bench::with_faults(FaultPlan::first([StubFault::status(429).with_header("retry-after-ms", "30")])).await;
    let start = std::time::Instant::now();
    bench.ask("a", 0).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(30));
}

#[tokio::test]
async fn a_storm_of_429_ends_after_the_retries() {
    assert_snapshot!(ends(FaultPlan::always(StubFault::integer_code(429))).await, @"no answer from `m` after 4 attempts: HTTP 429: stub says 429 [4]");
}

#[tokio::test]
async fn what_goes_on_failing_is_told_by_its_last_failure() {
    let told = async |fault| ends(FaultPlan::always(fault)).await;
    assert_snapshot!(told(StubFault::html(502)).await, @"no answer from `m` after 4 attempts: HTTP 502: an HTML page: 502 from the proxy [4]");
    assert_snapshot!(told(StubFault::text(503, "")).await, @"no answer from `m` after 4 attempts: HTTP 503 [4]");
    assert_snapshot!(told(StubFault::html(200)).await, @"no answer from `m` after 4 attempts: the answer is `text/html`, not JSON: an HTML page: 200 from the proxy [4]");
    assert_snapshot!(told(StubFault::HalfJson).await, @r#"no answer from `m` after 4 attempts: the answer is not the JSON of a completion (EOF while parsing an object at line 1 column 114): {"id":"stub-3","object":"chat.completion","created":0,"model":"m","usage":{"prompt_tokens":2,"completion_tokens":2 [4]"#);
    assert_snapshot!(told(StubFault::WrongContentType).await, @r#"no answer from `m` after 4 attempts: the answer is `text/event-stream`, not JSON: {"id":"stub-3","object":"chat.completion","created":0,"model":"m","usage":{"prompt_tokens":2,"completion_tokens":2,"total_tokens":4},"choices":[{"index":0,"message":{"role":"assistant","content":"say a"},"finish_reason":"stop"}]} [4]"#);
    assert_snapshot!(told(StubFault::EmptyChoices).await, @"no answer from `m` after 4 attempts: the answer has no choices [4]");
    assert_snapshot!(told(StubFault::Finish("abort".to_owned())).await, @"no answer from `m` after 4 attempts: the server broke off (`finish_reason` is `abort`) [4]");
    assert_snapshot!(told(StubFault::DropBeforeHeaders).await, @"no answer from `m` after 4 attempts: the connection broke (connection closed before message completed) [4]");
    assert_snapshot!(told(StubFault::DropAfterHeaders).await, @"no answer from `m` after 4 attempts: the connection broke (end of file before message length reached) [4]");
    assert_snapshot!(told(StubFault::TruncatedBody).await, @"no answer from `m` after 4 attempts: the connection broke (end of file before message length reached) [4]");
}

#[tokio::test]
async fn the_caller_s_fault_is_told_at_once_in_the_server_s_words() {
    let told = async |fault| ends(FaultPlan::always(fault)).await;
    assert_snapshot!(told(StubFault::status(400)).await, @"`m` refuses the request with 400: stub says 400 [1]");
    assert_snapshot!(told(StubFault::integer_code(400)).await, @"`m` refuses the request with 400: stub says 400 [1]");
    assert_snapshot!(told(StubFault::text(413, "Payload too large")).await, @"`m` refuses the request with 413: Payload too large [1]");
    assert_snapshot!(told(StubFault::json(422, r#"{"detail": [{"loc": ["body"], "msg": "bad"}]}"#)).await, @"`m` refuses the request with 422: body: bad [1]");
    assert_snapshot!(told(StubFault::text(400, "길".repeat(400))).await.chars().count(), @"339");
}

#[tokio::test]
async fn what_concerns_the_endpoint_is_told_at_once_with_the_way_out() {
    let told = async |fault| ends(FaultPlan::always(fault)).await;
    assert_snapshot!(told(StubFault::status(401)).await, @"`m` at `URL`: HTTP 401: stub says 401; hint: check that the key in `CARGO_MANIFEST_DIR` is valid and has access to this model [1]");
    assert_snapshot!(told(StubFault::status(403)).await, @"`m` at `URL`: HTTP 403: stub says 403; hint: check that the key in `CARGO_MANIFEST_DIR` is valid and has access to this model [1]");
    assert_snapshot!(told(StubFault::text(404, "404 page not found")).await, @"`m` at `URL`: HTTP 404: 404 page not found; hint: check that `base_url` (it usually ends with `/v1`) and `model` match the server [1]");
    assert_snapshot!(told(StubFault::status(402)).await, @"`m` at `URL`: HTTP 402: stub says 402; hint: the account has no credit left; add credit and run the same command to resume [1]");
    let redirect = StubFault::text(308, "").with_header("location", "https://elsewhere/v1/chat/completions");
    assert_snapshot!(told(redirect).await, @"`m` at `URL`: HTTP 308: redirected to `https://elsewhere/v1`; hint: check that `base_url` (it usually ends with `/v1`) and `model` match the server [1]");
    let quota =
        r#"{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": null}}"#;
    assert_snapshot!(told(StubFault::json(429, quota)).await, @"`m` at `URL`: HTTP 429: You exceeded your current quota; hint: the account has no credit left; add credit and run the same command to resume [1]");
}

#[tokio::test]
async fn a_server_that_is_not_there_stops_the_run() {
    let bench = Bench::with_faults(FaultPlan::default()).await;
    let config = bench.config.clone();
    bench.stub.stop().await;
    let error = ask_text(&config, "a").await.unwrap_err();
    assert_snapshot!(bench::tell(&error, &config), @"`m` at `URL`: the server refuses connections (Connection refused (os error 111)); hint: check that the server is running and that `base_url` is correct");
    // A name that is too long to be asked for: it is refused without a network.
    let nowhere = ModelConfig { base_url: format!("http://{}/v1", "x".repeat(70)), ..config };
    let error = ask_text(&nowhere, "a").await.unwrap_err();
    assert_snapshot!(bench::tell(&error, &nowhere).split(" (").next().unwrap(), @"`m` at `URL`: the host is not known");
    assert!(matches!(error, ChatError::Endpoint { .. }));
}

#[tokio::test]
async fn a_server_that_went_away_loses_only_the_items_that_it_owed() {
    let bench = Bench::with_faults(FaultPlan::default()).await;
    bench.ask("a", 0).await.unwrap();
    let (chat, config) = (bench.chat.clone(), bench.config.clone());
    bench.stub.stop().await;
    let error = chat.ask(&request("b", 0)).await.unwrap_err();
    assert_snapshot!(bench::tell(&error, &config), @"no answer from `m` after 4 attempts: the server refuses connections (Connection refused (os error 111))");
}

#[tokio::test]
async fn replies_that_ended_early_are_replies() {
    for (word, finish) in [
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("eos_token", FinishReason::Other("eos_token".to_owned())),
    ] {
        let bench = Bench::with_faults(FaultPlan::always(StubFault::Finish(word.to_owned()))).await;
        assert_eq!(bench.ask("a", 0).await.unwrap().finish, finish);
        assert!(bench.ask("a", 0).await.unwrap().cached, "it was paid for");
    }
}

#[tokio::test]
async fn a_hit_asks_nothing_and_another_draw_is_another_question() {
    let bench = Bench::with_faults(FaultPlan::default()).await;
    let first = bench.ask("a", 0).await.unwrap();
    let again = bench.ask("a", 0).await.unwrap();
    assert_eq!((first.cached, again.cached, bench.total()), (false, true, 1));
    assert_eq!(first.text, again.text);
    bench.ask("a", 1).await.unwrap();
    assert_eq!(bench.total(), 2);
    let usage = &bench.usage.snapshot()[0];
    assert_eq!((usage.requests, usage.cache_hits, usage.attempts), (3, 1, 2));
}

#[tokio::test]
async fn a_new_process_pays_for_nothing_again() {
    let bench = Bench::with_faults(FaultPlan::default()).await;
    let first = bench.ask("a", 0).await.unwrap();
    let reopened = bench.reopen();
    let again = reopened.ask(&request("a", 0)).await.unwrap();
    assert_eq!((again.text, again.cached, bench.total()), (first.text, true, 1));
}

#[tokio::test]
async fn equal_questions_in_flight_are_sent_once() {
    let bench = Bench::with_faults(FaultPlan::first([StubFault::status(500)])).await;
    let replies = join_all((0..20).map(|_| bench.ask("a", 0))).await;
    assert_eq!(replies.iter().filter(|reply| !reply.as_ref().unwrap().cached).count(), 1);
    assert_eq!((bench.total(), bench.stub.stats().ok), (2, 1));
}

#[tokio::test]
async fn no_more_are_in_flight_than_allowed() {
    let options = StubOptions { latency: Duration::from_millis(5), ..StubOptions::default() };
    let bench = Bench::new(options, |config| config.concurrency = 3).await;
    let items: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    for reply in join_all(items.iter().map(|item| bench.ask(item, 0))).await {
        reply.unwrap();
    }
    assert_eq!((bench.stub.stats().max_in_flight, bench.total()), (3, 30));
}

#[tokio::test]
async fn the_budget_stops_before_it_is_overspent() {
    let price = Price { input: 0.0, output: 1e6 };
    let rule = Rule::Text("two words".to_owned());
    let options = StubOptions { rule, ..StubOptions::default() };
    let mut bench = Bench::new(options, |config| (config.price, config.max_tokens) = (price, Some(4))).await;
    bench.set_budget(Budget::new(Some(12.0), None));
    let items: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let replies = join_all(items.iter().map(|item| bench.ask(item, 0))).await;
    let refused: Vec<&ChatError> = replies.iter().filter_map(|reply| reply.as_ref().err()).collect();
    // Two dollars each, guessed at four: when ten are spent, another four are too much.
    assert_eq!((bench.total(), refused.len()), (5, 15));
    assert_snapshot!(refused[0], @"the budget is spent: $10.0000 of $12.0000 spent; the next call may exceed the budget");
    assert!((bench.usage.snapshot()[0].cost - 10.0).abs() < 1e-9);
}

#[tokio::test]
async fn the_key_is_in_no_message_and_in_no_file() {
    let key = std::env::var(key_variable()).unwrap();
    let rule = Rule::handler(|request| {
        let said = request.header("authorization").unwrap_or("nothing").to_owned();
        let faults = [
            StubFault::text(400, format!("wrong: {said}")),
            StubFault::json(401, format!(r#"{{"error": {{"message": "Incorrect API key: {said}", "code": 1}}}}"#)),
            StubFault::json(200, format!("not a completion: {said}")),
            StubFault::text(200, format!("page {said}")).with_header("content-type", "text/html"),
        ];
        StubReply::Fault(faults[usize::try_from(request.ordinal).unwrap() % 4].clone())
    });
    let bench = Bench::new(StubOptions { rule, ..StubOptions::default() }, |config| config.retries = 0).await;
    for item in ["a", "b", "c", "d"] {
        let error = bench.ask(item, 0).await.unwrap_err();
        let told = format!("{error:?} {}", bench.tell(&error));
        assert!(told.contains("***") && !told.contains(&key), "{told}");
    }
    for file in bench.folder.path().read_dir().unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&key));
    }
}

#[tokio::test]
async fn tools_go_out_by_wire_names_and_come_back_by_their_own() {
    let rule = Rule::handler(|request| {
        let name = request.body["tools"][0]["function"]["name"].as_str().unwrap().to_owned();
        let call = fcgen::llm::ToolCallText { name, arguments: "{\"city\":\"서울\"}".to_owned() };
        StubReply::Reply(Reply { tool_calls: vec![call], ..Reply::default() })
    });
    let bench = Bench::new(StubOptions { rule, ..StubOptions::default() }, |_| {}).await;
    let tool = Tool { name: "Map.Search.날씨".to_owned(), ..Tool::default() };
    let mut asked = request("a", 0);
    asked.tools = vec![Arc::new(tool)];
    let reply = bench.chat.ask(&asked).await.unwrap();
    assert_eq!((reply.tool_calls[0].name.as_str(), reply.finish), ("Map.Search.날씨", FinishReason::ToolCalls));
}

#[tokio::test]
async fn the_built_in_model_can_be_asked_over_http() {
    let model = |asked: &fcgen::llm::Request| Reply {
        text: format!("{:?} {}", asked.task, serde_json::to_string(&*asked.variables).unwrap()),
        ..Reply::default()
    };
    let rule = Rule::builtin(Arc::new(model));
    let bench = Bench::new(StubOptions { rule, ..StubOptions::default() }, |config| config.send_task = true).await;
    assert_eq!(bench.ask("a", 0).await.unwrap().text, r#"Generate {"generate":{"item":"a"}}"#);
    let unsaid = ModelConfig { send_task: false, ..bench.config.clone() };
    let error = ask_text(&unsaid, "a").await.unwrap_err();
    assert_snapshot!(error, @"`m` refuses the request with 400: no `fcgen` in the body; set `send_task = true`");
}

#[tokio::test]
async fn who_waits_is_let_go_when_the_run_is_stopped() {
    let fault = StubFault::status(429).with_header("retry-after", "500");
    let bench = Bench::with_faults(FaultPlan::always(fault)).await;
    let stopper = async {
        while bench.total() == 0 {
            tokio::task::yield_now().await;
        }
        bench.interrupt.trigger();
    };
    let (answer, ()) = tokio::join!(bench.ask("a", 0), stopper);
    assert_eq!(answer, Err(ChatError::Interrupted));
    assert_eq!(bench.ask("b", 0).await, Err(ChatError::Interrupted));
}

#[tokio::test]
async fn who_leaves_a_shared_question_leaves_it_to_the_others() {
    let arrived = Arc::new(AtomicUsize::new(0));
    let counter = arrived.clone();
    let rule = Rule::handler(move |request| match counter.fetch_add(1, Ordering::Relaxed) {
        0 => StubReply::Fault(StubFault::Trickle(Duration::from_secs(500))),
        _ => StubReply::text(request.last_message()),
    });
    let bench = Bench::new(StubOptions { rule, ..StubOptions::default() }, |_| {}).await;
    let chat = bench.chat.clone();
    let first = tokio::spawn(async move { chat.ask(&request("a", 0)).await });
    while arrived.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    let leave = async {
        tokio::task::yield_now().await;
        first.abort();
    };
    let (reply, ()) = tokio::join!(bench.ask("a", 0), leave);
    assert_eq!((reply.unwrap().text.as_str(), bench.total()), ("say a", 2));
}
