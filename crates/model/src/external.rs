//! Points at values that stand elsewhere, and writes the messages that hold them (HammerBench E.6).

use super::Grammar;
use crate::llm::{EntityVariables, MessageVariables, PointerVariables, RewriteVariables};
use crate::locale::Pattern;
use crate::record::Chance;
use crate::values::arguments::kind_of;

/// How often a message holds a second value of the same kind, where there is one to be found.
const TWO: f64 = 0.75;
/// How often a value or a message is drawn anew that says what it must not.
const TRIES: usize = 8;

impl Grammar {
    /// Which argument is an entity: one whose value kind says so. Returns parameter and entity.
    pub(super) fn external_entity(&self, variables: &EntityVariables, chance: &mut Chance) -> Option<(String, String)> {
        let known: Vec<(String, String)> = variables
            .label
            .iter()
            .filter(|(_, value)| value.as_str().is_some())
            .filter_map(|(name, _)| {
                let parameter = variables.tool.parameters.properties.get(name)?;
                let kind = self.pack.kinds.get(&kind_of(&self.pack, &variables.tool, name, parameter))?;
                let entity = self.pack.external.entities.get(kind.entity.as_deref()?)?;
                variables.entities.contains(entity).then(|| (name.clone(), entity.clone()))
            })
            .collect();
        chance.pick(&known).cloned()
    }

    /// Names a pointer: `the time we meet, from Lena's text`.
    pub(super) fn external_pointer(&self, variables: &PointerVariables, chance: &mut Chance) -> String {
        let external = &self.pack.external;
        let Some(key) = self.entity_key(&variables.entity) else { return String::new() };
        if let Some(scene) = chance.pick(&external.scenes_of(&variables.kind, key, &variables.tool)) {
            return self.pack.filled(chance.pick(&scene.pointers), "value", "", chance);
        }
        let sender = self.sender(chance, &variables.value);
        let words = [("source", variables.source.as_str()), ("sender", &sender), ("value", "")];
        let pointer = external.pointers.get(key).and_then(|pointers| chance.pick(pointers));
        pointer.map_or_else(String::new, |it| self.pack.rendered(it, &words, chance))
    }

    /// Simulates the message that holds the value and none of the forbidden ones.
    pub(super) fn external_message(&self, variables: &MessageVariables, chance: &mut Chance) -> String {
        let mut message = String::new();
        for _ in 0..TRIES {
            message = self.pack.tidy(&self.message(variables, chance));
            let lower = message.to_lowercase();
            if !variables.forbidden.iter().any(|value| lower.contains(&value.to_lowercase())) {
                break;
            }
        }
        message
    }

    /// Puts the pointer where the query says the value, without a word that counts behind it: `2465451번`.
    pub(super) fn external_query(&self, variables: &RewriteVariables) -> String {
        let (query, old, new) = (&variables.query, variables.surface.as_str(), &variables.pointer);
        let Some((before, after)) = query.split_once(old) else { return query.clone() };
        // A particle may begin as a counter does: `부터`, `2부`.
        let is_particle = self.pack.particles.followers.iter().any(|follower| after.starts_with(follower.as_str()));
        let counter = after.chars().next().map(String::from).filter(|first| !is_particle && self.pack.counts(first));
        let after = counter.and_then(|counter| after.strip_prefix(&counter)).unwrap_or(after);
        format!("{before}{new}{}", self.pack.particles.behind(old, new, after))
    }

    /// A message of the scene that the pointer comes from; a plain sentence where it comes from none.
    fn message(&self, variables: &MessageVariables, chance: &mut Chance) -> String {
        let external = &self.pack.external;
        let Some(key) = self.entity_key(&variables.entity) else { return String::new() };
        let messages = external.scene_of(&variables.pointer).map_or(&[][..], |scene| &scene.messages);
        let holds_other = |message: &&Pattern| message.slots().contains(&"other");
        let (with, without): (Vec<&Pattern>, Vec<&Pattern>) = messages.iter().partition(holds_other);
        let other = self.other(variables, chance).filter(|_| without.is_empty() || chance.happens(TWO));
        let chosen = if other.is_some() && !with.is_empty() { with } else { without };
        let plain = || external.messages.get(key).and_then(|messages| messages.first());
        let message = chance.pick(&chosen).copied().or_else(plain);
        let other = other.unwrap_or_default();
        let words = [("value", variables.value.as_str()), ("other", other.as_str())];
        message.map_or_else(String::new, |it| self.pack.rendered(it, &words, chance))
    }

