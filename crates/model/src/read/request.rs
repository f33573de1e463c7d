//! What a request is about, and how well that fits a tool.

use super::fit::Fit;
use super::ideas::{Idea, NAMED, Told, ToolIdeas, ideas_of};
use super::text::Span;
use crate::locale::{MASK, Meaning, Reading};
use indexmap::IndexSet;

/// What a request is about.
#[derive(Debug, Default)]
pub(crate) struct RequestIdeas {
    things: IndexSet<Idea>,
    actions: IndexSet<usize>,
    /// The stem of the verb that it begins with.
    verb: Option<String>,
    /// Whether it wants one action and no other: it begins with one that is never meant otherwise.
    strong: bool,
    /// Whether it asks to be told something.
    asks: bool,
    /// Whether a word says its action that cannot stand for any other.
    firm: bool,
}

impl RequestIdeas {
    /// The ideas of a text, its values left out.
    pub(crate) fn new(lower: &[char], values: &[Span], reading: &Reading) -> Self {
        let masked = masked(lower, values);
        let words = reading.words(&masked);
        let mut ideas = Self { asks: asks(&masked, reading), ..Self::default() };
        ideas.firm = ideas.asks || words.iter().any(|word| is_action(word, reading) && !reading.is_light(word));
        ideas.collect(&words, reading);
        let signs = masked.chars().filter_map(|letter| reading.signs.get(letter.encode_utf8(&mut [0; 4]) as &str));
        ideas.collect(&signs.collect::<Vec<_>>(), reading);
        if ideas.asks {
            ideas.actions = reading.informing().collect();
        } else if let Some(actions) = strong_start(&words, reading) {
            ideas.actions = actions;
        }
        ideas.strong = !ideas.actions.is_empty() && ideas.actions.iter().all(|action| reading.is_strong(*action));
        ideas
    }

    /// Whether a word says its action that cannot stand for any other.
    pub(super) fn is_firm(&self) -> bool {
        self.firm
    }

    /// The things that the tool's own name says and the request does not.
    pub(super) fn missing<'t>(&self, tool: &'t ToolIdeas) -> impl Iterator<Item = &'t Idea> {
        let named = tool.things.iter().filter(|(_, weight)| **weight >= NAMED);
        named.map(|(idea, _)| idea).filter(|idea| !self.things.contains(*idea))
    }

    /// Whether it is about anything but an action.
    pub(super) fn has_things(&self) -> bool {
        !self.things.is_empty()
    }

    /// Whether it asks to be told something.
    pub(super) fn is_asking(&self) -> bool {
        self.asks
    }

    /// Whether the first word that means something is an action.
    pub(super) fn begins_with_verb(&self) -> bool {
        self.verb.is_some()
    }

    /// How well the request fits a tool.
    pub(crate) fn fit(&self, tool: &ToolIdeas) -> Fit {
        self.fit_by(tool, |_| 1.0)
    }

    /// The same, where a thing counts by how rare it is.
    pub(super) fn fit_by(&self, tool: &ToolIdeas, rarity: impl Fn(&Idea) -> f64) -> Fit {
        let same_verb = self.verb.as_ref().is_some_and(|verb| tool.verbs.contains(verb));
        let weight = |idea| tool.things.get(idea).map(|weight| weight * rarity(idea));
        let things = self.things.iter().filter_map(weight).sum();
        let same_action = self.actions.iter().any(|action| tool.actions.contains(action));
        let other_action = !same_action && !self.actions.is_empty() && !tool.actions.is_empty();
        let opposed = other_action && self.strong;
        Fit {
            things,
            same_action,
            other_action,
            told: 0.0,
            same_verb,
            own_value: false,
            asks: self.asks,
            firm: self.firm,
            opposed,
        }
    }

    fn collect(&mut self, words: &[impl AsRef<str>], reading: &Reading) {
        let verb = words.iter().map(AsRef::as_ref).find(|word| !reading.is_empty_word(word));
        // The verb says what to do, which is not what the request is about.
        let verb = verb.filter(|word| is_action(word, reading)).map(|word| reading.stem(word));
        self.verb = verb.map(str::to_owned).or(self.verb.take());
        for told in ideas_of(words, reading) {
            match told {
                Told::Action(action) => drop(self.actions.insert(action)),
                Told::Thing(Idea::Stem(stem)) if verb == Some(stem.as_str()) => {}
                Told::Thing(idea) => drop(self.things.insert(idea)),
            }
        }
    }
}

