//! Conversations: turns in which a person speaks, an agent calls and then speaks (CONFETTI, section 3).

use super::super::call::{ArgumentNotes, FunctionCall};
use super::super::message::{Message, Role};
use super::super::tool::Tool;
use super::super::value::Value;
use super::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A conversation between a person and an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// What it was to be about.
    pub scenario: Scenario,
    /// What the agent is told before anything is said.
    pub system: String,
    /// The tools that are offered, in the order shown.
    pub tools: Vec<Arc<Tool>>,
    /// The turns; each begins with the person.
    pub turns: Vec<AgentTurn>,
}

/// What the person says, and everything that the agent does then.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgentTurn {
    /// What the person says.
    pub said: String,
    /// The agent's calls, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<MadeCall>,
    /// What the agent says in the end.
    pub reply: String,
    /// What it does with its words and calls, in CONFETTI's labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<String>,
}

/// A call with what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MadeCall {
    /// The call.
    pub call: FunctionCall,
    /// Where its arguments come from.
    #[serde(default, skip_serializing_if = "ArgumentNotes::is_empty")]
    pub notes: ArgumentNotes,
    /// The tool's answer.
    pub answer: Value,
    /// Whether the answer is an error.
    #[serde(default)]
    pub failed: bool,
}

impl Conversation {
    /// Everything before call `call` of turn `turn`; with `call` as many as the turn has, everything before its words.
    pub fn before(&self, turn: usize, call: usize) -> Vec<Message> {
        let mut messages = Vec::new();
        if !self.system.is_empty() {
            messages.push(Message::new(Role::System, &self.system));
        }
        let mut ordinal = 0;
        for (at, it) in self.turns.iter().enumerate().take(turn + 1) {
            messages.push(Message::user(&it.said));
            let made = if at == turn { call } else { it.calls.len() };
            for made in it.calls.iter().take(made) {
                messages.extend(made.messages(ordinal));
                ordinal += 1;
            }
            if at < turn {
                messages.push(Message::new(Role::Assistant, &it.reply));
            }
        }
        messages
    }

    /// All calls in order, with the number of their turn.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &MadeCall)> {
        self.turns.iter().enumerate().flat_map(|(at, turn)| turn.calls.iter().map(move |made| (at, made)))
    }
}

impl MadeCall {
    /// The call and its answer; `ordinal` counts the calls of the conversation from 0.
    pub fn messages(&self, ordinal: usize) -> [Message; 2] {
        let made = Message { content: None, tool_calls: vec![self.call.clone()], ..Message::new(Role::Assistant, "") };
        [made, Message { answers: Some(ordinal), ..Message::new(Role::Tool, self.answer.to_string()) }]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::complexity::Complexity;
    use super::*;

    /// A conversation of two turns: one with two calls, one with none.
    pub(crate) fn conversation() -> Conversation {
        let made = |name: &str, answer: &str| MadeCall {
            call: FunctionCall { name: name.to_owned(), ..FunctionCall::default() },
            notes: ArgumentNotes::new(),
            answer: Value::read(answer).unwrap(),
            failed: false,
        };
        let turn = |said: &str, calls: Vec<MadeCall>, reply: &str| AgentTurn {
            said: said.to_owned(),
            calls,
            reply: reply.to_owned(),
            acts: Vec::new(),
        };
        Conversation {
            scenario: Scenario {
                number: 0,
                complexity: Complexity::NoTargetComplexity,
                required: vec!["find".to_owned()],
                optional: Vec::new(),
                reference_time: "2025-12-30T09:00:00".to_owned(),
                minimum_turns: 1,
                offered: 3,
                goals: String::new(),
                episodes: Vec::new(),
                call_responses: None,
                text_responses: None,
                thanks: false,
                thread: None,
            },
            system: "Be kind.".to_owned(),
            tools: Vec::new(),
            turns: vec![
                turn("tea?", vec![made("find", "{\"id\": 1}"), made("buy", "\"ok\"")], "Bought."),
                turn("thanks", Vec::new(), "Sure."),
            ],
        }
    }

    #[test]
    fn what_stands_before_a_call_is_everything_that_came_before_it_and_nothing_else() {
        let it = conversation();
        let roles = |turn, call| it.before(turn, call).into_iter().map(|message| message.role).collect::<Vec<_>>();
        assert_eq!(roles(0, 0), [Role::System, Role::User]);
        assert_eq!(roles(0, 1), [Role::System, Role::User, Role::Assistant, Role::Tool]);
        assert_eq!(roles(1, 0)[6..], [Role::Assistant, Role::User]);
        let whole = it.before(1, 0);
        for (turn, call) in [(0, 0), (0, 1), (0, 2)] {
            let before = it.before(turn, call);
            assert_eq!(before[..], whole[..before.len()]);
        }
        assert_eq!(
            it.calls().map(|(turn, made)| (turn, made.call.name.as_str())).collect::<Vec<_>>(),
            [(0, "find"), (0, "buy")]
        );
    }

    #[test]
    fn answers_are_counted_through_the_conversation() {
        let ordinals: Vec<_> = conversation().before(1, 0).into_iter().filter_map(|message| message.answers).collect();
        assert_eq!(ordinals, [0, 1]);
    }
}
