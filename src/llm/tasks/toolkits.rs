//! Make a toolkit from a category and its wanted functions (HammerBench E.1).

use super::{Common, TaskInfo};
use crate::record::{Parameter, Parameters, Tool, Value};
use crate::text::{Unparsable, Way, find};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeSet;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("toolkits", "Toolkits").reply(include_str!("reply_schema/draft_tools.json"));

/// A category's toolkit is wanted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolkitVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The category's title.
    pub category: String,
    /// The functions that it should have.
    pub wanted: String,
    /// The least number of tools.
    pub count: usize,
}

/// The structured answer to [`super::Task::Toolkits`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftTools {
    /// The tools.
    pub tools: Vec<DraftTool>,
}

/// One tool, as a model writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftTool {
    /// Its name in `CamelCase`.
    pub tool: String,
    /// A title in the locale's language.
    #[serde(default)]
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// Its parameters; required, even where there are none.
    pub parameters: Vec<DraftField>,
    /// What it returns.
    #[serde(default)]
    pub returns: Vec<DraftField>,
}

/// One parameter, or one thing that is returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftField {
    /// Its name in `snake_case`.
    pub name: String,
    /// Its JSON type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// Whether a call needs it.
    #[serde(default)]
    pub required: bool,
}

/// What a reply holds: the sound tools, and what is wrong with the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftToolkit {
    /// The sound ones. Each name is the function's own, in `camelCase`.
    pub tools: Vec<Tool>,
    /// What is wrong with the rest.
    pub faults: Vec<ToolFault>,
}

/// What is wrong with one tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFault {
    /// A field is missing or of another type.
    #[error("tool {index}: {message}")]
    Shape {
        /// Which tool of the list, from 1.
        index: usize,
        /// What is wrong.
        message: String,
    },
    /// The list of parameters is missing.
    #[error("tool {index}: `parameters` is missing; write [] where there are none")]
    NoParameters {
        /// Which tool of the list, from 1.
        index: usize,
    },
    /// The name is not in `CamelCase`.
    #[error("`{tool}` is not a name in CamelCase")]
    ToolName {
        /// The name.
        tool: String,
    },
    /// Two tools have one name.
    #[error("`{tool}` comes twice")]
    ToolTwice {
        /// The name.
        tool: String,
    },
    /// There is no description.
    #[error("`{tool}`: `{field}` has no description")]
    NoDescription {
        /// The tool.
        tool: String,
        /// The parameter, or the tool itself.
        field: String,
    },
    /// A name is not in `snake_case`.
    #[error("`{tool}`: `{field}` is not a name in snake_case")]
    FieldName {
        /// The tool.
        tool: String,
        /// The name.
        field: String,
    },
    /// Two parameters have one name.
    #[error("`{tool}`: `{field}` comes twice")]
    FieldTwice {
        /// The tool.
        tool: String,
        /// The name.
        field: String,
    },
    /// A type is not one of JSON's.
    #[error("`{tool}`: `{field}` has the type `{kind}`, which is not a JSON type")]
    FieldType {
        /// The tool.
        tool: String,
        /// The parameter.
        field: String,
        /// The type.
        kind: String,
    },
}

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// Reads a toolkit: a list, or an object with `tools`.
pub fn read_toolkit(text: &str) -> Result<(DraftToolkit, Way), Unparsable> {
    let (items, way) = find(text, list).ok_or_else(|| {
        Unparsable::new("no_tools", "there is no valid JSON list of tools; check commas, quotes and brackets")
    })?;
    let mut kit = DraftToolkit::default();
    let mut names = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        match check(index + 1, item, &mut names) {
            Ok(tool) => kit.tools.push(tool),
            Err(faults) => kit.faults.extend(faults),
        }
    }
    Ok((kit, way))
}

fn list(value: &Value) -> Option<Vec<Value>> {
    let items = match value {
        Value::List(items) => items,
        Value::Object(object) => match object.get("tools")? {
            Value::List(items) => items,
            _ => return None,
        },
        _ => return None,
    };
    (!items.is_empty() && items.iter().all(|item| item.as_object().is_some())).then(|| items.clone())
}

fn check(index: usize, item: &Value, names: &mut BTreeSet<String>) -> Result<Tool, Vec<ToolFault>> {
    if item.as_object().is_some_and(|object| !object.contains_key("parameters")) {
        return Err(vec![ToolFault::NoParameters { index }]);
    }
    let draft: DraftTool = serde_json::from_value(Json::from(item))
        .map_err(|error| vec![ToolFault::Shape { index, message: error.to_string() }])?;
    let mut faults = Vec::new();
    if !is_camel(&draft.tool) {
        faults.push(ToolFault::ToolName { tool: draft.tool.clone() });
    }
    if !names.insert(draft.tool.to_lowercase()) {
        faults.push(ToolFault::ToolTwice { tool: draft.tool.clone() });
    }
    if draft.description.trim().is_empty() {
        faults.push(ToolFault::NoDescription { tool: draft.tool.clone(), field: draft.tool.clone() });
    }
    check_fields(&draft.tool, &draft.parameters, true, &mut faults);
    check_fields(&draft.tool, &draft.returns, false, &mut faults);
    if faults.is_empty() { Ok(finish(draft)) } else { Err(faults) }
}

