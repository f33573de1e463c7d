//! What a text and a tool are about: stems and groups of words that mean the same.

use super::recognise::Span;
use crate::locale::{Meaning, Reading};
use crate::record::Tool;
use indexmap::{IndexMap, IndexSet};

/// One thing that a text is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Idea {
    Stem(String),
    Topic(usize),
}

/// What a request is about.
#[derive(Debug, Default)]
pub(crate) struct RequestIdeas {
    things: IndexSet<Idea>,
    actions: IndexSet<usize>,
    /// Whether it names strong actions alone.
    strong: bool,
}

/// What a tool is about, each thing with its weight: the function's own words count most.
#[derive(Debug, Default)]
pub(crate) struct ToolIdeas {
    things: IndexMap<Idea, f64>,
    actions: IndexSet<usize>,
}

/// How well a request fits a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// Weight of the things that both are about.
    pub(crate) things: f64,
    /// Whether both name the same action.
    pub(crate) same_action: bool,
    /// Whether both name actions, and none in common.
    pub(crate) other_action: bool,
    /// How many of the tool's arguments the request says.
    pub(crate) values: usize,
    /// Whether the request wants nothing but the contrary of what the tool does.
    pub(crate) opposed: bool,
}

impl Fit {
    /// One figure to rank tools by.
    pub(crate) fn score(self) -> f64 {
        self.things + if self.same_action { 1.5 } else { 0.0 } - if self.other_action { 1.0 } else { 0.0 }
    }

    /// Whether the request may be for the tool, where no other is in question: they share a thing, or less where the
    /// action or a value speaks for it too.
    pub(crate) fn may_serve(self) -> bool {
        let least = match (self.same_action, self.values > 0) {
            (true, true) => 0.5,
            (true, false) => 1.5,
            (false, true) => 1.5,
            (false, false) => 2.0,
        };
        self.things >= least && !self.opposed
    }

    /// Whether the tool surely serves the request: they share things, and do not name different actions.
    pub(crate) fn serves(self) -> bool {
        let least = match (self.same_action, self.other_action) {
            (true, _) => 2.0,
            (false, false) => 3.0,
            (false, true) => 5.0,
        };
        self.things >= least
    }
}

impl RequestIdeas {
    /// The ideas of a text, its values left out.
    pub(crate) fn new(lower: &[char], values: &[Span], reading: &Reading) -> Self {
        let masked: String = lower
            .iter()
            .enumerate()
            .map(
                |(at, letter)| {
                    if values.iter().any(|span| (span.start..span.end).contains(&at)) { '\u{1}' } else { *letter }
                },
            )
            .collect();
        let mut ideas = Self::default();
        let words = words_of(&masked);
        for (idea, meaning) in ideas_of(&words, reading) {
            match (idea, meaning) {
                (_, Some(Meaning::Action(action))) => drop(ideas.actions.insert(action)),
                (Some(idea), _) => drop(ideas.things.insert(idea)),
                (None, Some(Meaning::Topic(topic))) => drop(ideas.things.insert(Idea::Topic(topic))),
                (None, None) => {}
            }
        }
        ideas.strong = !ideas.actions.is_empty() && ideas.actions.iter().all(|action| reading.is_strong(*action));
        ideas
    }

    /// How well the request fits a tool.
    pub(crate) fn fit(&self, tool: &ToolIdeas) -> Fit {
        let things = self.things.iter().filter_map(|idea| tool.things.get(idea)).sum();
        let same_action = self.actions.iter().any(|action| tool.actions.contains(action));
        let other_action = !same_action && !self.actions.is_empty() && !tool.actions.is_empty();
        Fit { things, same_action, other_action, values: 0, opposed: other_action && self.strong }
    }
}

impl ToolIdeas {
    /// The ideas of a tool, from its names and descriptions.
    pub(crate) fn new(tool: &Tool, reading: &Reading) -> Self {
        let mut ideas = Self::default();
        let function = split_name(tool.function());
        let (verb, object) = function.split_first().map_or((&[][..], &[][..]), |_| function.split_at(1));
        ideas.add(&verb.iter().map(String::as_str).collect::<Vec<_>>(), 1.0, true, reading);
        ideas.add(&object.iter().map(String::as_str).collect::<Vec<_>>(), 2.0, false, reading);
        let category = split_name(tool.category().rsplit('.').next().unwrap_or_default());
        ideas.add(&category.iter().map(String::as_str).collect::<Vec<_>>(), 1.0, false, reading);
        let description = tool.description.to_lowercase();
        let words = words_of(&description);
        ideas.add(&words, 1.5, false, reading);
        if let Some(first) = words.first() {
            ideas.add(&[first], 0.0, true, reading);
        }
        for (name, parameter) in &tool.parameters.properties {
            let text = format!("{} {}", name.replace('_', " "), parameter.description.as_deref().unwrap_or_default());
            ideas.add(&words_of(&text.to_lowercase()), 0.5, false, reading);
        }
        ideas
    }

    fn add(&mut self, words: &[&str], weight: f64, actions: bool, reading: &Reading) {
        for (idea, meaning) in ideas_of(words, reading) {
            match (idea, meaning) {
                (_, Some(Meaning::Action(action))) if actions => drop(self.actions.insert(action)),
                (_, Some(Meaning::Action(_))) => {}
                (idea, meaning) => {
                    let topic = meaning
                        .and_then(|it| if let Meaning::Topic(topic) = it { Some(Idea::Topic(topic)) } else { None });
                    for idea in idea.into_iter().chain(topic) {
                        let known = self.things.entry(idea).or_insert(0.0);
                        *known = known.max(weight);
                    }
                }
            }
        }
    }
}

/// The words of a text in lower case, empty ones included, since `call off` needs its `off`.
fn words_of(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\u{1}').filter(|word| !word.is_empty()).collect()
}

/// `findChargingStations` as `find`, `charging`, `stations`.
pub(super) fn split_name(name: &str) -> Vec<String> {
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

/// The stems and meanings of words and neighbouring pairs.
fn ideas_of(words: &[&str], reading: &Reading) -> Vec<(Option<Idea>, Option<Meaning>)> {
    let mut ideas = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if word.contains('\u{1}') {
            continue;
        }
        if let Some(next) = words.get(index + 1) {
            ideas.extend(reading.meanings(&format!("{word} {next}")).iter().map(|meaning| (None, Some(*meaning))));
        }
        let empty = reading.is_empty_word(word);
        let meanings = if reading.announces(word) { &[] } else { reading.meanings(word) };
        // An empty word is still an action where it is one: "get", "put"; it is never a thing.
        ideas.extend(
            meanings.iter().filter(|it| !empty || matches!(it, Meaning::Action(_))).map(|it| (None, Some(*it))),
        );
        if !empty && !meanings.iter().any(|meaning| matches!(meaning, Meaning::Topic(_))) {
            ideas.push((Some(Idea::Stem(reading.stem(word).to_owned())), None));
        }
    }
    ideas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;
    use crate::toolset::Toolset;

    fn fit(query: &str, tool: &str) -> Fit {
        let toolset = Toolset::load("mobile", "en").unwrap();
        let mut pack = Pack::load("en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let lower: Vec<char> = query.to_lowercase().chars().collect();
        RequestIdeas::new(&lower, &[], &pack.reading).fit(&ToolIdeas::new(toolset.tool(tool).unwrap(), &pack.reading))
    }

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(split_name("findChargingStations"), ["find", "charging", "stations"]);
        assert_eq!(split_name("get_order"), ["get", "order"]);
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
}
