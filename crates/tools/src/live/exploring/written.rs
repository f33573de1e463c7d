//! Writes what was found into the toolset's folder: anchor values, the recording, and a world that asks the live server.

use super::super::LiveError;
use super::super::folder::write;
use super::anchors::{Anchor, anchors};
use super::explore::Explored;
use super::guess::is_key;
use super::leaves::{is_plain, last_key, within_list};
use super::phrases::{LivePhrases, intent};
use super::spoken::write_spoken;
use crate::toolset::Toolset;
use fcgen_core::assets::Assets;
use fcgen_core::record::{Tool, Value};
use indexmap::IndexMap;
use serde_json::json;
use std::path::Path;
use toml::{Table, Value as Toml};

/// The anchor values in a toolset's folder.
pub const ANCHORS: &str = "anchors.json";
/// The recorded calls in a toolset's folder.
pub const RECORDED: &str = "recording.jsonl";
/// The day on which everything happens where no answer names one.
const TODAY: &str = "2025-01-01";
/// Most fields of one list by which an item can be meant as the highest or the lowest.
const EXTREMES: usize = 2;

/// Writes everything that an exploration found.
pub fn write_explored(
    assets: &Assets,
    folder: &Path,
    toolset: &Toolset,
    locale: &str,
    found: &Explored,
) -> Result<(), LiveError> {
    let fault = |message: String| LiveError::File { path: folder.display().to_string(), message };
    let phrases = LivePhrases::load(assets, locale)?;
    let anchors = anchors(found);
    let shown = anchors.iter().map(|((tool, name), anchor)| (format!("{tool}.{name}"), json!(anchor)));
    let summary = json!({
        "version": 1,
        "anchors": shown.collect::<serde_json::Map<_, _>>(),
        "called": found.called,
        "skipped": found.skipped,
    });
    let summary = serde_json::to_string_pretty(&summary).map_err(|error| fault(error.to_string()))? + "\n";
    let recorded = found.recorded.write().map_err(|error| fault(error.to_string()))?;
    write(folder, ANCHORS, &summary)?;
    write(folder, RECORDED, &recorded)?;
    for (at, (file, names)) in files(assets, folder)?.into_iter().enumerate() {
        let tools: Vec<&Tool> =
            names.iter().filter_map(|name| toolset.tool(name)).map(std::convert::AsRef::as_ref).collect();
        let mut world = Table::new();
        if at == 0 {
            world.insert(
                "settings".to_owned(),
                Toml::Table(Table::from_iter([("today".to_owned(), today(found).into())])),
            );
        }
        let (mut tables, mut functions, mut said) = (Table::new(), Table::new(), Table::new());
        for tool in tools {
            functions.insert(bare(&file, &tool.name), function(tool, found, &anchors));
            said.insert(tool.name.clone(), sayings(tool, found, (&anchors, &phrases)));
            for (name, anchor) in of_tool(&anchors, &tool.name).filter(|(_, anchor)| anchor.is_said()) {
                let table = table_name(&tool.name, name);
                let rows: Vec<_> = anchor
                    .values
                    .iter()
                    .enumerate()
                    .map(|(at, it)| json!({"id": at.to_string(), "name": it}))
                    .collect();
                let rows = serde_json::to_string_pretty(&rows).map_err(|error| fault(error.to_string()))?;
                write(folder, &format!("world/{table}.json"), &(rows + "\n"))?;
                let from = Table::from_iter([("from".to_owned(), format!("{table}.json").into())]);
                tables.insert(table, Toml::Table(from));
            }
        }
        for (key, table) in [("tables", tables), ("functions", functions)] {
            world.insert(key.to_owned(), Toml::Table(table));
        }
        write_spoken(folder, (&file, locale), &phrases, &anchors)?;
        write(folder, &format!("world/{file}.toml"), &world.to_string())?;
        write(folder, &format!("{locale}/live/{file}.toml"), &said.to_string())?;
    }
    Ok(())
}

/// The tools of each file of the folder, by their full names.
fn files(assets: &Assets, folder: &Path) -> Result<IndexMap<String, Vec<String>>, LiveError> {
    let place = folder.join("tools");
    let mut files = IndexMap::new();
    for file in assets.list(&place.display().to_string()) {
        let Some(stem) = file.strip_suffix(".toml") else { continue };
        let path = place.join(&file);
        let fault = |message: String| LiveError::File { path: path.display().to_string(), message };
        let text = std::fs::read_to_string(&path).map_err(|error| fault(error.to_string()))?;
        let table: Table = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        let full = |name: &String| if stem.contains('.') { format!("{stem}.{name}") } else { name.clone() };
        files.insert(stem.to_owned(), table.keys().map(full).collect());
    }
    Ok(files)
}

/// A tool's name in its file.
fn bare(file: &str, name: &str) -> String {
    name.strip_prefix(&format!("{file}.")).unwrap_or(name).to_owned()
}

