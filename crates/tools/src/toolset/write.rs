//! Writes tools as a toolset folder that can be loaded again.

use super::import;
use fcgen_core::record::{Source, Tool};
use indexmap::IndexMap;
use serde_json::{Map, Value as Json};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use toml::{Table, Value};

/// Keys of a category's text beside its tools.
const KEYS: [&str; 6] = ["title", "wanted", "topics", "kinds", "errors", "vague"];

/// Why a tool cannot be written to such a folder.
pub fn unwritable(tool: &Tool) -> Option<String> {
    let name = tool.function();
    KEYS.contains(&name).then(|| format!("`{name}` is reserved in toolset files and cannot be used as a tool name"))
}

/// Writes `tools/<Category>.toml` and `<locale>/<Category>.toml` for every category, and `returns.json` where answers have
/// schemas.
pub fn write_folder(folder: &Path, locale: &str, tools: &[Arc<Tool>]) -> io::Result<()> {
    let mut categories: IndexMap<&str, Vec<&Tool>> = IndexMap::new();
    for tool in tools {
        categories.entry(tool.category()).or_default().push(tool);
    }
    for (category, tools) in categories {
        let structure: Table = tools.iter().map(|tool| (tool.function().to_owned(), structure(tool))).collect();
        let mut text: Table = tools.iter().map(|tool| (tool.function().to_owned(), spoken(tool))).collect();
        let wanted: Vec<&str> = tools.iter().map(|tool| tool.description.trim_end_matches(['.', '。'])).collect();
        text.insert("title".to_owned(), category.into());
        text.insert("wanted".to_owned(), wanted.join(", ").into());
        write(&folder.join("tools"), category, &structure)?;
        write(&folder.join(locale), category, &text)?;
    }
    let returns: Map<String, Json> =
        tools.iter().filter_map(|tool| Some((tool.name.clone(), tool.returns.clone()?))).collect();
    if returns.is_empty() { Ok(()) } else { fs::write(folder.join("returns.json"), import::lines(&returns)?) }
}

fn write(folder: &Path, category: &str, table: &Table) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // A model may have named it, and a name is no place.
    let name = category.replace(['/', '\\', ':', '\0'], "_");
    fs::write(folder.join(format!("{name}.toml")), table.to_string())
}

fn structure(tool: &Tool) -> Value {
    let mut fields = Table::new();
    if tool.acts {
        fields.insert("writes".to_owned(), true.into());
    }
    let parameters = tool.parameters.properties.iter().map(|(name, parameter)| {
        let schema = serde_json::to_value(parameter).unwrap_or_default();
        let is_required = tool.parameters.required.contains(name);
        let mut fields = import::parameter(&schema, is_required, tool.kinds.get(name).cloned());
        let from = |source: &Source| format!("{}: {}", source.tool, source.field.trim_matches('/').replace('/', "."));
        if let Some(sources) = tool.from.get(name) {
            fields.insert("from".to_owned(), sources.iter().map(from).collect::<Vec<_>>().into());
        }
        (name.clone(), Value::Table(fields))
    });
    fields.insert("parameters".to_owned(), Value::Table(parameters.collect()));
    Value::Table(fields)
}