    /// Another value of the kind, which nobody could take for the one that is meant or for a forbidden one.
    fn other(&self, variables: &MessageVariables, chance: &mut Chance) -> Option<String> {
        let told = variables.forbidden.iter().chain([&variables.value]).map(|value| value.to_lowercase());
        let told: Vec<String> = told.collect();
        (0..TRIES).find_map(|_| {
            let other = self.pack.draw(&variables.kind, chance)?.surface;
            let lower = other.to_lowercase();
            let is_apart = |value: &String| !value.contains(&lower) && !lower.contains(value.as_str());
            told.iter().all(is_apart).then_some(other)
        })
    }

    fn entity_key(&self, entity: &str) -> Option<&str> {
        self.pack.external.entities.iter().find(|(_, words)| *words == entity).map(|(key, _)| key.as_str())
    }

    /// A sender who is not the value itself.
    fn sender(&self, chance: &mut Chance, value: &str) -> String {
        let mut sender = String::new();
        for _ in 0..8 {
            sender = self.pack.draw("given_name", chance).map_or_else(String::new, |drawn| drawn.surface);
            if !value.contains(&sender) {
                break;
            }
        }
        sender
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn grammar() -> Grammar {
        Grammar::new(crate::fixtures::pack("en"), 7)
    }

    fn told(kind: &str, draw: u32) -> (String, String) {
        let (entity, source) = ("time".to_owned(), "note".to_owned());
        let (value, forbidden, kind) = ("half past six".to_owned(), vec!["noon".to_owned()], kind.to_owned());
        let mut chance = Chance::new(1, "m", "i", draw);
        let pointing = PointerVariables {
            entity: entity.clone(),
            source: source.clone(),
            value: value.clone(),
            kind: kind.clone(),
            ..PointerVariables::default()
        };
        let pointer = grammar().external_pointer(&pointing, &mut chance);
        let telling = MessageVariables {
            entity,
            source,
            pointer: pointer.clone(),
            value,
            forbidden,
            kind,
            ..MessageVariables::default()
        };
        (pointer, grammar().external_message(&telling, &mut chance))
    }

    #[test]
    fn a_message_holds_the_value_and_nothing_forbidden_and_mostly_a_second_value() {
        let all: Vec<(String, String)> = (0..60).map(|draw| told("time", draw)).collect();
        assert!(all.iter().all(|(_, text)| text.contains("half past six") && !text.contains("noon")), "{all:#?}");
        assert!(all.iter().all(|(pointer, _)| !pointer.is_empty() && !pointer.contains("half past six")));
        let language = crate::fixtures::pack("en").language.clone().unwrap();
        let times = |text: &str| {
            let moments = crate::locale::resolve(text, None, &language);
            moments.iter().filter(|it| it.time.is_some()).map(|it| it.range().start).collect::<BTreeSet<_>>().len()
        };
        let two = all.iter().filter(|(_, text)| times(text) > 1).count();
        assert!((36..60).contains(&two), "{two} of 60");
    }

    #[test]
    fn a_counter_goes_with_its_value_and_a_particle_stays() {
        let rewritten = |query: &str, surface: &str| {
            let (query, surface, pointer) = (query.to_owned(), surface.to_owned(), "쪽지에 적힌 거".to_owned());
            let variables = RewriteVariables { query, surface, pointer, ..RewriteVariables::default() };
            Grammar::new(crate::fixtures::pack("ko"), 7).external_query(&variables)
        };
        assert_eq!(rewritten("내일부터 알려 줘", "내일"), "쪽지에 적힌 거부터 알려 줘");
        assert_eq!(rewritten("사과 3개 담아 줘", "3"), "사과 쪽지에 적힌 거 담아 줘");
    }

    #[test]
    fn what_a_pointer_means_stands_in_a_sentence_of_its_own() {
        let scenes = &crate::fixtures::pack("en").external.scenes;
        assert!(scenes.len() >= 40);
        for scene in scenes {
            let other = scene.messages.iter().filter(|message| message.slots().contains(&"other")).count();
            assert!(other > 0 && other < scene.messages.len(), "{:?}", scene.of);
        }
    }

    #[test]
    fn a_kind_that_no_scene_has_is_said_in_a_plain_sentence() {
        let (pointer, message) = told("watering_time", 3);
        assert!(pointer.contains("note") && message.contains("half past six"), "{pointer} {message}");
    }
}
