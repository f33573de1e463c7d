//! Threads: the situations that people are in, from which everything wanted in one conversation follows.

use super::Toolset;
use fcgen_core::locale::Pattern;
use fcgen_core::record::Complexity;
use indexmap::IndexMap;
use serde::Deserialize;

/// A situation that a person is in: what is wanted in one conversation follows from it, with values that agree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thread {
    /// What it is called in all locales: the `about` of the structure.
    pub name: String,
    /// What it is about, in the locale's words.
    pub about: String,
    /// Who can be in it.
    pub who: Vec<String>,
    /// What the person knows, by name.
    pub facts: IndexMap<String, Fact>,
    /// What the person can want, in the order in which it comes up.
    pub goals: Vec<ThreadGoal>,
    /// What makes conversations hard and does not go with it.
    pub unlikely_with: Vec<Complexity>,
    /// How the person begins: patterns over the facts.
    pub opens: Vec<String>,
    /// Details of the matter that no function takes.
    pub details: Vec<String>,
}

/// Something that the person knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fact {
    /// The value kind that it is drawn from.
    pub kind: Option<String>,
    /// A day so many days from that of the conversation.
    pub days: Option<[i64; 2]>,
    /// A whole number.
    pub range: Option<[i64; 2]>,
    /// The locale's words for it; they take the place of the kind's values.
    pub values: Vec<String>,
}

/// Something that the person can want.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadGoal {
    /// The goal's or the tool's name.
    #[serde(rename = "use")]
    pub name: String,
    /// Where values come from, by parameter: a fact's name, or `=value`.
    #[serde(default)]
    pub from: IndexMap<String, String>,
    /// What is not wanted beside it, such as the flight beside the train; one may be given up for the other.
    #[serde(default)]
    pub unlikely_with: Vec<String>,
}

/// A thread as a file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThreadText {
    pub(super) about: String,
    #[serde(default)]
    who: Vec<String>,
    #[serde(default)]
    facts: IndexMap<String, FactText>,
    goals: Vec<ThreadGoal>,
    #[serde(default)]
    unlikely_with: Vec<Complexity>,
    #[serde(default)]
    opens: Vec<String>,
    #[serde(default)]
    details: Vec<String>,
}

/// A fact: a value kind's name, or where it is drawn from.
#[derive(Deserialize)]
#[serde(untagged)]
enum FactText {
    Kind(String),
    Drawn {
        #[serde(default)]
        kind: Option<String>,
        #[serde(default)]
        days: Option<[i64; 2]>,
        #[serde(default)]
        range: Option<[i64; 2]>,
        #[serde(default)]
        values: Vec<String>,
    },
}

/// The words of a locale for one thread.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct ThreadWords {
    #[serde(default)]
    about: Option<String>,
    #[serde(default)]
    who: Vec<String>,
    #[serde(default)]
    opens: Vec<String>,
    #[serde(default)]
    details: Vec<String>,
    #[serde(default)]
    values: IndexMap<String, Vec<String>>,
}

impl ThreadText {
    /// The thread with the words of a locale.
    pub(super) fn joined(self, words: ThreadWords) -> Result<Thread, String> {
        let chosen = |own: Vec<String>, other: Vec<String>| if own.is_empty() { other } else { own };
        let mut facts: IndexMap<String, Fact> = self.facts.into_iter().map(|(name, it)| (name, it.fact())).collect();
        for (name, values) in words.values {
            let fact = facts.get_mut(&name);
            let unknown = || format!("values for an unknown fact `{name}`");
            fact.ok_or_else(unknown)?.values = values;
        }
        Ok(Thread {
            about: words.about.unwrap_or_else(|| self.about.clone()),
            name: self.about,
            who: chosen(words.who, self.who),
            facts,
            goals: self.goals,
            unlikely_with: self.unlikely_with,
            opens: chosen(words.opens, self.opens),
            details: chosen(words.details, self.details),
        })
    }
}

impl FactText {
    fn fact(self) -> Fact {
        match self {
            Self::Kind(kind) => Fact { kind: Some(kind), ..Fact::default() },
            Self::Drawn { kind, days, range, values } => Fact { kind, days, range, values },
        }
    }
}

impl Thread {
    /// What of this name the person can want.
    pub fn goal(&self, name: &str) -> Option<&ThreadGoal> {
        self.goals.iter().find(|goal| goal.name == name)
    }

    /// Whether one of these is not wanted beside the other.
    pub fn excludes(&self, one: &str, other: &str) -> bool {
        let lists = |name: &str, other: &str| {
            self.goal(name).is_some_and(|goal| goal.unlikely_with.iter().any(|it| it == other))
        };
        lists(one, other) || lists(other, one)
    }

