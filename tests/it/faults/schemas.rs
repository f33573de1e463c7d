//! Servers that refuse schemas: all of them, one of them, or one request by chance.

use super::bench::{Bench, request};
use fcgen::llm::stub::{FaultPlan, Rule, StubFault, StubOptions, StubReply, StubRequest};
use fcgen::llm::{ChatError, Reply, Request, Task};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::sync::Arc;

/// A server that refuses requests of this kind, and repeats what others say.
async fn refusing(refuses: impl Fn(&StubRequest) -> bool + Send + Sync + 'static) -> Bench {
    let rule = Rule::handler(move |request| {
        if refuses(request) {
            return StubReply::Fault(StubFault::status(400));
        }
        StubReply::text(request.last_message())
    });
    Bench::new(StubOptions { rule, ..StubOptions::default() }, |_| {}).await
}

fn schema(of: &str) -> Value {
    json!({ "type": of })
}

async fn ask(bench: &Bench, item: &str, of: &str) -> Result<Reply, ChatError> {
    bench.chat.ask(&Request { schema: Some(Arc::new(schema(of))), ..request(item, 0) }).await
}

fn is_on(bench: &Bench, of: &str) -> bool {
    bench.chat.structured(Task::Generate, Some(&schema(of)))
}

#[tokio::test]
async fn a_schema_that_is_refused_twice_is_off_and_the_others_stay() {
    let bench = refusing(|request| request.body["response_format"]["json_schema"]["schema"] == schema("array")).await;
    assert_eq!(ask(&bench, "a", "array").await.unwrap().text, "say a");
    assert_eq!((is_on(&bench, "array"), is_on(&bench, "object"), bench.total()), (false, true, 3));
    ask(&bench, "b", "array").await.unwrap();
    assert_eq!(bench.total(), 4, "it goes without from now on");
    ask(&bench, "c", "object").await.unwrap();
    assert_eq!((is_on(&bench, "object"), bench.total()), (true, 5));
    assert_snapshot!(bench.chat.notes().join("\n"), @r#"`m` rejects the schema of `generate` (stage `write`) in `response_format`; requests are sent without it from now on (`structured_output = "none"` never sends schemas)"#);
}

#[tokio::test]
async fn a_refusal_by_chance_costs_no_schema() {
    for status in [400, 422] {
        let bench = Bench::with_faults(FaultPlan::first([StubFault::status(status)])).await;
        assert_eq!(ask(&bench, "a", "object").await.unwrap().text, "say a");
        assert_eq!((is_on(&bench, "object"), bench.total(), bench.chat.notes().len()), (true, 2, 0), "{status}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_all_schemas_answers_all_questions() {
    let bench = refusing(|request| request.body.get("response_format").is_some()).await;
    for of in ["array", "object"] {
        for item in ["a", "b", "c"] {
            assert_eq!(ask(&bench, item, of).await.unwrap().text, format!("say {item}"));
        }
        assert!(!is_on(&bench, of));
    }
    assert_eq!(bench.total(), 2 * (3 + 1 + 1));
    assert_eq!(bench.chat.notes().len(), 1, "one task of one stage is named once");
}

#[tokio::test]
async fn many_at_once_find_out_together() {
    let bench = refusing(|request| request.body.get("response_format").is_some()).await;
    let items: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let replies = futures::future::join_all(items.iter().map(|item| ask(&bench, item, "object"))).await;
    assert!(replies.into_iter().all(|reply| reply.is_ok()) && !is_on(&bench, "object"));
    assert!(bench.total() <= 60, "{}", bench.total());
}

#[tokio::test]
async fn a_request_that_is_refused_either_way_does_not_cost_the_others_their_schema() {
    let bench = refusing(|request| request.last_message() == "say long").await;
    assert!(matches!(ask(&bench, "long", "object").await, Err(ChatError::Refused { status: 400, .. })));
    assert!(is_on(&bench, "object") && bench.chat.notes().is_empty());
    assert_eq!(bench.total(), 3);
}
