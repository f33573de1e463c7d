//! How people ask for what a function does, and how an assistant tells what it answered.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a locale says about one function: patterns, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sayings {
    /// Requests for a search or an act, as the frames of a style wrap them.
    pub asks: Vec<String>,
    /// Noun phrases for what the function tells of a thing.
    pub things: Vec<String>,
    /// Noun phrases for one item of the answer, by the name of the pick.
    pub picks: IndexMap<String, Vec<String>>,
    /// Sentences about the whole answer; slots are paths in it, such as `rooms.*.name`, or `rooms.*.name+price` for each
    /// name with its price.
    pub tells: Vec<String>,
    /// Sentences about one picked item; slots are paths in it, `{pick}` is its noun phrase.
    pub found: Vec<String>,
    /// Noun phrases for the item that was taken where a choice hung on a quality, or that was looked at before an act.
    pub chosen: Vec<String>,
    /// Words for what items may be or have, by the name of the quality.
    pub qualities: IndexMap<String, QualityWords>,
    /// Words for what lists come to, by the name of the tally.
    pub tallies: IndexMap<String, TallyWords>,
    /// How arguments are said: by parameter, then by form (`one`, `many`, a listed value ...).
    pub said: Wordings,
}

/// Words for a quality, as the locale's sentences about a choice take them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QualityWords {
    /// The condition: `it has a pool`.
    #[serde(rename = "if")]
    pub when: String,
    /// That an item has it: `has a pool`.
    pub yes: String,
    /// That an item does not have it: `has no pool`.
    pub no: String,
}

/// Words for what a list comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TallyWords {
    /// Noun phrases for the figure: `the average price of a night`.
    pub things: Vec<String>,
    /// Sentences that tell it: over `{n}` and paths in the answer.
    pub tells: Vec<String>,
}

/// How values are said: by parameter, then by form.
pub type Wordings = IndexMap<String, IndexMap<String, Vec<String>>>;

impl Sayings {
    /// Whether requests can mention a parameter, or what stands for it.
    pub fn mentions(&self, slot: &str) -> bool {
        let marks = [format!("{{{slot}}}"), format!("{{{slot}|")];
        self.asks.iter().chain(&self.things).any(|text| marks.iter().any(|mark| text.contains(mark.as_str())))
    }

    /// The paths of a slot about an answer: one, or two of each element of a list.
    pub fn paths(slot: &str) -> Vec<String> {
        match (slot.split_once('+'), slot.rsplit_once("*.")) {
            (Some((first, second)), Some((list, _))) => vec![first.to_owned(), format!("{list}*.{second}")],
            _ => vec![slot.to_owned()],
        }
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.asks.is_empty() && self.things.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_one_path_or_two_of_each_element() {
        assert_eq!(Sayings::paths("city.name"), ["city.name"]);
        assert_eq!(Sayings::paths("rooms.*.name+price.total"), ["rooms.*.name", "rooms.*.price.total"]);
    }

    #[test]
    fn a_slot_is_mentioned_with_or_without_its_particle() {
        let sayings: Sayings = serde_json::from_str(
            r#"{"asks": ["find hotels in {dest_id}[ for {adults}]"], "things": ["{hotel_id|의} 규칙"], "picks": {}}"#,
        )
        .unwrap();
        for (slot, mentioned) in [("dest_id", true), ("adults", true), ("hotel_id", true), ("hotel", false)] {
            assert_eq!(sayings.mentions(slot), mentioned, "{slot}");
        }
        assert!(!sayings.is_empty() && Sayings::default().is_empty());
        assert!(serde_json::from_str::<Sayings>(r#"{"ask": []}"#).is_err());
    }
}
