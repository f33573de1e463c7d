//! xLAM: a request, and lists that are texts.

use super::Faults;
use super::calls::{list, names, offered, read};
use crate::record::{Object, Value};

/// Holds a row to the rules of the format.
pub(super) fn check(row: &Object, faults: &mut Faults<'_>) {
    if row.get("query").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
        faults.error("query", "query", "there is no request");
    }
    let mut text = |key: &str| {
        if let Some(Value::String(text)) = row.get(key) {
            list(text).unwrap_or_else(|| {
                faults.error("unparsable", key, "the text is no list in JSON");
                Vec::new()
            })
        } else {
            faults.error("not_text", key, "it must be a text");
            Vec::new()
        }
    };
    let (answers, tools) = (text("answers"), text("tools"));
    let names = names(&tools, faults);
    for (at, tool) in tools.iter().enumerate() {
        let parameters = tool.as_object().and_then(|tool| tool.get("parameters")).and_then(Value::as_object);
        if parameters.is_some_and(|it| {
            it.get("properties").is_some_and(|it| it.as_object().is_some_and(|it| !it.contains_key("type")))
        }) {
            faults.warning(
                "nested_schema",
                &format!("tools[{at}]"),
                "its parameters are a JSON Schema, and the format has a flat map",
            );
        }
    }
    for (at, answer) in answers.iter().enumerate() {
        let place = format!("answers[{at}]");
        let call = answer.as_object().cloned().unwrap_or_default();
        if let Some((name, _)) = read(&call, &place, faults) {
            offered(name, &names, &place, faults);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Loader;
    use super::super::testing::rules;

    fn of(query: &str, answers: &str, tools: &str) -> Vec<String> {
        rules(Loader::Xlam, &serde_json::json!({"query": query, "answers": answers, "tools": tools}).to_string())
    }

    #[test]
    fn lists_are_texts_and_calls_name_tools() {
        let call = r#"[{"name": "f", "arguments": {"n": 1}}]"#;
        assert_eq!(of("go", call, r#"[{"name": "f", "parameters": {"n": {"type": "int"}}}]"#), Vec::<String>::new());
        assert_eq!(of("go", "[]", "[]"), Vec::<String>::new());
        assert_eq!(of(" ", call, "[]"), ["query", "not_offered"]);
        assert_eq!(
            of("go", "{", r#"[{"name": "f", "parameters": {"type": "object", "properties": {"n": {}}}}]"#),
            ["unparsable", "nested_schema"]
        );
        assert_eq!(of("go", r#"[{"name": "f", "arguments": "{}"}]"#, "[]"), ["call"]);
        assert_eq!(rules(Loader::Xlam, r#"{"query": "go", "answers": [], "tools": []}"#), ["not_text", "not_text"]);
    }
}
