//! Read a whole conversation: which complexities has it that no rule can prove, and what does the agent do with its words
//! (CONFETTI, Tables 1 and 8)?

use super::{Common, TaskInfo};
use crate::record::{Complexity, Conversation, FunctionCall, Tool, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("read_conversation", "ReadConversation")
    .reply(include_str!("reply_schema/conversation_reading.json"));

/// A conversation is to be read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReadConversationVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the agent is told before anything is said.
    pub system: String,
    /// The turns.
    pub turns: Vec<ReadTurn>,
    /// The tools that are offered.
    pub tools: Vec<Arc<Tool>>,
}

/// What the person says, and what the agent does then.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReadTurn {
    /// Its number, from 1.
    pub n: usize,
    /// What the person says.
    pub said: String,
    /// The agent's calls.
    pub calls: Vec<FunctionCall>,
    /// What they are answered.
    pub answers: Vec<Value>,
    /// What the agent says.
    pub reply: String,
}

impl ReadConversationVariables {
    /// The conversation as its reader is shown it, without a word of what was planned.
    pub fn of(common: Common, conversation: &Conversation) -> Self {
        let turn = |(at, turn): (usize, &crate::record::AgentTurn)| ReadTurn {
            n: at + 1,
            said: turn.said.clone(),
            calls: turn.calls.iter().map(|made| made.call.clone()).collect(),
            answers: turn.calls.iter().map(|made| made.answer.clone()).collect(),
            reply: turn.reply.clone(),
        };
        let turns = conversation.turns.iter().enumerate().map(turn).collect();
        Self { common, system: conversation.system.clone(), turns, tools: conversation.tools.clone() }
    }
}

/// What a reader finds in a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationReading {
    /// Complexities, each with the turn that has it, from 0.
    pub complexities: Vec<(Complexity, usize)>,
    /// The labels of the agent's words, by turn from 0, as they were written.
    pub acts: Vec<(usize, String)>,
}

/// The reading of an answer.
pub fn read_conversation(text: &str) -> Result<(ConversationReading, Way), Unparsable> {
    let object = |value: &Value| value.as_object().filter(|it| it.contains_key("acts")).cloned();
    let (fields, way) = find(without_thought(text), object)
        .ok_or_else(|| Unparsable::new("no_reading", "there is no JSON object with lists `acts` and `complexities`"))?;
    let list = |name: &str| fields.get(name).and_then(Value::as_list).unwrap_or_default().to_vec();
    let turn = |value: &Value| value.at_path("n")?.to_string().parse::<usize>().ok()?.checked_sub(1);
    let complexity = |value: &Value| {
        let name = value.at_path("complexity")?.as_str()?;
        Some((Complexity::of(name)?, turn(value)?))
    };
    let labels = |value: &Value| match value.at_path("labels")? {
        Value::String(labels) => Some(labels.clone()),
        Value::List(labels) => Some(labels.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
        _ => None,
    };
    let acts = list("acts").iter().filter_map(|value| Some((turn(value)?, labels(value)?))).collect();
    let complexities = list("complexities").iter().filter_map(complexity).collect();
    Ok((ConversationReading { complexities, acts }, way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_names_turns_from_one() {
        let text = r#"{"complexities": [{"n": 2, "complexity": "OVERFILL"}, {"n": 1, "complexity": "magic"}],
            "acts": [{"n": 1, "labels": ["agent_seek_information"]}, {"n": 2, "labels": "agent_other"}]}"#;
        let reading = read_conversation(text).unwrap().0;
        assert_eq!(reading.complexities, [(Complexity::Overfill, 1)]);
        assert_eq!(reading.acts, [(0, "agent_seek_information".to_owned()), (1, "agent_other".to_owned())]);
        assert_eq!(read_conversation("True").unwrap_err().reason, "no_reading");
    }
}
