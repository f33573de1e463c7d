//! Reads a plain JSON list of OpenAI-shaped tools, as people have them.

use super::import::plain_schema;
use super::{Category, Toolset, ToolsetError};
use fcgen_core::record::Tool;
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

/// Reads `[{"type": "function", "function": {...}}, ...]`; bare function objects and `{"tools": [...]}` are taken too.
pub(super) fn read(path: &str, text: &str) -> Result<Toolset, ToolsetError> {
    let tools = read_tools(text).map_err(|message| ToolsetError::File { path: path.to_owned(), message })?;
    Ok(Toolset {
        name: Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("tools").to_owned(),
        licence: "unstated".to_owned(),
        categories: tools.iter().map(|tool| (tool.category().to_owned(), Category::default())).collect(),
        tools,
        ..Toolset::default()
    })
}

/// The categories of a list's tools, or what is wrong with the list.
pub fn list_categories(text: &str) -> Result<Vec<String>, String> {
    Ok(read_tools(text)?.iter().map(|tool| tool.category().to_owned()).collect())
}

fn read_tools(text: &str) -> Result<Vec<Arc<Tool>>, String> {
    // Some editors put a mark before the text, which JSON does not know.
    let text = text.trim_start_matches('\u{feff}');
    let json: Json = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let entries = json
        .as_array()
        .or_else(|| json.get("tools")?.as_array())
        .ok_or("expected a JSON list of tools, such as [{\"type\": \"function\", \"function\": {...}}]")?;
    let mut tools: IndexMap<String, Arc<Tool>> = IndexMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let tool = read_tool(entry).map_err(|message| format!("tool {}: {message}", index + 1))?;
        if tools.contains_key(&tool.name) {
            return Err(format!("tool {}: duplicate name `{}`", index + 1, tool.name));
        }
        tools.insert(tool.name.clone(), Arc::new(tool));
    }
    if tools.is_empty() { Err("the list is empty".to_owned()) } else { Ok(tools.into_values().collect()) }
}

fn read_tool(entry: &Json) -> Result<Tool, String> {
    let mut function = entry.get("function").unwrap_or(entry).clone();
    check_shape(&function)?;
    if let Some(fields) = function.as_object_mut() {
        // Many people's lists say `null` where there is nothing.
        fields.retain(|_, value| !value.is_null());
        if let Some(parameters) = fields.get_mut("parameters") {
            *parameters = plain_schema(parameters);
        }
    }
    let tool: Tool = serde_json::from_value(function).map_err(|error| error.to_string())?;
    if tool.name.trim().is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if let Some(unknown) = tool.parameters.required.iter().find(|name| !tool.parameters.properties.contains_key(*name))
    {
        return Err(format!("`required` contains the unknown parameter `{unknown}`"));
    }
    let broken = tool.parameters.properties.iter().find_map(|(name, it)| Some((name, it.validator().err()?)));
    match broken {
        Some((name, error)) => Err(format!("the schema of `{name}` is not JSON Schema 2020-12: {error}")),
        None => Ok(tool),
    }
}

