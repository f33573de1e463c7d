//! Anchor values: what exploration gave a parameter and was answered with something, and the answers that hold it.

use super::explore::Explored;
use super::guess::is_key;
use fcgen_core::record::Value;
use indexmap::IndexMap;
use serde::Serialize;

/// The anchors of one parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Anchor {
    /// Values that exist, in the order in which they were found.
    pub values: Vec<Value>,
    /// The answers that hold such values: `TOOL: place[].in.its.answer`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Whether nobody would say it.
    #[serde(skip)]
    pub(crate) key: bool,
}

impl Anchor {
    /// Whether requests say it; what an answer holds under its own name, or is a key, is taken from there.
    pub fn is_said(&self) -> bool {
        self.from.is_empty() && !self.key
    }
}

/// The anchors of an exploration, by tool and parameter.
pub(crate) fn anchors(found: &Explored) -> IndexMap<(String, String), Anchor> {
    let mut anchors: IndexMap<(String, String), Anchor> = IndexMap::new();
    for ((tool, name), guesses) in found.worked.iter().chain(&found.known) {
        let anchor = anchors.entry((tool.clone(), name.clone())).or_default();
        anchor.key = is_key(name);
        for guess in guesses.iter().filter(|guess| guess.real) {
            if !anchor.values.contains(&guess.value) {
                anchor.values.push(guess.value.clone());
            }
            // A function that feeds itself would need its own answer first.
            let source = guess.from.as_ref().filter(|(source, _)| source != tool);
            let source = source.map(|(source, place)| format!("{source}: {place}"));
            anchor.from.extend(source.filter(|it| !anchor.from.contains(it)).into_iter().collect::<Vec<_>>());
        }
    }
    anchors.retain(|_, anchor| !anchor.values.is_empty());
    anchors
}

#[cfg(test)]
mod tests {
    use super::super::guess::Guess;
    use super::*;

    fn guess(value: &str, from: Option<(&str, &str)>, real: bool) -> Guess {
        let from = from.map(|(tool, place)| (tool.to_owned(), place.to_owned()));
        Guess { value: value.into(), from, real }
    }

    #[test]
    fn what_worked_is_an_anchor_with_the_answers_that_hold_it() {
        let mut found = Explored::default();
        let mut worked =
            |name: &str, guesses: Vec<Guess>| drop(found.worked.insert(("show".to_owned(), name.to_owned()), guesses));
        let place = Some(("list", "items[].id"));
        worked(
            "item_id",
            vec![guess("a", place, true), guess("b", place, true), guess("b", Some(("show", "id")), true)],
        );
        worked("query", vec![guess("Mill", None, true), guess("a", None, false)]);
        worked("probe", vec![guess("a", None, false)]);
        worked("owner_id", vec![guess("o", None, true)]);
        let all = anchors(&found);
        let told: Vec<String> = all
            .iter()
            .map(|((_, name), it)| format!("{name} {} {:?} {}", it.values.len(), it.from, it.is_said()))
            .collect();
        assert_eq!(told, ["item_id 2 [\"list: items[].id\"] false", "query 1 [] true", "owner_id 1 [] false"]);
    }
}
