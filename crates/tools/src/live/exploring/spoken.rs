//! Lets every pipeline ask for what exists: anchor values become value kinds of the toolset, and tools that nobody wrote
//! words for get those of the locale. What people wrote themselves stays.

use super::super::LiveError;
use super::super::folder::write;
use super::anchors::Anchor;
use super::phrases::{LivePhrases, MARKS, intent};
use fcgen_core::record::Number;
use indexmap::IndexMap;
use std::path::Path;
use toml::{Table, Value as Toml};

/// Writes kinds into `tools/FILE.toml`, and kinds and words into `<locale>/FILE.toml`.
pub(crate) fn write_spoken(
    folder: &Path,
    (file, locale): (&str, &str),
    phrases: &LivePhrases,
    anchors: &IndexMap<(String, String), Anchor>,
) -> Result<(), LiveError> {
    let (structure_path, text_path) = (format!("tools/{file}.toml"), format!("{locale}/{file}.toml"));
    let (mut structure, mut text) = (read(folder, &structure_path)?, read(folder, &text_path)?);
    let mut kinds = Table::new();
    for (name, tool) in &mut structure {
        let full = if file.contains('.') { format!("{file}.{name}") } else { name.clone() };
        let parameters = tool.get_mut("parameters").and_then(Toml::as_table_mut);
        for (parameter, fields) in parameters.into_iter().flatten() {
            let anchor = anchors.get(&(full.clone(), parameter.clone()));
            let values = anchor.map(said_values).unwrap_or_default();
            let Some(fields) = fields.as_table_mut().filter(|_| !values.is_empty()) else { continue };
            let kind = super::written::table_name(&full, parameter);
            // Identifiers that exist are better than any that a kind invents.
            let is_identifier = anchor.is_some_and(|anchor| !anchor.is_said());
            let is_free = is_identifier || fields.get("kind").is_none_or(|it| it.as_str() == Some(&kind));
            if !fields.contains_key("enum") && is_free {
                fields.insert("kind".to_owned(), kind.clone().into());
                kinds.insert(kind, Toml::Table(Table::from_iter([("values".to_owned(), values.into())])));
            }
        }
        if let Some(spoken) = text.get_mut(name).and_then(Toml::as_table_mut) {
            add_words(name, spoken, phrases);
        }
    }
    if !kinds.is_empty() {
        let known = text.entry("kinds").or_insert_with(|| Toml::Table(Table::new()));
        known.as_table_mut().into_iter().for_each(|known| known.extend(kinds.clone()));
    }
    write(folder, &structure_path, &structure.to_string())?;
    write(folder, &text_path, &text.to_string())
}

fn read(folder: &Path, path: &str) -> Result<Table, LiveError> {
    let place = folder.join(path);
    let fault = |message: String| LiveError::File { path: place.display().to_string(), message };
    let text = std::fs::read_to_string(&place).map_err(|error| fault(error.to_string()))?;
    toml::from_str(&text).map_err(|error| fault(error.to_string()))
}

/// The texts and numbers among the values, without those that would mean something in patterns.
fn said_values(anchor: &Anchor) -> Vec<String> {
    let said =
        anchor.values.iter().filter_map(|value| value.as_str().or_else(|| value.as_number().map(Number::as_str)));
    said.filter(|text| !text.contains(MARKS) && !text.trim().is_empty()).map(str::to_owned).collect()
}

fn add_words(name: &str, spoken: &mut Table, phrases: &LivePhrases) {
    let description = spoken.get("description").and_then(Toml::as_str).unwrap_or_default().to_owned();
    add(spoken, "intents", || phrases.intents(&intent(&description, name)));
    let parameters = spoken.get_mut("parameters").and_then(Toml::as_table_mut);
    for (parameter, fields) in parameters.into_iter().flatten() {
        let Some(fields) = fields.as_table_mut() else { continue };
        add(fields, "clauses", || phrases.clauses(parameter));
        add(fields, "questions", || phrases.questions(parameter));
    }
}

fn add(table: &mut Table, key: &str, words: impl FnOnce() -> Vec<String>) {
    let has_own = table.get(key).and_then(Toml::as_array).is_some_and(|own| !own.is_empty());
    if !has_own {
        table.insert(key.to_owned(), words().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Toolset;

    const TOOLS: &str =
        "[find.parameters]\nquery = { type = \"string\" }\nsort = { type = \"string\", enum = [\"up\"] }\n";
    const TEXT: &str = "title = \"T\"\nwanted = \"w\"\n[find]\ndescription = \"Find it.\"\nintents = [\"look it up\"]\n\
        [find.parameters.query]\ndescription = \"d\"\nlabel = \"query\"\n[find.parameters.sort]\ndescription = \"d\"\nlabel = \"sort\"\n";

    #[test]
    fn anchors_are_kinds_and_own_words_stay() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "tools/mine.toml", TOOLS).unwrap();
        write(folder.path(), "en/mine.toml", TEXT).unwrap();
        let anchor =
            |values: &[&str]| Anchor { values: values.iter().map(|it| (*it).into()).collect(), ..Anchor::default() };
        let key = |name: &str| ("find".to_owned(), name.to_owned());
        let anchors = IndexMap::from([(key("query"), anchor(&["Old Mill", "a {b}"])), (key("sort"), anchor(&["up"]))]);
        let phrases = LivePhrases::load(crate::fixtures::assets(), "en").unwrap();
        for _ in 0..2 {
            write_spoken(folder.path(), ("mine", "en"), &phrases, &anchors).unwrap();
        }
        let toolset = Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "en").unwrap();
        assert_eq!(toolset.tools[0].kinds.keys().collect::<Vec<_>>(), ["query"]);
        assert_eq!(toolset.kinds.keys().collect::<Vec<_>>(), ["anchors_find_query"]);
        let said = &toolset.phrases["find"];
        assert_eq!(said.intents, ["look it up"]);
        assert!(!said.parameters["query"].clauses.is_empty() && !said.parameters["query"].questions.is_empty());
    }
}
