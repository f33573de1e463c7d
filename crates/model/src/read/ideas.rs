//! What a text and a tool are about: stems and groups of words that mean the same.

use super::fit::parameter_stems;
use crate::locale::{MASK, Meaning, Reading};
use crate::record::Tool;
use indexmap::{IndexMap, IndexSet};

/// One thing that a text is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Idea {
    Stem(String),
    Topic(usize),
    /// Things of a sort, by the words for it.
    Sort(String),
}

/// What a word tells: something that the text is about, or an action.
pub(super) enum Told {
    Thing(Idea),
    Action(usize),
}

/// What a tool is about, each thing with its weight: the function's own words count most.
#[derive(Debug, Default)]
pub(crate) struct ToolIdeas {
    pub(super) things: IndexMap<Idea, f64>,
    pub(super) actions: IndexSet<usize>,
    /// Stems of the words that say what it does.
    pub(super) verbs: IndexSet<String>,
}

/// The weight of a word in the function's own name.
pub(super) const NAMED: f64 = 2.0;

impl ToolIdeas {
    /// The ideas of a tool, from its names and descriptions.
    pub(crate) fn new(tool: &Tool, reading: &Reading) -> Self {
        let mut ideas = Self::default();
        let function = split_name(tool.function());
        let (verb, object) = function.split_at(function.len().min(1));
        ideas.verbs.extend(verb.iter().map(|verb| reading.stem(verb).to_owned()));
        ideas.add(verb, 1.0, true, reading);
        ideas.add(object, NAMED, false, reading);
        let category = tool.category().split_once('.').map_or(("", tool.category()), |parts| parts);
        ideas.add(&split_name(category.0), 0.5, false, reading);
        ideas.add(&split_name(category.1), 1.0, false, reading);
        ideas.describe(&tool.description.to_lowercase(), reading);
        for (name, parameter) in &tool.parameters.properties {
            let text = format!("{} {}", name.replace('_', " "), parameter.description.as_deref().unwrap_or_default());
            ideas.add(&reading.words(&text.to_lowercase()), 0.5, false, reading);
            for sort in
                reading.sorts_of(&parameter_stems(tool, name, reading), tool.kinds.get(name).map(String::as_str))
            {
                ideas.add_sort(sort, reading);
            }
        }
        ideas
    }

    fn describe(&mut self, description: &str, reading: &Reading) {
        let words = reading.words(description);
        self.add(&words, 1.5, false, reading);
        // "Have a dish delivered" says only further on what is done.
        let light = words.first().is_some_and(|first| reading.is_light(first));
        let verbs = if light { words.as_slice() } else { words.get(..1).unwrap_or_default() };
        self.verbs.extend(verbs.iter().map(|verb| reading.stem(verb).to_owned()));
        self.add(verbs, 0.0, true, reading);
    }

    /// What the whole tool is about is said by any thing of that sort.
    fn add_sort(&mut self, sort: String, reading: &Reading) {
        let names: Vec<&str> = sort.split_whitespace().collect();
        let weights = ideas_of(&names, reading).into_iter().filter_map(|told| match told {
            Told::Thing(idea) => self.things.get(&idea).copied(),
            Told::Action(_) => None,
        });
        let weight = weights.fold(1.0, f64::max).min(1.5);
        self.things.insert(Idea::Sort(sort), weight);
    }

    fn add(&mut self, words: &[impl AsRef<str>], weight: f64, actions: bool, reading: &Reading) {
        for told in ideas_of(words, reading) {
            match told {
                Told::Action(action) if actions => drop(self.actions.insert(action)),
                Told::Action(_) => {}
                Told::Thing(idea) => {
                    let known = self.things.entry(idea).or_insert(0.0);
                    *known = known.max(weight);
                }
            }
        }
    }
}

/// `findChargingStations` as `find`, `charging`, `stations`.
pub(crate) fn split_name(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || letter.is_uppercase() {
            words.push(String::new());
        }
        fresh = false;
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// What words and neighbouring pairs tell.
pub(super) fn ideas_of(words: &[impl AsRef<str>], reading: &Reading) -> Vec<Told> {
    let mut ideas = Vec::new();
    for (index, word) in words.iter().map(AsRef::as_ref).enumerate().filter(|(_, word)| !word.contains(MASK)) {
        let pair = words.get(index + 1).map(|next| format!("{word} {}", next.as_ref()));
        let sort = pair.as_deref().and_then(|pair| reading.sort(pair)).or_else(|| reading.sort(word));
        ideas.extend(sort.map(|sort| Told::Thing(Idea::Sort(sort.to_owned()))));
        ideas.extend(pair.iter().flat_map(|pair| reading.meanings(pair)).map(|meaning| meant(*meaning)));
        let empty = reading.is_empty_word(word);
        let meanings = if reading.only_announces(word) { &[] } else { reading.meanings(word) };
        // An empty word is still an action where it is one: "get", "put"; it is never a thing.
        let told = meanings.iter().filter(|it| !empty || matches!(it, Meaning::Action(_)));
        ideas.extend(told.map(|meaning| meant(*meaning)));
        if !empty && !meanings.iter().any(|meaning| matches!(meaning, Meaning::Topic(_))) {
            ideas.push(Told::Thing(Idea::Stem(reading.stem(word).to_owned())));
        }
    }
    ideas
}

fn meant(meaning: Meaning) -> Told {
    match meaning {
        Meaning::Action(action) => Told::Action(action),
        Meaning::Topic(topic) => Told::Thing(Idea::Topic(topic)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(split_name("findChargingStations"), ["find", "charging", "stations"]);
        assert_eq!(split_name("get_order"), ["get", "order"]);
    }

    fn ideas(description: &str) -> ToolIdeas {
        let json = format!(
            r#"{{"name": "Food.Delivery.orderDish", "description": "{description}", "parameters": {{"properties":
                {{"flavor": {{"type": "string", "description": "What it tastes of"}}}}}}}}"#
        );
        ToolIdeas::new(&serde_json::from_str(&json).unwrap(), &Reading::load(crate::fixtures::assets(), "en").unwrap())
    }

    #[test]
    fn the_words_of_the_function_count_most_and_its_domain_least() {
        let ideas = ideas("Buy gizmos");
        let weight = |stem: &str| ideas.things.get(&Idea::Stem(stem.to_owned())).copied();
        assert_eq!((weight("gizmo"), weight("tast")), (Some(1.5), Some(0.5)));
        assert!(ideas.things.iter().any(|(idea, weight)| matches!(idea, Idea::Sort(_)) && *weight >= 1.0));
    }

    #[test]
    fn a_light_verb_leaves_it_to_the_others_what_is_done() {
        assert!(ideas("Have a dish delivered").actions.len() > ideas("Order a dish").actions.len());
    }
}
