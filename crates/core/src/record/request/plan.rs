//! Plans: calls that hang together, with where each argument comes from.

use super::super::value::Value;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls in an order in which each comes after those that feed it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The calls.
    pub calls: Vec<PlanCall>,
    /// What the request says, by slot: which parameter of which function each value is of.
    pub slots: IndexMap<String, PlanSlot>,
    /// The item that is to be told of a search at an end, as the name of a pick, by the call's ordinal.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub told: IndexMap<usize, String>,
    /// Searches whose closing answer states a figure of the whole list instead of one item: the tally's name, by the call's
    /// ordinal.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tallied: IndexMap<usize, String>,
    /// The toolset's case that it is about: why the person asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
}

/// One call of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlanCall {
    /// The function.
    pub function: String,
    /// Which of the matters of the request it belongs to, from 0.
    pub matter: usize,
    /// Where its arguments come from, by parameter.
    pub arguments: IndexMap<String, Feed>,
    /// The call that it repeats with something else in one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<usize>,
    /// What is to be found for it to be made; none where it is made in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Box<Fork>>,
}

/// A choice between two calls that the person leaves to what an earlier answer holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Fork {
    /// Ordinal of the call that answered.
    pub call: usize,
    /// Name of the pick that means the item which is looked at.
    pub pick: String,
    /// The quality that it may have.
    pub quality: String,
    /// Whether it has it where this call is made.
    pub met: bool,
    /// The call that would be made in the other case.
    pub other: PlanCall,
}

/// Where an argument comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feed {
    /// The request says it.
    Said(String),
    /// The one item of an earlier answer's list that is meant.
    Item {
        /// Ordinal of the call that answered.
        call: usize,
        /// Name of the pick that means the item.
        pick: String,
        /// JSON pointer within the item.
        field: String,
        /// The slot that says the item's text, where it is meant by that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slot: Option<String>,
        /// Minutes to be added to a time of the day.
        #[serde(default)]
        minutes: i64,
    },
    /// A place in an earlier answer outside of its lists.
    Whole {
        /// Ordinal of the call that answered.
        call: usize,
        /// JSON pointer in the answer.
        field: String,
    },
    /// Several values with commas between.
    Set(Vec<Feed>),
    /// A list of objects.
    List(Vec<IndexMap<String, Feed>>),
}

/// A value that the request says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlanSlot {
    /// A function that takes it.
    pub function: String,
    /// Its parameter; of an item that is meant by its text, the name of the pick.
    pub parameter: String,
    /// The slot with whose value this one must agree: the same town, the same day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// The slot from which this one must differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlike: Option<String>,
    /// Whether variants of the request keep it.
    #[serde(default)]
    pub protected: bool,
    /// The field of the case whose value it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// What a request says for a slot.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SaidValue {
    /// The value.
    pub value: Value,
    /// Its words.
    pub words: String,
    /// How many days it comes after the date that it follows, where the request says that in the date's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

impl Feed {
    /// The calls whose answers it takes from.
    pub fn sources(&self) -> Vec<usize> {
        match self {
            Self::Said(_) => Vec::new(),
            Self::Item { call, .. } | Self::Whole { call, .. } => vec![*call],
            Self::Set(feeds) => feeds.iter().flat_map(Self::sources).collect(),
            Self::List(items) => items.iter().flat_map(IndexMap::values).flat_map(Self::sources).collect(),
        }
    }

    /// The slots that it takes from, its own alone.
    pub fn slots(&self) -> Vec<&str> {
        match self {
            Self::Said(slot) => vec![slot],
            Self::Item { slot, .. } => slot.as_deref().into_iter().collect(),
            Self::Whole { .. } => Vec::new(),
            Self::Set(feeds) => feeds.iter().flat_map(Self::slots).collect(),
            Self::List(items) => items.iter().flat_map(IndexMap::values).flat_map(Self::slots).collect(),
        }
    }
}

impl PlanCall {
    /// The calls that feed it, each once, in order.
    pub fn sources(&self) -> Vec<usize> {
        let mut sources: Vec<usize> = self.arguments.values().flat_map(Feed::sources).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

impl Plan {
    /// The step in which each call can be made at the earliest, from 0.
    pub fn levels(&self) -> Vec<usize> {
        let mut levels: Vec<usize> = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            let level = call.sources().iter().filter_map(|source| levels.get(*source)).max().map_or(0, |it| it + 1);
            levels.push(level);
        }
        levels
    }

    /// How many steps there are.
    pub fn depth(&self) -> usize {
        self.levels().into_iter().max().map_or(0, |level| level + 1)
    }

    /// The calls from which no other takes anything.
    pub fn ends(&self) -> Vec<usize> {
        let fed: Vec<usize> = self.calls.iter().flat_map(PlanCall::sources).collect();
        (0..self.calls.len()).filter(|call| !fed.contains(call)).collect()
    }

    /// The names of the functions, step by step, sorted within each: the path.
    pub fn path(&self) -> Vec<Vec<String>> {
        let mut path = vec![Vec::new(); self.depth()];
        for (call, level) in self.calls.iter().zip(self.levels()) {
            path[level].push(call.function.clone());
        }
        for step in &mut path {
            step.sort_unstable();
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let item =
            |call| Feed::Item { call, pick: "asked".to_owned(), field: "/id".to_owned(), slot: None, minutes: 0 };
        let call = |function: &str, feeds: Vec<(&str, Feed)>| PlanCall {
            function: function.to_owned(),
            arguments: feeds.into_iter().map(|(name, feed)| (name.to_owned(), feed)).collect(),
            ..PlanCall::default()
        };
        let said = |slot: &str| Feed::Said(slot.to_owned());
        let calls = vec![
            call("Find", vec![("query", said("to"))]),
            call("Find", vec![("query", said("from"))]),
            call("Search", vec![("from", item(1)), ("to", item(0)), ("day", said("day"))]),
            call("Book", vec![("tokens", Feed::Set(vec![item(2), item(2)]))]),
            call("Rate", vec![("base", said("money"))]),
        ];
        Plan { calls, ..Plan::default() }
    }

    #[test]
    fn a_call_stands_one_step_after_the_last_that_feeds_it() {
        let plan = plan();
        assert_eq!(plan.levels(), [0, 0, 1, 2, 0]);
        assert_eq!((plan.depth(), plan.ends()), (3, vec![3, 4]));
        assert_eq!(plan.path(), [vec!["Find", "Find", "Rate"], vec!["Search"], vec!["Book"]]);
        assert_eq!(plan.calls[2].sources(), [0, 1]);
        assert_eq!(Plan::default().depth(), 0);
    }

    #[test]
    fn a_feed_names_its_slots_and_its_calls() {
        let leg = |slot: &str| IndexMap::from([("day".to_owned(), Feed::Said(slot.to_owned()))]);
        let legs = Feed::List(vec![leg("one"), leg("two")]);
        assert_eq!((legs.slots(), legs.sources()), (vec!["one", "two"], Vec::new()));
        let whole = Feed::Whole { call: 4, field: "/key".to_owned() };
        assert_eq!((whole.slots(), whole.sources()), (Vec::new(), vec![4]));
        let json = serde_json::to_string(&legs).unwrap();
        assert_eq!(serde_json::from_str::<Feed>(&json).unwrap(), legs);
    }
}
