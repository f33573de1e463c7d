//! The files of a toolset folder as they are completed: the text of a locale, and kinds in the structure.

use crate::llm::{EnrichedParameter, EnrichedTool};
use crate::toolset::import::pattern_of;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// One file of the folder: what its tools are, and what is said of them.
pub(super) struct Part {
    structure: (PathBuf, Table),
    text: (PathBuf, Table),
}

/// The files of a folder, with the text of `locale` begun as that of `from` where there is none yet.
pub(super) fn read(folder: &Path, from: &str, locale: &str) -> io::Result<Vec<Part>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("tools"))?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let part = |path: PathBuf| {
        let file = path.file_name().unwrap_or_default().to_owned();
        let own = folder.join(locale).join(&file);
        let source = if own.is_file() { own.clone() } else { folder.join(from).join(&file) };
        Ok(Part { structure: (path.clone(), table(&path)?), text: (own, table(&source)?) })
    };
    files.into_iter().map(part).collect()
}

fn table(path: &Path) -> io::Result<Table> {
    let text = fs::read_to_string(path)?;
    crate::toml_text::from_toml(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

impl Part {
    /// Whether the file has the tool of this name.
    pub(super) fn has(&self, function: &str) -> bool {
        self.structure.1.contains_key(function)
    }

    /// Takes in what was written of a tool; asks, answers and whatever else is there stay.
    pub(super) fn take(&mut self, function: &str, answer: &EnrichedTool) {
        let mut kinds = Table::new();
        for parameter in answer.parameters.iter().filter(|parameter| !parameter.values.is_empty()) {
            let kind = self.kind(function, &parameter.name);
            let values: Vec<Value> = parameter.values.iter().map(|value| pattern_of(value.trim()).into()).collect();
            kinds.insert(kind, Value::Table(Table::from_iter([("values".to_owned(), Value::Array(values))])));
        }
        if !kinds.is_empty() {
            within(&mut self.text.1, "kinds", |known| known.extend(kinds));
        }
        within(&mut self.text.1, function, |spoken| {
            spoken.insert("description".to_owned(), answer.description.as_str().into());
            spoken.insert("intents".to_owned(), texts(&answer.intents));
            if !answer.parameters.is_empty() {
                let said = answer.parameters.iter().map(|it| (it.name.clone(), Value::Table(said(it)))).collect();
                spoken.insert("parameters".to_owned(), Value::Table(said));
            }
        });
    }

    /// The kind of a parameter's values: the one that it has, else a new one.
    fn kind(&mut self, function: &str, name: &str) -> String {
        let own = format!("{function}_{name}").replace('-', "_").to_lowercase();
        let kind = |fields: &mut Table| {
            let kind = fields.entry("kind").or_insert_with(|| own.into());
            kind.as_str().unwrap_or_default().to_owned()
        };
        within(&mut self.structure.1, function, |tool| within(tool, "parameters", |all| within(all, name, kind)))
    }

    /// Writes both files, each whole or not at all.
    pub(super) fn write(&self) -> io::Result<()> {
        put(&self.structure.0, &structure(&self.structure.1))?;
        put(&self.text.0, &self.text.1.to_string())
    }
}

/// Changes the table under a key, which is made where there is none.
fn within<T>(table: &mut Table, key: &str, change: impl FnOnce(&mut Table) -> T) -> T {
    // It stays in its place among the keys, so it is taken out and put back by value.
    let mut own = table.get(key).and_then(Value::as_table).cloned().unwrap_or_default();
    let result = change(&mut own);
    table.insert(key.to_owned(), Value::Table(own));
    result
}

fn said(parameter: &EnrichedParameter) -> Table {
    let mut fields = Table::from_iter([
        ("description".to_owned(), Value::from(parameter.description.as_str())),
        ("label".to_owned(), parameter.label.as_str().into()),
        ("questions".to_owned(), texts(&parameter.questions)),
        ("clauses".to_owned(), texts(&parameter.clauses)),
    ]);
    if !parameter.negations.is_empty() {
        fields.insert("negations".to_owned(), texts(&parameter.negations));
    }
    if !parameter.wordings.is_empty() {
        let wordings = parameter.wordings.iter().map(|it| (it.value.clone(), texts(&it.said))).collect();
        fields.insert("wordings".to_owned(), Value::Table(wordings));
    }
    fields
}

fn texts(texts: &[String]) -> Value {
    Value::Array(texts.iter().map(|text| text.as_str().into()).collect())
}

/// Structure as people read it: a line for each parameter.
fn structure(tools: &Table) -> String {
    let mut text = String::new();
    for (name, tool) in tools {
        let fields = tool.as_table().into_iter().flatten();
        let (parameters, own): (Vec<_>, Vec<_>) = fields.partition(|(key, _)| *key == "parameters");
        let key = key(name);
        text.extend(["[", &key, "]\n"]);
        text.extend(own.into_iter().map(|(field, value)| format!("{field} = {value}\n")));
        for (_, parameters) in parameters {
            text.extend(["[", &key, ".parameters]\n"]);
            text.extend(
                parameters.as_table().into_iter().flatten().map(|(name, fields)| format!("{name} = {fields}\n")),
            );
        }
        text.push('\n');
    }
    text
}

/// A name as a key of a file.
pub(super) fn key(name: &str) -> String {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    if plain && !name.is_empty() { name.to_owned() } else { Value::from(name).to_string() }
}

/// Writes a file aside and renames it.
pub(super) fn put(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let aside = path.with_extension("part");
    fs::write(&aside, text)?;
    fs::rename(&aside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let tools = "[buy]\nwrites = true\n[buy.parameters]\nname = { optional = true }\n\n";
        let text = "title = \"Shop\"\nwanted = \"buy\"\n[buy]\ndescription = \"\"\n[buy.parameters.name]\ndescription = \"\"\nlabel = \"name\"\n";
        put(&folder.path().join("tools/shop.toml"), tools).unwrap();
        put(&folder.path().join("en/shop.toml"), text).unwrap();
        folder
    }

    fn answer() -> EnrichedTool {
        let name = EnrichedParameter {
            name: "name".to_owned(),
            description: "Its name".to_owned(),
            label: "the name".to_owned(),
            values: vec!["fern (tall)".to_owned()],
            ..EnrichedParameter::default()
        };
        EnrichedTool { description: "Buys it.".to_owned(), intents: vec!["buy it".to_owned()], parameters: vec![name] }
    }

    #[test]
    fn what_was_written_is_loaded_and_types_stay() {
        let folder = folder();
        let mut parts = read(folder.path(), "en", "ko").unwrap();
        assert!(parts[0].has("buy") && !parts[0].has("sell"));
        parts[0].take("buy", &answer());
        parts[0].write().unwrap();
        let toolset =
            crate::toolset::Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "ko").unwrap();
        let tool = &toolset.tools[0];
        assert_eq!((tool.description.as_str(), tool.kinds["name"].as_str(), tool.acts), ("Buys it.", "buy_name", true));
        assert_eq!(toolset.phrases["buy"].intents, ["buy it"]);
        assert!(toolset.kinds.contains_key("buy_name") && tool.parameters.required.is_empty());
        let english = fs::read_to_string(folder.path().join("en/shop.toml")).unwrap();
        assert!(english.contains("description = \"\""), "the other locale's text is as it was");
    }

    #[test]
    fn a_faulty_file_is_named() {
        let folder = folder();
        fs::write(folder.path().join("tools/shop.toml"), "[buy").unwrap();
        let error = read(folder.path(), "en", "en").err().unwrap().to_string();
        assert!(error.contains("shop.toml: TOML parse error"), "{error}");
    }
}
