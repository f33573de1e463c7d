//! What a model said, by whoever wrote it down.

use crate::hammerbench::layout::LogLine;
use crate::record::{BorrowedObject, Prediction, PredictionTurn, Value};

/// What a line of predictions holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A turn: text, native calls, or both.
    Turn(PredictionTurn),
    /// A call or something else that was read before it was written down.
    Read(Value),
    /// Nothing, because of this.
    Failed(String),
}

impl Said {
    /// Reads a line of ours (`turns`) or of the authors (`predict`); what is wrong with it is the error.
    pub fn read(line: &str) -> Result<Self, String> {
        let fields = BorrowedObject::read_fields(line, &["turns"]).map_err(|error| error.to_string())?;
        if fields.is_empty() {
            let predict = LogLine::read(line).map_err(|error| error.to_string())?.predict;
            return Ok(Self::of(predict.ok_or("missing `turns` (or `predict`)")?.into()));
        }
        let prediction: Prediction = serde_json::from_str(line).map_err(|error| error.to_string())?;
        Ok(match (prediction.error, prediction.turns.into_iter().next_back()) {
            (Some(error), _) => Self::Failed(error),
            (None, Some(turn)) => Self::Turn(turn),
            (None, None) => Self::Failed("`turns` is empty".to_owned()),
        })
    }

    /// The same as a turn, however it was written down.
    pub fn turn(&self) -> Option<PredictionTurn> {
        match self {
            Self::Turn(turn) => Some(turn.clone()),
            Self::Read(value) => Some(PredictionTurn { content: Some(value.to_string()), ..PredictionTurn::default() }),
            Self::Failed(_) => None,
        }
    }

    fn of(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Turn(PredictionTurn { content: Some(text), ..PredictionTurn::default() }),
            other => Self::Read(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_and_theirs_are_read() {
        let ours = Said::read(r#"{"id": "t/0", "turns": [{"content": "hi", "tool_calls": [["f", "{}"]]}]}"#).unwrap();
        assert_eq!(ours.turn().unwrap().tool_calls, [("f".to_owned(), "{}".to_owned())]);
        let theirs = Said::read(r#"{"id": "Based_0_1", "input": "", "predict": "hi", "label": {}}"#).unwrap();
        assert_eq!(theirs.turn().unwrap().content.as_deref(), Some("hi"));
        let read = Said::read(r#"{"predict": {"name": "f", "arguments": {"a": 1.50}}}"#).unwrap();
        assert_eq!(read.turn().unwrap().content.as_deref(), Some(r#"{"name":"f","arguments":{"a":1.50}}"#));
    }

    #[test]
    fn a_fault_of_the_transport_is_no_answer() {
        let failed = Said::read(r#"{"id": "t/0", "turns": [], "error": "HTTP 429"}"#).unwrap();
        assert_eq!((failed.turn(), failed), (None, Said::Failed("HTTP 429".to_owned())));
        assert!(matches!(Said::read(r#"{"id": "t/0", "turns": []}"#), Ok(Said::Failed(_))));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        assert_eq!(Said::read(r#"{"id": "t/0"}"#).unwrap_err(), "missing `turns` (or `predict`)");
        assert!(Said::read("{oops").unwrap_err().starts_with("not JSON"));
        assert!(Said::read(r#"{"turns": 5}"#).unwrap_err().starts_with("invalid type"));
    }

    #[test]
    fn of_a_trajectory_the_last_turn_counts_and_an_error_goes_before_all() {
        let turns = r#""turns": [{"content": "one"}, {"content": "two"}]"#;
        let said = Said::read(&format!(r#"{{"id": "a", {turns}}}"#)).unwrap();
        assert_eq!(said.turn().unwrap().content.as_deref(), Some("two"));
        assert_eq!(
            Said::read(&format!(r#"{{"id": "a", {turns}, "error": "cut"}}"#)),
            Ok(Said::Failed("cut".to_owned()))
        );
        assert_eq!(Said::read(r#"{"predict": null}"#), Ok(Said::Read(Value::Null)), "nothing, and yet an answer");
    }
}