/// A text without the letters of its values.
fn masked(lower: &[char], values: &[Span]) -> String {
    let hidden = |at: usize| values.iter().any(|span| (span.start..span.end).contains(&at));
    lower.iter().enumerate().map(|(at, letter)| if hidden(at) { MASK } else { *letter }).collect()
}

/// Whether a text asks to be told something: a word that asks stands at the head of a sentence or clause.
fn asks(text: &str, reading: &Reading) -> bool {
    let mut clauses = text.split([',', '.', '!', ';', ':', '\n']).map(str::trim);
    clauses.any(|clause| {
        let mut heads = reading.asking.iter().filter_map(|words| clause.strip_prefix(words.as_str()));
        heads.any(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '\''))
    })
}

fn is_action(word: &str, reading: &Reading) -> bool {
    !reading.only_announces(word) && reading.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Action(_)))
}

/// The actions of the first word that means something, if they are all strong.
fn strong_start(words: &[&str], reading: &Reading) -> Option<IndexSet<usize>> {
    let index = words.iter().position(|word| !reading.is_empty_word(word))?;
    let pair = words.get(index + 1).map(|next| format!("{} {next}", words[index]));
    let meanings = pair.iter().flat_map(|pair| reading.meanings(pair)).chain(reading.meanings(words[index]));
    let actions: Option<IndexSet<usize>> = meanings
        .map(|meaning| match meaning {
            Meaning::Action(action) if reading.is_strong(*action) => Some(*action),
            _ => None,
        })
        .collect();
    actions.filter(|actions| !actions.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;

    fn fit(query: &str, tool: &str) -> Fit {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let lower: Vec<char> = query.to_lowercase().chars().collect();
        RequestIdeas::new(&lower, &[], &pack.reading).fit(&ToolIdeas::new(toolset.tool(tool).unwrap(), &pack.reading))
    }

    #[test]
    fn a_request_fits_its_own_tool_and_not_a_stranger() {
        let charge = "Navigation.MapNavigation.findChargingStations";
        assert!(fit("my battery is nearly dead", charge).serves());
        assert!(!fit("what is the weather like", charge).serves());
        let delete = "UtilityTools.AlarmClock.deleteAlarm";
        let add = "UtilityTools.AlarmClock.addAlarm";
        assert!(fit("scrap my alarm", delete).score() > fit("scrap my alarm", add).score());
        assert!(!fit("scrap my alarm", add).serves());
    }

    fn ideas(query: &str) -> RequestIdeas {
        let lower: Vec<char> = query.chars().collect();
        RequestIdeas::new(&lower, &[], &Reading::load(crate::fixtures::assets(), "en").unwrap())
    }

    #[test]
    fn who_asks_wants_to_be_told_and_nothing_done() {
        assert!(ideas("how much money did I get").asks && ideas("hey, is there a train").asks);
        assert!(!ideas("order what I had").asks && !ideas("this is the one to send").asks);
    }

    #[test]
    fn a_request_that_begins_with_the_end_of_a_thing_wants_nothing_else() {
        assert!(ideas("please cancel ticket order 5").strong && !ideas("order a cancel button").strong);
    }

    #[test]
    fn a_light_verb_is_not_firm() {
        assert!(!ideas("get the carpet done").firm && ideas("sell the carpet").firm);
    }
}
