//! External information: the entities that people point at, the pointers, and the messages that hold the value.

use super::super::LocaleError;
use super::super::Pattern;
use super::super::parse_all;
use crate::assets::Assets;
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a language points at what stands elsewhere. Empty where the pack has no `external.toml`.
#[derive(Debug, Clone, Default)]
pub struct External {
    /// Where things stand: text message, note ...
    pub sources: Vec<String>,
    /// The entities (HammerBench: nine), each in the words of a prompt.
    pub entities: IndexMap<String, String>,
    /// Pointers by entity, where no scene has the kind of a value: patterns over `{source}` and `{sender}`.
    pub pointers: IndexMap<String, Vec<Pattern>>,
    /// Sentences that hold the value, by entity, where no scene has its kind: patterns over `{value}`.
    pub messages: IndexMap<String, Vec<Pattern>>,
    /// Who writes what: pointers with the messages that they point at.
    pub scenes: Vec<Scene>,
    /// The scene that each pointer comes from.
    by_pointer: BTreeMap<String, usize>,
}

/// A message that people get, with the words that point at a value in it.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What it is of, as it is written: groups of kinds, kinds, or entities, any kind of which it can hold.
    pub of: Vec<String>,
    /// The kinds of values that it is meant for.
    kinds: Vec<String>,
    /// The domains or categories of tools that it suits, as tools' names begin (`Travel`, `Travel.Trains`); any if empty.
    domains: Vec<String>,
    /// Noun phrases that stand where the value stood.
    pub pointers: Vec<Pattern>,
    /// What is written: patterns over `{value}` and `{other}`, another value of the same kind that the pointer rules out.
    pub messages: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExternalText {
    sources: Vec<String>,
    entities: IndexMap<String, String>,
    pointers: IndexMap<String, Vec<String>>,
    messages: IndexMap<String, Vec<String>>,
    /// Names for several kinds.
    #[serde(default)]
    groups: IndexMap<String, Vec<String>>,
    #[serde(default)]
    scenes: Vec<SceneText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneText {
    of: Vec<String>,
    #[serde(default)]
    domains: Vec<String>,
    pointers: Vec<String>,
    messages: Vec<String>,
}

impl External {
    /// Loads `locales/<code>/external.toml`, or the English one in its place.
    pub(crate) fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let path = super::super::locale_file(assets, code, "external.toml");
        let Some(text) = assets.read(&path) else { return Ok(Self::default()) };
        let text: ExternalText = crate::toml_text::from_toml(&text)
            .map_err(|error| LocaleError::Toml { path: path.clone(), message: error.to_string() })?;
        let by_entity = |patterns: IndexMap<String, Vec<String>>| {
            patterns
                .into_iter()
                .map(|(entity, texts)| Ok((entity, parse_all(&path, &texts)?)))
                .collect::<Result<IndexMap<_, _>, LocaleError>>()
        };
        let scene = |scene: SceneText| {
            let kinds = |name: &String| text.groups.get(name).cloned().unwrap_or_else(|| vec![name.clone()]);
            Ok(Scene {
                kinds: scene.of.iter().flat_map(kinds).collect(),
                of: scene.of,
                domains: scene.domains,
                pointers: parse_all(&path, &scene.pointers)?,
                messages: parse_all(&path, &scene.messages)?,
            })
        };
        let scenes = text.scenes.into_iter().map(scene).collect::<Result<Vec<Scene>, LocaleError>>()?;
        let pointers = scenes.iter().enumerate().flat_map(|(at, scene)| {
            let said = scene.pointers.iter().flat_map(|pointer| pointer.variants(usize::MAX));
            said.map(move |pointer| (pointer, at))
        });
        Ok(Self {
            by_pointer: pointers.collect(),
            pointers: by_entity(text.pointers)?,
            messages: by_entity(text.messages)?,
            scenes,
            sources: text.sources,
            entities: text.entities,
        })
    }

    /// The scene that a pointer comes from.
    pub fn scene_of(&self, pointer: &str) -> Option<&Scene> {
        self.by_pointer.get(pointer).map(|at| &self.scenes[*at])
    }

    /// The scenes for a value of this kind that an argument of this tool has: those of its domain, else those of no domain;
    /// those that name its entity, where none has the kind.
    pub fn scenes_of(&self, kind: &str, entity: &str, tool: &str) -> Vec<&Scene> {
        let has = |names: &[String], wanted: &str| names.iter().any(|name| name == wanted);
        let begins = |domain: &String| tool.strip_prefix(domain.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let suiting = |is_meant: &dyn Fn(&Scene) -> bool| {
            let meant: Vec<&Scene> = self.scenes.iter().filter(|scene| is_meant(scene)).collect();
            let (own, others): (Vec<&Scene>, Vec<&Scene>) =
                meant.into_iter().partition(|scene| scene.domains.iter().any(begins));
            if own.is_empty() { others.into_iter().filter(|scene| scene.domains.is_empty()).collect() } else { own }
        };
        let of_kind = suiting(&|scene| has(&scene.kinds, kind));
        if of_kind.is_empty() { suiting(&|scene| has(&scene.of, entity)) } else { of_kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_points_at_nine_entities_and_holds_each() {
        let external = External::load(crate::fixtures::assets(), "en").unwrap();
        assert_eq!(external.entities.len(), 9);
        for entity in external.entities.keys() {
            assert!(external.pointers[entity].len() >= 4, "{entity}");
            assert!(external.messages[entity].iter().all(|message| message.slots() == ["value"]), "{entity}");
        }
    }

    #[test]
    fn a_scene_of_the_tools_domain_comes_before_one_of_none() {
        let scene = |domains: &[&str], kinds: &[&str], of: &[&str]| Scene {
            of: of.iter().map(|it| (*it).to_owned()).collect(),
            kinds: kinds.iter().map(|it| (*it).to_owned()).collect(),
            domains: domains.iter().map(|it| (*it).to_owned()).collect(),
            pointers: Vec::new(),
            messages: Vec::new(),
        };
        let scenes = vec![
            scene(&[], &["date"], &["day"]),
            scene(&["Travel"], &["date"], &["travel"]),
            scene(&["Travel.Trains", "Health"], &["train"], &["time"]),
        ];
        let external = External { scenes, ..External::default() };
        let found = |kind: &str, entity: &str, tool: &str| {
            external.scenes_of(kind, entity, tool).iter().map(|scene| scene.of[0].clone()).collect::<Vec<_>>()
        };
        assert_eq!(found("date", "time", "Travel.Hotels.bookHotel"), ["travel"]);
        assert_eq!(found("date", "time", "Travels.bookHotel"), ["day"]);
        assert_eq!(found("clock", "time", "Travel.Trains.viewDepartures"), ["time"]);
        assert!(found("clock", "time", "Travel.Hotels.bookHotel").is_empty());
    }

    #[test]
    fn a_pack_without_the_file_has_none() {
        assert!(External::load(crate::fixtures::assets(), "xx").unwrap().entities.is_empty());
    }
}
