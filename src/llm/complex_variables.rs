//! What the prompts of requests that want calls in steps are given (`ComplexFuncBench`), and how they are answered.

use super::variables::Common;
use crate::record::{FunctionCall, Object, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Several requests are to be written at once, each of which wants calls in steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoarseVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// The functions that may be used.
    pub functions: Vec<Arc<Tool>>,
    /// How many requests are wanted.
    pub count: usize,
    /// The fewest calls that must follow one another.
    pub least_steps: usize,
    /// The day on which everything happens; empty where nobody says.
    pub today: String,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
}

/// A request is to be served with calls, turn by turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// Is a call needed for what a request asks?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeededVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// All calls, in their order.
    pub calls: Vec<FunctionCall>,
    /// The one in question.
    pub call: FunctionCall,
    /// What it answered.
    pub answer: Value,
    /// What the person was told in the end.
    pub said: String,
}

/// A request leaves out what its calls need, and is to be rewritten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// A variant of a request is wanted: the same sentences with other values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneralizeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The words that may be replaced.
    pub replaceable: Vec<String>,
    /// The words that must stay.
    pub kept: Vec<String>,
    /// The fewest and the most pieces to be replaced.
    pub pieces: (usize, usize),
    /// Variants that there are.
    pub known: Vec<String>,
    /// The day on which everything happens; empty where nobody says.
    pub today: String,
}

/// The structured answer to [`super::Task::CoarseQueries`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenQueries {
    /// The requests.
    pub queries: Vec<CoarseQuery>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoarseQuery {
    /// What the person says.
    pub query: String,
    /// Names of the functions that it takes, in the order of their first call.
    pub function_list: Vec<String>,
    /// How it would be served.
    pub thought: String,
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

#[cfg(test)]
mod tests {
    use super::*;

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