fn of_tool<'a>(
    anchors: &'a IndexMap<(String, String), Anchor>,
    tool: &'a str,
) -> impl Iterator<Item = (&'a str, &'a Anchor)> {
    anchors.iter().filter(move |((of, _), _)| of == tool).map(|((_, name), anchor)| (name.as_str(), anchor))
}

pub(crate) fn table_name(tool: &str, parameter: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    format!("anchors_{tool}_{parameter}").chars().map(plain).collect()
}

/// The latest day that an answer names.
fn today(found: &Explored) -> String {
    let texts = found.leaves.values().flat_map(|it| it.places.values()).flatten().filter_map(Value::as_str);
    let days = texts.filter_map(|text| Some(fcgen_core::locale::Stamp::read(text)?.date?.to_string()));
    days.max().unwrap_or_else(|| TODAY.to_owned())
}

fn function(tool: &Tool, found: &Explored, anchors: &IndexMap<(String, String), Anchor>) -> Toml {
    let mut function = Table::from_iter([("live".to_owned(), true.into())]);
    if found.skipped.contains_key(&tool.name) && !found.leaves.contains_key(&tool.name) {
        function.insert("writes".to_owned(), true.into());
    }
    let mut parameters = Table::new();
    for (name, anchor) in of_tool(anchors, &tool.name) {
        let mut fields = Table::new();
        if anchor.is_said() {
            fields.insert("values".to_owned(), vec![format!("{}.name", table_name(&tool.name, name))].into());
        } else {
            let from = anchor.from.iter().filter(|it| gives(found, it));
            fields.insert("from".to_owned(), from.cloned().collect::<Vec<String>>().into());
            fields.insert("exact".to_owned(), true.into());
        }
        if is_key(name) {
            fields.insert("constraint".to_owned(), "id".into());
        }
        parameters.insert(name.to_owned(), Toml::Table(fields));
    }
    function.insert("parameters".to_owned(), Toml::Table(parameters));
    let picks = picks(tool, found).into_iter().map(|pick| {
        let (by, value) = match pick.field {
            Some((word, field)) => (word, Toml::from(field)),
            None => ("first", true.into()),
        };
        (pick.name, Toml::Table(Table::from_iter([("list".to_owned(), pick.list.into()), (by.to_owned(), value)])))
    });
    function.insert("picks".to_owned(), Toml::Table(picks.collect()));
    let give = found.leaves.get(&tool.name).map_or(Toml::from(true), |leaves| leaves.shape.template());
    function.insert("give".to_owned(), give);
    Toml::Table(function)
}

/// Whether the shape of the answers has a place.
fn gives(found: &Explored, source: &str) -> bool {
    let place = source.split_once(": ");
    place.is_some_and(|(tool, place)| {
        let keys = place.replace("[]", "");
        found.leaves.get(tool).is_some_and(|it| it.places.contains_key(place))
            && keys.split('.').all(|key| key.is_empty() || is_plain(key))
    })
}

