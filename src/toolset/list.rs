//! Reads a plain JSON list of OpenAI-shaped tools, as people have them.

use super::{Toolset, ToolsetError};
use crate::record::Tool;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

/// Reads `[{"type": "function", "function": {...}}, ...]`; bare function objects and `{"tools": [...]}` are taken too.
pub(super) fn read(path: &str, text: &str) -> Result<Toolset, ToolsetError> {
    let fault = |message: String| ToolsetError::File { path: path.to_owned(), message };
    let json: Json = serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
    let entries = json.as_array().or_else(|| json.get("tools")?.as_array()).ok_or_else(|| {
        fault("expected a JSON list of tools, such as [{\"type\": \"function\", \"function\": {...}}]".to_owned())
    })?;
    let mut toolset = Toolset {
        name: Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("tools").to_owned(),
        licence: "unstated".to_owned(),
        ..Toolset::default()
    };
    for (index, entry) in entries.iter().enumerate() {
        let tool = read_tool(entry).map_err(|message| fault(format!("tool {}: {message}", index + 1)))?;
        if toolset.tool(&tool.name).is_some() {
            return Err(fault(format!("tool {}: the name `{}` stands twice", index + 1, tool.name)));
        }
        toolset.categories.entry(tool.category().to_owned()).or_default();
        toolset.tools.push(Arc::new(tool));
    }
    if toolset.tools.is_empty() { Err(fault("the list is empty".to_owned())) } else { Ok(toolset) }
}

fn read_tool(entry: &Json) -> Result<Tool, String> {
    let function = entry.get("function").unwrap_or(entry);
    let mut tool: Tool = serde_json::from_value(function.clone()).map_err(|error| error.to_string())?;
    if tool.name.trim().is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if let Some(unknown) = tool.parameters.required.iter().find(|name| !tool.parameters.properties.contains_key(*name))
    {
        return Err(format!("`required` names `{unknown}`, which is no parameter"));
    }
    // The usual spelling of a type wins over the ones that other suites use, so that validators understand it.
    for parameter in tool.parameters.properties.values_mut() {
        let usual = match parameter.type_name() {
            "float" | "double" => "number",
            "int" | "long" => "integer",
            "bool" => "boolean",
            "dict" => "object",
            "list" | "tuple" => "array",
            "str" => "string",
            _ => continue,
        };
        parameter.kind = Some(Json::String(usual.to_owned()));
    }
    Ok(tool)
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
        assert_eq!(fault(r#"[{"name": "a"}, {"name": "a"}]"#), "tools.json: tool 2: the name `a` stands twice");
        assert_eq!(fault(r#"[{"description": "x"}]"#), "tools.json: tool 1: missing field `name`");
        assert!(fault(r#"{"a": 1}"#).starts_with("tools.json: expected a JSON list of tools"));
        assert_eq!(
            fault(r#"[{"name": "a", "parameters": {"properties": {}, "required": ["b"]}}]"#),
            "tools.json: tool 1: `required` names `b`, which is no parameter"
        );
        assert!(fault("[{").contains("line 1 column 2"));
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
    fn categories_come_from_the_names() {
        let toolset = read("t.json", r#"[{"name": "A.B.c"}, {"name": "A.B.d"}, {"name": "ping"}]"#).unwrap();
        assert_eq!(toolset.categories.len(), 2);
        assert!(toolset.categories.contains_key("A.B"));
        assert_eq!(toolset.licence, "unstated");
    }
}
