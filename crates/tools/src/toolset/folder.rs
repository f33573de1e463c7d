//! Reads our own toolset folders: `tools/<Category>.toml` for structure, `<locale>/<Category>.toml` for text.

use super::declared::{self, Answered, AnsweredTool};
use super::goal::{Goal, GoalCallText, Vague};
use super::scenarios;
use super::{Answers, Recorded};
use super::{Category, Toolset, ToolsetError};
use fcgen_core::assets::Assets;
use fcgen_core::locale::{BundleText, KindText, Pattern};
use fcgen_core::record::{Followup, Listing, Parameter, Parameters, Phrases, SlotPhrases, Source, Telling, Tool};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value as Json;
use std::sync::Arc;

/// Most texts of one clause that are remembered.
const CLAUSES: usize = 24;

/// Structure of one category: tools by function name.
type Structure = IndexMap<String, ToolText>;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct ToolText {
    #[serde(default)]
    parameters: IndexMap<String, ParameterText>,
    #[serde(default)]
    returns: Option<Json>,
    #[serde(default)]
    answers: Vec<String>,
    /// Whether a call changes something; `acts` is what earlier versions called it.
    #[serde(default, alias = "acts")]
    writes: bool,
    /// The calls of a goal, in order.
    #[serde(default)]
    calls: Vec<GoalCallText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterText {
    #[serde(rename = "type", default = "string")]
    type_name: Json,
    #[serde(default)]
    kind: Option<String>,
    #[serde(rename = "enum", default)]
    values: Option<Vec<Json>>,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    default: Option<Json>,
    /// Where the value comes from that nobody says: `FUNCTION: place.in.its.answer`.
    #[serde(default)]
    from: Vec<String>,
    /// Whatever else its JSON Schema says: `items`, `minimum`, `pattern` ...
    #[serde(default)]
    schema: serde_json::Map<String, Json>,
}

/// Text of one category in one locale.
#[derive(Deserialize)]
struct CategoryText {
    title: String,
    wanted: String,
    #[serde(default)]
    topics: Vec<Vec<String>>,
    #[serde(default)]
    kinds: IndexMap<String, KindText>,
    #[serde(default)]
    bundles: Vec<BundleText>,
    #[serde(default)]
    errors: IndexMap<String, String>,
    #[serde(default)]
    vague: Vec<Vague>,
    #[serde(flatten)]
    tools: IndexMap<String, Spoken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spoken {
    /// Another name than the structure's, where the function is bound to a country.
    #[serde(default)]
    name: Option<String>,
    description: String,
    /// What it is for, in the words with which an assistant declines it.
    #[serde(default)]
    title: String,
    /// The app that people know it by.
    #[serde(default)]
    app: Option<String>,
    #[serde(default)]
    intents: Vec<String>,
    #[serde(default)]
    asks: Vec<String>,
    #[serde(default)]
    implies: Vec<String>,
    #[serde(default)]
    tells: Vec<TellText>,
    #[serde(default)]
    lists: Option<Listing>,
    #[serde(default)]
    confirms: Vec<String>,
    #[serde(default)]
    followups: Vec<Followup>,
    #[serde(default)]
    parameters: IndexMap<String, SpokenParameter>,
}

/// A sentence, or sentences for certain answers.
#[derive(Deserialize)]
#[serde(untagged)]
enum TellText {
    Plain(String),
    When {
        #[serde(default)]
        when: IndexMap<String, toml::Value>,
        say: Vec<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpokenParameter {
    description: String,
    label: String,
    #[serde(default)]
    questions: Vec<String>,
    #[serde(default)]
    clauses: Vec<String>,
    #[serde(default)]
    negations: Vec<String>,
    #[serde(default)]
    wordings: IndexMap<String, Vec<String>>,
}

/// Reads the folder's tools in `locale`; a folder `world/` beside them says what they answer.
pub(super) fn read(assets: &Assets, folder: &str, locale: &str) -> Result<Toolset, ToolsetError> {
    let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
    let mut toolset = Toolset { name, licence: "MIT OR Apache-2.0".to_owned(), ..Toolset::default() };
    let mut answered = Answered::default();
    let mut returns = read_returns(assets, folder)?;
    for file in assets.list(&format!("{folder}/tools")) {
        let Some(category) = file.strip_suffix(".toml") else { continue };
        let structure: Structure = read_toml(assets, &format!("{folder}/tools/{file}"))?;
        let path = format!("{folder}/{locale}/{file}");
        let mut text: CategoryText = read_toml(assets, &path)?;
        for (function, tool) in structure {
            let spoken = text.tools.shift_remove(&function).ok_or_else(|| ToolsetError::File {
                path: path.clone(),
                message: format!("no text for the tool `{function}`"),
            })?;
            let key = full_name(category, &function);
            let full = spoken.name.as_ref().map_or_else(|| key.clone(), |name| full_name(category, name));
            if full != key {
                toolset.keys.insert(full.clone(), key);
            }
            let (mut tool, phrases) = join(&path, full, &function, tool, spoken)?;
            tool.returns = returns.shift_remove(&tool.name).or(tool.returns);
            if toolset.tool(&tool.name).is_some() {
                return Err(ToolsetError::File { path, message: format!("duplicate tool `{}`", tool.name) });
            }
            answered.tools.push(AnsweredTool { file: category.to_owned(), function, tool: tool.clone() });
            // Who says nothing of a tool leaves it to be said by what its names and descriptions tell.
            if is_said(&phrases) {
                toolset.phrases.insert(tool.name.clone(), Arc::new(phrases));
            }
            toolset.tools.push(Arc::new(tool));
        }
        if let Some(function) = text.tools.keys().next() {
            return Err(ToolsetError::File { path, message: format!("text for an unknown tool `{function}`") });
        }
        answered.errors.insert(category.to_owned(), text.errors);
        toolset.categories.insert(category.to_owned(), Category { title: text.title, wanted: text.wanted });
        toolset.kinds.extend(text.kinds);
        toolset.bundles.extend(text.bundles);
        toolset.topics.extend(text.topics);
        toolset.vague.extend(text.vague);
    }
    read_goals(assets, &mut toolset, folder, locale)?;
    let is_world = !assets.list(&format!("{folder}/world")).is_empty();
    let mut world = is_world.then(|| answered.world(assets, folder, locale, &toolset.kinds)).transpose()?;
    let (threads, cases) = scenarios::read(assets, (folder, locale), &toolset, world.as_ref())?;
    toolset.threads = threads;
    if let Some(world) = &mut world {
        world.cases = cases;
        world.answers = recorded(assets, folder)?;
    }
    toolset.world = world.map(Arc::new);
    Ok(toolset)
}

/// What a live server answered when the folder was explored.
fn recorded(assets: &Assets, folder: &str) -> Result<Option<Arc<dyn Answers>>, ToolsetError> {
    let path = format!("{folder}/recording.jsonl");
    let Some(text) = assets.read(&path) else { return Ok(None) };
    let recorded = Recorded::read(&path, &text).map_err(|message| ToolsetError::File { path, message })?;
    Ok(Some(Arc::new(recorded)))
}

/// Schemas of answers that stand beside the structure, by the names of tools, for they are long.
fn read_returns(assets: &Assets, folder: &str) -> Result<IndexMap<String, Json>, ToolsetError> {
    let path = format!("{folder}/returns.json");
    let Some(text) = assets.read(&path) else { return Ok(IndexMap::new()) };
    serde_json::from_str(&text).map_err(|error| ToolsetError::File { path, message: format!("not JSON: {error}") })
}

/// Whether anything is said that a request can be made of.
fn is_said(phrases: &Phrases) -> bool {
    let said = [&phrases.intents, &phrases.asks, &phrases.implies].into_iter().any(|texts| !texts.is_empty());
    said || !phrases.tells.is_empty() || phrases.parameters.values().any(|slot| !slot.clauses.is_empty())
}

/// Reads the folder's goals: what takes several calls, each as a tool with calls of its own.
fn read_goals(assets: &Assets, toolset: &mut Toolset, folder: &str, locale: &str) -> Result<(), ToolsetError> {
    for file in assets.list(&format!("{folder}/goals")) {
        let Some(group) = file.strip_suffix(".toml") else { continue };
        let place = format!("{folder}/goals/{file}");
        let structure: Structure = read_toml(assets, &place)?;
        let path = format!("{folder}/{locale}/goals/{file}");
        let mut text: IndexMap<String, Spoken> = read_toml(assets, &path)?;
        for (name, mut tool) in structure {
            let spoken = text.shift_remove(&name).ok_or_else(|| ToolsetError::File {
                path: path.clone(),
                message: format!("no text for the goal `{name}`"),
            })?;
            let calls = std::mem::take(&mut tool.calls);
            let (tool, phrases) = join(&path, name.clone(), &name, tool, spoken)?;
            let goal = Goal::new(toolset, group, (tool, phrases), calls);
            let goal = goal.map_err(|message| ToolsetError::File { path: place.clone(), message })?;
            toolset.goals.insert(name, Arc::new(goal));
        }
        if let Some(name) = text.keys().next() {
            return Err(ToolsetError::File { path, message: format!("text for an unknown goal `{name}`") });
        }
    }
    Ok(())
}

/// A tool's full name: with the file's before it, unless that has one part only; then tools go by their bare names.
fn full_name(category: &str, function: &str) -> String {
    if category.contains('.') { format!("{category}.{function}") } else { function.to_owned() }
}

/// The locales that a folder has text in.
pub(super) fn locales(assets: &Assets, folder: &str) -> Vec<String> {
    let is_locale = |entry: &String| {
        !["tools", "resources", "world", "goals", "scenarios"].contains(&entry.as_str()) && !entry.contains('.')
    };
    assets.list(folder).into_iter().filter(is_locale).collect()
}

/// Whether the folder has text in `locale`.
pub(super) fn check_locale(assets: &Assets, folder: &str, locale: &str) -> Result<(), ToolsetError> {
    let known = locales(assets, folder);
    if known.iter().any(|code| code == locale) {
        return Ok(());
    }
    let known = known.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
    let toolset = folder.rsplit('/').next().unwrap_or(folder).to_owned();
    Err(ToolsetError::Locale { toolset, locale: locale.to_owned(), known })
}

fn read_toml<T: for<'de> Deserialize<'de>>(assets: &Assets, path: &str) -> Result<T, ToolsetError> {
    let fault = |message: String| ToolsetError::File { path: path.to_owned(), message };
    let text = assets.read(path).ok_or_else(|| fault("missing".to_owned()))?;
    fcgen_core::toml_text::from_toml(&text).map_err(|error| fault(error.to_string()))
}

fn join(
    path: &str,
    name: String,
    function: &str,
    tool: ToolText,
    mut spoken: Spoken,
) -> Result<(Tool, Phrases), ToolsetError> {
    let mut joined = Tool {
        name,
        description: spoken.description,
        app: spoken.app,
        returns: tool.returns,
        acts: tool.writes,
        ..Tool::default()
    };
    let mut phrases = Phrases {
        title: spoken.title,
        intents: spoken.intents,
        asks: spoken.asks,
        implies: spoken.implies,
        tells: tellings(spoken.tells),
        lists: spoken.lists,
        answers: tool.answers,
        confirms: spoken.confirms,
        followups: spoken.followups,
        ..Phrases::default()
    };
    for (name, structure) in tool.parameters {
        let text = spoken.parameters.shift_remove(&name).ok_or_else(|| ToolsetError::File {
            path: path.to_owned(),
            message: format!("no text for the parameter `{name}` of `{function}`"),
        })?;
        add_parameter(&mut joined, &mut phrases, name, structure, text);
    }
    if let Some(name) = spoken.parameters.keys().next() {
        let message = format!("text for an unknown parameter `{name}` of `{function}`");
        return Err(ToolsetError::File { path: path.to_owned(), message });
    }
    Ok((joined, phrases))
}

fn add_parameter(
    tool: &mut Tool,
    phrases: &mut Phrases,
    name: String,
    structure: ParameterText,
    text: SpokenParameter,
) {
    let mut parameter = Parameter {
        kind: Some(structure.type_name),
        description: Some(text.description),
        values: structure.values,
        more: structure.schema,
        ..Parameter::default()
    };
    if let Some(format) = structure.format {
        parameter.more.insert("format".to_owned(), Json::String(format));
    }
    if let Some(default) = structure.default {
        parameter.more.insert("default".to_owned(), default);
    }
    let source = |from: &String| {
        let (tool, path) = from.split_once(':')?;
        Some(Source { tool: tool.trim().to_owned(), field: format!("/{}", path.trim().replace('.', "/")) })
    };
    let sources: Vec<Source> = structure.from.iter().filter_map(source).collect();
    if !sources.is_empty() {
        tool.from.insert(name.clone(), sources);
    }
    if let Some(kind) = structure.kind {
        tool.kinds.insert(name.clone(), kind);
    }
    let mut wordings = text.wordings;
    if parameter.type_name() == "boolean" {
        // Whether a text says a flag is told by the clauses that say it; readers of requests do not look here.
        wordings.insert("true".to_owned(), plain_clauses(&text.clauses));
        wordings.insert("false".to_owned(), plain_clauses(&text.negations));
    }
    if !wordings.is_empty() {
        tool.wordings.insert(name.clone(), wordings);
    }
    let Parameters { properties, required, .. } = &mut tool.parameters;
    properties.insert(name.clone(), parameter);
    if !structure.optional {
        required.push(name.clone());
    }
    let slot =
        SlotPhrases { label: text.label, questions: text.questions, clauses: text.clauses, negations: text.negations };
    phrases.parameters.insert(name, slot);
}

/// Sentences without a condition come last, for they fit every answer.
fn tellings(texts: Vec<TellText>) -> Vec<Telling> {
    let mut tellings = Vec::new();
    let mut plain = Vec::new();
    for text in texts {
        match text {
            TellText::Plain(sentence) => plain.push(sentence),
            TellText::When { when, say } if when.is_empty() => plain.extend(say),
            TellText::When { when, say } => {
                let when = when.iter().map(|(field, value)| (field.clone(), declared::json(value))).collect();
                tellings.push(Telling { when, say });
            }
        }
    }
    if !plain.is_empty() {
        tellings.push(Telling { when: IndexMap::new(), say: plain });
    }
    tellings
}

/// The clauses as texts, without the comma that they lean on.
fn plain_clauses(clauses: &[String]) -> Vec<String> {
    let patterns = clauses.iter().filter_map(|text| Pattern::parse(text).ok());
    let texts = patterns.flat_map(|pattern| pattern.variants(CLAUSES));
    texts
        .map(|text| text.trim_matches(|letter: char| ",，、".contains(letter) || letter.is_whitespace()).to_owned())
        .collect()
}

fn string() -> Json {
    Json::String("string".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structure_and_text_are_joined_by_name() {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let tool = toolset.tool("Navigation.MapNavigation.planRoute").unwrap();
        assert_eq!(tool.parameters.required, ["origin", "destination", "mode"]);
        assert_eq!(tool.kinds["origin"], "local_place");
        assert_eq!(tool.wordings["mode"]["cycling"], ["cycling", "by bike"]);
        assert!(toolset.phrases[&tool.name].intents.len() >= 3);
    }

    #[test]
    fn an_unknown_locale_names_the_known_ones() {
        let error = Toolset::load(crate::fixtures::assets(), "mobile", "xx").unwrap_err().to_string();
        assert!(error.starts_with("toolset `mobile` has no text for locale `xx`; available: `en`"), "{error}");
    }

    #[test]
    fn text_for_a_tool_that_is_not_there_is_a_fault() {
        let spoken = Spoken {
            name: None,
            tells: vec![],
            lists: None,
            confirms: vec![],
            followups: vec![],
            title: String::new(),
            description: String::new(),
            app: None,
            intents: vec![],
            asks: vec![],
            implies: vec![],
            parameters: IndexMap::from([(
                "extra".to_owned(),
                SpokenParameter {
                    description: String::new(),
                    label: String::new(),
                    questions: vec![],
                    clauses: vec![],
                    negations: vec![],
                    wordings: IndexMap::new(),
                },
            )]),
        };
        let error = join("f.toml", "A.B.run".to_owned(), "run", ToolText::default(), spoken).unwrap_err().to_string();
        assert_eq!(error, "f.toml: text for an unknown parameter `extra` of `run`");
    }

    /// Reads a folder of one category with these two files.
    fn fault(structure: &str, text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("mine");
        for (name, content) in [("tools", structure), ("en", text)] {
            std::fs::create_dir_all(place.join(name)).unwrap();
            std::fs::write(place.join(name).join("A.B.toml"), content).unwrap();
        }
        let error = Toolset::load(crate::fixtures::assets(), place.to_str().unwrap(), "en").unwrap_err().to_string();
        error.rsplit("mine/").next().unwrap_or_default().to_owned()
    }

    const TEXT: &str = "title = \"t\"\nwanted = \"w\"\n";

    #[test]
    fn structure_and_text_must_fit_each_other() {
        assert_eq!(fault("[run]", TEXT), "en/A.B.toml: no text for the tool `run`");
        let spoken = format!("{TEXT}[run]\ndescription = \"d\"\n[walk]\ndescription = \"d\"\n");
        assert_eq!(fault("[run]", &spoken), "en/A.B.toml: text for an unknown tool `walk`");
        let spoken = format!("{TEXT}[run]\ndescription = \"d\"\n");
        assert_eq!(fault("[run.parameters.far]", &spoken), "en/A.B.toml: no text for the parameter `far` of `run`");
    }

    #[test]
    fn a_file_that_is_no_toml_or_has_other_keys_is_named_with_its_place() {
        assert!(fault("[run", TEXT).starts_with("tools/A.B.toml: TOML parse error at line 1"));
        assert!(fault("[run]\nspeed = 3", TEXT).contains("unknown field `speed`"));
        assert!(fault("[run]", "title = \"t\"").contains("missing field `wanted`"));
    }

    #[test]
    fn a_tool_that_changes_something_says_so_by_either_key() {
        for key in ["writes", "acts"] {
            let tool: ToolText = toml::from_str(&format!("{key} = true")).unwrap();
            assert!(tool.writes, "{key}");
        }
    }

    #[test]
    fn a_flag_is_worded_by_its_clauses() {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let tool = toolset.tool("Navigation.MapNavigation.findChargingStations").unwrap();
        let wordings = &tool.wordings["fast"];
        assert!(!wordings["true"].is_empty() && !wordings["false"].is_empty());
        assert!(wordings.values().flatten().all(|words| !words.starts_with([',', ' '])), "{wordings:?}");
        assert_eq!(plain_clauses(&[", (fast|quick) ones".to_owned(), "(".to_owned()]), ["fast ones", "quick ones"]);
    }
}