    /// What does not fit the tools and goals, in words.
    pub(super) fn fault(&self, toolset: &Toolset) -> Option<String> {
        for goal in &self.goals {
            let tool = toolset.goals.get(&goal.name).map(|it| &it.tool).or_else(|| toolset.tool(&goal.name));
            let Some(tool) = tool else { return Some(format!("unknown goal or tool `{}`", goal.name)) };
            for (parameter, source) in &goal.from {
                if !tool.parameters.properties.contains_key(parameter) {
                    return Some(format!("unknown parameter `{parameter}` of `{}`", goal.name));
                }
                if !source.starts_with('=') && !self.facts.contains_key(source) {
                    return Some(format!("unknown fact `{source}`; write `={source}` for a fixed value"));
                }
            }
            if let Some(other) = goal.unlikely_with.iter().find(|other| self.goal(other).is_none()) {
                return Some(format!("`{}` is unlikely with an unknown goal `{other}`", goal.name));
            }
        }
        for text in self.opens.iter().chain(&self.details) {
            let Ok(pattern) = Pattern::parse(text) else {
                return Some(format!("`{text}` is not a valid pattern: unbalanced `(a|b)` or `[ ...]`"));
            };
            if let Some(slot) = pattern.slots().into_iter().find(|slot| !self.facts.contains_key(*slot)) {
                return Some(format!("`{text}` contains the unknown fact `{slot}`"));
            }
        }
        let is_empty =
            |fact: &Fact| fact.kind.is_none() && fact.days.is_none() && fact.range.is_none() && fact.values.is_empty();
        match self.facts.iter().find(|(_, fact)| is_empty(fact)) {
            Some((name, _)) => {
                Some(format!("fact `{name}` has no values; expected `kind`, `days`, `range` or `values`"))
            }
            None if self.goals.is_empty() => Some("no goals".to_owned()),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[thread]]\nabout = \"moving flat\"\nfacts = { city = \"trips_city\", what = { values = [] } }\n\
        goals = [{ use = \"Weather_get_alerts\", from = { city = \"city\" } }]\n";
    const WORDS: &str = "[\"moving flat\"]\nopens = [\"I'm moving to {city}.\"]\nvalues = { what = [\"keys\"] }\n";

    fn thread(text: &str, words: &str) -> Result<Thread, String> {
        let read = |text: &str| toml::from_str::<IndexMap<String, toml::Value>>(text).unwrap().swap_remove_index(0);
        let text: Vec<ThreadText> = read(text).unwrap().1.try_into().unwrap();
        text.into_iter().next().unwrap().joined(read(words).unwrap().1.try_into().unwrap())
    }

    #[test]
    fn words_of_a_locale_join_their_thread() {
        let thread = |words: &str| thread(TEXT, words);
        let joined = thread(WORDS).unwrap();
        assert_eq!((joined.about.as_str(), joined.opens.len()), ("moving flat", 1));
        assert_eq!(joined.facts["what"].values, ["keys"]);
        assert!(
            thread(&WORDS.replace("what =", "which =")).unwrap_err().contains("values for an unknown fact `which`")
        );
    }

    #[test]
    fn what_does_not_fit_the_tools_is_named() {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let fault = |from: &str, to: &str| thread(&TEXT.replace(from, to), WORDS).unwrap().fault(&toolset);
        assert_eq!(fault("x", "x"), None);
        assert!(fault("Weather_get_alerts", "Weather_get_luck").unwrap().contains("unknown goal or tool"));
        assert!(fault("{ city = \"city\" } }", "{ town = \"city\" } }").unwrap().contains("unknown parameter `town`"));
        assert!(fault("{ city = \"city\" } }", "{ city = \"town\" } }").unwrap().contains("unknown fact `town`"));
        let said = |words: &str| thread(TEXT, words).unwrap().fault(&toolset).unwrap_or_default();
        assert!(said(&WORDS.replace("{city}", "{town}")).contains("contains the unknown fact `town`"));
        assert!(said(&WORDS.replace("{city}", "(a")).contains("is not a valid pattern"));
    }

    #[test]
    fn shipped_threads_have_words_in_every_locale() {
        for locale in ["en", "ko"] {
            let toolset = crate::fixtures::toolset("assistant", locale);
            assert!(toolset.threads.len() >= 30, "{}", toolset.threads.len());
            for thread in &toolset.threads {
                assert!(thread.goals.len() >= 6, "{}", thread.name);
                assert!(thread.opens.len() >= 2 && thread.details.len() >= 3, "{locale}: {}", thread.name);
            }
        }
    }
}
