//! Writes a draft as a toolset folder: `tools/` and text in one locale, `returns.json` with the answers' schemas,
//! `origins.json` with the way back, and `import.json` with what could not be carried over.

use super::draft::{Draft, DraftedTool};
use super::left_out::LeftOut;
use super::losses::Loss;
use super::openapi::values::Kinds;
use super::origins::{Origins, Source};
use fcgen_core::locale::{Pack, words};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use toml::{Table, Value};

/// What became of an import: `import.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// What was imported.
    pub source: Source,
    /// Tools or operations that it has.
    pub found: usize,
    /// How many of them were wanted.
    pub chosen: usize,
    /// How many of them became tools.
    pub carried: usize,
    /// What was lost, by what it is.
    pub counts: BTreeMap<String, usize>,
    /// What could not be carried over, with its place.
    pub losses: Vec<Loss>,
    /// Parameters that were left out on purpose: headers, cookies and pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// Keys of a parameter's schema that have a key of their own in `tools/`, or stand in the text.
const OWN: [&str; 5] = ["type", "description", "enum", "format", "default"];

impl Draft {
    /// What became of it, in numbers and places.
    pub fn report(&self) -> ImportReport {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for loss in &self.losses {
            *counts.entry(loss.message.clone()).or_default() += 1;
        }
        ImportReport {
            source: self.source.clone(),
            found: self.found,
            chosen: self.chosen,
            carried: self.tools.len(),
            counts,
            losses: self.losses.clone(),
            left_out: self.left_out.clone(),
        }
    }

    /// Writes the folder, with text in the pack's locale; it appears whole or not at all, and must not be there yet.
    pub fn write(&self, folder: &Path, pack: &Pack) -> io::Result<()> {
        if folder.exists() && fs::read_dir(folder)?.next().is_some() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "already exists and is not empty"));
        }
        let aside = folder.with_extension("part");
        if aside.exists() {
            fs::remove_dir_all(&aside)?;
        }
        self.write_files(&aside, pack)?;
        if folder.exists() {
            fs::remove_dir(folder)?;
        }
        fs::rename(&aside, folder)
    }

    fn write_files(&self, folder: &Path, pack: &Pack) -> io::Result<()> {
        for (file, (title, tools)) in self.groups() {
            let mut kinds = Kinds::new(pack, &file);
            let structure = tools.iter().map(|tool| structure(tool, &mut kinds)).collect::<String>();
            let text = text(&title, &tools, kinds.made);
            write(&folder.join("tools").join(format!("{file}.toml")), &structure)?;
            write(&folder.join(&pack.code).join(format!("{file}.toml")), &text.to_string())?;
        }
        let returns: Map<String, Json> =
            self.tools.iter().filter_map(|tool| Some((tool.name.clone(), tool.returns.clone()?))).collect();
        write(&folder.join("returns.json"), &lines(&returns)?)?;
        write(&folder.join("origins.json"), &(serde_json::to_string_pretty(&self.origins())? + "\n"))?;
        write(&folder.join("import.json"), &(serde_json::to_string_pretty(&self.report())? + "\n"))
    }

    /// The way back from every tool.
    pub fn origins(&self) -> Origins {
        let tools = self.tools.iter().map(|tool| (tool.name.clone(), tool.origin.clone())).collect();
        Origins { version: 1, source: self.source.clone(), schemes: self.schemes.clone(), tools }
    }

    /// The tools by the file that they go into, with its title; groups whose names differ in marks alone are one.
    fn groups(&self) -> IndexMap<String, (String, Vec<&DraftedTool>)> {
        let mut groups: IndexMap<String, (String, Vec<&DraftedTool>)> = IndexMap::new();
        for tool in &self.tools {
            let name = words(&tool.group).join("-");
            let ascii: String =
                name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').take(60).collect();
            let file = if ascii.trim_matches('-').is_empty() { "tools".to_owned() } else { ascii };
            groups.entry(file).or_insert_with(|| (tool.group.clone(), Vec::new())).1.push(tool);
        }
        groups
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}

/// A JSON object with a line for each of its keys.
pub(in crate::toolset) fn lines(map: &Map<String, Json>) -> io::Result<String> {
    let line = |(key, value): (&String, &Json)| {
        Ok(format!("{}: {}", serde_json::to_string(key)?, serde_json::to_string(value)?))
    };
    let lines = map.iter().map(line).collect::<io::Result<Vec<_>>>()?;
    Ok(if lines.is_empty() { "{}\n".to_owned() } else { format!("{{\n{}\n}}\n", lines.join(",\n")) })
}

