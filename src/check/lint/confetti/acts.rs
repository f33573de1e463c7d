//! Dialog acts are known ones, and a turn is said to call where it does.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::Rule;
use crate::format::confetti::{TURN_CALLS_FACT, TURN_TEXT_FACT};
use crate::record::{Expected, FunctionCall};
use crate::score::confetti::Act;

/// Looks at each turn by itself.
pub(super) struct Acts;

impl Rule for Acts {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Expected::Acts(labels) = &entry.sample.expected else { return };
        if labels.is_empty() {
            findings.error("acts", entry, "a turn does nothing");
        }
        for label in labels.iter().filter(|label| Act::of(label).is_none()) {
            let known = Act::ALL.map(Act::as_str).join(", ");
            findings.error("acts", entry, format!("`{label}` is no dialog act; there are {known}"));
        }
        let Some(calls) = calls(entry) else { return };
        let acts: Vec<Act> = labels.iter().filter_map(|label| Act::of(label)).collect();
        let says_so = acts.contains(&Act::FunctionCalling);
        // Where calls and words are items of their own, those of the words do not call.
        if says_so && calls.is_empty() {
            findings.error("acts", entry, "it is said to call, and calls nothing");
        }
        let is_silent = entry.sample.provenance.facts.get(TURN_TEXT_FACT).is_none_or(|text| text.trim().is_empty());
        let speaks = acts.iter().any(|act| *act != Act::FunctionCalling);
        if is_silent && speaks {
            findings.error("acts", entry, "it is said to speak, and says nothing");
        }
    }
}

/// The calls of the turn; nothing where nobody wrote them down.
pub(super) fn calls(entry: &Entry) -> Option<Vec<FunctionCall>> {
    serde_json::from_str(entry.sample.provenance.facts.get(TURN_CALLS_FACT)?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::entry;
    use super::super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::act_item;

    fn told(labels: &[&str], calls: &str, text: &str) -> Vec<String> {
        let mut sample = act_item("t/0", labels);
        sample.provenance.facts.insert(TURN_CALLS_FACT.to_owned(), calls.to_owned());
        sample.provenance.facts.insert(TURN_TEXT_FACT.to_owned(), text.to_owned());
        found(Acts, &[entry(sample)])
    }

    const CALL: &str = r#"[{"name": "f", "arguments": {}}]"#;

    #[test]
    fn acts_agree_with_what_the_turn_does() {
        assert_eq!(told(&["agent_function_calling", "agent_inform_user"], CALL, "Done."), Vec::<String>::new());
        assert_eq!(told(&["agent_inform_user"], CALL, "Done."), Vec::<String>::new());
        assert_eq!(told(&["agent_function_calling"], "[]", ""), ["acts: it is said to call, and calls nothing"]);
        assert_eq!(
            told(&["agent_function_calling", "agent_other"], CALL, " "),
            ["acts: it is said to speak, and says nothing"]
        );
    }

    #[test]
    fn unknown_acts_are_told() {
        assert_eq!(told(&[], CALL, "x"), ["acts: a turn does nothing"]);
        assert!(
            told(&["agent_sings"], CALL, "x")[0].starts_with("acts: `agent_sings` is no dialog act; there are agent_f")
        );
    }
}
