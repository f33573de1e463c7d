//! fcgen's samples as CONFETTI's lines.

use super::import::{TURN_CALLS_FACT, TURN_TEXT_FACT, Told};
use super::{ACTS, CALLS};
use crate::bfcl::layout::{Version, question_line, truth_of};
use crate::record::{Expected, FunctionCall, Object, Sample, SuiteId, Value};

/// Numbers lines as they come.
#[derive(Debug, Default)]
pub struct Export {
    version: Version,
    calls: usize,
    acts: usize,
}

/// The lines of a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The data type, by which files are called.
    pub kind: &'static str,
    /// What is asked.
    pub question: Object,
    /// What is right.
    pub answer: Object,
}

impl Export {
    /// Nothing yet, in one of BFCL's shapes.
    pub fn new(version: Version) -> Self {
        Self { version, ..Self::default() }
    }

    /// A sample's lines; nothing if it is neither a call nor a turn of a conversation. `spoken` writes a call of the turn as
    /// a text.
    pub fn lines(&mut self, sample: &Sample, spoken: &dyn Fn(&FunctionCall) -> String) -> Option<Lines> {
        match &sample.expected {
            _ if sample.suite != SuiteId::Confetti => None,
            Expected::Call(_) => {
                let truth = truth_of(sample)?;
                // Which call of its conversation it is, the calls before it tell.
                let before = sample.messages.iter().map(|message| message.tool_calls.len()).sum();
                let lines = self.version.lines(CALLS, self.calls, before, sample, truth);
                self.calls += 1;
                Some(lines)
            }
            Expected::Acts(labels) => {
                let truth = Value::List(labels.iter().map(|label| label.as_str().into()).collect());
                let turn = sample.snapshot.as_ref().map_or(0, |snapshot| snapshot.turn.saturating_sub(1));
                let mut lines = self.version.lines(ACTS, self.acts, usize::try_from(turn).ok()?, sample, truth);
                lines.answer.insert("ground_truth_content".to_owned(), content(sample, spoken));
                self.acts += 1;
                Some(lines)
            }
            _ => None,
        }
    }
}

impl Version {
    fn lines(self, kind: &'static str, number: usize, index: usize, sample: &Sample, truth: Value) -> Lines {
        let id = format!("{kind}_{number}");
        let mut question = question_line(&id, sample, self);
        question.extend(Told::of(sample).fields());
        let conversation = sample.snapshot.as_ref().map_or(sample.group.as_str(), |it| it.conversation.as_str());
        let dialog = format!("{conversation}_{index}");
        let entries = [("id", id.into()), ("dialog_id", dialog.into()), ("ground_truth", truth)];
        Lines { kind, question, answer: entries.map(|(name, value)| (name.to_owned(), value)).into() }
    }
}

/// The calls of the turn as texts, and what the agent says last.
fn content(sample: &Sample, spoken: &dyn Fn(&FunctionCall) -> String) -> Value {
    let fact = |name: &str| sample.provenance.facts.get(name);
    let calls: Vec<FunctionCall> =
        fact(TURN_CALLS_FACT).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let said = fact(TURN_TEXT_FACT).cloned().unwrap_or_default();
    Value::List(calls.iter().map(|call| spoken(call).into()).chain([said.into()]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{act_item, call_item};
    use super::*;

    fn spoken(call: &FunctionCall) -> String {
        format!("{}({})", call.name, call.arguments.len())
    }

    #[test]
    fn a_call_has_one_answer_under_its_place_in_the_conversation() {
        let mut export = Export::new(Version::V4);
        let all: Vec<Lines> = (0..2).map(|before| export.lines(&call_item("t/0", before), &spoken).unwrap()).collect();
        assert_eq!(
            Value::from(all[1].answer.clone()).to_string(),
            r#"{"id":"conversationsclean_1","dialog_id":"talk/3_1","ground_truth":[{"Travel_book_seats":{"to":["Porto"],"seats":[2],"class":["","second"]}}]}"#
        );
        assert_eq!(all[0].question["id"], all[0].answer["id"]);
        let keys: Vec<&str> = all[0].question.keys().map(String::as_str).collect();
        assert_eq!(keys, ["id", "question", "function", "turn", "turns", "reference_time", "complexity", "observed"]);
    }

    #[test]
    fn a_turn_has_its_acts_and_what_is_called_and_said() {
        let mut export = Export::new(Version::V2);
        let sample = act_item("t/0", &["agent_function_calling", "agent_inform_user"]);
        let lines = export.lines(&sample, &spoken).unwrap();
        assert_eq!(
            Value::from(lines.answer).to_string(),
            r#"{"id":"dialogacts_0","dialog_id":"talk/3_1","ground_truth":["agent_function_calling","agent_inform_user"],"ground_truth_content":["Travel_book_seats(2)","It's booked."]}"#
        );
        let messages = lines.question["question"].as_list().unwrap();
        assert!(messages.iter().all(|message| message.as_object().is_some()) && lines.kind == ACTS);
    }

    #[test]
    fn other_samples_have_no_lines() {
        let mut export = Export::new(Version::V4);
        let mut refusal = call_item("t/0", 0);
        refusal.expected = Expected::Refusal;
        assert_eq!(export.lines(&refusal, &spoken), None);
        let mut other = call_item("t/0", 0);
        other.suite = "bfcl".into();
        assert_eq!(export.lines(&other, &spoken), None);
    }
}
