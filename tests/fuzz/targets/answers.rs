//! What models say: the readers of replies, the finder of calls, and BFCL's decoder.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::texts;
use fcgen::llm::{Reply, ToolCallText, tasks};
use fcgen::record::{FunctionCall, PredictionTurn, Value};
use fcgen::score::extract::{Reading, read_text, read_turn};
use fcgen::suite::bfcl::metric as bfcl;
use fcgen::text;

const REPLIES: &[&str] = &[
    r#"{"name": "Clock.setAlarm", "arguments": {"time": "8:00", "days": ["Monday"]}}"#,
    "Sure, here it is:\n```json\n[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]\n```\nDone.",
    r#"<tool_call>{"name": "f", "arguments": {"a": 1.50}}</tool_call><tool_call>{"name": "g"}</tool_call>"#,
    r#"<think>Is it f? {"name": "g"}</think>{"function": {"name": "f", "arguments": "{\"a\": \"b\"}"}}"#,
    "[get_weather(city='Paris', days=3), Clock.setAlarm(time=\"8\")]",
    r#"<function=f>{"a": 1}</function>"#,
    r#"[TOOL_CALLS][{"name": "f", "arguments": {}}]"#,
    r#"{"tool_calls": [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}"#,
    r#"{"query": "wake me at 8", "arguments": {"time": "8"}}"#,
    r#"{"queries": [{"query": "one", "functions": ["f"]}, {"query": "two"}]}"#,
    "```time, days```",
    "Yes, it can.",
    "verdict: no",
    "죄송하지만 도와드릴 수 없습니다.",
    "答案：{\"name\": \"打开灯\", \"arguments\": {\"房间\": \"客厅\"}}",
    r#"{"API": ["getX", "getY"], "parameters": [{"a": "$$$"}, {}]}"#,
    "API:\n- getX\nparameters:\n- a: 5\n",
    r#"{"toolkit": "Clock", "tools": [{"name": "setAlarm", "description": "d", "parameters": {"time": {"type": "string", "required": true}}}]}"#,
    "Thought: I need f\nAction: f\nAction Input: {\"a\": 1}\nObservation: 5",
    r#"{"role": "user", "content": "hello", "goal": "done"}"#,
    "'''json{\"a\":1}'''",
];

const WORDS: &[&str] = &[
    "```",
    "```json\n",
    "'''",
    "{",
    "}",
    "[",
    "]",
    "\"name\": ",
    "\"arguments\": ",
    "\"function\": ",
    "<tool_call>",
    "</tool_call>",
    "<function=f>",
    "</function>",
    "<think>",
    "</think>",
    "[TOOL_CALLS]",
    "f(a=1)",
    "yes",
    "no",
    "\"query\": ",
    "\"queries\": ",
    "Action: ",
    "Action Input: ",
    ": ",
    ", ",
    "\n",
    "\"",
    "none",
    "null",
    "\"{}\"",
    "<|python_tag|>",
    "<|tool_call|>",
    "f(",
    ")",
    "API: ",
    "- ",
];

fn reply(chance: &mut Chance) -> String {
    let inner = match chance.below(4) {
        0 => write::python(chance),
        1 => write::yaml(chance),
        _ => write::json(chance, 5),
    };
    match chance.below(6) {
        0 => format!("{}```json\n{inner}\n```", write::words(chance, &[])),
        1 => format!("<tool_call>{inner}</tool_call>"),
        2 => format!("<think>{}</think>{inner}", write::words(chance, &[])),
        3 => format!("{{\"name\": \"f\", \"arguments\": {inner}}}"),
        4 => format!("{} {inner} {}", write::words(chance, &[]), write::words(chance, &[])),
        _ => inner,
    }
}

/// Whether each reader took it.
#[test]
fn replies() {
    let target =
        Target { name: "answer", seeds: texts(REPLIES), words: WORDS, make: reply, longest: 8 << 10, usual: 150 };
    target.drive(text(|input| {
        if let Ok((object, _)) = text::read_object(input) {
            let written = Value::Object(object.clone()).to_string();
            // A number beyond a double is refused where the whole text must be strict JSON, and found among words.
            let again = text::read_object(&written).map(|(again, _)| again);
            assert_eq!(again, Ok(object), "an object that was read is one when it is written");
        }
        for (_, value) in text::embedded(input) {
            assert!(matches!(value, Value::Object(_) | Value::List(_)), "{value:?}");
        }
        let native = ToolCallText { name: "f".to_owned(), arguments: input.to_owned() };
        let spoken = Reply { text: input.to_owned(), tool_calls: vec![native.clone()], ..Reply::default() };
        let silent = Reply { text: input.to_owned(), ..Reply::default() };
        let call = text::read_call(input, "I cannot help with that.");
        let taken = [
            text::read_json(input).is_ok(),
            tasks::read_plan(input).is_ok(),
            tasks::read_queries(input).is_ok(),
            tasks::read_question(input, 0).is_ok(),
            tasks::read_selected(input).is_ok(),
            tasks::read_rewritten(input).is_ok(),
            tasks::read_entity(input).is_ok(),
            text::read_verdict(input).is_some(),
            text::read_native(&native).is_ok(),
            tasks::read_toolkit(input, &[]).is_ok(),
            tasks::read_written(input).is_ok(),
            text::read_plain(input, &["output".to_owned()]).is_ok(),
            text::read_line(input, &["output".to_owned()]).is_ok(),
            tasks::read_spoken(&spoken).is_ok(),
            tasks::read_spoken(&silent).is_ok(),
            tasks::read_route(input).is_ok(),
        ];
        format!("{taken:?} {}", call.map_or_else(|fault| fault.to_string(), |(_, way)| way.as_str().to_owned()))
    }));
}

