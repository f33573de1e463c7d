//! The gold is right: no call is needless, no argument is a default that nobody says, and the closing answer answers each
//! goal and claims nothing that is false.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::format::complexfunc::{FINAL_ANSWER_FACT, PATH_FACT};
use crate::gate::Gold;
use crate::record::Expected;
use indexmap::IndexMap;
use std::sync::Arc;

/// Looks at each sample by itself.
pub(super) struct RightGold(Arc<Ground>);

impl RightGold {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }
}

impl Rule for RightGold {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Expected::Steps(steps) = &entry.sample.expected else { return };
        let none = IndexMap::new();
        let is_planned = entry.sample.provenance.facts.contains_key(PATH_FACT);
        let gold = Gold {
            request: entry.said().words,
            steps,
            answer: entry.sample.provenance.facts.get(FINAL_ANSWER_FACT).map_or("", String::as_str),
            tools: &entry.sample.candidates,
            goal_fields: if is_planned { &self.0.functions.goal_fields } else { &none },
            changes: &self.0.functions.changes,
            language: &self.0.language,
        };
        let faults = gold.faults();
        findings.tally("calls are needed, and closing answers are complete and true", faults.is_empty());
        for fault in faults {
            findings.error(fault.reason, entry, fault.detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{complex, complex_ground, entry, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Argument, ArgumentNotes, FunctionCall, Origin, Sample, Step, Value};

    fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = complex();
        change(&mut sample);
        found(RightGold::new(complex_ground()), &[entry(sample)])
    }

    fn answers(sample: &mut Sample, text: &str) {
        sample.provenance.facts.insert(FINAL_ANSWER_FACT.to_owned(), text.to_owned());
    }

    #[test]
    fn sound_gold_has_no_fault() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn closing_answers_are_complete_and_true() {
        let missing = told(|sample| answers(sample, "I have looked."));
        assert_eq!(missing, ["unanswered_goal: the closing answer tells nothing that `Search_Inns` answered"]);
        let invented = told(|sample| answers(sample, "There is The Red Fox, for 871 dollars."));
        assert_eq!(invented, ["false_claim: the closing answer says `871`, which no answer, argument or request has"]);
    }

    #[test]
    fn a_default_that_nobody_says_is_found() {
        let unsaid = told(|sample| {
            let step = step(sample, 1);
            step.calls[0].arguments.insert("sort".to_owned(), "price".into());
            step.notes[0].insert("sort".to_owned(), Argument { origin: Origin::Default, ..Argument::default() });
        });
        assert_eq!(unsaid, ["unsaid_argument: nobody says sort = \"price\" of `Search_Inns`: it is a default"]);
    }

    #[test]
    fn a_call_for_what_is_known_already_is_found() {
        let needless = told(|sample| {
            let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
            let arguments = serde_json::from_str(r#"{"inn": "The Red Fox"}"#).unwrap();
            let origin = Origin::Answer { call: 1, field: "/data/inns/0/name".to_owned() };
            steps.push(Step {
                calls: vec![FunctionCall { name: "Get_Inn".to_owned(), arguments }],
                answers: vec![Value::read(r#"{"data": {"town": "T1", "count": 1}}"#).unwrap()],
                notes: vec![ArgumentNotes::from([("inn".to_owned(), Argument { origin, ..Argument::default() })])],
            });
            steps[1].answers[0] =
                Value::read(r#"{"data": {"inns": [{"name": "The Red Fox", "rooms": 240}]}}"#).unwrap();
            steps[2].answers[0] = Value::read(r#"{"data": {"rooms": 240}}"#).unwrap();
            answers(sample, "There is The Red Fox with 240 rooms.");
        });
        assert_eq!(
            needless,
            ["needless_call: `Get_Inn` is called for rooms, which the answer of `Search_Inns` has already"]
        );
    }
}
