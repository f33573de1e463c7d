//! Write questions that want one or several calls in order, several questions in one answer (CallNavi section 4).

use super::write_query::{is_true, yes};
use super::{Common, TaskInfo};
use crate::record::{ApiPhrases, Difficulty, Object, ReferPhrases, Saying, Tool, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_question", "WriteQuestion").voiced();

/// Questions are to be written that want calls, in an order. What `requests` says of each of them, the other fields say of
/// the first: for the built-in model, and for prompts that ask for one question.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AskVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// How hard the question is to be.
    pub difficulty: Difficulty,
    /// The calls, in the order in which they are to be made.
    pub calls: Vec<AskedCall>,
    /// The manner in which the person asks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
    /// What the person's matter is, where the domain tells it.
    pub situation: Option<String>,
    /// All questions of the answer, in its order; empty for the built-in model, which writes one.
    #[serde(default)]
    pub requests: Vec<AskPlan>,
}

/// What is settled of a question before it is written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AskPlan {
    /// The calls, in the order in which they are to be made.
    pub calls: Vec<AskedCall>,
    /// Who asks: a row of the table of people.
    pub person: Option<Object>,
    /// How that person writes, in words.
    pub manner: String,
    /// What the person's matter is, where the domain tells it.
    pub situation: Option<String>,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
}

/// One call that a question is to want.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedCall {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Its arguments, by parameter.
    pub arguments: IndexMap<String, AskedArgument>,
    /// What people say when they want it; absent for tools that people bring along.
    pub phrases: Option<Arc<ApiPhrases>>,
    /// Whether it makes something new that later calls take.
    pub makes: bool,
}

/// One argument of such a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedArgument {
    /// The value; `null` where the writer chooses it, or where the question does not settle it.
    pub value: Value,
    /// The words that say it.
    pub words: String,
    /// How the question says it.
    pub saying: Saying,
    /// How people refer to the thing that it identifies, if it identifies one.
    pub refers: Option<Arc<ReferPhrases>>,
}

/// The structured answer to [`super::Task::WriteQuestion`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrittenQuestion {
    /// The arguments of each call, in order.
    pub parameters: Vec<Object>,
    /// Numbers of the calls, from 1, in the order in which the question mentions them.
    #[serde(default)]
    pub mentions: Vec<usize>,
    /// What the person asks.
    pub question: String,
    /// Whether anybody would ask that, in the writer's eyes.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub sensible: bool,
}

/// Reads the `place`-th of the questions of an answer, from 0. The first may also come alone, in the form that prompts for
/// one question ask for.
pub fn read_question(text: &str, place: usize) -> Result<(WrittenQuestion, Way), Unparsable> {
    let text = without_thought(text);
    let list = |value: &Value| value.as_object()?.get("requests")?.as_list().map(<[Value]>::to_vec);
    let (written, way) = match find(text, list) {
        Some((items, way)) => {
            let item = items.get(place).ok_or_else(|| {
                let detail = format!("there are {} requests, and request {} is missing", items.len(), place + 1);
                Unparsable::new("missing_request", detail)
            })?;
            (structured(item), way)
        }
        None => find(text, structured).filter(|_| place == 0).map_or((None, Way::Whole), |(it, way)| (Some(it), way)),
    };
    let written = written.ok_or_else(|| {
        Unparsable::new("no_question", "there is no JSON object with `parameters` (a list of objects) and `question`")
    })?;
    if written.sensible && !written.question.chars().any(char::is_alphanumeric) {
        return Err(Unparsable::new("empty_query", "the question is empty"));
    }
    Ok((written, way))
}

fn structured(value: &Value) -> Option<WrittenQuestion> {
    let object = value.as_object()?;
    let question = object.get("question")?.as_str()?.trim().to_owned();
    let parameters = match object.get("parameters")? {
        Value::List(calls) => calls.iter().map(|call| call.as_object().cloned()).collect::<Option<Vec<Object>>>()?,
        // A single call needs no list.
        Value::Object(call) => vec![call.clone()],
        _ => return None,
    };
    let number = |value: &Value| value.as_number()?.as_str().parse::<usize>().ok();
    let mentions = object.get("mentions").and_then(Value::as_list).unwrap_or_default();
    let mentions = mentions.iter().map(number).collect::<Option<Vec<usize>>>().unwrap_or_default();
    let sensible = object.get("sensible").and_then(Value::as_bool).unwrap_or(true);
    Some(WrittenQuestion { parameters, mentions, question, sensible })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_question_is_read_with_its_arguments() {
        let text = r#"Sure: {"parameters": [{"id": "C1"}, {}], "mentions": [2, 1], "question": " Close it? "}"#;
        let (written, way) = read_question(text, 0).unwrap();
        assert_eq!(
            (written.question.as_str(), written.mentions, written.parameters.len()),
            ("Close it?", vec![2, 1], 2)
        );
        assert_eq!((written.parameters[0]["id"].as_str(), way), (Some("C1"), Way::LeadIn));
    }

    #[test]
    fn one_call_needs_no_list_and_the_order_may_be_left_out() {
        let written = read_question(r#"{"parameters": {"id": "C1"}, "question": "Close it"}"#, 0).unwrap().0;
        assert_eq!((written.parameters.len(), written.mentions), (1, vec![]));
        let odd = read_question(r#"{"parameters": [], "mentions": ["first"], "question": "Close it"}"#, 0).unwrap().0;
        assert!(odd.mentions.is_empty());
    }

    #[test]
    fn of_several_questions_each_is_read_at_its_place() {
        let text = r#"{"requests": [{"parameters": [{}], "question": "", "sensible": false},
            {"parameters": [{"id": "C2"}], "question": "Close it"}]}"#;
        assert!(!read_question(text, 0).unwrap().0.sensible);
        let second = read_question(text, 1).unwrap().0;
        assert_eq!((second.parameters[0]["id"].as_str(), second.sensible), (Some("C2"), true));
        assert_eq!(read_question(text, 2).unwrap_err().reason, "missing_request");
    }

    #[test]
    fn what_is_no_question_says_so() {
        for (text, reason) in [
            ("I cannot help", "no_question"),
            (r#"{"question": "x"}"#, "no_question"),
            (r#"{"parameters": [3], "question": "x"}"#, "no_question"),
            (r#"{"parameters": [{}], "question": "..."}"#, "empty_query"),
        ] {
            assert_eq!(read_question(text, 0).unwrap_err().reason, reason, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in ".*") {
            drop(read_question(&text, 0));
            drop(read_question(&text, 1));
        }
    }
}
