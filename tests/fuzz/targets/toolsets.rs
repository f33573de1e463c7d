//! Toolsets: a list of tools in JSON, and folders of TOML.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::texts;
use fcgen::locale::Pack;
use fcgen::toolset::import::{Choice, read_openapi, read_tools};
use fcgen::toolset::{Toolset, lint};
use std::fs;
use std::path::Path;

const LISTS: &[&str] = &[
    r#"[{"type": "function", "function": {"name": "ping", "description": "Ping a host", "parameters": {"type": "object", "properties": {"host": {"type": "str", "enum": ["a", 1]}, "n": {"type": "integer", "minimum": 0, "default": 3}}, "required": ["host"]}}}, {"name": "stop", "parameters": null}]"#,
    r#"{"tools": [{"name": "a.b", "parameters": {"properties": {"x": {"type": ["string", "null"], "items": {"type": "dict"}}}}}]}"#,
];

const DESCRIPTIONS: &[&str] = &[
    include_str!("../../fixtures/openapi/nursery.yaml"),
    r##"{"swagger": "2.0", "host": "h", "schemes": ["https"], "paths": {"/a/{b}": {"get": {"parameters": [{"in": "body", "name": "x", "schema": {"$ref": "#/definitions/A"}}, {"in": "formData", "name": "f", "type": "file"}], "responses": {"200": {"schema": {"type": "array", "items": {"$ref": "#/definitions/A"}}}}}}}, "definitions": {"A": {"allOf": [{"$ref": "#/definitions/A"}, {"properties": {"a": {"oneOf": [{"type": "null"}, {"enum": [1]}]}}}]}}}"##,
    "openapi: 3.1.0\npaths: &p\n  /a: {post: {requestBody: {content: {application/json: {schema: {anyOf: [true, {not: {}}], example: *p}}}}}}\n",
];

fn description(chance: &mut Chance) -> String {
    let mut value = |depth| write::json(chance, depth);
    let (schema, parameters, responses) = (value(4), value(3), value(3));
    format!(
        r#"{{"openapi": "3.1.0", "paths": {{"/a": {{"post": {{"parameters": {parameters}, "requestBody": {{"content": {{"application/json": {{"schema": {schema}}}}}}}, "responses": {responses}}}}}}}}}"#
    )
}

#[test]
fn descriptions_of_apis() {
    let words = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ": ",
        "\n",
        "  ",
        "- ",
        "&a ",
        "*a",
        "<<: *a",
        "$ref: ",
        "'#/paths/~1a'",
        "allOf: ",
        "oneOf: ",
        "schema: ",
        "properties: ",
        "required: ",
        "type: ",
        "null",
        "enum: ",
        "examples: ",
        "parameters: ",
        "in: path",
        "name: ",
        "<tools>",
        "</tools>",
    ];
    let seeds = texts(DESCRIPTIONS);
    Target { name: "openapi", seeds, words, make: description, longest: LONGEST, usual: 150 }.drive(text(|input| {
        let drafts = [read_openapi("a", input, &Choice::default()), read_tools("a", input)];
        for draft in drafts.iter().flatten() {
            let names: std::collections::BTreeSet<&str> = draft.tools.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(names.len(), draft.tools.len());
            assert!(names.iter().all(|name| (1..=64).contains(&name.len())), "{names:?}");
            assert!(serde_json::to_string(&draft.origins()).is_ok());
        }
        let told = drafts.iter().map(|draft| match draft {
            Ok(draft) => format!("{} {}", draft.tools.len().min(3), draft.losses.len().min(3)),
            Err(fault) => fault.to_string().chars().take(80).collect(),
        });
        told.collect::<Vec<String>>().join("; ")
    }));
}

fn list(chance: &mut Chance) -> String {
    let mut value = |depth| write::json(chance, depth);
    let (parameters, other, required) = (value(4), value(3), value(2));
    format!(
        r#"[{{"name": "f", "parameters": {{"type": "object", "properties": {{"a": {parameters}}}, "required": {required}}}}}, {other}]"#
    )
}

