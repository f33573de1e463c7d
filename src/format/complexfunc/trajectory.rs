//! What a model said turn by turn: our own predictions, and the authors' result lines.

use crate::record::{BorrowedObject, BorrowedValue, Prediction, PredictionTurn, Value};

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
            return Err("there is neither `turns` nor `gen_convs`".to_owned());
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
mod tests {
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
        assert_eq!(shown("{}"), "error: there is neither `turns` nor `gen_convs`");
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