/// One tool of `tools/`: a line for each parameter.
fn structure(tool: &DraftedTool, kinds: &mut Kinds<'_>) -> String {
    let mut text = format!("[{}]\n", tool.name);
    if tool.origin.reads() == Some(false) {
        text.push_str("writes = true\n");
    }
    let properties: Vec<(&String, &Json)> = tool.parameters["properties"].as_object().into_iter().flatten().collect();
    if !properties.is_empty() {
        text.extend(["[", &tool.name, ".parameters]\n"]);
    }
    for (name, schema) in properties {
        let is_required = tool.parameters["required"].as_array().is_some_and(|all| all.iter().any(|it| it == name));
        let fields = Value::Table(parameter(schema, is_required, kinds.of(name, schema)));
        text.extend([name.as_str(), " = ", &fields.to_string(), "\n"]);
    }
    text + "\n"
}

/// A parameter as `tools/` has it, without its texts.
pub(in crate::toolset) fn parameter(schema: &Json, is_required: bool, kind: Option<String>) -> Table {
    let mut fields = Table::new();
    let own = |key: &str| schema.get(key).and_then(toml_of);
    let mut put = |key: &str, value: Option<Value>| value.map(|value| fields.insert(key.to_owned(), value));
    put("type", usual_type(schema, is_required).filter(|kind| kind.as_str() != Some("string")));
    put("kind", kind.map(Value::from));
    put("enum", own("enum").filter(|values| values.as_array().is_some_and(|it| !it.is_empty())));
    put("format", own("format").filter(Value::is_str));
    put("optional", (!is_required).then_some(Value::Boolean(true)));
    put("default", own("default"));
    let more = schema.as_object().into_iter().flatten().filter(|(key, _)| !OWN.contains(&key.as_str()));
    let more: Table = more.filter_map(|(key, value)| Some((key.clone(), toml_of(value)?))).collect();
    put("schema", (!more.is_empty()).then_some(Value::Table(more)));
    fields
}

/// The type; that an optional value may be `null` goes without saying, as it may be left out.
fn usual_type(schema: &Json, is_required: bool) -> Option<Value> {
    let kinds: Vec<&str> = match schema.get("type")? {
        Json::Array(kinds) => {
            kinds.iter().filter_map(Json::as_str).filter(|kind| is_required || *kind != "null").collect()
        }
        kind => vec![kind.as_str()?],
    };
    match kinds.as_slice() {
        [kind] => Some((*kind).into()),
        kinds => Some(kinds.iter().map(|kind| Value::from(*kind)).collect::<Vec<_>>().into()),
    }
}

/// A value as TOML has it, which knows no `null`.
fn toml_of(value: &Json) -> Option<Value> {
    Some(match value {
        Json::Null => return None,
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => number.as_i64().map(Value::Integer).or_else(|| number.as_f64().map(Value::Float))?,
        Json::String(text) => text.as_str().into(),
        Json::Array(list) => Value::Array(list.iter().filter_map(toml_of).collect()),
        Json::Object(map) => {
            Value::Table(map.iter().filter_map(|(key, value)| Some((key.clone(), toml_of(value)?))).collect())
        }
    })
}

/// The text of a group: descriptions as they came, labels from names, wordings from listed values.
fn text(title: &str, tools: &[&DraftedTool], kinds: IndexMap<String, Table>) -> Table {
    let wanted: Vec<String> = tools.iter().map(|tool| words(&tool.name).join(" ")).collect();
    let mut text =
        Table::from_iter([("title".to_owned(), Value::from(title)), ("wanted".to_owned(), wanted.join(", ").into())]);
    if !kinds.is_empty() {
        text.insert(
            "kinds".to_owned(),
            Value::Table(kinds.into_iter().map(|(name, kind)| (name, Value::Table(kind))).collect()),
        );
    }
    text.extend(tools.iter().map(|tool| (tool.name.clone(), spoken(tool))));
    text
}

