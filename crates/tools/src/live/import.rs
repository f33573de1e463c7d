//! The tools of a live server as a draft of a toolset, with the way back.

use super::Listed;
use super::LiveError;
use super::folder;
use super::rules::RULES;
use crate::toolset::import::{self, Draft, Drafter, Origin, Origins, Source};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The way back, in a toolset's folder.
pub const ORIGINS: &str = "origins.json";
/// What is kept of answers where nobody says otherwise.
const DEFAULT_RULES: &str = "# How answers are stored: masked fields, maximum list length, maximum text length in characters.\n\
    mask = [\"password\", \"secret\", \"token\", \"api_key\", \"apikey\", \"authorization\", \"cookie\", \"set-cookie\"]\n\
    list = 20\ntext = 2000\n";

/// Drafts the tools of a server that calls itself `server`; all of them are one group.
pub fn draft(server: &str, tools: &[Listed]) -> Draft {
    let mut drafter = Drafter::default();
    for (at, tool) in tools.iter().enumerate() {
        let listed = import::Listed {
            name: tool.name.clone(),
            group: group(server),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
            returns: tool.returns.clone(),
            place: format!("/tools/{at}"),
        };
        drafter.add(listed, |name, parameters| Origin::Mcp { name, reads: tool.reads, parameters });
    }
    let (file, title, form) = (server.to_owned(), server.to_owned(), "mcp".to_owned());
    let source = Source { file, form, title, version: String::new() };
    Draft { source, ..drafter.finish(|_| BTreeMap::new()) }
}

/// Writes what is kept of answers beside a toolset's tools, for people to change.
pub fn write_rules(toolset: &Path) -> Result<(), LiveError> {
    folder::write(toolset, RULES, DEFAULT_RULES)
}

/// Reads the way back of a toolset's folder.
pub fn read_origins(folder: &Path) -> Result<Origins, LiveError> {
    let path = folder.join(ORIGINS);
    let fault = |message: String| LiveError::File { path: path.display().to_string(), message };
    let text = fs::read_to_string(&path).map_err(|error| fault(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| fault(error.to_string()))
}

/// A name for a file: letters, digits, `_` and `-` alone.
fn group(server: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || "_-".contains(letter) { letter } else { '_' };
    let plain: String = server.chars().map(letter).take(64).collect();
    if plain.chars().any(|letter| letter.is_ascii_alphanumeric()) { plain } else { "live".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::Rules;
    use super::*;
    use crate::toolset::Toolset;
    use fcgen_core::locale::Pack;
    use serde_json::{Value as Json, json};

    fn listed(name: &str, parameters: Json) -> Listed {
        let description = format!("About {name}.");
        Listed { name: name.to_owned(), description, parameters, returns: None, reads: name.starts_with("get") }
    }

    #[test]
    fn what_a_server_lists_is_a_toolset_with_the_way_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine");
        let limit = json!({"type": ["integer", "null"], "default": 5});
        let id = json!({"type": "string", "description": "Its id."});
        let schema = |properties: Json| json!({"type": "object", "properties": properties, "required": ["id"]});
        let tools = [
            listed("get/item", schema(json!({"id": id, "limit": limit}))),
            listed("get.item", schema(json!({"id": id, "max size": {"type": "integer"}}))),
            listed("drop", json!({"type": "object"})),
        ];
        draft("my server", &tools).write(&path, &Pack::load(crate::fixtures::assets(), "en").unwrap()).unwrap();
        let toolset = Toolset::load(crate::fixtures::assets(), path.to_str().unwrap(), "en").unwrap();
        assert_eq!(toolset.tools.len(), 3);
        let first = &toolset.tools[0];
        assert_eq!((first.name.as_str(), first.parameters.required.as_slice()), ("get_item", &["id".to_owned()][..]));
        assert_eq!(first.parameters.properties["limit"].type_name(), "integer");
        let origins = read_origins(&path).unwrap();
        let (_, second) = origins.tools.get_index(1).unwrap();
        let renamed = [("max_size".to_owned(), "max size".to_owned())].into();
        assert_eq!(*second, Origin::Mcp { name: "get.item".to_owned(), reads: true, parameters: renamed });
        assert_eq!(origins.tools["drop"].reads(), Some(false));
    }

    #[test]
    fn rules_are_written_as_they_hold_without_a_file() {
        let folder = tempfile::tempdir().unwrap();
        write_rules(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join(RULES)).unwrap();
        assert_eq!(Rules::read(RULES, &text).unwrap(), Rules::default());
    }

    #[test]
    fn a_group_is_the_name_of_a_file() {
        assert_eq!([group("my server/2"), group("한국어")], ["my_server_2", "live"]);
    }
}
