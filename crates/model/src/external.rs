//! Points at values that stand elsewhere, and writes the messages that hold them (HammerBench E.6).

use super::Grammar;
use crate::llm::{EntityVariables, MessageVariables, PointerVariables, RewriteVariables};
use crate::locale::Pattern;
use crate::record::Chance;
use crate::values::arguments::kind_of;

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

    /// Names a pointer: `the time in Anna's email`.
    pub(super) fn external_pointer(&self, variables: &PointerVariables, chance: &mut Chance) -> String {
        let pointers = self.entity_key(&variables.entity).and_then(|key| self.pack.external.pointers.get(key));
        let sender = self.sender(chance, &variables.value);
        let words = [("source", variables.source.as_str()), ("sender", &sender), ("value", "")];
        let pointer = pointers.and_then(|pointers| chance.pick(pointers));
        pointer.map_or_else(String::new, |it| self.pack.rendered(it, &words, chance))
    }

    /// Simulates the message that holds the value and none of the forbidden ones.
    pub(super) fn external_message(&self, variables: &MessageVariables, chance: &mut Chance) -> String {
        let mut message = String::new();
        for _ in 0..8 {
            message = self.message(variables, chance);
            let lower = message.to_lowercase();
            if !variables.forbidden.iter().any(|value| lower.contains(&value.to_lowercase())) {
                break;
            }
        }
        message
    }

    /// Puts the pointer where the query says the value.
    pub(super) fn external_query(&self, variables: &RewriteVariables) -> String {
        let (query, old, new) = (&variables.query, variables.surface.as_str(), &variables.pointer);
        match query.split_once(old) {
            Some((before, after)) => format!("{before}{new}{}", self.pack.particles.behind(old, new, after)),
            None => query.clone(),
        }
    }

    fn message(&self, variables: &MessageVariables, chance: &mut Chance) -> String {
        let external = &self.pack.external;
        let Some(key) = self.entity_key(&variables.entity) else { return String::new() };
        let sender = self.sender(chance, &variables.value);
        let words = [("source", variables.source.as_str()), ("sender", &sender), ("value", &variables.value)];
        let mut say = |patterns: Option<&Vec<Pattern>>| {
            let pattern = patterns.and_then(|patterns| chance.pick(patterns).cloned());
            pattern.map_or_else(String::new, |it| self.pack.rendered(&it, &words, chance))
        };
        let opening = say(Some(&external.openings));
        let core = say(external.messages.get(key));
        let mut sentences = vec![core, say(Some(&external.besides)), say(Some(&external.besides))];
        // A signature would put a second name beside the one that is pointed at.
        let unsigned: Vec<Pattern> = external.closings.iter().filter(|it| it.slots().is_empty()).cloned().collect();
        let closing = say(Some(if key == "person" { &unsigned } else { &external.closings }));
        if sentences[1] == sentences[2] {
            sentences.pop();
        }
        if chance.happens(0.4) {
            sentences.pop();
        }
        chance.shuffle(&mut sentences);
        sentences.insert(0, opening);
        if chance.happens(0.7) {
            sentences.push(closing);
        }
        sentences.join(&self.pack.joiner)
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
    use crate::llm::Common;

    fn grammar() -> Grammar {
        Grammar::new(crate::fixtures::pack("en"), 7)
    }

    #[test]
    fn a_message_holds_the_value_and_nothing_forbidden() {
        let variables = MessageVariables {
            common: Common::default(),
            entity: "time".to_owned(),
            about: "Time".to_owned(),
            source: "note".to_owned(),
            pointer: "the time in the note".to_owned(),
            value: "half past six".to_owned(),
            forbidden: vec!["Anna".to_owned()],
        };
        let mut messages: Vec<String> =
            (0..50).map(|draw| grammar().external_message(&variables, &mut Chance::new(1, "m", "i", draw))).collect();
        assert!(messages.iter().all(|text| text.contains("half past six") && !text.contains("Anna")));
        messages.sort();
        messages.dedup();
        assert!(messages.len() >= 49, "{}", messages.len());
    }

    #[test]
    fn a_pointer_does_not_give_the_value_away() {
        let variables = PointerVariables {
            common: Common::default(),
            entity: "person".to_owned(),
            about: "Person".to_owned(),
            source: "email".to_owned(),
            value: "Anna".to_owned(),
        };
        for draw in 0..50 {
            let pointer = grammar().external_pointer(&variables, &mut Chance::new(1, "p", "i", draw));
            assert!(!pointer.is_empty() && !pointer.contains("Anna"), "{pointer}");
        }
    }
}
