//! People, whose voices writers borrow: one begins each text that is drawn, and goes with all that is made of it.

use crate::llm::{Prompt, PromptError};
use crate::locale::Style;
use crate::record::{Chance, Object, Provenance};
use crate::stage::outcome::Outcome;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The fact of an item's provenance that says who speaks in it.
const FACT: &str = "person";
/// The column whose value is a style of the locale's `pack.toml`.
const REGISTER: &str = "register";

/// The table of people of a run: a row for each, with columns of any names.
#[derive(Debug, Clone, Default)]
pub struct People {
    rows: Arc<[Object]>,
    /// Tells a writer who speaks.
    prompt: Option<Arc<Prompt>>,
}

/// Who speaks in an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Person(Object);

impl People {
    /// These people, with the prompt that tells a writer who of them speaks.
    pub fn new(rows: Vec<Object>, prompt: Prompt) -> Self {
        Self { rows: rows.into(), prompt: Some(Arc::new(prompt)) }
    }

    /// Says of a person to a writer what the prompt says.
    pub fn introduce(&self, person: &Person, styles: &[Style]) -> Result<String, PromptError> {
        let Some(prompt) = &self.prompt else { return Ok(String::new()) };
        let person = [("person", person.shown(styles))].into_iter().collect::<BTreeMap<_, _>>();
        Ok(prompt.render(&person)?.user)
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The `ordinal`-th of them in an order that `chance` draws, so that nobody comes twice before all have come.
    pub fn draw(&self, mut chance: Chance, ordinal: usize) -> Option<Person> {
        chance.deal(&self.rows, ordinal).cloned().map(Person)
    }
}

impl Person {
    /// The person who began an item.
    pub fn of(provenance: &Provenance) -> Option<Self> {
        serde_json::from_str(provenance.facts.get(FACT)?).ok().map(Self)
    }

    /// Notes the person in all items of an outcome.
    pub fn sign(&self, outcome: &mut Outcome) {
        let text = serde_json::to_string(&self.0).unwrap_or_default();
        for item in &mut outcome.kept {
            item.provenance.facts.entry(FACT.to_owned()).or_insert_with(|| text.clone());
        }
    }

    /// The style in which the person speaks, where the table names one of these.
    pub fn style<'s>(&self, styles: &'s [Style]) -> Option<&'s Style> {
        let register = self.0.get(REGISTER)?.as_str()?;
        styles.iter().find(|style| style.name == register)
    }

    /// What prompts are given of the person; a register that is a style is told in the style's words.
    pub fn shown(&self, styles: &[Style]) -> Object {
        let mut shown = self.0.clone();
        if let Some(style) = self.style(styles) {
            shown.insert(REGISTER.to_owned(), style.description.as_str().into());
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::{tool_item, train};

    fn people(count: usize) -> People {
        let row = |at: usize| [("name".to_owned(), at.to_string().as_str().into())].into_iter().collect();
        let prompt = Prompt::load(crate::fixtures::assets(), "person", "en").unwrap();
        People::new((0..count).map(row).collect(), prompt)
    }

    #[test]
    fn nobody_comes_twice_before_all_have_come() {
        let people = people(5);
        let chance = |root: &str| Chance::new(7, "people", root, 0);
        let drawn = |root: &str, ordinal| people.draw(chance(root), ordinal).unwrap().0["name"].to_string();
        let mut first: Vec<String> = (0..5).map(|ordinal| drawn("a", ordinal)).collect();
        assert_eq!((drawn("a", 5), drawn("a", 9)), (first[0].clone(), first[4].clone()));
        assert_ne!(first, (0..5).map(|ordinal| drawn("b", ordinal)).collect::<Vec<_>>(), "each root has its order");
        first.sort();
        first.dedup();
        assert_eq!(first.len(), 5);
        assert_eq!(People::default().draw(chance("a"), 0), None);
    }

    #[test]
    fn whoever_begins_an_item_stays_with_it() {
        let person = people(1).draw(Chance::new(7, "people", "a", 0), 0).unwrap();
        let mut outcome = Outcome::keep(tool_item(train()));
        person.sign(&mut outcome);
        assert_eq!(Person::of(&outcome.kept[0].provenance), Some(person));
        people(2).draw(Chance::new(7, "people", "a", 0), 1).unwrap().sign(&mut outcome);
        assert_eq!(outcome.kept[0].provenance.facts.len(), 1);
        assert_eq!(Person::of(&Provenance::default()), None);
    }

    #[test]
    fn a_register_that_is_a_style_is_told_in_its_words() {
        let pack = crate::fixtures::pack("ko");
        let person = |register: &str| Person([(REGISTER.to_owned(), register.into())].into_iter().collect());
        assert_eq!(person("haeyo").style(&pack.styles).unwrap().name, "haeyo");
        let told = |register| people(1).introduce(&person(register), &pack.styles).unwrap();
        assert!(told("haeyo").contains(&person("haeyo").style(&pack.styles).unwrap().description));
        assert!(told("loud").contains("loud"));
    }
}
