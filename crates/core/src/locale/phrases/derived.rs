//! What can be said of tools that bring no phrases: utterances derived from names and descriptions, and value kinds from
//! formats and names. What is derived is stiffer than what people write, and is told to be so wherever it goes.

use super::super::LocaleError;
use super::super::kind::{Kind, KindText};
use crate::assets::Assets;
use crate::record::{Chance, Parameter, Phrases, SlotPhrases, Tool};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Most characters of a description that a request is made of.
const LONGEST: usize = 120;

/// Phrases of a locale for tools without any, from `derived.toml`; empty where a locale has no such file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Derived {
    /// Requests, over `{description}` and `{name}`.
    intents: Vec<String>,
    /// A noun phrase for a parameter, over `{label}`.
    label: String,
    /// Clauses, over `{label}`, `{about}` and `{value}`.
    clauses: Vec<String>,
    /// Clauses that say `true`.
    flags: Vec<String>,
    /// Clauses that say `false`.
    denials: Vec<String>,
    /// Questions for a parameter, over `{label}`.
    questions: Vec<String>,
    /// Verbs that ask for the same, for tools without parameters, whose requests would be all alike.
    alternatives: Vec<Vec<String>>,
    /// What descriptions begin with, and what requests begin with instead.
    verbs: IndexMap<String, String>,
    /// Endings of the third person, by which the verb that a tool's name begins with is recognised.
    third_person: Vec<String>,
    /// Further names of parameters, by the kind of their values.
    names: IndexMap<String, Vec<String>>,
    /// The same for all languages; from another file.
    #[serde(skip)]
    common: Common,
}

/// What programs call things in every language, from `locales/common.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Common {
    formats: IndexMap<String, String>,
    names: IndexMap<String, Vec<String>>,
    kinds: IndexMap<String, KindText>,
    order: Vec<(String, String)>,
}

