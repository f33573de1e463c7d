//! Make a toolkit from a category and its wanted functions (HammerBench E.1).

mod field;

pub use self::field::{DraftField, FieldFault};
use self::field::{check_fields, or_default};
use super::{Common, TaskInfo};
use crate::record::{Parameters, Tool, Value};
use crate::text::{Unparsable, Way, find};
use crate::toolset::{Names, each_description};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeSet;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("toolkits", "Toolkits").reply(include_str!("../reply_schema/draft_tools.json"));

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
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    /// What it does.
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    /// Its parameters; required, even where there are none.
    pub parameters: Vec<DraftField>,
    /// What it returns.
    #[serde(default, deserialize_with = "or_default")]
    pub returns: Vec<DraftField>,
}

/// What a reply holds: the sound tools, and what is wrong with the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftToolkit {
    /// The sound ones. Each name is the function's own, in `camelCase`, and descriptions name functions by these names.
    pub tools: Vec<Tool>,
    /// The rest.
    pub faulty: Vec<FaultyTool>,
}

/// A tool that cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultyTool {
    /// Its name, as far as it has one.
    pub name: String,
    /// The tool as it was written, in JSON.
    pub text: String,
    /// What is wrong with it.
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
    /// Something is wrong with a parameter, with what is returned, or with the tool's own description.
    #[error("`{tool}`: `{field}` {fault}")]
    Field {
        /// The tool.
        tool: String,
        /// The field with what it stands in (`parcels[].kg`), or the tool itself.
        field: String,
        /// What is wrong.
        fault: FieldFault,
    },
}

/// Most faults that a model is told at once.
const TOLD: usize = 8;

impl DraftToolkit {
    /// The first faults in a line, for whoever is to write the list again; nothing where there are none.
    pub fn told(&self) -> Option<String> {
        let faults = self.faulty.iter().flat_map(|tool| &tool.faults).take(TOLD).map(ToString::to_string);
        Some(faults.collect::<Vec<_>>().join("; ")).filter(|told| !told.is_empty())
    }
}

impl FaultyTool {
    /// Its faults in a line.
    pub fn told(&self) -> String {
        self.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// Reads a toolkit: a list, or an object with `tools`. Descriptions may also name the functions that are `known` already.
pub fn read_toolkit(text: &str, known: &[String]) -> Result<(DraftToolkit, Way), Unparsable> {
    let (items, way) = find(text, list).ok_or_else(|| {
        Unparsable::new("no_tools", "there is no valid JSON list of tools; check commas, quotes and brackets")
    })?;
    let mut kit = DraftToolkit::default();
    let mut names = BTreeSet::new();
    let mut sound = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match check(index + 1, item, &mut names) {
            Ok(tool) => sound.push((item, tool)),
            Err(faults) => kit.faulty.push(faulty(item, faults)),
        }
    }
    let mut called = Names::of(sound.iter().map(|(_, tool)| tool));
    // What is faulty is written again with the rest.
    let written = items.iter().map(|item| lower_first(name_of(item)));
    known.iter().cloned().chain(written).for_each(|name| called.add_function(&name));
    for (item, mut tool) in sound {
        let faults = follow_names(name_of(item), &mut tool, &called);
        if faults.is_empty() { kit.tools.push(tool) } else { kit.faulty.push(faulty(item, faults)) }
    }
    Ok((kit, way))
}

/// Lets descriptions name functions as they are called now; the faults are those of functions that are not there.
fn follow_names(name: &str, tool: &mut Tool, called: &Names) -> Vec<ToolFault> {
    let mut faults = Vec::new();
    each_description(tool, |field, text| {
        *text = called.follow(text);
        if let Some(missing) = called.missing(text) {
            let field = if field.is_empty() { name } else { field }.to_owned();
            faults.push(field_fault(name, (field, FieldFault::NoSuchTool(missing.to_owned()))));
        }
    });
    faults
}

fn faulty(item: &Value, faults: Vec<ToolFault>) -> FaultyTool {
    FaultyTool { name: name_of(item).to_owned(), text: item.to_string(), faults }
}

fn name_of(item: &Value) -> &str {
    item.as_object().and_then(|object| object.get("tool")?.as_str()).unwrap_or_default()
}

fn field_fault(tool: &str, (field, fault): (String, FieldFault)) -> ToolFault {
    ToolFault::Field { tool: tool.to_owned(), field, fault }
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
    let mut found = Vec::new();
    if draft.description.trim().is_empty() {
        found.push((draft.tool.clone(), FieldFault::NoDescription));
    }
    check_fields(&draft.parameters, "", false, &mut found);
    check_fields(&draft.returns, "", true, &mut found);
    faults.extend(found.into_iter().map(|fault| field_fault(&draft.tool, fault)));
    if faults.is_empty() { Ok(finish(draft)) } else { Err(faults) }
}

fn finish(draft: DraftTool) -> Tool {
    let required = draft.parameters.iter().filter(|field| field.required).map(|field| field.name.clone()).collect();
    let properties = serde_json::from_value(field::properties(&draft.parameters, false)).unwrap_or_default();
    let returns = field::properties(&draft.returns, true);
    Tool {
        name: lower_first(&draft.tool),
        description: draft.description,
        parameters: Parameters { properties, required, ..Parameters::default() },
        returns: (!draft.returns.is_empty()).then(|| serde_json::json!({"type": "object", "properties": returns})),
        ..Tool::default()
    }
}

/// `FindTrails`, and `findTrails` as well: it is what becomes of it.
fn is_camel(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric())
        && (name.len() < 2 || name.chars().any(|letter| letter.is_ascii_lowercase()))
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
        let (kit, _) = read_toolkit(&format!("[{}]", tools.join(",")), &[]).unwrap();
        kit.faulty.iter().flat_map(|tool| &tool.faults).map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_tool_becomes_a_record() {
        let text = format!("Here it is:\n```json\n[{}]\n```", tool("FindTrails", FIELD));
        let (kit, way) = read_toolkit(&text, &[]).unwrap();
        assert_eq!((kit.faulty.len(), kit.tools.len(), way), (0, 1, Way::Fenced));
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
        let (kit, way) = read_toolkit(text, &[]).unwrap();
        assert_eq!(way, Way::Whole);
        assert_eq!(kit.tools[0].returns.as_ref().unwrap()["properties"]["success"]["type"], "boolean");
    }

    #[test]
    fn descriptions_follow_names_and_name_no_tool_that_is_missing() {
        let text = [
            tool("FindTrails", FIELD).replace("Does it.", "Finds a trail for `get_trail`, as FindHuts does for huts."),
            tool("GetTrail", &FIELD.replace("Where", "From FindTrails or `SearchTrails`")),
        ];
        let (kit, _) = read_toolkit(&format!("[{}]", text.join(",")), &["findHuts".to_owned()]).unwrap();
        assert_eq!(kit.tools[0].description, "Finds a trail for `getTrail`, as findHuts does for huts.");
        assert_eq!(kit.faulty[0].name, "GetTrail");
        assert_eq!(
            kit.told().unwrap(),
            "`GetTrail`: `place` has a description that names `SearchTrails`, which is no tool of the list"
        );
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
            assert_eq!(read_toolkit(text, &[]).unwrap_err().reason, "no_tools", "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), name in "[^\"\\\\\\p{C}]{0,10}") {
            prop_assert!(read_toolkit(&text, &[]).is_err() || text.contains('['));
            let (kit, _) = read_toolkit(&format!("[{}]", tool(&name, FIELD)), &[]).unwrap();
            prop_assert_eq!(kit.tools.is_empty(), !kit.faulty.is_empty());
        }
    }
}
