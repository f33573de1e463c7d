//! A line of `ComplexFuncBench.jsonl`: a request, its steps of calls with their answers, and the answer in words.

use crate::record::{FunctionCall, Object, Step, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A sample as the authors write it. Keys keep their order, of which the order within arguments matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `<Domain>-<number>`.
    pub id: String,
    /// The request, then calls and answers in turn, then the answer in words.
    pub conversations: Vec<RowTurn>,
    /// The functions that the sample may use, as bare JSON Schemas.
    pub functions: Vec<Object>,
}

/// One turn of a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowTurn {
    /// `user`, `assistant` or `observation`.
    pub role: String,
    /// What is said: a text, or the answers of all calls as a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// The calls of a step, parallel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function_call: Option<Vec<FunctionCall>>,
}

/// Why a row is no sample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// It is no JSON of this shape.
    #[error("{0}")]
    Shape(String),
    /// The turns do not come as they should.
    #[error("turn {turn} should be {wanted}")]
    Turn {
        /// Which turn, from 1.
        turn: usize,
        /// What should stand there.
        wanted: &'static str,
    },
    /// A step has more calls than answers, or fewer.
    #[error("turn {turn} has {answers} answers to {calls} calls")]
    Answers {
        /// Which turn, from 1.
        turn: usize,
        /// Its answers.
        answers: usize,
        /// The calls before it.
        calls: usize,
    },
}

impl Row {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self, RowError> {
        serde_json::from_str(line).map_err(|error| RowError::Shape(error.to_string()))
    }

    /// Whether a line looks like one of these rows: it has their keys.
    pub fn is_row(line: &str) -> bool {
        let fields = crate::record::BorrowedObject::read_fields(line, &["id", "conversations", "functions"]);
        fields.is_ok_and(|fields| fields.len() == 3)
    }

    /// Its domain: the id up to the last hyphen.
    pub fn domain(&self) -> &str {
        domain_of(&self.id)
    }

    /// What the person asks.
    pub fn query(&self) -> Result<&str, RowError> {
        let first = self.conversations.first().filter(|turn| turn.role == "user");
        let text = first.and_then(|turn| turn.content.as_ref()).and_then(Value::as_str);
        text.ok_or(RowError::Turn { turn: 1, wanted: "what the user says" })
    }

    /// The answer in words that ends it, where there is one.
    pub fn final_answer(&self) -> Option<&str> {
        let last = self.conversations.last().filter(|turn| turn.role == "assistant" && turn.function_call.is_none());
        last.and_then(|turn| turn.content.as_ref()).and_then(Value::as_str)
    }

    /// Its steps: calls with their answers.
    pub fn steps(&self) -> Result<Vec<Step>, RowError> {
        let turns: Vec<(usize, &RowTurn)> = (1..).zip(&self.conversations).skip(1).collect();
        let end = turns.len() - usize::from(self.final_answer().is_some() && !turns.is_empty());
        let turns = turns.get(..end).unwrap_or_default();
        turns
            .chunks(2)
            .filter_map(|pair| pair.split_first())
            .map(|(calls, answers)| step(calls, answers.first()))
            .collect()
    }

    /// Its functions.
    pub fn tools(&self) -> Result<Vec<Arc<Tool>>, RowError> {
        let tool = |function: &Object| {
            serde_json::from_str(&Value::from(function.clone()).to_string())
                .map(Arc::new)
                .map_err(|error| RowError::Shape(error.to_string()))
        };
        self.functions.iter().map(tool).collect()
    }
}

/// The domain in an id: all before the last hyphen.
pub fn domain_of(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(domain, _)| domain)
}

fn step((at, turn): &(usize, &RowTurn), next: Option<&(usize, &RowTurn)>) -> Result<Step, RowError> {
    let wrong = |turn, wanted| RowError::Turn { turn, wanted };
    let calls = turn.function_call.clone().filter(|_| turn.role == "assistant").ok_or(wrong(*at, "a list of calls"))?;
    let observed = next.filter(|(_, turn)| turn.role == "observation");
    let answers = observed.and_then(|(_, turn)| turn.content.as_ref()).and_then(Value::as_list);
    let answers = answers.ok_or(wrong(at + 1, "a list of answers"))?.to_vec();
    if answers.len() != calls.len() {
        return Err(RowError::Answers { turn: at + 1, answers: answers.len(), calls: calls.len() });
    }
    Ok(Step { calls, answers, notes: Vec::new() })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const ROW: &str = r#"{"id":"Car-Rental-5","conversations":[{"role":"user","content":"A boat at Hill"},{"role":"assistant","function_call":[{"name":"Find","arguments":{"z":"Hill","a":1.50}},{"name":"Find","arguments":{"z":"Mill"}}]},{"role":"observation","content":[{"status":true,"data":[{"id":"H"}]},{"status":true,"data":[]}]},{"role":"assistant","function_call":[{"name":"Book","arguments":{"id":"H"}}]},{"role":"observation","content":["done"]},{"role":"assistant","content":"It is booked."}],"functions":[{"name":"Find","description":"Finds a place.","parameters":{"type":"object","properties":{"z":{"type":"string","description":"Where."},"a":{"type":"number"}},"required":["z"]}}]}"#;

    fn row() -> Row {
        Row::read(ROW).unwrap()
    }

    #[test]
    fn a_row_is_written_as_it_was_read() {
        assert_eq!(serde_json::to_string(&row()).unwrap(), ROW);
        assert!(
            Row::is_row(ROW) && !Row::is_row("{}") && !Row::is_row("[") && !Row::is_row(r#"{"id":1,"functions":[]}"#)
        );
    }

    #[test]
    fn steps_are_calls_with_their_answers() {
        let row = row();
        let steps = row.steps().unwrap();
        assert_eq!(
            (row.domain(), row.query().unwrap(), row.final_answer()),
            ("Car-Rental", "A boat at Hill", Some("It is booked."))
        );
        assert_eq!((steps.len(), steps[0].calls.len(), steps[1].answers[0].as_str()), (2, 2, Some("done")));
        assert_eq!(steps[0].calls[0].arguments.keys().collect::<Vec<_>>(), ["z", "a"]);
        assert_eq!(row.tools().unwrap()[0].parameters.properties["a"].type_name(), "number");
        assert_eq!(domain_of("Cross"), "Cross");
    }

    #[test]
    fn what_is_out_of_place_is_told_with_its_turn() {
        let told = |change: &dyn Fn(&mut Row)| {
            let mut row = row();
            change(&mut row);
            row.query().map(drop).and_then(|()| row.steps()).unwrap_err().to_string()
        };
        assert_eq!(told(&|row| row.conversations.clear()), "turn 1 should be what the user says");
        assert_eq!(told(&|row| drop(row.conversations.remove(1))), "turn 2 should be a list of calls");
        assert_eq!(told(&|row| drop(row.conversations.remove(2))), "turn 3 should be a list of answers");
        assert_eq!(
            told(&|row| row.conversations[4].content = Some(Value::List(Vec::new()))),
            "turn 5 has 0 answers to 1 calls"
        );
        assert!(Row::read("{\"id\": 5}").unwrap_err().to_string().starts_with("invalid type"));
    }

    #[test]
    fn without_an_answer_in_words_the_last_step_still_counts() {
        let mut row = row();
        row.conversations.pop();
        assert_eq!((row.final_answer(), row.steps().unwrap().len()), (None, 2));
        row.conversations.truncate(1);
        assert_eq!(row.steps().unwrap().len(), 0);
    }
}