#[test]
fn lists_of_tools() {
    let words = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"name\": ",
        "\"parameters\": ",
        "\"properties\": ",
        "\"required\": ",
        "\"type\": ",
        "\"enum\": ",
        "\"function\": ",
        "\"tools\": ",
        "null",
        "\"string\"",
        "\"items\": ",
        "\u{feff}",
        "\"default\": ",
        "\"a\": ",
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tools.json");
    Target { name: "tool_list", seeds: texts(LISTS), words, make: list, longest: LONGEST, usual: 300 }.drive(text(
        |input| {
            fs::write(&path, input).unwrap();
            let loaded = Toolset::load(fcgen::assets(), path.to_str().unwrap(), "en");
            if let Ok(toolset) = &loaded {
                let tools: Vec<_> = toolset.tools.iter().map(|tool| serde_json::to_value(&**tool).unwrap()).collect();
                fs::write(&path, serde_json::to_string(&tools).unwrap()).unwrap();
                let again = Toolset::load(fcgen::assets(), path.to_str().unwrap(), "en").map(|toolset| toolset.tools);
                assert_eq!(again.ok().as_ref(), Some(&toolset.tools));
            }
            told(loaded, &path)
        },
    ));
}

fn told(loaded: Result<Toolset, fcgen::toolset::ToolsetError>, path: &Path) -> String {
    match loaded {
        Ok(toolset) => format!("{} {}", toolset.tools.len().min(3), toolset.phrases.len().min(3)),
        Err(fault) => {
            let shown = fault.to_string();
            let root = path.parent().unwrap().to_str().unwrap();
            assert!(!shown.is_empty());
            shown.replace(root, "").chars().take(160).collect()
        }
    }
}

/// Two files in one text, as a folder of tools has them; a ruler parts them.
#[test]
fn folders_of_tools() {
    let root = Path::new("tests/fixtures/toolsets/proof");
    let names = fs::read_dir(root.join("tools")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut seeds: Vec<String> = names
        .filter_map(|name| {
            let [structure, spoken] = ["tools", "en"].map(|part| fs::read_to_string(root.join(part).join(&name)));
            Some(format!("{}\n#====\n{}", structure.ok()?, spoken.ok()?))
        })
        .collect();
    seeds.sort_by_key(String::len);
    // Long ones make all that grows from them slow.
    seeds.truncate(3);
    seeds.push(SMALL.to_owned());
    let words = &[
        "[",
        "]",
        "[[",
        "]]",
        "=",
        "\"",
        "\n",
        "{",
        "}",
        ".",
        ",",
        "type = ",
        "kind = ",
        "enum = ",
        "parameters",
        "description = ",
        "label = ",
        "intents = ",
        "clauses = ",
        "wordings",
        "questions = ",
        "title = ",
        "wanted = ",
        "optional = true\n",
        "from = ",
        "default = ",
        "\"{a}\"",
        "a.b",
        "\n#====\n",
        "returns = ",
        "answers = ",
        "'''",
        "\"\"\"",
        "a = 1\n",
    ];
    let folder = tempfile::tempdir().unwrap();
    let pack = Pack::load(fcgen::assets(), "en").unwrap();
    let place = folder.path().join("mine");
    fs::create_dir_all(place.join("tools")).unwrap();
    fs::create_dir_all(place.join("en")).unwrap();
    let make = |chance: &mut Chance| {
        write::soup(chance, &["[a]\n", "b = ", "\"x\"\n", "{c = 1}\n", "[a.parameters.b]\n", "type = \"string\"\n"])
    };
    Target { name: "tool_folder", seeds, words, make, longest: LONGEST, usual: 100 }.drive(text(|input| {
        let (structure, spoken) = input.split_once("\n#====\n").unwrap_or((input, ""));
        fs::write(place.join("tools/Home.Light.toml"), structure).unwrap();
        fs::write(place.join("en/Home.Light.toml"), spoken).unwrap();
        let loaded = Toolset::load(fcgen::assets(), place.to_str().unwrap(), "en");
        if let Ok(toolset) = &loaded {
            let _ = lint(fcgen::assets(), toolset, &pack).len();
        }
        told(loaded, &place)
    }));
}

const SMALL: &str = r#"[turnOn]
writes = true
[turnOn.parameters.room]
type = "string"
enum = ["kitchen", "bath"]
[turnOn.parameters.level]
type = "integer"
optional = true
default = 5
#====
title = "Lights"
wanted = "turn on"
[turnOn]
description = "Turns a light on"
intents = ["turn on the light[ in the {room}][ at {level}]", "(light|lamp) on"]
[turnOn.parameters.room]
description = "Which room"
label = "room"
clauses = ["in the {room}"]
questions = ["which room?"]
[turnOn.parameters.level]
description = "How bright"
label = "level"
clauses = ["at {level}"]
"#;
