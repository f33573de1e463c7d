//! What a model said to a sample, by whoever wrote it down.

use crate::format::Said;
use crate::functionchat::metric::{Arguments, Called, Heard};
use crate::record::{BorrowedObject, BorrowedValue, PredictionTurn, Value};
use crate::score::extract::{Reading, read_text};

/// What there is of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// What the model said.
    Heard(Heard),
    /// The model could not be reached.
    Failed(String),
    /// Nobody asked it, or the answer is lost.
    Missing,
}

/// A line of predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What was said.
    pub answer: Answer,
    /// How a call was found in a text, where there was none beside it.
    pub way: Option<String>,
    /// What a person says of it: `pass` or `fail`.
    pub human: Option<String>,
    /// How it was made up, where somebody made it up.
    pub kind: Option<String>,
}

impl Line {
    /// No line at all.
    pub fn missing() -> Self {
        Self { answer: Answer::Missing, way: None, human: None, kind: None }
    }

    /// Reads a line of ours (`turns`), one with a server's message (`message`), or a text (`predict`).
    pub fn read(line: &str) -> Result<Self, String> {
        let wanted = ["message", "human", "kind", "variant"];
        let mut fields = BorrowedObject::read_fields(line, &wanted).map_err(|error| error.to_string())?;
        let text = |name: &str| fields.get(name).and_then(BorrowedValue::as_str).map(str::to_owned);
        let (human, kind) = (text("human"), text("kind"));
        let is_prompted = text("variant").is_some_and(|variant| variant.starts_with("prompt"));
        let (answer, way) = match fields.take("message") {
            Some(BorrowedValue::Object(message)) => match Value::from(BorrowedValue::Object(message)) {
                Value::Object(message) => (Answer::Heard(Heard::of_message(&message)), None),
                _ => (Answer::Missing, None),
            },
            Some(_) => return Err("`message` is not an object".to_owned()),
            None => match Said::read(line)? {
                Said::Failed(detail) => (Answer::Failed(detail), None),
                said => said.turn().map_or((Answer::Missing, None), |turn| heard(&turn, is_prompted)),
            },
        };
        Ok(Self { answer, way, human, kind })
    }
}

/// A model whose tools stood in the text calls in its text.
fn heard(turn: &PredictionTurn, is_prompted: bool) -> (Answer, Option<String>) {
    let heard = Heard::from(turn);
    let text = turn.content.as_deref().filter(|_| is_prompted && heard.calls.is_empty());
    match text.map(read_text) {
        Some(Reading::Calls(calls, way)) if !calls.is_empty() => {
            let called = |call: crate::record::FunctionCall| Called {
                name: call.name,
                arguments: Arguments::Text(Value::Object(call.arguments).to_string()),
            };
            let heard = Heard { content: None, calls: calls.into_iter().map(called).collect() };
            (Answer::Heard(heard), Some(way.to_string()))
        }
        _ => (Answer::Heard(heard), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        match Line::read(line) {
            Ok(Line { answer: Answer::Heard(heard), way, human, kind }) => {
                format!("{} {way:?} {human:?} {kind:?}", heard.shown())
            }
            Ok(other) => format!("{:?}", other.answer),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn a_servers_message_and_our_own_turns_are_read() {
        assert_eq!(
            shown(r#"{"id": "a", "kind": "gt", "human": "pass", "message": {"role": "assistant", "content": "x"}}"#),
            r#"{"role":"assistant","content":"x"} None Some("pass") Some("gt")"#
        );
        assert_eq!(
            shown(r#"{"id": "a", "variant": "tools", "turns": [{"tool_calls": [["f", "{"]]}]}"#),
            r#"{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{"}}]} None None None"#
        );
        assert_eq!(shown(r#"{"id": "a", "turns": [], "error": "HTTP 500"}"#), "Failed(\"HTTP 500\")");
    }

    #[test]
    fn calls_in_a_text_count_where_the_tools_stood_in_one() {
        let line = |variant: &str| {
            format!(
                r#"{{"id": "a", "variant": "{variant}", "turns": [{{"content": "```json\n{{\"name\": \"f\", \"arguments\": {{\"n\": 1}}}}\n```"}}]}}"#
            )
        };
        assert!(
            shown(&line("prompt"))
                .ends_with(r#""function":{"name":"f","arguments":"{\"n\":1}"}}]} Some("fenced_object") None None"#),
            "{}",
            shown(&line("prompt"))
        );
        assert!(shown(&line("tools")).contains("\"content\":\"```json"));
        let words = r#"{"id": "a", "variant": "prompt", "turns": [{"content": "Where to?"}]}"#;
        assert_eq!(shown(words), r#"{"role":"assistant","content":"Where to?"} None None None"#);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        assert_eq!(shown(r#"{"id": "a", "message": 5}"#), "error: `message` is not an object");
        assert!(
            shown("{").starts_with("error: not JSON") && shown(r#"{"id": "a"}"#).starts_with("error: missing `turns`")
        );
        assert_eq!(Line::missing().answer, Answer::Missing);
    }
}
