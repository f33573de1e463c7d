//! How near one tool is to another: by the words of their names, the letters of their descriptions, their parameters.

use crate::record::Tool;
use std::collections::BTreeSet;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// What the words of two names have in common weighs as much as what their descriptions have.
const NAME: f64 = 0.4;
/// What the pairs of letters of two descriptions have in common.
const DESCRIPTION: f64 = 0.4;
/// What the names of their parameters have in common weighs half: tools of every kind take a `date`.
const PARAMETERS: f64 = 0.2;

/// The features of a tool by which it is near to others.
///
/// Nearness is 0.4 x the words of the names, 0.4 x the descriptions' pairs of letters and 0.2 x the names of the
/// parameters, each as the share of all features that both have (Jaccard): 1 for twins, 0 for strangers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    words: BTreeSet<String>,
    pairs: BTreeSet<(char, char)>,
    parameters: BTreeSet<String>,
}

impl Features {
    /// The features of `tool`.
    pub fn of(tool: &Tool) -> Self {
        let parameter = |name: &String| words(name).concat();
        Self {
            words: words(&tool.name).into_iter().collect(),
            pairs: pairs(&tool.description),
            parameters: tool.parameters.properties.keys().map(parameter).collect(),
        }
    }

    /// How near another tool is, from 0 to 1.
    pub fn nearness(&self, other: &Self) -> f64 {
        NAME * jaccard(&self.words, &other.words)
            + DESCRIPTION * jaccard(&self.pairs, &other.pairs)
            + PARAMETERS * jaccard(&self.parameters, &other.parameters)
    }
}

/// Whether tools have no groups that would say which of them are near: a flat list, as people have them.
pub fn is_flat(tools: &[Arc<Tool>]) -> bool {
    tools.iter().all(|tool| tool.category().is_empty())
}

/// The names of the tools of a flat list that are near to one: the nearest third, two at least.
pub fn nearest_third<'t>(gold: &Tool, tools: &'t [Arc<Tool>]) -> BTreeSet<&'t str> {
    let own = Features::of(gold);
    let others = tools.iter().filter(|tool| tool.name != gold.name);
    let mut near: Vec<(f64, &str)> =
        others.map(|tool| (own.nearness(&Features::of(tool)), tool.name.as_str())).collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    let third = (near.len() / 3).max(2);
    near.into_iter().take(third).map(|(_, name)| name).collect()
}

/// A description without what does not change its meaning: letters and digits alone, composed and in small letters.
pub fn plain(description: &str) -> String {
    let composed: String = description.nfc().collect::<String>().to_lowercase();
    composed
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The words of a name in small letters, whether it is written `likeThis`, `like_this` or `Like.This`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = None;
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_some_and(|before: char| !before.is_uppercase());
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The pairs of letters that stand side by side within the words of a text.
fn pairs(text: &str) -> BTreeSet<(char, char)> {
    let text = plain(text);
    let within = |word: &str| word.chars().zip(word.chars().skip(1)).collect::<Vec<_>>();
    text.split(' ').flat_map(within).collect()
}

/// The share of all features that both sides have; nothing where there are none.
#[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 features")]
fn jaccard<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let common = one.intersection(other).count();
    common as f64 / (one.len() + other.len() - common).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Parameter;
    use proptest::prelude::*;

    fn tool(name: &str, description: &str, parameters: &[&str]) -> Tool {
        let mut tool = Tool { name: name.to_owned(), description: description.to_owned(), ..Tool::default() };
        tool.parameters.properties.extend(parameters.iter().map(|name| ((*name).to_owned(), Parameter::default())));
        tool
    }

    fn nearness(one: &Tool, other: &Tool) -> f64 {
        Features::of(one).nearness(&Features::of(other))
    }

    #[test]
    fn a_name_is_taken_apart_however_it_is_written() {
        for (name, wanted) in [
            ("calculateBMI", vec!["calculate", "bmi"]),
            ("get_movie_details", vec!["get", "movie", "details"]),
            ("Travel.Trains.bookSeat2", vec!["travel", "trains", "book", "seat2"]),
            ("", vec![]),
        ] {
            assert_eq!(words(name), wanted, "{name}");
        }
    }

    #[test]
    fn a_description_is_the_same_whatever_its_marks_and_its_composition() {
        assert_eq!(plain("Books a train, at once."), plain("books a train - AT ONCE"));
        assert_eq!(plain("\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}"), plain("서울"));
        assert_ne!(plain("Books a train"), plain("Books a tram"));
    }

    #[test]
    fn each_feature_adds_its_share() {
        let base = tool("bookTrain", "abcd", &["startDate"]);
        for (other, wanted) in [
            (tool("book_train", "ABCD!", &["start_date"]), 1.0),
            (tool("bookTrain", "", &[]), 0.4),
            (tool("x", "abcd", &[]), 0.4),
            (tool("x", "", &["startDate"]), 0.2),
            (tool("bookBus", "", &[]), 0.4 / 3.0),
            (tool("x", "wxyz", &["end"]), 0.0),
        ] {
            assert!((nearness(&base, &other) - wanted).abs() < 1e-12, "{other:?}");
        }
    }

    #[test]
    fn tools_without_features_are_strangers() {
        assert!(nearness(&Tool::default(), &Tool::default()).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn nearness_is_mutual_and_between_nothing_and_all(one in "[a-zA-Z_]{1,12}", other in "[a-zA-Z_가-힣 ]{1,12}") {
            let (one, other) = (tool(&one, &other, &[&one]), tool(&other, &one, &[&other]));
            let near = nearness(&one, &other);
            prop_assert!((0.0..=1.0).contains(&near));
            prop_assert!((near - nearness(&other, &one)).abs() < 1e-12);
        }
    }
}