fn check_fields(tool: &str, fields: &[DraftField], described: bool, faults: &mut Vec<ToolFault>) {
    let mut seen = BTreeSet::new();
    for field in fields {
        let (tool, name) = (tool.to_owned(), field.name.clone());
        if !is_snake(&name) {
            faults.push(ToolFault::FieldName { tool: tool.clone(), field: name.clone() });
        }
        if !seen.insert(name.clone()) {
            faults.push(ToolFault::FieldTwice { tool: tool.clone(), field: name.clone() });
        }
        if !TYPES.contains(&field.kind.as_str()) {
            faults.push(ToolFault::FieldType { tool: tool.clone(), field: name.clone(), kind: field.kind.clone() });
        }
        if described && field.description.trim().is_empty() {
            faults.push(ToolFault::NoDescription { tool, field: name });
        }
    }
}

fn finish(draft: DraftTool) -> Tool {
    let required = draft.parameters.iter().filter(|field| field.required).map(|field| field.name.clone()).collect();
    let properties = draft.parameters.into_iter().map(|field| (field.name.clone(), parameter(field))).collect();
    let returns = draft
        .returns
        .into_iter()
        .map(|field| (field.name, serde_json::json!({"type": field.kind, "description": field.description})));
    let returns: serde_json::Map<String, Json> = returns.collect();
    Tool {
        name: lower_first(&draft.tool),
        description: draft.description,
        parameters: Parameters { properties, required, ..Parameters::default() },
        returns: (!returns.is_empty()).then(|| serde_json::json!({"type": "object", "properties": returns})),
        ..Tool::default()
    }
}

fn parameter(field: DraftField) -> Parameter {
    Parameter { kind: Some(field.kind.into()), description: Some(field.description), ..Parameter::default() }
}

/// `FindTrails`, and `findTrails` as well: it is what becomes of it.
fn is_camel(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric())
        && (name.len() < 2 || name.chars().any(|letter| letter.is_ascii_lowercase()))
}

fn is_snake(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIELD: &str = r#"{"name": "place", "type": "string", "description": "Where", "required": true}"#;

    fn tool(name: &str, field: &str) -> String {
        format!(
            r#"{{"tool": "{name}", "name": "x", "description": "Does it.", "parameters": [{field}], "returns": []}}"#
        )
    }

    fn faults(tools: &[String]) -> Vec<String> {
        let (kit, _) = read_toolkit(&format!("[{}]", tools.join(","))).unwrap();
        kit.faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_tool_becomes_a_record() {
        let text = format!("Here it is:\n```json\n[{}]\n```", tool("FindTrails", FIELD));
        let (kit, way) = read_toolkit(&text).unwrap();
        assert_eq!((kit.faults.len(), kit.tools.len(), way), (0, 1, Way::Fenced));
        let tool = &kit.tools[0];
        assert_eq!(tool.name, "findTrails");
        assert_eq!(tool.parameters.required, ["place"]);
        assert_eq!(tool.parameters.properties["place"].type_name(), "string");
        assert_eq!(tool.returns, None);
    }

    #[test]
    fn what_is_returned_becomes_a_schema() {
        let text = r#"{"tools": [{"tool": "Go", "description": "d", "parameters": [],
            "returns": [{"name": "success", "type": "boolean"}]}]}"#;
        let (kit, way) = read_toolkit(text).unwrap();
        assert_eq!(way, Way::Whole);
        assert_eq!(kit.tools[0].returns.as_ref().unwrap()["properties"]["success"]["type"], "boolean");
    }

    #[test]
    fn every_violation_has_its_name() {
        let list = [
            tool("find trails", FIELD),
            tool("FindTrails", FIELD),
            tool("findTrails", FIELD),
            tool("A1", &FIELD.replace("place", "thePlace")),
            tool("Bb", &format!("{FIELD},{FIELD}")),
            tool("Cc", &FIELD.replace("string", "str")),
            tool("Dd", &FIELD.replace("Where", " ")),
            tool("Ee", FIELD).replace("Does it.", ""),
            r#"{"tool": "Ff", "description": "d"}"#.to_owned(),
            r#"{"tool": "Gg", "description": "d", "parameters": {}}"#.to_owned(),
            r#"{"tool": "HH", "description": "d", "parameters": []}"#.to_owned(),
        ];
        insta::assert_snapshot!(faults(&list).join("\n"), @r"
        `find trails` is not a name in CamelCase
        `findTrails` comes twice
        `A1` is not a name in CamelCase
        `A1`: `thePlace` is not a name in snake_case
        `Bb`: `place` comes twice
        `Cc`: `place` has the type `str`, which is not a JSON type
        `Dd`: `place` has no description
        `Ee`: `Ee` has no description
        tool 9: `parameters` is missing; write [] where there are none
        tool 10: invalid type: map, expected a sequence
        `HH` is not a name in CamelCase
        ");
    }

    #[test]
    fn what_is_no_list_of_tools_is_unparsable() {
        for text in ["", "[]", "[1, 2]", "{\"tools\": 3}", "[{\"tool\": \"A\",}]", "Sure, here are some tools."] {
            assert_eq!(read_toolkit(text).unwrap_err().reason, "no_tools", "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), name in "[^\"\\\\\\p{C}]{0,10}") {
            prop_assert!(read_toolkit(&text).is_err() || text.contains('['));
            let (kit, _) = read_toolkit(&format!("[{}]", tool(&name, FIELD))).unwrap();
            prop_assert_eq!(kit.tools.is_empty(), !kit.faults.is_empty());
        }
    }
}
