//! Where a record comes from: stage, model, prompt, draws, parents, checks passed.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model reply that became part of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Draw {
    /// Stage that sent the request.
    pub stage: String,
    /// Name of the model; `grammar` is the built-in model.
    pub model: String,
    /// Hash of the prompt template.
    pub prompt: String,
    /// Draw index of this item, from 0.
    pub draw: u32,
}

/// How well the verifier agreed with a label (HammerBench, section 4.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Recovered both without an example and with one.
    Both,
    /// Recovered without an example; a second reading was not required, or there was no example.
    ZeroShot,
    /// Recovered only with the example of a sibling.
    OneShot,
    /// Recovered by neither reading.
    Neither,
}

impl Tier {
    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::ZeroShot => "zero_shot",
            Self::OneShot => "one_shot",
            Self::Neither => "neither",
        }
    }
}

/// Human review of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// Not reviewed.
    #[default]
    Unreviewed,
    /// Accepted unchanged.
    Accepted,
    /// Accepted with changes.
    Edited,
    /// Rejected.
    Rejected,
}

impl Review {
    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unreviewed => "unreviewed",
            Self::Accepted => "accepted",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
        }
    }
}

/// Provenance of a record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// Whether any of its text is composed from templates, by the built-in model or by a stage that joins texts.
    pub template: bool,
    /// User turns, from 1, that contain template text (including the assistant text before them), if a language model
    /// wrote the others. Empty if `template` applies to all turns or to none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub template_turns: Vec<u32>,
    /// Model replies that it is made of, oldest first.
    pub draws: Vec<Draw>,
    /// Ids of the records that it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// Consistency tier, once a consistency check has run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Further facts: the requested style, the seed row, metrics of filters.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub facts: IndexMap<String, String>,
}

impl Provenance {
    /// Whether a turn of the person, counted from 1, contains template text.
    pub fn has_template_in(&self, turn: u32) -> bool {
        self.template && (self.template_turns.is_empty() || self.template_turns.contains(&turn))
    }

    /// Records for each turn, in order, whether it contains template text.
    pub fn note_templates(&mut self, turns: &[bool]) {
        self.template = turns.contains(&true);
        let mixed = self.template && turns.contains(&false);
        let of_templates = (1..).zip(turns).filter(|(_, by_template)| mixed && **by_template);
        self.template_turns = of_templates.map(|(turn, _)| turn).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_named_only_where_they_differ() {
        let noted = |turns: &[bool]| {
            let mut provenance = Provenance::default();
            provenance.note_templates(turns);
            (
                provenance.template,
                provenance.template_turns.clone(),
                [1, 2].map(|turn| provenance.has_template_in(turn)),
            )
        };
        assert_eq!(noted(&[false, true, true]), (true, vec![2, 3], [false, true]));
        assert_eq!(noted(&[true, true]), (true, vec![], [true, true]));
        assert_eq!(noted(&[false, false]), (false, vec![], [false, false]));
    }

    #[test]
    fn the_words_of_a_review_are_those_in_files() {
        for review in [Review::Unreviewed, Review::Accepted, Review::Edited, Review::Rejected] {
            assert_eq!(serde_json::to_value(review).unwrap(), review.word());
        }
    }

    #[test]
    fn the_words_of_a_tier_are_those_in_files() {
        for tier in [Tier::Both, Tier::ZeroShot, Tier::OneShot, Tier::Neither] {
            assert_eq!(serde_json::to_value(tier).unwrap(), tier.word());
        }
    }

    #[test]
    fn what_is_not_known_of_a_record_is_not_written() {
        let text = serde_json::to_string(&Provenance::default()).unwrap();
        assert_eq!(text, r#"{"template":false,"draws":[]}"#);
        assert_eq!(serde_json::from_str::<Provenance>(&text).unwrap(), Provenance::default());
    }

    #[test]
    fn the_more_reliable_tier_comes_first() {
        let tiers: Vec<Tier> = serde_json::from_str(r#"["neither", "zero_shot", "one_shot", "both"]"#).unwrap();
        assert_eq!((tiers.iter().min(), tiers[1] < tiers[2]), (Some(&Tier::Both), true));
        assert_eq!(tiers.iter().max(), Some(&Tier::Neither));
    }
}