#[test]
fn extracted_calls() {
    let target =
        Target { name: "extract", seeds: texts(REPLIES), words: WORDS, make: reply, longest: 16 << 10, usual: 300 };
    target.drive(text(|input| {
        let turn = PredictionTurn { tool_calls: vec![("f".to_owned(), input.to_owned())], ..PredictionTurn::default() };
        let native = matches!(read_turn(&turn), Reading::Calls(..));
        match read_text(input) {
            Reading::Calls(calls, way) => {
                let written = serde_json::to_string(&calls).unwrap();
                let again = read_text(&written);
                let Reading::Calls(read, _) = &again else { panic!("{written} is read as {again:?}") };
                // What no JSON holds is written as `null`; and a JSON call's empty arguments are taken for absent ones.
                let is_json = !["Infinity", "NaN"].iter().any(|word| input.contains(word));
                let alike = spoken(calls.clone()) == spoken(read.clone());
                assert!(!is_json || alike, "{calls:?} was written as {written} and read as {read:?}");
                format!("{way:?} {} {native}", calls.len().min(3))
            }
            other => format!("{other:?} {native}"),
        }
    }));
}

/// Calls without what says nothing; what is then the same call twice is one.
fn spoken(mut calls: Vec<FunctionCall>) -> Vec<FunctionCall> {
    for call in &mut calls {
        call.arguments.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
    }
    calls.dedup();
    calls
}

#[test]
fn bfcl_decoder() {
    let seeds = texts(&[
        "[get_weather(city='Paris', days=3, units=[\"c\"], when=None, x={'a': (1, 2.5)})]",
        "[f(a=1), g.h(b='x', c=-2**3, d=[1+2, 'a' 'b'])]",
        "```python\n[f(a=True, b=f(c=1), **{'d': 1})]\n```",
        "<think>hm</think>[f(a=lambda x: x, b=[i for i in range(3)], c=not 1, d=1 if a else 2)]",
        "f(a=1)\ng(b=2)",
        "[f(a=0x1F, b=1_000, c=1e309, d=3j, e=b'x', f=r'\\d', g=\"\"\"x\"\"\")]",
        r#"[{"f": "{\"a\": 1}"}, {"g": {"b": [1.0, null]}}]"#,
        r#"[{"name": "f", "arguments": {"a": 1}}]"#,
    ]);
    let words = &[
        "f(",
        "a=",
        ")",
        "(",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "\\",
        ",",
        ":",
        "None",
        "True",
        "1",
        "-",
        ".",
        " ",
        "\n",
        "lambda x: ",
        " if ",
        " else ",
        " for x in ",
        "not ",
        "**",
        "//",
        "<<",
        "==",
        " is ",
        " in ",
        "f'{",
        "b'",
        "r'",
        "\"\"\"",
        "#",
        "...",
        ":=",
        "await ",
        "yield ",
        "*",
        "@",
        "~",
        "1j",
        "0x",
        "[f(a=",
    ];
    Target { name: "bfcl", seeds, words, make: write::python, longest: LONGEST, usual: 600 }.drive(text(|input| {
        let loose = bfcl::decode_text(input);
        if let Ok(calls) = &loose {
            assert!(bfcl::is_well_formed(calls));
            let (shown, spoken) = (fcgen::python::repr(&bfcl::as_value(calls)), bfcl::spoken(calls));
            assert!(shown.starts_with('[') && spoken.starts_with('['));
        }
        let strict = bfcl::decode_text_strictly(input).map(|text| format!("{:?}", text.wrappers));
        let value = fcgen::record::BorrowedValue::read_lenient(input);
        let decoded = value.as_ref().ok().map(|value| {
            let (loose, strict) = (bfcl::decode_calls(value), bfcl::decode_calls_strictly(value));
            (loose.is_ok(), strict.is_ok())
        });
        let fault = loose.err().map(|fault| fault.to_string());
        format!("{fault:?} {:?} {decoded:?}", strict.map_err(|fault| fault.to_string()))
    }));
}
