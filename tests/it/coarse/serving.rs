//! A model that writes requests, serves them and completes them: enough for `complexfunc_model`.

use fcgen::llm::stub::{StubReply, StubRequest};
use fcgen::llm::{Reply, ToolCallText};
use serde_json::{Value as Json, json};

/// The request as it is written: how many guests there are is left out.
fn said(city: &str, guests: &str) -> String {
    match city {
        "Lisbon" => {
            format!("Which hotel in Lisbon is the cheapest from November 11, 2024 until November 14, 2024{guests}?")
        }
        _ => format!(
            "We come to {city} on 2024-11-11 and leave on the 14th of November 2024, find us the cheapest hotel{guests}."
        ),
    }
}

/// Two requests, which name functions that may not be among those that were shown; a reply as chatty models give it.
fn written() -> String {
    let one = |city: &str| {
        let functions = ["Search_Hotel_Destination", "Search_Hotels"];
        json!({"query": said(city, ""), "function_list": functions, "thought": "look the city up, then search"})
    };
    format!("Sure, here they are:\n```json\n{}\n```", json!([one("Lisbon"), one("Vienna")]))
}

fn call(name: &str, arguments: &Json) -> Reply {
    let call = ToolCallText { name: name.to_owned(), arguments: arguments.to_string() };
    Reply { tool_calls: vec![call], ..Reply::default() }
}

/// The next turn of a model that looks a city up, searches its hotels, and names the cheapest.
fn served(request: &StubRequest) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let asked = messages.iter().find(|it| it["role"] == "user").unwrap()["content"].as_str().unwrap();
    let city = if asked.contains("Lisbon") { "Lisbon" } else { "Vienna" };
    let answers: Vec<Json> = messages
        .iter()
        .filter(|it| it["role"] == "tool")
        .map(|it| serde_json::from_str(it["content"].as_str().unwrap()).unwrap())
        .collect();
    match answers.as_slice() {
        // A call without its argument, which is mended in the next turn.
        [] => call("Search_Hotel_Destination", &json!({})),
        [refused] => {
            assert_eq!(refused["status"], false);
            call("Search_Hotel_Destination", &json!({ "query": city }))
        }
        [_, found] => {
            let place = &found["data"][0];
            call(
                "Search_Hotels",
                &json!({
                    "dest_id": place["dest_id"], "search_type": place["search_type"], "adults": 3, "sort_by": "price",
                    "arrival_date": "2024-11-11", "departure_date": "2024-11-14",
                }),
            )
        }
        [_, _, hotels, ..] => {
            let name = &hotels["data"]["hotels"][0]["property"]["name"];
            Reply { text: format!("It is {}.", name.as_str().unwrap()), ..Reply::default() }
        }
    }
}

/// The request with what it left out.
fn mended(request: &StubRequest) -> String {
    let task = &request.body["fcgen"]["variables"]["correct_query"];
    let missing: Vec<&str> =
        task["missing"].as_array().unwrap().iter().map(|it| it["parameter"].as_str().unwrap()).collect();
    assert_eq!(missing, ["adults", "sort_by"], "the other arguments are said or found");
    let city = if task["query"].as_str().unwrap().contains("Lisbon") { "Lisbon" } else { "Vienna" };
    let said_by = json!({"function": "Search_Hotels", "parameter": "sort_by", "words": "the cheapest"});
    json!({"query": said(city, " for three adults"), "said": [said_by]}).to_string()
}

pub(crate) fn model(request: &StubRequest) -> StubReply {
    match request.body["fcgen"]["task"].as_str().unwrap() {
        "coarse_queries" => StubReply::text(&written()),
        "annotate" => StubReply::Reply(served(request)),
        "correct_query" => StubReply::text(&mended(request)),
        "judge_served" => StubReply::text(r#"{"served": true, "needless": [], "unsettled": [], "lacks": ""}"#),
        other => StubReply::text(other),
    }
}