fn spoken(tool: &DraftedTool) -> Value {
    let mut fields = Table::from_iter([("description".to_owned(), Value::from(tool.description.as_str()))]);
    let parameters: Table = tool.parameters["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.clone(), said(name, schema)))
        .collect();
    if !parameters.is_empty() {
        fields.insert("parameters".to_owned(), Value::Table(parameters));
    }
    Value::Table(fields)
}

fn said(name: &str, schema: &Json) -> Value {
    let description = schema.get("description").and_then(Json::as_str).unwrap_or_default();
    let mut fields = Table::from_iter([
        ("description".to_owned(), Value::from(description)),
        ("label".to_owned(), words(name).join(" ").into()),
    ]);
    let listed = schema.get("enum").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    let wordings: Table = listed.map(|value| (value.to_owned(), Value::Array(vec![wording(value).into()]))).collect();
    if !wordings.is_empty() {
        fields.insert("wordings".to_owned(), Value::Table(wordings));
    }
    Value::Table(fields)
}

/// How a listed value is said: `in_stock` as two words, and codes as they are.
fn wording(value: &str) -> String {
    let parts = words(value);
    let is_word = value.chars().all(|letter| letter.is_alphabetic() || letter == '_' || letter == '-');
    if is_word && !parts.is_empty() && value.chars().any(char::is_lowercase) {
        parts.join(" ")
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::listed::{Drafter, Listed};
    use super::super::origins::Origin;
    use super::*;
    use crate::toolset::Toolset;
    use serde_json::json;

    fn draft(parameters: Json) -> Draft {
        let mut drafter = Drafter::default();
        let returns = Some(json!({"type": "array", "items": {"type": "string"}}));
        let listed = Listed {
            name: "plants/list".to_owned(),
            group: "Plant shop".to_owned(),
            description: "Lists plants.".to_owned(),
            parameters,
            returns,
            place: String::new(),
        };
        drafter.add(listed, |name, parameters| Origin::List { name, parameters });
        drafter.finish(|_| BTreeMap::new())
    }

    #[test]
    fn what_is_written_is_a_toolset_with_its_way_back() {
        let schema = json!({"type": "object", "required": ["state"], "properties": {
            "state": {"type": "string", "enum": ["in_stock", "Sold-Out", "A1"], "description": "State"},
            "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50, "default": 10, "format": "int32"},
            "tags": {"type": "array", "items": {"type": "string", "examples": ["big", "small"]}}}});
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine");
        draft(schema).write(&path, &Pack::load(crate::fixtures::assets(), "en").unwrap()).unwrap();
        let toolset = Toolset::load(crate::fixtures::assets(), path.to_str().unwrap(), "en").unwrap();
        let tool = &toolset.tools[0];
        assert_eq!((tool.name.as_str(), tool.description.as_str()), ("plants_list", "Lists plants."));
        let limit = &tool.parameters.properties["limit"];
        assert_eq!(
            (limit.type_name(), &limit.more["minimum"], &limit.more["default"], &limit.more["format"]),
            ("integer", &json!(1), &json!(10), &json!("int32"))
        );
        assert_eq!(tool.parameters.required, ["state"]);
        assert_eq!(tool.wordings["state"]["in_stock"], ["in stock"]);
        assert_eq!(
            (&tool.wordings["state"]["Sold-Out"], &tool.wordings["state"]["A1"]),
            (&vec!["sold out".to_owned()], &vec!["A1".to_owned()])
        );
        assert_eq!(tool.returns.as_ref().unwrap()["items"], json!({"type": "string"}));
        assert!(toolset.kinds.contains_key(&tool.kinds["tags"]) && toolset.phrases.is_empty());
        let origins: Origins = serde_json::from_str(&fs::read_to_string(path.join("origins.json")).unwrap()).unwrap();
        assert_eq!(origins.tools["plants_list"].name(), "plants/list");
        let report: ImportReport =
            serde_json::from_str(&fs::read_to_string(path.join("import.json")).unwrap()).unwrap();
        assert_eq!((report.found, report.carried), (1, 1));
    }

    #[test]
    fn a_folder_that_holds_something_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let pack = crate::fixtures::pack("en");
        draft(json!({})).write(folder.path(), &pack).unwrap();
        let error = draft(json!({})).write(folder.path(), &pack).unwrap_err();
        assert_eq!(error.to_string(), "already exists and is not empty");
    }

    #[test]
    fn nothing_is_no_toml() {
        assert_eq!(
            toml_of(&json!({"a": null, "b": [null, 1], "c": 1.5, "d": u64::MAX})).unwrap().to_string(),
            "{ b = [1], c = 1.5, d = 18446744073709552000.0 }"
        );
    }
}
