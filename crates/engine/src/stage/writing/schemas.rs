//! JSON Schemas of answers, drawn up for one question: a server that holds to them cannot name what does not exist.

use crate::llm::{AskedArgument, AskedCall, RequestPlan, SpeechAct, VariantLine, VariantPlan};
use crate::record::{PLACEHOLDER, Parameter, Saying, Tool};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A written query: exactly the wanted parameters, each with the type that the tool declares.
pub fn written(tool: &Tool, preset: &[String]) -> Arc<Json> {
    let is_wanted = |name: &str| preset.iter().any(|wanted| wanted == name);
    Arc::new(object(&[("parameters", arguments(tool, is_wanted, is_wanted)), ("query", json!({"type": "string"}))]))
}

/// Several written queries. Every key is there, as servers want that hold to a schema to the letter; what a query does not
/// say is null.
pub fn requests(tool: &Tool, plans: &[RequestPlan]) -> Arc<Json> {
    let is_said = |name: &&String| plans.iter().any(|plan| plan.says.iter().any(|said| said.name == **name));
    let names: Vec<&String> = tool.parameters.properties.keys().filter(is_said).collect();
    let record = |of: &dyn Fn(&str) -> Json| {
        let properties: Map<String, Json> = names.iter().map(|name| ((*name).clone(), of(name))).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let value = |name: &str| {
        let schema = tool.parameters.properties.get(name).map(serde_json::to_value);
        json!({"anyOf": [closed(schema.and_then(Result::ok).unwrap_or_default()), {"type": "null"}]})
    };
    let text = json!({"type": "string"});
    let words = json!({"anyOf": [text, {"type": "array", "items": text}, {"type": "null"}]});
    let request = object(&[
        ("arguments", record(&value)),
        ("said", record(&|_| words.clone())),
        ("query", json!({"type": "string"})),
        ("sensible", json!({"type": "boolean"})),
    ]);
    Arc::new(object(&[("requests", json!({"type": "array", "items": request}))]))
}

/// The bank of a tool, with at most so many values of a parameter and so many situations.
pub fn bank(tool: &Tool, values: usize, situations: usize) -> Arc<Json> {
    let names: Vec<&String> = tool.parameters.properties.keys().collect();
    let text = json!({"type": "string"});
    let record = |of: &dyn Fn(&Parameter) -> Json| {
        let properties: Map<String, Json> =
            tool.parameters.properties.iter().map(|(name, parameter)| (name.clone(), of(parameter))).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let said = json!({"type": "array", "items": text, "maxItems": 6});
    let worded = |parameter: &Parameter| object(&[("value", value_of(parameter)), ("said", said.clone())]);
    let entries = |parameter: &Parameter| json!({"type": "array", "items": worded(parameter), "maxItems": values});
    let or_null = |parameter: &Parameter| json!({"anyOf": [value_of(parameter), {"type": "null"}]});
    let name = json!({"type": "string", "enum": names});
    let mentioned = object(&[
        ("parameters", json!({"type": "array", "items": name, "maxItems": names.len()})),
        ("weight", json!({"type": "number"})),
    ]);
    let flag = json!({"type": "boolean"});
    let change = object(&[
        ("parameter", name.clone()),
        ("before_call", flag.clone()),
        ("after_call", flag.clone()),
        ("again", flag),
    ]);
    let weight = json!({"type": "number"});
    let answers = object(&[("value", weight.clone()), ("no", weight.clone()), ("unknown", weight)]);
    let list = |items: Json, most: usize| json!({"type": "array", "items": items, "maxItems": most});
    Arc::new(object(&[
        ("parameters", record(&entries)),
        ("bundles", list(record(&or_null), values)),
        ("situations", list(text.clone(), situations)),
        ("mentioned", list(mentioned, 12)),
        ("changes", list(change, names.len())),
        ("optional", record(&|_| json!({"anyOf": [answers, {"type": "null"}]}))),
    ]))
}

/// Lines of a dialogue that ask for these parameters and answer.
pub fn lines(tool: &Tool, slots: &[String]) -> Arc<Json> {
    let value = |name: &String| tool.parameters.properties.get(name).and_then(|it| serde_json::to_value(it).ok());
    let values = slots.iter().filter_map(value).map(closed).chain([json!({"type": "null"})]);
    let text = json!({"type": "string"});
    let words = json!({"anyOf": [text, {"type": "array", "items": text}, {"type": "null"}]});
    let line = object(&[
        ("n", json!({"type": "integer"})),
        ("text", text),
        ("argument", json!({"anyOf": values.collect::<Vec<_>>()})),
        ("said", words),
    ]);
    let lines = json!({"type": "array", "items": line});
    Arc::new(object(&[("sensible", json!({"type": "boolean"})), ("lines", lines)]))
}

/// Lines of a conversation, with the words for the values of these keys.
pub fn conversation(keys: &BTreeSet<String>) -> Arc<Json> {
    let line =
        object(&[("n", json!({"type": "integer"})), ("text", json!({"type": "string"})), ("said", words_of(keys))]);
    let lines = json!({"type": "array", "items": line});
    Arc::new(object(&[("sensible", json!({"type": "boolean"})), ("lines", lines)]))
}

/// The words that say each of some values, null for those that a line does not say.
fn words_of(keys: &BTreeSet<String>) -> Json {
    let text = json!({"type": "string"});
    let words = json!({"anyOf": [text, {"type": "array", "items": text}, {"type": "null"}]});
    let words: Map<String, Json> = keys.iter().map(|name| (name.clone(), words.clone())).collect();
    json!({"type": "object", "properties": words, "required": keys, "additionalProperties": false})
}

/// The lines of variants, with the words for the values of these plans.
pub fn variants(plans: &[VariantPlan]) -> Arc<Json> {
    let lines = || plans.iter().flat_map(|plan| &plan.lines).filter(|line| line.n > 0);
    let said = |line: &VariantLine| {
        let changed = line.changes.iter().map(|change| change.to.name.clone());
        let given = line.says.iter().chain(&line.hides).map(|value| value.name.clone());
        given.chain(changed).collect::<Vec<_>>()
    };
    let names: BTreeSet<String> = lines().flat_map(said).collect();
    let text = json!({"type": "string"});
    let or_null = json!({"anyOf": [text, {"type": "null"}]});
    let line = object(&[
        ("n", json!({"type": "integer"})),
        ("text", text.clone()),
        ("said", json!({"anyOf": [words_of(&names), {"type": "null"}]})),
        ("was", or_null.clone()),
        ("message", or_null),
    ]);
    let variant = object(&[
        ("id", text),
        ("sensible", json!({"type": "boolean"})),
        ("lines", json!({"type": "array", "items": line})),
    ]);
    Arc::new(object(&[("variants", json!({"type": "array", "items": variant}))]))
}

/// The keywords of a schema that servers take which hold to it to the letter.
const STRICT: [&str; 7] = ["type", "description", "enum", "const", "items", "anyOf", "properties"];

/// A schema without what such servers refuse: objects name all their keys, those that may be missing as null.
fn closed(schema: Json) -> Json {
    let Json::Object(fields) = schema else { return json!({"type": "string"}) };
    let required: Vec<String> =
        fields.get("required").and_then(|it| serde_json::from_value(it.clone()).ok()).unwrap_or_default();
    let mut kept: Map<String, Json> = Map::new();
    for (key, value) in fields.into_iter().filter(|(key, _)| STRICT.contains(&key.as_str())) {
        let value = match (key.as_str(), value) {
            ("items", value) => closed(value),
            ("anyOf", Json::Array(forms)) => forms.into_iter().map(closed).collect(),
            ("properties", Json::Object(properties)) => {
                let field = |(name, schema): (String, Json)| {
                    let schema = closed(schema);
                    let schema =
                        if required.contains(&name) { schema } else { json!({"anyOf": [schema, {"type": "null"}]}) };
                    (name, schema)
                };
                Json::Object(properties.into_iter().map(field).collect())
            }
            (_, value) => value,
        };
        kept.insert(key, value);
    }
    if let Some(Json::Object(properties)) = kept.get("properties") {
        let names: Vec<String> = properties.keys().cloned().collect();
        kept.insert("required".to_owned(), names.into());
        kept.insert("additionalProperties".to_owned(), false.into());
    }
    Json::Object(kept)
}

/// A choice of `count` parameters of the tool.
pub fn selected(tool: &Tool, count: usize) -> Arc<Json> {
    let names: Vec<&String> = tool.parameters.properties.keys().collect();
    Arc::new(object(&[
        ("thoughts", json!({"type": "string"})),
        (
            "parameters",
            json!({"type": "array", "items": {"type": "string", "enum": names}, "minItems": count, "maxItems": count}),
        ),
    ]))
}

/// A call of the tool with declared arguments, null where they are not given, or the sentence that refuses in the place of its
/// name.
pub fn call(tool: &Tool, refusal: &str) -> Arc<Json> {
    let name = json!({"type": "string", "enum": [tool.name, refusal]});
    Arc::new(object(&[("name", name), ("parameters", arguments(tool, |_| true, |_| false))]))
}

/// Calls of one of the tools, or the sentence that refuses in the place of its name, each at a named place.
pub fn calls(tools: &[Arc<Tool>], refusal: &str) -> Arc<Json> {
    let call = |name: &str, parameters: Json| {
        let name = json!({"type": "string", "enum": [name]});
        object(&[("point", json!({"type": "string"})), ("name", name), ("parameters", parameters)])
    };
    let of_tool = |tool: &Arc<Tool>| call(&tool.name, arguments(tool, |_| true, |_| false));
    let forms: Vec<Json> = tools.iter().map(of_tool).chain([call(refusal, object(&[]))]).collect();
    let text = json!({"type": "string"});
    let senseless = json!({"type": "array", "items": object(&[("id", text.clone()), ("why", text)])});
    Arc::new(object(&[("calls", json!({"type": "array", "items": {"anyOf": forms}})), ("senseless", senseless)]))
}

/// A plan of a conversation over these tools, with what a person's and an assistant's line can do.
pub fn conversation_plan(tools: &[Arc<Tool>], person: &[SpeechAct], assistant: &[SpeechAct]) -> Arc<Json> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let (text, flag, number) = (json!({"type": "string"}), json!({"type": "boolean"}), json!({"type": "number"}));
    let list = |items: &Json| json!({"type": "array", "items": items});
    let or_null = |form: &Json| json!({"anyOf": [form, {"type": "null"}]});
    let value = json!({"anyOf": [text, number, flag, list(&text), list(&number)]});
    let said = object(&[("parameter", text.clone()), ("value", value), ("words", text.clone())]);
    let line = |acts: &[SpeechAct]| {
        list(&object(&[
            ("act", json!({"type": "string", "enum": acts})),
            ("function", or_null(&json!({"type": "string", "enum": names}))),
            ("wish", or_null(&text)),
            ("says", list(&said)),
            ("about", list(&text)),
        ]))
    };
    let from = object(&[("parameter", text.clone()), ("call", json!({"type": "integer"})), ("field", text.clone())]);
    let call = |tool: &Arc<Tool>| {
        object(&[
            ("name", json!({"type": "string", "enum": [tool.name]})),
            ("arguments", arguments(tool, |_| true, |_| false)),
            ("answers", list(&from)),
            ("fails", flag.clone()),
        ])
    };
    let calls: Vec<Json> = tools.iter().map(call).collect();
    let turn =
        object(&[("person", line(person)), ("calls", list(&json!({"anyOf": calls}))), ("assistant", line(assistant))]);
    Arc::new(object(&[("turns", list(&turn))]))
}

/// A query alone.
pub fn query() -> Arc<Json> {
    Arc::new(object(&[("query", json!({"type": "string"}))]))
}

/// Questions with the arguments of each call, one for each plan. Their order is checked when the answer is read.
pub fn asked_together<'c>(plans: impl Iterator<Item = &'c [AskedCall]>) -> Arc<Json> {
    let requests: Vec<Json> = plans
        .map(|calls| {
            let [parameters, mentions, question] = question_of(calls);
            object(&[parameters, mentions, question, ("sensible", json!({"type": "boolean"}))])
        })
        .collect();
    let count = requests.len();
    let list = json!({"type": "array", "items": {"anyOf": requests}, "minItems": count, "maxItems": count});
    Arc::new(object(&[("requests", list)]))
}