fn spoken(tool: &Tool) -> Value {
    let parameters = tool.parameters.properties.iter().map(|(name, parameter)| {
        let label = name.replace('_', " ");
        let description = parameter.description.clone().unwrap_or_default();
        let fields = [("description".to_owned(), Value::from(description)), ("label".to_owned(), label.into())];
        let mut fields = Table::from_iter(fields);
        // Those of a flag are made of clauses, which nobody has written here.
        if let Some(wordings) = tool.wordings.get(name).filter(|_| parameter.values.is_some()) {
            let said = |(value, texts): (&String, &Vec<String>)| (value.clone(), Value::from(texts.clone()));
            fields.insert("wordings".to_owned(), Value::Table(wordings.iter().map(said).collect()));
        }
        (name.clone(), Value::Table(fields))
    });
    Value::Table(Table::from_iter([
        ("description".to_owned(), Value::from(tool.description.as_str())),
        ("parameters".to_owned(), Value::Table(parameters.collect())),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Toolset;
    use serde_json::json;

    #[test]
    fn what_is_written_loads_again() {
        let tool: Tool = serde_json::from_value(json!({"name": "Home.Oven.heatOven", "description": "Heat the oven", "acts": true,
            "kinds": {"dish": "keyword"}, "wordings": {"mode": {"grill": ["with the grill"]}},
            "from": {"oven_id": [{"tool": "Home.Oven.findOvens", "field": "/ovens/id"}]},
            "parameters": {"type": "object", "required": ["degrees", "mode"], "properties": {
                "degrees": {"type": "integer", "description": "Degrees", "minimum": 50, "maximum": 250},
                "mode": {"type": "string", "enum": ["grill", "bake"], "description": "Mode"},
                "level": {"type": "integer", "enum": [1, 2], "description": "Level", "default": 2},
                "dish": {"type": "string", "description": "Dish"},
                "oven_id": {"type": "string", "description": "Oven"},
                "until": {"type": "string", "description": "When it ends", "format": "time"},
                "trays": {"type": "array", "description": "Trays", "items": {"type": "object", "required": ["shelf"],
                    "properties": {"shelf": {"type": "integer"}, "on": {"type": "string", "format": "date"}}}}}},
            "returns": {"type": "object", "properties": {"success": {"type": "boolean", "description": "Whether it heats"}}}}))
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine");
        write_folder(&path, "en", &[Arc::new(tool.clone())]).unwrap();
        let toolset = Toolset::load(crate::fixtures::assets(), path.to_str().unwrap(), "en").unwrap();
        assert_eq!(toolset.tools, [Arc::new(tool)]);
    }

    #[test]
    fn a_tool_is_called_as_no_key_is() {
        let told = |name: &str| unwritable(&Tool { name: name.to_owned(), ..Tool::default() });
        assert_eq!(told("A.B.titles"), None);
        assert_eq!(
            told("A.B.title").unwrap(),
            "`title` is reserved in toolset files and cannot be used as a tool name"
        );
    }

    #[test]
    fn a_category_is_a_file_in_each_folder() {
        let tool = |name: &str| {
            Arc::new(Tool { name: name.to_owned(), description: format!("Does {name}"), ..Tool::default() })
        };
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), "ko", &[tool("A.B.one"), tool("A.B.two"), tool("A.C.three")]).unwrap();
        for path in ["tools/A.B.toml", "tools/A.C.toml", "ko/A.B.toml", "ko/A.C.toml"] {
            assert!(folder.path().join(path).is_file(), "{path}");
        }
        let text: Table = fs::read_to_string(folder.path().join("ko/A.B.toml")).unwrap().parse().unwrap();
        assert_eq!(text["wanted"].as_str(), Some("Does A.B.one, Does A.B.two"));
        assert_eq!(text["two"]["description"].as_str(), Some("Does A.B.two"));
    }

    #[test]
    fn a_category_that_looks_like_a_path_is_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let tool = Arc::new(Tool { name: "../../A/B.c".to_owned(), ..Tool::default() });
        let inner = folder.path().join("a/b");
        write_folder(&inner, "en", &[tool]).unwrap();
        let count = |place: &str| fs::read_dir(folder.path().join(place)).unwrap().count();
        assert_eq!([count(""), count("a"), count("a/b"), count("a/b/tools"), count("a/b/en")], [1, 1, 2, 1, 1]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tools"), "a file").unwrap();
        let tool = Arc::new(Tool { name: "A.B.c".to_owned(), ..Tool::default() });
        assert!(write_folder(folder.path(), "en", &[tool]).is_err());
        assert!(write_folder(folder.path(), "en", &[]).is_ok(), "nothing to write");
    }
}
