//! A line of `ComplexFuncBench.jsonl`: a request, its steps of calls with their answers, and the answer in words.

use crate::record::{
    BorrowedObject, BorrowedValue, FunctionCall, Object, Prediction, PredictionTurn, Step, Tool, Value,
};
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
    #[error("turn {turn}: expected {wanted}")]
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
        text.ok_or(RowError::Turn { turn: 1, wanted: "a user message" })
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

// What a model said turn by turn: our own predictions, and the authors' result lines.

/// A recorded trajectory.
#[derive(Debug, Clone, PartialEq)]
pub enum Trajectory {
    /// What was said.
    Said {
        /// The model's turns.
        turns: Vec<PredictionTurn>,
        /// How it was asked, where that is known.
        variant: Option<String>,
        /// How the authors' runner ended it: its type of error and its words. The last turn may be missing then.
        end: Option<(String, String)>,
    },
    /// Nothing, because of this.
    Failed(String),
}

impl Trajectory {
    /// Reads a line of ours (`turns`) or of the authors (`gen_convs`); what is wrong with it is the error.
    pub fn read(line: &str) -> Result<Self, String> {
        let mut fields =
            BorrowedObject::read_fields(line, &["turns", "gen_convs", "message"]).map_err(|error| error.to_string())?;
        if fields.get("turns").is_some() {
            let prediction: Prediction = serde_json::from_str(line).map_err(|error| error.to_string())?;
            return Ok(match prediction.error {
                Some(error) => Self::Failed(error),
                None => Self::Said { turns: prediction.turns, variant: prediction.variant, end: None },
            });
        }
        let Some(BorrowedValue::List(turns)) = fields.take("gen_convs") else {
            return Err("missing `turns` (or `gen_convs`)".to_owned());
        };
        let end = fields.take("message").and_then(BorrowedValue::into_object).as_ref().and_then(end);
        Ok(Self::Said { turns: spoken(turns), variant: None, end })
    }
}

/// The turns of the model; words right before calls belong to them.
fn spoken(turns: Vec<BorrowedValue<'_>>) -> Vec<PredictionTurn> {
    let mut spoken: Vec<PredictionTurn> = Vec::new();
    for turn in turns.into_iter().filter_map(BorrowedValue::into_object) {
        if turn.get("role").and_then(BorrowedValue::as_str) != Some("assistant") {
            // What others say ends a thought.
            spoken.push(PredictionTurn::default());
            continue;
        }
        let said = assistant(&turn);
        let thought = spoken.last_mut().filter(|last| last.tool_calls.is_empty() && last.content.is_some());
        match thought.filter(|_| !said.tool_calls.is_empty()) {
            Some(thought) => thought.tool_calls = said.tool_calls,
            None => spoken.push(said),
        }
    }
    spoken.retain(|turn| *turn != PredictionTurn::default());
    spoken
}

fn assistant(turn: &BorrowedObject<'_>) -> PredictionTurn {
    let content = turn.get("content").and_then(BorrowedValue::as_str).map(str::to_owned);
    let calls = match turn.get("function_call").or_else(|| turn.get("tool_calls")) {
        Some(BorrowedValue::List(calls)) => calls.iter().filter_map(BorrowedValue::as_object).map(call).collect(),
        _ => Vec::new(),
    };
    PredictionTurn { content, tool_calls: calls, ..PredictionTurn::default() }
}

/// A call: bare, or within `function` as servers write it.
fn call(call: &BorrowedObject<'_>) -> (String, String) {
    let call = call.get("function").and_then(BorrowedValue::as_object).unwrap_or(call);
    let name = call.get("name").and_then(BorrowedValue::as_str).unwrap_or_default().to_owned();
    let arguments = match call.get("arguments") {
        None => String::new(),
        Some(BorrowedValue::String(text)) => text.to_string(),
        Some(value) => Value::from(value.clone()).to_string(),
    };
    (name, arguments)
}

fn end(message: &BorrowedObject<'_>) -> Option<(String, String)> {
    let text = |name: &str| message.get(name).and_then(BorrowedValue::as_str).map(str::to_owned);
    Some((text("error_type")?, text("content").unwrap_or_default()))
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
        assert_eq!(told(&|row| row.conversations.clear()), "turn 1: expected a user message");
        assert_eq!(told(&|row| drop(row.conversations.remove(1))), "turn 2: expected a list of calls");
        assert_eq!(told(&|row| drop(row.conversations.remove(2))), "turn 3: expected a list of answers");
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

#[cfg(test)]
mod trajectory_tests {
    use super::*;

    fn shown(line: &str) -> String {
        match Trajectory::read(line) {
            Ok(Trajectory::Said { turns, variant, end }) => {
                let turns: Vec<String> = turns.iter().map(|turn| serde_json::to_string(turn).unwrap()).collect();
                format!("{} {variant:?} {end:?}", turns.join(" "))
            }
            Ok(Trajectory::Failed(error)) => format!("failed: {error}"),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn all_turns_of_our_predictions_count() {
        let line = r#"{"id": "a", "variant": "tools", "turns": [{"tool_calls": [["f", "{}"]]}, {"content": "Done"}]}"#;
        assert_eq!(shown(line), r#"{"tool_calls":[["f","{}"]]} {"content":"Done"} Some("tools") None"#);
        assert_eq!(shown(r#"{"id": "a", "turns": [], "error": "HTTP 500"}"#), "failed: HTTP 500");
        assert!(shown(r#"{"turns": 5}"#).starts_with("error: invalid type"));
        assert_eq!(shown("{}"), "error: missing `turns` (or `gen_convs`)");
    }

    #[test]
    fn the_authors_lines_are_read_whoever_called() {
        let line = r#"{"id": "Hotels-0", "gen_convs": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "function_call": [{"name": "f", "arguments": {"n": 1.50}}]},
            {"role": "observation", "content": [{"status": true}]},
            {"role": "assistant", "content": "Let me see"},
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "g", "arguments": "{\"a\""}}, {"name": "h"}]},
            {"role": "tool", "content": "x"},
            {"role": "assistant", "content": ""}], "message": "Success."}"#;
        assert_eq!(
            shown(line),
            r#"{"tool_calls":[["f","{\"n\":1.50}"]]} {"content":"Let me see","tool_calls":[["g","{\"a\""],["h",""]]} {"content":""} None None"#
        );
    }

    #[test]
    fn how_it_was_ended_is_kept() {
        let line = r#"{"gen_convs": [], "message": {"error_type": "func_hallucination", "content": "on"}}"#;
        assert_eq!(shown(line), r#" None Some(("func_hallucination", "on"))"#);
        assert_eq!(shown(r#"{"gen_convs": [5], "message": [{"error_type": "value_error"}]}"#), " None None");
    }

    #[test]
    fn words_before_an_answer_are_no_thought() {
        let line = r#"{"gen_convs": [{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "function_call": [{"name": "f"}]}]}"#;
        assert_eq!(shown(line), r#"{"content":"a"} {"tool_calls":[["f",""]]} None None"#);
    }
}
