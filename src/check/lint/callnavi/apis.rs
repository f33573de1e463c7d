//! Every call names an API that the question shows.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::record::Tool;

/// Looks at each question by itself.
pub(super) struct Apis;

impl Rule for Apis {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let calls = entry.calls();
        let mut missing: Vec<&str> = calls.iter().map(|called| called.call.name.as_str()).collect();
        missing.retain(|name| entry.candidate(name).is_none());
        missing.dedup();
        findings.tally("questions name only APIs of their list", missing.is_empty());
        if calls.is_empty() {
            findings.error("api", entry, "no call is right; expected one or more");
        } else if !missing.is_empty() {
            let told: Vec<String> = missing.iter().map(|name| told(entry, name)).collect();
            findings.error("api", entry, told.join("; "));
        }
    }
}

fn told(entry: &Entry, name: &str) -> String {
    let like = |tool: &&Tool| tool.function().eq_ignore_ascii_case(name);
    let alike = entry.sample.candidates.iter().map(|tool| &**tool).find(like);
    let hint = alike.map(|tool| format!(" (there is `{}`)", tool.name)).unwrap_or_default();
    format!("`{name}` is not among the {} APIs{hint}", entry.sample.candidates.len())
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entry, questions, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Expected;

    #[test]
    fn a_call_bears_the_name_that_is_shown() {
        let mut parted = questions("easy");
        std::sync::Arc::make_mut(&mut parted.candidates[0]).name = "bank.getCard".to_owned();
        assert_eq!(found(Apis, &[entry(parted)]), ["api: `getCard` is not among the 3 APIs (there is `bank.getCard`)"]);
    }

    #[test]
    fn an_api_that_is_not_there_is_named_once_a_question() {
        let mut both = questions("medium");
        step(&mut both, 0).calls[0].name = "getcard".to_owned();
        step(&mut both, 1).calls[0].name = "stop".to_owned();
        let mut none = questions("easy");
        none.expected = Expected::Refusal;
        assert_eq!(
            found(Apis, &[entry(both), entry(none), entry(questions("hard"))]),
            [
                "api: `getcard` is not among the 3 APIs (there is `getCard`); `stop` is not among the 3 APIs",
                "api: no call is right; expected one or more",
            ]
        );
    }
}
