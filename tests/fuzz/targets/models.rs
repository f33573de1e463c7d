//! The built-in model as a reader of arbitrary words, and prompts of any text.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::{came, files, texts};
use fcgen::config::prompt_variables;
use fcgen::llm::{CallVariables, Common, JudgeVariables, Prompt, Request, ServeVariables, Task, Variables};
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::record::{Tool, Value};
use fcgen::text;
use fcgen::toolset::Toolset;
use std::sync::Arc;

const WORDS: &[&str] = &[
    "wake me",
    "set",
    "an alarm",
    "at",
    "8 am",
    "tomorrow",
    "on monday",
    "near",
    "the station",
    "within",
    "5 km",
    "park",
    "for",
    "two hours",
    "cancel",
    "it",
    "no,",
    "I mean",
    "not",
    "\"Anna\"",
    "user:",
    "assistant:",
    "user:ok\nassistant:When?\nuser:",
    "?",
    "play",
    "song",
    "volume",
    "to",
    "30%",
    "turn on",
    "wifi",
    "알람",
    "맞춰 줘",
    "설정",
    "내일",
    "아침",
    "8시에",
];

fn request(task: Task, variables: Variables) -> Request {
    Request {
        task,
        stage: "s".into(),
        item: "i".into(),
        draw: 0,
        system: None,
        history: Vec::new(),
        user: String::new(),
        variables: Arc::new(variables),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}

/// A model with some of the tools that it ships with.
fn reader(locale: &str) -> (Grammar, Vec<Arc<Tool>>) {
    let toolset = Toolset::load(fcgen::assets(), "tests/fixtures/toolsets/proof", locale).unwrap();
    let mut pack = Pack::load(fcgen::assets(), locale).unwrap();
    toolset.extend(&mut pack).unwrap();
    (Grammar::new(Arc::new(pack), 7), toolset.tools.into_iter().take(6).collect())
}

#[test]
fn built_in_reader() {
    let models = ["en", "ko"].map(reader);
    let seeds = texts(&[
        "Could you park the car near the old station for two hours?",
        "user:set an alarm\nassistant:For when?\nuser:8 am tomorrow, no, I mean 9",
        "내일 아침 8시에 알람 맞춰 줘",
    ]);
    let target = Target {
        name: "grammar",
        seeds,
        words: WORDS,
        make: |chance: &mut Chance| write::words(chance, WORDS),
        longest: 1 << 10,
        usual: 40,
    };
    target.drive(text(|input| {
        let (model, tools) = &models[usize::from(input.contains(|letter: char| ('가'..='힣').contains(&letter)))];
        let common = Common { locale: "en".to_owned(), language: "English".to_owned(), ..Common::default() };
        let refusal = "I cannot do that.".to_owned();
        let (query, tools) = (input.to_owned(), tools.clone());
        let tool = tools[input.len() % tools.len()].clone();
        let call = CallVariables {
            common: common.clone(),
            query,
            tools,
            example: None,
            refusal: refusal.clone(),
            reference_time: None,
        };
        let reply = model.reply(&request(Task::Call, Variables::Call(call))).text;
        let read = text::read_call(&reply, &refusal).expect("what the model says can be read");
        let serve = ServeVariables { common: common.clone(), query: input.to_owned(), tool };
        let serves = model.reply(&request(Task::CanServe, Variables::CanServe(serve))).text;
        let (half, rest) = input.split_once(' ').unwrap_or((input, ""));
        let object = |text: &str| [("name".to_owned(), Value::from(text))].into_iter().collect();
        let judge = JudgeVariables { common, query: String::new(), label: object(half), output: object(rest) };
        let alike = model.reply(&request(Task::JudgeCall, Variables::JudgeCall(judge))).text;
        format!("{:?} {serves} {alike}", read.1).chars().take(120).collect()
    }));
}

#[test]
fn prompts() {
    let mut seeds = files("prompts/write_query", ".md");
    seeds.extend(texts(&[
        "=== system\nYou {{ a }}.\n=== user\n{% for t in tools %}{{ t.name }}{% endfor %}{% if x %}y{% endif %}",
    ]));
    let words = &[
        "=== user\n",
        "=== system\n",
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{% if a %}",
        "{% endif %}",
        "{% for x in a %}",
        "{% endfor %}",
        "{{ a }}",
        "{{ a.b[0] }}",
        "|tojson",
        "|length",
        " and ",
        " not ",
        "(",
        ")",
        "[",
        "]",
        ".",
        "'",
        "\"",
        "\n",
        "{% raw %}",
        "{% set a = b %}",
        "{% macro m(a) %}",
        "{% endmacro %}",
        "{% include 'a' %}",
        "{% import 'a' as b %}",
        "{% block a %}",
        "-%}",
    ];
    Target {
        name: "prompts",
        seeds,
        words,
        make: |chance| format!("=== user\n{}", write::words(chance, &["{{", "}}", "{%", "%}", "a", "if"])),
        longest: LONGEST,
        usual: 300,
    }
    .drive(text(|input| {
        let prompt = Prompt::from_text("prompts/x/en.md", input);
        if let Ok(prompt) = &prompt {
            assert!(prompt.undeclared().len() <= input.len());
            let given: serde_json::Value = serde_json::json!({"a": "b", "tools": [], "x": [1, {"name": "n"}]});
            if let Err(fault) = prompt.render(&given) {
                assert!(!fault.to_string().is_empty());
            }
        }
        format!("{} {}", came(&prompt, |_| "ok".to_owned()), prompt_variables(input).is_ok())
    }));
}