impl Derived {
    /// Reads a locale's phrases, and what all languages share.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let own: Self = optional(assets, &super::super::locale_file(assets, code, "derived.toml"))?;
        Ok(Self { common: optional(assets, "locales/common.toml")?, ..own })
    }

    /// The value kinds that all languages share.
    pub(crate) fn kinds(&self) -> IndexMap<String, KindText> {
        self.common.kinds.clone()
    }

    /// Whether two parameters of one kind have names that differ in a pair of words such as `start` and `end`, of which `name`
    /// has the first.
    pub(crate) fn precedes(&self, name: &str, other: &str) -> bool {
        let (name, other) = (name.to_lowercase(), other.to_lowercase());
        let differ = |(first, second): &(String, String)| {
            name.contains(first.as_str()) && name.replacen(first.as_str(), second, 1) == other
        };
        self.common.order.iter().any(differ)
    }

    /// Phrases for a tool: requests from its description and name, clauses from the names of its parameters.
    pub fn phrases(&self, tool: &Tool) -> Phrases {
        let name = words(tool.function()).join(" ");
        let sentence = self.imperative(&first_sentence(&tool.description), tool.function());
        let description = if sentence.is_empty() { name.clone() } else { sentence };
        let fill = |text: &String| text.replace("{description}", &plain(&description)).replace("{name}", &plain(&name));
        let mut intents: Vec<String> = Vec::new();
        // A name that begins with a thing (`plants log watering`) is no request, unless there is nothing else to say.
        let verb = name.split(' ').next().unwrap_or_default();
        let is_request =
            self.verbs.is_empty() || self.verbs.values().any(|known| known.split(' ').next() == Some(verb));
        let usable = |text: &&String| is_request || description == name || !text.contains("{name}");
        for intent in
            self.intents.iter().filter(usable).map(fill).chain(self.intents.is_empty().then(|| plain(&description)))
        {
            if !intents.contains(&intent) {
                intents.push(intent);
            }
        }
        if tool.parameters.properties.is_empty() {
            let reworded: Vec<String> = intents.iter().flat_map(|intent| self.reworded(intent)).collect();
            intents.extend(reworded);
            let mut seen = BTreeSet::new();
            intents.retain(|intent| seen.insert(intent.clone()));
        }
        let slots =
            tool.parameters.properties.iter().map(|(name, parameter)| (name.clone(), self.slot(name, parameter)));
        Phrases { intents, parameters: slots.collect(), ..Phrases::default() }
    }

    /// The same request with other verbs.
    fn reworded(&self, intent: &str) -> Vec<String> {
        let rest = |verb: &String| intent.strip_prefix(verb.as_str())?.strip_prefix(' ');
        let found = self.alternatives.iter().find_map(|verbs| Some((verbs, verbs.iter().find_map(rest)?)));
        found.map_or_else(Vec::new, |(verbs, rest)| verbs.iter().map(|verb| format!("{verb} {rest}")).collect())
    }

    fn slot(&self, name: &str, parameter: &Parameter) -> SlotPhrases {
        let label = words(name).join(" ");
        let about = first_sentence(parameter.description.as_deref().unwrap_or_default());
        let about = if about.is_empty() { label.clone() } else { lowered(&about) };
        let fill = |text: &String| {
            let said = text.replace("{label}", &plain(&label)).replace("{about}", &plain(&about));
            said.replace("{value}", &format!("{{{name}}}"))
        };
        let all = |texts: &[String]| texts.iter().map(fill).collect::<Vec<_>>();
        let (clauses, negations) = match parameter.type_name() {
            "boolean" => (all(&self.flags), all(&self.denials)),
            _ => (all(&self.clauses), Vec::new()),
        };
        let named = if self.label.is_empty() { label.clone() } else { self.label.replace("{label}", &label) };
        // A question is said as it stands, so nothing in it is escaped.
        let questions = self.questions.iter().map(|text| text.replace("{label}", &label)).collect();
        SlotPhrases { label: named, questions, clauses, negations }
    }

    /// How a flag within a value is said: `with express`, `express off`.
    pub fn flag(&self, name: &str, flag: bool, chance: &mut Chance) -> String {
        let label = words(name).join(" ");
        let said = chance.pick(if flag { &self.flags } else { &self.denials });
        said.map_or(label.clone(), |text| {
            let text = text.replace("{label}", &label).replace("{about}", &label);
            text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
        })
    }

    /// A description of the tool `name` as a request begins: without the third person, and without its capital.
    pub fn imperative(&self, sentence: &str, name: &str) -> String {
        let lowered = lowered(sentence);
        let (first, rest) = lowered.split_once(' ').unwrap_or((&lowered, ""));
        let first = first.to_lowercase();
        let is_named =
            |verb: &String| self.third_person.iter().any(|ending| first.strip_suffix(ending.as_str()) == Some(verb));
        match self.verbs.get(&first).cloned().or_else(|| words(name).into_iter().next().filter(is_named)) {
            Some(verb) => format!("{verb} {rest}").trim().to_owned(),
            None => lowered,
        }
    }

    /// The kind of a parameter's values by its format, else by the last words of its name; `None` where neither tells.
    pub fn kind(&self, kinds: &IndexMap<String, Kind>, name: &str, parameter: &Parameter) -> Option<&str> {
        let fits = |kind: &str| {
            let numbers = kinds.get(kind).map(|kind| kind.numbers.is_some());
            numbers.is_some_and(|numbers| numbers == matches!(parameter.type_name(), "integer" | "number"))
        };
        let format = parameter.more.get("format").and_then(Json::as_str);
        let by_format = format.and_then(|format| self.common.formats.get(format)).map(String::as_str);
        by_format.filter(|kind| fits(kind)).or_else(|| self.by_name(&words(name), fits))
    }

    fn by_name(&self, words: &[String], fits: impl Fn(&str) -> bool) -> Option<&str> {
        let ends = |ending: &str| {
            let ending: Vec<&str> = ending.split(' ').collect();
            words.len() >= ending.len() && words.iter().rev().zip(ending.iter().rev()).all(|(word, end)| word == end)
        };
        let named = self.names.iter().chain(&self.common.names).filter(|(kind, _)| fits(kind));
        let lengths = named.filter_map(|(kind, endings)| {
            let longest = endings.iter().filter(|ending| ends(ending)).map(|ending| ending.split(' ').count()).max()?;
            Some((longest, kind.as_str()))
        });
        // Of two that are as long, the one that stands first.
        lengths
            .fold(None, |best: Option<(usize, &str)>, it| best.filter(|best| best.0 >= it.0).or(Some(it)))
            .map(|it| it.1)
    }
}

/// A file of a locale that may be missing.
pub(crate) fn optional<T: for<'de> Deserialize<'de> + Default>(assets: &Assets, path: &str) -> Result<T, LocaleError> {
    let Some(text) = assets.read(path) else { return Ok(T::default()) };
    crate::toml_text::from_toml(&text)
        .map_err(|error| LocaleError::Toml { path: path.to_owned(), message: error.to_string() })
}

/// The words of a name: `listPlants`, `list_plants` and `list-plants` are two.
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut previous = ' ';
    for letter in name.chars() {
        let is_border = (letter.is_uppercase() && previous.is_lowercase())
            || (letter.is_ascii_digit() && previous.is_alphabetic() && !previous.is_ascii_alphabetic());
        if is_border || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        previous = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The first sentence, without its mark, if it is not too long for a request.
fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let end = [". ", "。", "; ", ": ", " ("]
        .into_iter()
        .filter_map(|mark| Some(line.split_once(mark)?.0))
        .min_by_key(|head| head.len());
    let sentence = end.unwrap_or(line).trim().trim_end_matches(['.', '。']);
    if sentence.chars().count() <= LONGEST { sentence.to_owned() } else { cut(sentence) }
}

fn cut(sentence: &str) -> String {
    let head: String = sentence.chars().take(LONGEST).collect();
    head.rsplit_once(' ').map_or(head.clone(), |(kept, _)| kept.to_owned())
}

