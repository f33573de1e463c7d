//! Rewrite a request that leaves out what its calls need (`ComplexFuncBench`, correction).

use super::{Common, TaskInfo};
use crate::record::Value;
use crate::text::{Unparsable, Way, find};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("correct_query", "CorrectQuery").reply(include_str!("reply_schema/rewritten_request.json"));

/// A request leaves out what its calls need, and is to be rewritten.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CorrectVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The arguments that nothing in it settles.
    pub missing: Vec<MissingArgument>,
    /// The day on which everything happens; empty where nobody says.
    pub today: String,
}

/// An argument that a request does not settle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingArgument {
    /// The function.
    pub function: String,
    /// What the function does.
    pub purpose: String,
    /// The parameter.
    pub parameter: String,
    /// What the parameter is about: its description.
    pub about: String,
    /// The value.
    pub value: Value,
}

/// The structured answer to [`super::Task::CorrectQuery`] and [`super::Task::GeneralizeQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewrittenRequest {
    /// What the person says now.
    pub query: String,
    /// Words of it that say a value which does not stand there by itself.
    pub said: Vec<SaidBy>,
}

/// The words that say an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidBy {
    /// The function.
    pub function: String,
    /// The parameter.
    pub parameter: String,
    /// The words, as they stand in the request.
    pub words: String,
}

/// Reads a rewritten request.
pub fn read_rewritten(text: &str) -> Result<(RewrittenRequest, Way), Unparsable> {
    let (rewritten, way) = find(text, structured)
        .ok_or_else(|| Unparsable::new("no_query", "there is no JSON object with `query` in it"))?;
    if !rewritten.query.chars().any(char::is_alphanumeric) {
        return Err(Unparsable::new("empty_query", "the request is empty"));
    }
    Ok((rewritten, way))
}

fn structured(value: &Value) -> Option<RewrittenRequest> {
    let object = value.as_object()?;
    let query = object.get("query")?.as_str()?.trim().to_owned();
    let said = object.get("said").and_then(Value::as_list).unwrap_or_default();
    Some(RewrittenRequest { query, said: said.iter().filter_map(said_by).collect() })
}

fn said_by(value: &Value) -> Option<SaidBy> {
    let text = |key: &str| Some(value.as_object()?.get(key)?.as_str()?.trim().to_owned());
    Some(SaidBy { function: text("function")?, parameter: text("parameter")?, words: text("words")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_comes_with_the_words_that_say_its_values() {
        let text = r#"So: {"query": " The cheapest, please ", "said": [
            {"function": "Search", "parameter": "sort", "words": "cheapest"}, {"parameter": "x"}, 5]}"#;
        let (read, way) = read_rewritten(text).unwrap();
        assert_eq!((read.query.as_str(), read.said.len(), way), ("The cheapest, please", 1, Way::LeadIn));
        assert_eq!((read.said[0].parameter.as_str(), read.said[0].words.as_str()), ("sort", "cheapest"));
        assert!(read_rewritten("{\"query\": \"Book it\"}").unwrap().0.said.is_empty());
    }

    #[test]
    fn what_is_no_request_says_so() {
        for (text, reason) in
            [("no", "no_query"), (r#"{"said": []}"#, "no_query"), (r#"{"query": "..."}"#, "empty_query")]
        {
            assert_eq!(read_rewritten(text).unwrap_err().reason, reason, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in any::<String>()) {
            drop(read_rewritten(&text));
        }
    }

    #[test]
    fn variables_come_back_as_they_were_sent() {
        let missing = MissingArgument {
            function: "Find".to_owned(),
            purpose: "Finds".to_owned(),
            parameter: "at".to_owned(),
            about: "Hour".to_owned(),
            value: "08:00".into(),
        };
        let sent = CorrectVariables {
            common: Common::default(),
            query: "find it".to_owned(),
            missing: vec![missing],
            today: String::new(),
        };
        let json = serde_json::to_string(&sent).unwrap();
        assert_eq!(serde_json::from_str::<CorrectVariables>(&json).unwrap(), sent);
    }
}
