//! Values of fields with the words that say them.

use super::World;
use crate::toolset::{Content, Field};
use fcgen_core::locale::{Drawn, Fill, Pack};
use fcgen_core::record::{Chance, Value};
use indexmap::IndexMap;

/// A value of a field that refers to nothing; `None` for a reference, and where the pack has no such kind.
pub(super) fn draw(pack: &Pack, field: &Field, chance: &mut Chance) -> Option<Drawn> {
    let value = match &field.content {
        Content::Kind(kind) => {
            let drawn = pack.draw(kind, chance)?;
            return Some(Drawn { value: typed(drawn.value, &field.type_name), surface: drawn.surface });
        }
        Content::Listed(values) => Value::from(chance.pick(values)?.as_str()),
        Content::Boolean => Value::Bool(chance.happens(0.5)),
        Content::Reference(_) => return None,
    };
    Some(Drawn { surface: say(pack, field, &value, chance), value })
}

/// One way to say a value of a field: by a wording, in one of the language's forms, or as it stands.
pub(super) fn say(pack: &Pack, field: &Field, value: &Value, chance: &mut Chance) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let wordings = field.wordings.get(&text);
    match (wordings.and_then(|wordings| chance.pick(wordings)), &field.content) {
        (Some(words), _) => words.clone(),
        (None, Content::Kind(kind)) => pack.say(kind, value, chance),
        (None, _) => text,
    }
}

/// A number under a string field is a text.
fn typed(value: Value, type_name: &str) -> Value {
    match (&value, type_name) {
        (Value::Number(number), "string") => Value::from(number.as_str()),
        _ => value,
    }
}

impl World {
    /// Draws a value for a field or a parameter, with the words that say it. A reference is drawn from the rows of its
    /// resource and said by its identifier; `None` where there are none.
    pub fn draw(&self, field: &Field, chance: &mut Chance) -> Option<Drawn> {
        let Content::Reference(of) = &field.content else { return draw(self.pack(), field, chance) };
        let rows: Vec<&str> = self.rows(of).map(super::Row::id).collect();
        let id = chance.pick(&rows)?;
        Some(Drawn { value: Value::from(*id), surface: (*id).to_owned() })
    }

    /// One way to say a value of a field that is there already. An identifier is said as it stands.
    pub fn say(&self, field: &Field, value: &Value, chance: &mut Chance) -> String {
        say(self.pack(), field, value, chance)
    }

    /// One of the noun phrases for a thing by its identifier.
    pub fn call_by_id(&self, resource: &str, id: &str, chance: &mut Chance) -> String {
        let called = self.domain().resources.get(resource).and_then(|resource| chance.pick(&resource.called));
        let words = Drawn { value: Value::from(id), surface: id.to_owned() };
        let mut words = Words::new(self.pack(), IndexMap::from([("id".to_owned(), words)]));
        called.map_or_else(|| id.to_owned(), |called| called.pattern.render(&mut words, chance))
    }
}

/// What is put into the slots of a pattern, by their names.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    pack: &'a Pack,
    said: IndexMap<String, Drawn>,
}

impl<'a> Words<'a> {
    /// Words in the language of `pack`.
    pub fn new(pack: &'a Pack, said: IndexMap<String, Drawn>) -> Self {
        Self { pack, said }
    }
}

impl Fill for Words<'_> {
    fn has(&self, slot: &str) -> bool {
        self.said.contains_key(slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        let Some(drawn) = self.said.get(slot) else { return String::new() };
        match particle.filter(|particle| self.pack.counts(particle)) {
            Some(counter) => self.pack.counted(&drawn.value, &drawn.surface, counter, chance),
            None => self.pack.agreed(&drawn.surface, particle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::testing::bank;
    use fcgen_core::locale::Pattern;
    use std::collections::BTreeSet;

    fn drawn(locale: &str, resource: &str, field: &str) -> BTreeSet<(String, String)> {
        let world = bank(locale, 7);
        let field = world.domain().resources[resource].fields[field].clone();
        let draws = (0..60).filter_map(|draw| world.draw(&field, &mut Chance::new(1, "draw", "", draw)));
        draws.map(|drawn| (drawn.value.to_string(), drawn.surface)).collect()
    }

    #[test]
    fn listed_values_and_booleans_are_said_by_their_wordings() {
        let said = drawn("en", "account", "type");
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said.contains(&("\"checking\"".to_owned(), "everyday".to_owned())));
        let said = drawn("ko", "account", "paperless");
        assert!(said.contains(&("true".to_owned(), "온라인".to_owned())), "{said:?}");
    }

    #[test]
    fn a_day_is_said_in_the_languages_form_and_a_number_as_it_stands() {
        assert!(
            drawn("ko", "customer", "birthDate").iter().any(|(value, said)| value.len() == 12 && said.contains("월 "))
        );
        assert!(drawn("en", "account", "balance").iter().all(|(value, said)| value == said));
    }

    #[test]
    fn a_reference_is_one_of_the_rows() {
        let world = bank("en", 7);
        let rows: BTreeSet<String> = world.rows("customer").map(|row| row.id().to_owned()).collect();
        assert!(drawn("en", "account", "customerId").iter().all(|(_, said)| rows.contains(said)));
    }

    #[test]
    fn words_agree_with_what_stands_before_them() {
        let world = bank("ko", 7);
        let words = IndexMap::from([("a".to_owned(), Drawn { value: "부산".into(), surface: "부산".to_owned() })]);
        let pattern = Pattern::parse("{a|을} 보고[ {b}에서] {a|과}").unwrap();
        let said = pattern.render(&mut Words::new(world.pack(), words), &mut Chance::of(&[b"x"]));
        assert_eq!(said, "부산을 보고 부산과");
        let called: BTreeSet<String> =
            (0..20).map(|draw| world.call_by_id("account", "ACA123", &mut Chance::new(1, "c", "", draw))).collect();
        assert_eq!(called.len(), 3);
        assert_eq!(world.call_by_id("no", "X1", &mut Chance::of(&[b"x"])), "X1");
    }
}