/// A way of meaning one item of an answer.
struct Picking {
    name: String,
    list: String,
    /// `least` or `most`, and the field within the item; the first item where there is none.
    field: Option<(&'static str, String)>,
}

/// Ways of meaning an item of each list: by its highest and lowest numbers, else as the first.
fn picks(tool: &Tool, found: &Explored) -> Vec<Picking> {
    let Some(leaves) = found.leaves.get(&tool.name) else { return Vec::new() };
    let mut lists: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (place, values) in &leaves.places {
        let Some((list, field)) = within_list(place).filter(|(list, _)| !list.contains("[]")) else { continue };
        let fields = lists.entry(list).or_default();
        let numeric = values.len() > 1 && values.iter().all(|it| it.as_number().is_some());
        if numeric && !is_key(last_key(place)) && !field.is_empty() && fields.len() < EXTREMES {
            fields.push(field);
        }
    }
    let one = |(list, fields): (&str, Vec<&str>)| {
        let at = if list.is_empty() { String::new() } else { format!("_{}", list.replace('.', "_")) };
        let extremes = fields.iter().flat_map(|field| {
            ["most", "least"].map(|word| Picking {
                name: format!("{word}{at}_{}", field.replace('.', "_")),
                list: list.to_owned(),
                field: Some((word, (*field).to_owned())),
            })
        });
        let mut all: Vec<Picking> = extremes.collect();
        if all.is_empty() {
            all.push(Picking { name: format!("first{at}"), list: list.to_owned(), field: None });
        }
        all
    };
    lists.into_iter().flat_map(one).collect()
}

fn sayings(
    tool: &Tool,
    found: &Explored,
    (anchors, phrases): (&IndexMap<(String, String), Anchor>, &LivePhrases),
) -> Toml {
    let mut said = Table::from_iter([("description".to_owned(), tool.description.as_str().into())]);
    if !found.leaves.contains_key(&tool.name) {
        return Toml::Table(said);
    }
    let own: Vec<(&str, bool, bool)> = of_tool(anchors, &tool.name)
        .map(|(name, anchor)| (name, anchor.is_said(), tool.parameters.required.iter().any(|it| it == name)))
        .collect();
    said.insert("asks".to_owned(), phrases.asks(&intent(&tool.description, &tool.name), &own).into());
    let picks = picks(tool, found).into_iter().map(|pick| {
        let (word, field) = pick.field.map_or(("first", String::new()), |(word, field)| (word, field));
        (pick.name, Toml::from(phrases.picks(word, last_key(&field))))
    });
    said.insert("picks".to_owned(), Toml::Table(picks.collect()));
    Toml::Table(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{Bounds, Listed, Reply, Rules, draft, explore, read_origins};
    use fcgen_core::locale::Pack;
    use fcgen_core::record::{FunctionCall, Object};

    fn listed(name: &str, properties: &serde_json::Value, required: &[&str]) -> Listed {
        let parameters = json!({"type": "object", "properties": properties, "required": required});
        let description = format!("Tell of {name}. And more.");
        Listed { name: name.to_owned(), description, parameters, returns: None, reads: name != "drop_box" }
    }

    #[expect(clippy::unnecessary_wraps, reason = "exploration is given what may fail")]
    fn ask(tool: &str, given: &Object) -> Result<Reply, LiveError> {
        let answer = match tool {
            "boxes" => {
                json!({"boxes": [{"id": "b-1", "name": "Old tin", "count": 3, "for": 1}, {"id": "b-2", "name": "Red (new)", "count": 9}]})
            }
            "box" => json!({"id": given["box_id"].as_str(), "seen": "2024-05-06"}),
            _ => json!([{"word": given["query"].as_str()}]),
        };
        Ok(Reply { value: Value::from(answer), failed: false })
    }

    /// A toolset that was imported and explored.
    fn explored(folder: &Path) -> Toolset {
        let id = json!({"box_id": {"type": "string", "description": "Its id."}});
        let query = json!({"query": {"type": "string", "description": "Words."}, "rows": {"type": "integer"}});
        let tools = [
            listed("boxes", &json!({}), &[]),
            listed("box", &id, &["box_id"]),
            listed("find", &query, &["query"]),
            listed("drop_box", &id, &["box_id"]),
        ];
        draft("store", &tools).write(folder, &Pack::load(crate::fixtures::assets(), "en").unwrap()).unwrap();
        let path = folder.to_str().unwrap();
        let toolset = crate::fixtures::toolset(path, "en");
        let origins = read_origins(folder).unwrap();
        let bounds = Bounds { calls: 30, per_tool: 8 };
        let found = explore(&toolset.tools, (&origins, &[]), (&Rules::default(), bounds), ask).unwrap();
        write_explored(crate::fixtures::assets(), folder, &toolset, "en", &found).unwrap();
        Toolset::load(crate::fixtures::assets(), path, "en").unwrap()
    }

    #[test]
    fn what_was_found_is_a_world_that_answers_from_its_recording() {
        let folder = tempfile::tempdir().unwrap();
        let toolset = explored(&folder.path().join("store"));
        let world = toolset.world.clone().unwrap();
        assert!(world.functions.values().all(|it| it.live) && world.functions["drop_box"].writes);
        assert_eq!(world.today, "2024-05-06", "the latest day that an answer names");
        let sources = &world.functions["box"].parameters["box_id"].from;
        assert_eq!((sources[0].tool.as_str(), sources[0].field.as_str()), ("boxes", "/boxes/0/id"));
        assert!(!world.functions["find"].parameters["query"].values.is_empty());
        let picks: Vec<&String> = world.functions["boxes"].picks.keys().collect();
        assert_eq!(picks, ["most_boxes_count", "least_boxes_count"]);
        let call =
            FunctionCall { name: "box".to_owned(), arguments: Object::from([("box_id".to_owned(), "b-2".into())]) };
        let answer = world.answers.clone().unwrap().answer(&call, "").unwrap();
        assert_eq!(answer.to_string(), r#"{"id":"b-2","seen":"2024-05-06"}"#);
    }

    #[test]
    fn questions_ask_for_what_exists_and_what_changes_something_is_not_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let toolset = explored(&folder.path().join("store"));
        let world = toolset.world.clone().unwrap();
        assert!(world.functions["drop_box"].sayings.is_empty());
        let asks = &world.functions["box"].sayings.asks;
        assert_eq!(asks, &["tell of box, for {box_id}"]);
        assert!(toolset.kinds.contains_key("anchors_drop_box_box_id"), "{:?}", toolset.kinds.keys());
        assert_eq!(toolset.phrases["box"].intents, ["tell of box"]);
        assert_eq!(toolset.tool("box").unwrap().kinds["box_id"], "anchors_box_box_id");
    }
}