/// Says in words of JSON what would otherwise be told in those of this program.
fn check_shape(function: &Json) -> Result<(), String> {
    let object = |value: &Json| value.is_object() || value.is_null();
    let wrong = |key: &str| Err(format!("`{key}` must be a JSON Schema object"));
    if !function.is_object() {
        return Err(format!("expected an object with `name`, found `{function}`"));
    }
    let parameters = &function["parameters"];
    match () {
        () if !object(parameters) => wrong("parameters"),
        () if parameters.get("properties").is_some_and(|properties| !properties.is_object()) => wrong("properties"),
        () => match parameters["properties"].as_object().and_then(|all| all.iter().find(|(_, one)| !one.is_object())) {
            Some((name, _)) => wrong(name),
            None => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        read("tools.json", text).unwrap_err().to_string()
    }

    #[test]
    fn wrapped_and_bare_functions_are_read() {
        let text = r#"[
            {"type": "function", "function": {"name": "ping", "description": "Ping a host",
             "parameters": {"type": "object", "properties": {"host": {"type": "str"}}, "required": ["host"]}}},
            {"name": "stop"}
        ]"#;
        let toolset = read("my/tools.json", text).unwrap();
        assert_eq!(toolset.name, "tools");
        assert_eq!(toolset.tool("ping").unwrap().parameters.properties["host"].type_name(), "string");
        assert!(toolset.tool("stop").unwrap().parameters.properties.is_empty());
    }

    #[test]
    fn faults_name_file_tool_and_expectation() {
        assert_eq!(fault("[]"), "tools.json: the list is empty");
        assert_eq!(fault(r#"[{"name": ""}]"#), "tools.json: tool 1: `name` is empty");
        assert_eq!(fault(r#"[{"name": "a"}, {"name": "a"}]"#), "tools.json: tool 2: duplicate name `a`");
        assert_eq!(fault(r#"[{"description": "x"}]"#), "tools.json: tool 1: missing field `name`");
        assert!(fault(r#"{"a": 1}"#).starts_with("tools.json: expected a JSON list of tools"));
        assert_eq!(
            fault(r#"[{"name": "a", "parameters": {"properties": {}, "required": ["b"]}}]"#),
            "tools.json: tool 1: `required` contains the unknown parameter `b`"
        );
        assert!(fault("[{").contains("not JSON: EOF while parsing an object at line 1 column 2"));
    }

    #[test]
    fn what_is_no_tool_is_told_in_words_of_json() {
        assert_eq!(fault("[3]"), "tools.json: tool 1: expected an object with `name`, found `3`");
        for (parameters, key) in
            [("\"x\"", "parameters"), ("{\"properties\": []}", "properties"), ("{\"properties\": {\"a\": true}}", "a")]
        {
            let text = format!("[{{\"name\": \"f\", \"parameters\": {parameters}}}]");
            let told = format!("tools.json: tool 1: `{key}` must be a JSON Schema object");
            assert_eq!(fault(&text), told);
        }
    }

    #[test]
    fn null_is_nothing_and_a_mark_before_the_text_is_no_fault() {
        let text = "\u{feff}[{\"name\": \"stop\", \"description\": null, \"parameters\": null}]";
        assert!(read("t.json", text).unwrap().tools[0].parameters.properties.is_empty());
        assert_eq!(list_categories(text).unwrap(), [""]);
        assert_eq!(list_categories("[]").unwrap_err(), "the list is empty");
    }

    #[test]
    fn the_spellings_of_other_suites_become_usual_types() {
        let kinds = ["float", "double", "int", "long", "bool", "dict", "list", "tuple", "str", "string"];
        let usual =
            ["number", "number", "integer", "integer", "boolean", "object", "array", "array", "string", "string"];
        for (kind, usual) in kinds.iter().zip(usual) {
            let text = format!(r#"[{{"name": "f", "parameters": {{"properties": {{"a": {{"type": "{kind}"}}}}}}}}]"#);
            let toolset = read("t.json", &text).unwrap();
            assert_eq!(toolset.tools[0].parameters.properties["a"].type_name(), usual, "{kind}");
        }
    }

    #[test]
    fn schemas_are_whole_and_sound() {
        let text = r##"[{"name": "f", "parameters": {"$defs": {"Kg": {"type": "float", "maximum": 70}}, "properties": {
            "parcels": {"type": "array", "items": {"$ref": "#/$defs/Kg"}}, "to": {"type": "str", "required": true}}}}]"##;
        let tool = read("t.json", text).unwrap().tools[0].clone();
        assert_eq!(tool.parameters.required, ["to"]);
        let parcels = &tool.parameters.properties["parcels"];
        let fits = |json: &str| parcels.check(&fcgen_core::record::Value::read(json).unwrap()).is_ok();
        assert!(fits("[69.5]") && !fits("[70.5]"));
        let faulty = r#"[{"name": "f", "parameters": {"properties": {"n": {"type": "string", "pattern": "("}}}}]"#;
        assert!(fault(faulty).starts_with("tools.json: tool 1: the schema of `n` is not JSON Schema 2020-12: "));
    }

    #[test]
    fn categories_come_from_the_names() {
        let toolset = read("t.json", r#"[{"name": "A.B.c"}, {"name": "A.B.d"}, {"name": "ping"}]"#).unwrap();
        assert_eq!(toolset.categories.len(), 2);
        assert!(toolset.categories.contains_key("A.B"));
        assert_eq!(toolset.licence, "unstated");
    }
}