/// A question with the arguments of each call: the planned values alone, and a placeholder where none is settled.
pub fn asked(calls: &[AskedCall]) -> Arc<Json> {
    Arc::new(object(&question_of(calls)))
}

fn question_of(calls: &[AskedCall]) -> [(&'static str, Json); 3] {
    let arguments: Vec<Json> = calls.iter().map(asked_arguments).collect();
    let count = calls.len();
    let number = json!({"type": "integer", "minimum": 1, "maximum": count});
    [
        // Their order is checked when the answer is read: strict mode has no lists whose places differ.
        ("parameters", json!({"type": "array", "items": {"anyOf": arguments}, "minItems": count, "maxItems": count})),
        ("mentions", json!({"type": "array", "items": number, "minItems": count, "maxItems": count})),
        ("question", json!({"type": "string"})),
    ]
}

fn asked_arguments(call: &AskedCall) -> Json {
    let value = |name: &str, argument: &AskedArgument| match &argument.saying {
        Saying::Open | Saying::Unsaid | Saying::Answer { .. } => json!({"const": PLACEHOLDER}),
        Saying::Chosen => {
            let value = call.tool.parameters.properties.get(name).map(value_of).unwrap_or_default();
            let required = call.tool.parameters.required.iter().any(|it| it == name);
            if required { value } else { json!({"anyOf": [value, {"type": "null"}]}) }
        }
        _ => json!({"const": argument.value}),
    };
    let properties: Map<String, Json> =
        call.arguments.iter().map(|(name, argument)| (name.clone(), value(name, argument))).collect();
    let required: Vec<&String> = call.arguments.keys().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The wanted arguments of a tool, each named: null where one that need not be given is not given.
fn arguments(tool: &Tool, is_wanted: impl Fn(&str) -> bool, is_given: impl Fn(&str) -> bool) -> Json {
    let parameters = tool.parameters.properties.iter().filter(|(name, _)| is_wanted(name));
    let properties: Map<String, Json> = parameters
        .map(|(name, parameter)| {
            let schema = value_of(parameter);
            let schema = if is_given(name) { schema } else { json!({"anyOf": [schema, {"type": "null"}]}) };
            (name.clone(), schema)
        })
        .collect();
    let names: Vec<String> = properties.keys().cloned().collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

/// A value of a parameter.
fn value_of(parameter: &Parameter) -> Json {
    closed(serde_json::to_value(parameter).unwrap_or_default())
}

/// An object of exactly these fields.
fn object<const N: usize>(fields: &[(&str, Json); N]) -> Json {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Json> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{PlannedValue, is_strict};

    fn tool() -> Tool {
        serde_json::from_str(
            r#"{"name": "a.b.c", "parameters": {"properties": {"city": {"type": "string"}, "n": {"type": "integer"},
                "mode": {"type": "string", "enum": ["x", "y"]}}}}"#,
        )
        .unwrap()
    }

    fn accepts(schema: &Json, answer: &str) -> bool {
        jsonschema::validator_for(schema).unwrap().is_valid(&serde_json::from_str(answer).unwrap())
    }

    #[test]
    fn a_written_query_names_the_wanted_parameters_and_no_others() {
        let schema = written(&tool(), &["city".to_owned(), "mode".to_owned()]);
        assert!(accepts(&schema, r#"{"parameters": {"city": "Porto", "mode": "x"}, "query": "q"}"#));
        assert!(!accepts(&schema, r#"{"parameters": {"city": "Porto"}, "query": "q"}"#));
        assert!(!accepts(&schema, r#"{"parameters": {"city": "Porto", "mode": "z"}, "query": "q"}"#));
        assert!(!accepts(&schema, r#"{"parameters": {"city": "Porto", "mode": "x", "n": 1}, "query": "q"}"#));
    }

    #[test]
    fn requests_name_what_any_of_them_says_and_null_for_the_others() {
        let says = |name: &str| PlannedValue { name: name.to_owned(), ..PlannedValue::default() };
        let plan =
            |names: &[&str]| RequestPlan { says: names.iter().map(|it| says(it)).collect(), ..RequestPlan::default() };
        let schema = requests(&tool(), &[plan(&["city"]), plan(&["mode"])]);
        let request = |arguments: &str, said: &str| {
            format!(r#"{{"requests": [{{"arguments": {arguments}, "said": {said}, "query": "q", "sensible": true}}]}}"#)
        };
        let said = r#"{"city": ["Porto"], "mode": null}"#;
        assert!(accepts(&schema, &request(r#"{"city": "Porto", "mode": null}"#, said)));
        assert!(!accepts(&schema, &request(r#"{"city": "Porto"}"#, said)));
        assert!(!accepts(&schema, &request(r#"{"city": "Porto", "mode": "z"}"#, said)));
        assert!(!accepts(&schema, &request(r#"{"city": "Porto", "mode": null, "n": 1}"#, said)));
    }

    #[test]
    fn a_schema_for_servers_to_the_letter_names_all_keys_of_an_object() {
        let schema = json!({"type": "object", "format": "x", "properties": {"street": {"type": "string", "minLength": 3},
            "lines": {"type": "array", "items": {"type": "object", "properties": {}}}}, "required": ["street"]});
        let expected = json!({"type": "object", "properties": {"street": {"type": "string"},
            "lines": {"anyOf": [{"type": "array", "items": {"type": "object", "properties": {}, "required": [],
                "additionalProperties": false}}, {"type": "null"}]}},
            "required": ["street", "lines"], "additionalProperties": false});
        assert_eq!(closed(schema), expected);
    }

    #[test]
    fn a_choice_has_the_wanted_number_of_declared_names() {
        let schema = selected(&tool(), 2);
        assert!(accepts(&schema, r#"{"thoughts": "t", "parameters": ["city", "n"]}"#));
        assert!(!accepts(&schema, r#"{"thoughts": "t", "parameters": ["city"]}"#));
        assert!(!accepts(&schema, r#"{"thoughts": "t", "parameters": ["city", "town"]}"#));
    }

    #[test]
    fn a_call_names_an_offered_tool_or_refuses() {
        let schema = call(&tool(), "Sorry, none.");
        let of = |name: &str, city: &str| {
            format!(r#"{{"name": "{name}", "parameters": {{"{city}": "Porto", "n": null, "mode": null}}}}"#)
        };
        assert!(accepts(&schema, &of("a.b.c", "city")) && accepts(&schema, &of("Sorry, none.", "city")));
        assert!(!accepts(&schema, &of("else", "city")) && !accepts(&schema, &of("a.b.c", "town")));
    }

    #[test]
    fn a_server_that_holds_to_a_schema_to_the_letter_takes_what_is_drawn_up_for_a_question() {
        let mut tool = tool();
        let more = r#"{"list": {"type": "array", "items": {"type": "string", "format": "date", "default": "x"}},
            "place": {"type": "object", "properties": {"street": {"type": "string", "default": ""}}}}"#;
        let more: indexmap::IndexMap<String, Parameter> = serde_json::from_str(more).unwrap();
        tool.parameters.properties.extend(more);
        tool.parameters.required = vec!["city".to_owned()];
        let (names, tools) = (vec!["city".to_owned(), "place".to_owned()], [Arc::new(tool.clone())]);
        let says = vec![PlannedValue { name: "list".to_owned(), ..PlannedValue::default() }];
        let plan = RequestPlan { says, ..RequestPlan::default() };
        let argument = AskedArgument { value: "x".into(), words: String::new(), saying: Saying::Chosen, refers: None };
        let arguments = [("place".to_owned(), argument)].into_iter().collect();
        let asked_call = AskedCall { tool: tools[0].clone(), arguments, phrases: None, makes: false };
        let drawn = [
            ("written", written(&tool, &names)),
            ("requests", requests(&tool, &[plan])),
            ("bank", bank(&tool, 3, 3)),
            ("lines", lines(&tool, &names)),
            ("variants", variants(&[VariantPlan::default()])),
            ("selected", selected(&tool, 2)),
            ("call", call(&tool, "Sorry")),
            ("calls", calls(&tools, "Sorry")),
            ("conversation_plan", conversation_plan(&tools, &[SpeechAct::Request], &[SpeechAct::Tell])),
            ("query", query()),
            ("asked", asked(&[asked_call])),
        ];
        let open: Vec<&str> = drawn.iter().filter(|(_, schema)| !is_strict(schema)).map(|(name, _)| *name).collect();
        assert_eq!(open, Vec::<&str>::new());
    }
}
