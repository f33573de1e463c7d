//! Serve a request with calls, turn by turn (`ComplexFuncBench`, 3.1).

use super::{Common, TaskInfo};
use crate::Reply;
use crate::record::{FunctionCall, Tool};
use crate::text::{Unparsable, calls_of, find, read_native, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("annotate", "Annotate");

/// A request is to be served with calls, turn by turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnnotateVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The functions that are offered.
    pub tools: Vec<Arc<Tool>>,
    /// Whether they go along as native tools, so that the text need not list them.
    pub native: bool,
    /// The day on which everything happens; empty where nobody says.
    pub today: String,
}

/// What a model did in a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Spoken {
    /// It called functions, natively or in its text.
    Calls {
        /// The calls, in their order.
        calls: Vec<FunctionCall>,
        /// Whether the server gave them as such.
        native: bool,
    },
    /// It said something; nothing is a text as well.
    Words(String),
}

/// Reads a turn. Calls in the text are looked for where the server gave none.
pub fn read_spoken(reply: &Reply) -> Result<Spoken, Unparsable> {
    if !reply.tool_calls.is_empty() {
        let calls = reply.tool_calls.iter().map(read_native).collect::<Result<_, _>>()?;
        return Ok(Spoken::Calls { calls, native: true });
    }
    let calls = find(&reply.text, |value| calls_of(value).filter(|calls| !calls.is_empty()));
    Ok(match calls {
        Some((calls, _)) => Spoken::Calls { calls, native: false },
        None => Spoken::Words(without_thought(&reply.text).trim().to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCallText;

    fn said(text: &str) -> Spoken {
        read_spoken(&Reply { text: text.to_owned(), ..Reply::default() }).unwrap()
    }

    fn native(arguments: &str) -> Result<Spoken, Unparsable> {
        let call = ToolCallText { name: "Find".to_owned(), arguments: arguments.to_owned() };
        read_spoken(&Reply { text: "So".to_owned(), tool_calls: vec![call], ..Reply::default() })
    }

    #[test]
    fn calls_come_natively_or_in_a_text() {
        let names = |spoken: Spoken| match spoken {
            Spoken::Calls { calls, native } => (calls.into_iter().map(|call| call.name).collect::<Vec<_>>(), native),
            Spoken::Words(words) => panic!("{words}"),
        };
        assert_eq!(names(native(r#"{"query": "Porto"}"#).unwrap()), (vec!["Find".to_owned()], true));
        let text = "```json\n[{\"name\": \"Find\", \"arguments\": {}}, {\"name\": \"Look\", \"arguments\": {}}]\n```";
        assert_eq!(names(said(text)), (vec!["Find".to_owned(), "Look".to_owned()], false));
    }

    #[test]
    fn everything_else_is_words() {
        assert_eq!(said("<think>{\"name\": \"Find\"}</think> At noon. "), Spoken::Words("At noon.".to_owned()));
        assert_eq!((said(""), said("[]")), (Spoken::Words(String::new()), Spoken::Words("[]".to_owned())));
    }

    #[test]
    fn a_native_call_whose_arguments_are_no_object_cannot_be_read() {
        assert_eq!(native("[").unwrap_err().reason, "bad_arguments");
    }
}
