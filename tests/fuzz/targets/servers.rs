//! What servers answer: bodies of every kind, and headers that ask to wait.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::{odd, write};
use super::texts;
use fcgen::llm::{read_completion, read_refusal, read_vectors, read_wait};
use std::time::Duration;

const BODIES: &[&str] = &[
    r#"{"id": "stub-0", "object": "chat.completion", "created": 0, "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}, "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi", "reasoning_content": "hm", "tool_calls": [{"id": "call_0", "type": "function", "function": {"name": "a_b", "arguments": "{\"a\": 1}"}}]}, "finish_reason": "tool_calls"}]}"#,
    r#"{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}], "refusal": null}, "finish_reason": "length"}], "usage": null}"#,
    r#"{"choices": [{"message": {"content": null, "refusal": "no", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}, "finish_reason": "content_filter"}]}"#,
    r#"{"choices": [], "error": {"message": "overloaded", "type": "server_error", "code": 503}}"#,
    r#"{"error": {"message": "quota", "type": "insufficient_quota", "code": "429"}}"#,
    r#"{"detail": [{"loc": ["body", "messages", 0], "msg": "Field required", "type": "missing"}]}"#,
    r#"{"object": "list", "data": [{"index": 1, "embedding": [0.5, -1e-9]}, {"index": 0, "embedding": [1, 2]}], "usage": {"prompt_tokens": 7, "total_tokens": 7}}"#,
    "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad</h1></body></html>",
    "Too Many Requests",
    "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\ndata: [DONE]\n",
];

const WORDS: &[&str] = &[
    "\"choices\": ",
    "\"message\": ",
    "\"content\": ",
    "\"tool_calls\": ",
    "\"function\": ",
    "\"arguments\": ",
    "\"usage\": ",
    "\"error\": ",
    "\"code\": ",
    "\"finish_reason\": ",
    "\"prompt_tokens\": ",
    "\"data\": ",
    "\"embedding\": ",
    "\"index\": ",
    "null",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "\"error\"",
    "\"abort\"",
    "insufficient_quota",
    "<title>",
    "</title>",
    "<html>",
    "<",
    ">",
    "\"detail\": ",
    "\"loc\": ",
    "\"msg\": ",
    "\"message\": null, ",
    "429",
    "503",
];

fn body(chance: &mut Chance) -> String {
    let mut value = |depth| write::json(chance, depth);
    let (content, calls, finish, usage, error) = (value(2), value(4), value(1), value(2), value(2));
    match chance.below(4) {
        0 => format!(r#"{{"error": {error}}}"#),
        1 => format!(r#"{{"data": [{{"index": {finish}, "embedding": {usage}}}, {{"embedding": [{content}]}}]}}"#),
        2 => format!(r#"{{"choices": [{{"message": {content}, "finish_reason": {finish}}}], "error": {error}}}"#),
        _ => format!(
            r#"{{"choices": [{{"message": {{"content": {content}, "tool_calls": [{{"function": {calls}}}]}}, "finish_reason": {finish}}}], "usage": {usage}}}"#
        ),
    }
}

#[test]
fn bodies() {
    let target =
        Target { name: "server", seeds: texts(BODIES), words: WORDS, make: body, longest: LONGEST, usual: 600 };
    target.drive(|body| {
        let (reply, vectors, refusal) = (read_completion(body), read_vectors(body, 2), read_refusal(body));
        assert!(refusal.chars().count() <= 301 && !refusal.contains('\n'), "one short line: {refusal:?}");
        if let Ok(reply) = &vectors {
            let read: Vec<Vec<f32>> = serde_json::from_str(&reply.text).unwrap();
            assert!(read.len() == 2 && read[0].len() == read[1].len());
        }
        if let Ok(reply) = &reply {
            assert!(reply.usage.prompt + reply.usage.completion <= 2_000_000_000);
            let again: fcgen::llm::Reply = serde_json::from_str(&serde_json::to_string(reply).unwrap()).unwrap();
            assert_eq!(&again, reply, "the journal gives back what it was given");
        }
        let said = |read: Result<fcgen::llm::Reply, String>| {
            read.map(|reply| format!("{} {}", reply.finish.word(), reply.tool_calls.len().min(3)))
        };
        format!("{:?} {:?}", said(reply), said(vectors))
    });
}

const WAITS: &[&str] = &[
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "2",
    "1.5",
    "250",
    "-3",
    "1e400",
    "Fri, 31 Dec 9999 23:59:60 GMT",
];

fn wait(chance: &mut Chance) -> String {
    let mut number = |most: usize| {
        if chance.once_in(3) { chance.pick(odd::NUMBERS).to_owned() } else { chance.below(most).to_string() }
    };
    let (day, year, hour, minute, second) = (number(40), number(10_000), number(30), number(70), number(70));
    let month = chance.pick(&["Jan", "Feb", "Dec", "Nov", "13", "jan", ""]);
    format!("Sun, {day} {month} {year} {hour}:{minute}:{second} GMT")
}

/// The input is one header, and the other half of it another.
#[test]
fn headers() {
    let words =
        &["Nov", "06", "1994", "08:49:37", "GMT", ",", "-", ":", ".", "e", "Sun", "99999999999999999999", "NaN", "inf"];
    Target { name: "headers", seeds: texts(WAITS), words, make: wait, longest: LONGEST, usual: 1000 }.drive(text(
        |input| {
            let (half, rest) = input.split_once(' ').unwrap_or((input, ""));
            let all = [
                read_wait(&[("retry-after", input)]),
                read_wait(&[("retry-after-ms", input)]),
                read_wait(&[("retry-after-ms", half), ("retry-after", rest)]),
                read_wait(&[("retry-after", input), ("date", rest)]),
                read_wait(&[("retry-after", WAITS[0]), ("date", input)]),
                read_wait(&[(input, half)]),
            ];
            assert!(all.iter().flatten().all(|wait| *wait <= Duration::from_secs(600)), "{all:?}");
            format!("{:?}", all.map(|wait| wait.map(|wait| wait.is_zero())))
        },
    ));
}