/// A text whose first word has no capital, unless it is written in capitals.
fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// A text without what patterns and clauses would take for marks.
fn plain(text: &str) -> String {
    text.replace(['(', ')', '[', ']', '{', '}', '|', '\\', '`', '"'], " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {

    use super::*;
    use serde_json::json;

    fn tool(json: Json) -> Tool {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn phrases_come_from_descriptions_and_names() {
        let derived = Derived::load(crate::fixtures::assets(), "en").unwrap();
        let phrases = derived.phrases(&tool(json!({"name": "listPlants", "description": "Returns the plants (all) of a shelf. Newest first.",
            "parameters": {"properties": {"shelfId": {"type": "integer", "description": "Which shelf"}, "rare": {"type": "boolean"}}}})));
        assert_eq!(phrases.intents, ["get the plants", "list plants"]);
        let shelf = &phrases.parameters["shelfId"];
        assert_eq!(shelf.label, "the shelf id");
        assert!(shelf.clauses.contains(&", which shelf: {shelfId}".to_owned()), "{shelf:?}");
        assert_eq!(phrases.parameters["rare"].negations.len(), 3);
        assert!(shelf.negations.is_empty() && shelf.questions.iter().all(|it| it.contains("shelf id")));
    }

    #[test]
    fn a_tool_without_parameters_is_asked_for_with_several_verbs() {
        let derived = Derived::load(crate::fixtures::assets(), "en").unwrap();
        let phrases = derived.phrases(&tool(json!({"name": "list_carriers", "description": "List carriers"})));
        assert_eq!(phrases.intents, ["list carriers", "show me carriers", "give me carriers", "get carriers"]);
        let named = derived.phrases(&tool(json!({"name": "water_plant", "description": "Waters a plant", "parameters": {"properties": {"id": {"type": "string"}}}})));
        assert_eq!(named.intents, ["water a plant"]);
        let other = derived.phrases(&tool(json!({"name": "ping", "description": "Ping the server"})));
        assert_eq!(other.intents, ["ping the server"]);
    }

    #[test]
    fn every_pattern_of_every_locale_is_one() {
        let tool = tool(
            json!({"name": "list_a", "description": "Does [it] {now}", "parameters": {"properties": {"b": {"description": "x | y"}, "c": {"type": "boolean"}}}}),
        );
        for code in ["en", "ko", "ja", "zh"] {
            let phrases = Derived::load(crate::fixtures::assets(), code).unwrap().phrases(&tool);
            let slots = phrases.parameters.values().flat_map(|slot| slot.clauses.iter().chain(&slot.negations));
            for text in phrases.intents.iter().chain(slots) {
                assert!(super::super::super::Pattern::parse(text).is_ok(), "{code}: {text}");
            }
            assert!(phrases.intents.len() >= 2 && phrases.parameters["b"].clauses.len() >= 2, "{code}");
        }
    }

    #[test]
    fn kinds_come_from_formats_and_names() {
        let pack = crate::fixtures::pack("en");
        for (name, schema, kind) in [
            ("x", json!({"type": "string", "format": "uuid"}), Some("uuid")),
            ("x", json!({"type": "string", "format": "date-time"}), Some("iso_moment")),
            ("customerEmail", json!({"type": "string"}), Some("email")),
            ("plant_id", json!({"type": "integer"}), Some("record_number")),
            ("per_page", json!({"type": "integer"}), Some("count")),
            ("page", json!({"type": "integer"}), Some("small_number")),
            ("city", json!({"type": "integer"}), None),
            ("x", json!({"type": "integer", "format": "int64"}), None),
            ("colour", json!({"type": "string"}), None),
        ] {
            let parameter: Parameter = serde_json::from_value(schema).unwrap();
            assert_eq!(pack.derived.kind(&pack.kinds, name, &parameter), kind, "{name}");
        }
    }

    #[test]
    fn every_named_kind_is_one_in_every_locale() {
        for code in ["en", "ko", "ja", "zh"] {
            let pack = crate::fixtures::pack(code);
            let common = &pack.derived.common;
            let named = common.names.keys().chain(common.formats.values()).chain(pack.derived.names.keys());
            let missing: Vec<&String> = named.filter(|kind| !pack.kinds.contains_key(*kind)).collect();
            assert!(missing.is_empty(), "{code}: {missing:?}");
        }
    }

    #[test]
    fn names_have_words() {
        assert_eq!(words("getHTTPServer_by-id.v2"), ["get", "httpserver", "by", "id", "v2"]);
        assert_eq!(words("repos/list"), ["repos", "list"]);
        assert!(words("__").is_empty());
    }

    #[test]
    fn requests_are_made_of_a_first_sentence() {
        assert_eq!(first_sentence("Get it. Then more."), "Get it");
        assert_eq!(first_sentence("List: all of them"), "List");
        assert!(first_sentence(&"word ".repeat(60)).chars().count() <= LONGEST);
        assert_eq!(
            (lowered("Get it"), lowered("HTTP it"), lowered("")),
            ("get it".to_owned(), "HTTP it".to_owned(), String::new())
        );
    }
}
