//! What a stage asks of a model, and what comes back.

use super::ToolCallText;
use super::tasks::{Task, Variables};
use crate::record::{Message, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One question to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// What is asked for.
    pub task: Task,
    /// Name of the stage that asks; for usage and for seeds.
    pub stage: Arc<str>,
    /// Id of the item that it is asked for.
    pub item: Arc<str>,
    /// Which draw of this item it is, from 0; equal prompts of one stage differ by it and by the item's ordinals.
    pub draw: u32,
    /// The rendered system prompt, if any.
    pub system: Option<String>,
    /// What was said before, where a dialogue is sent as messages and not as text; empty otherwise.
    pub history: Vec<Message>,
    /// The rendered user prompt. All of these are empty for the built-in model, which reads `variables` alone.
    pub user: String,
    /// Exactly the variables of the prompt.
    pub variables: Arc<Variables>,
    /// JSON Schema of the answer, where one is wanted and the server can hold to it.
    pub schema: Option<Arc<serde_json::Value>>,
    /// Tools for native tool calling; empty otherwise.
    pub tools: Vec<Arc<Tool>>,
    /// Sampling temperature; the model's own setting where absent.
    pub temperature: Option<f64>,
}

impl Request {
    /// A request whose variables are known, and nothing yet of what is said.
    pub fn new(task: Task, stage: &str, item: &str, draw: u32, variables: impl Into<Arc<Variables>>) -> Self {
        Self {
            task,
            stage: Arc::from(stage),
            item: Arc::from(item),
            draw,
            system: None,
            history: Vec::new(),
            user: String::new(),
            variables: variables.into(),
            schema: None,
            tools: Vec::new(),
            temperature: None,
        }
    }

    /// The ordinals in the item's id, where something new is wanted: a stage draws many items with one prompt.
    pub(super) fn ordinals(&self) -> Vec<u64> {
        let parts = self.item.split('/').filter(|_| self.task.creates());
        parts.filter_map(|part| part.parse().ok()).collect()
    }

    /// What is added to the seed of a server that takes one: it differs among the draws of a prompt.
    pub(super) fn seed_step(&self) -> u64 {
        let place = self.ordinals().into_iter().fold(0, |place: u64, it| place.wrapping_mul(1000).wrapping_add(it));
        place.wrapping_mul(100).wrapping_add(u64::from(self.draw))
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reply {
    /// The text; empty where it only called tools.
    pub text: String,
    /// Native tool calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallText>,
    /// The thought, where the server gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why it stopped.
    pub finish: FinishReason,
    /// Tokens of this reply.
    pub usage: Usage,
    /// Whether the journal knew it already; such a reply cost nothing now.
    #[serde(skip)]
    pub cached: bool,
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    #[default]
    Stop,
    /// It ran into the token limit.
    Length,
    /// It called tools.
    ToolCalls,
    /// The server withheld it.
    ContentFilter,
    /// Another server's word.
    Other(String),
}

impl FinishReason {
    /// The reason as servers spell it.
    pub fn word(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::Other(word) => word,
        }
    }
}

/// Tokens read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of the reply.
    pub completion: u64,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChatError {
    /// The server could not be reached, or went on failing, after all retries. Only this item is lost.
    #[error("no answer from `{model}` after {attempts} attempts: {detail}")]
    Transport {
        /// The model.
        model: String,
        /// How often it was tried.
        attempts: u32,
        /// The last failure.
        detail: String,
    },
    /// The server refuses this one request (400, 413, 422): asking again would not help. Only this item is lost.
    #[error("`{model}` refuses the request with {status}: {detail}")]
    Refused {
        /// The model.
        model: String,
        /// HTTP status.
        status: u16,
        /// What the server says.
        detail: String,
    },
    /// Nothing can go on with this endpoint (401, 403, 404, unknown host): the run stops, exit 12.
    #[error("{detail}")]
    Endpoint {
        /// What is wrong, in words.
        detail: String,
        /// The way out.
        hint: String,
    },
    /// The run's budget is spent: the run stops, exit 13; a rerun with more resumes.
    #[error("the budget is spent: {detail}")]
    Budget {
        /// Which bound, and how much was spent.
        detail: String,
    },
    /// A scripted model has no reply recorded for this request.
    #[error("no reply is recorded for {} of `{item}`, draw {draw}", task.seed_word())]
    Unscripted {
        /// What was asked.
        task: Task,
        /// For which item.
        item: String,
        /// Which draw.
        draw: u32,
    },
    /// Replies can no longer be kept (full disk, lost file): the run stops, because what it pays for would be lost.
    #[error("{detail}")]
    Journal {
        /// What is wrong with the journal, in words.
        detail: String,
    },
    /// The run is being stopped.
    #[error("the run was interrupted")]
    Interrupted,
    /// The run is being stopped, and batches that were sent go on without it.
    #[error("the run was interrupted; {batches} of its batches are still running on the server")]
    Submitted {
        /// How many.
        batches: usize,
    },
    /// The answers must come from somebody else first: the run stops, exit 15; a rerun goes on.
    #[error("{detail}")]
    Waiting {
        /// What is waited for.
        detail: String,
        /// How it is got.
        hint: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_of_one_prompt_have_places_and_seeds_of_their_own() {
        let request = |task, item: &str, draw| Request { task, ..crate::testing::request(item, draw) };
        let steps = ["A.b/s/0", "A.b/s/1", "A.b/s/1/t/0", "A.b/s/2/t/0"]
            .map(|item| request(Task::WriteQuery, item, 3).seed_step());
        assert_eq!(steps, [3, 103, 100_003, 200_003]);
        assert_eq!(request(Task::Call, "A.b/s/1", 3).ordinals(), [0; 0]);
        assert_eq!(request(Task::Call, "A.b/s/1", 3).seed_step(), 3);
    }

    #[test]
    fn a_reply_is_kept_without_what_it_does_not_have() {
        let reply = Reply {
            text: "hi".to_owned(),
            cached: true,
            finish: FinishReason::Other("eos".to_owned()),
            ..Reply::default()
        };
        let text = serde_json::to_string(&reply).unwrap();
        assert_eq!(text, r#"{"text":"hi","finish":{"other":"eos"},"usage":{"prompt":0,"completion":0}}"#);
        assert_eq!(serde_json::from_str::<Reply>(&text).unwrap(), Reply { cached: false, ..reply });
        assert_eq!(serde_json::from_str::<Reply>("{}").unwrap(), Reply::default(), "an older journal may know less");
    }

    #[test]
    fn reasons_are_spelt_as_servers_spell_them() {
        let other = FinishReason::Other("eos".to_owned());
        let words =
            [FinishReason::Stop, FinishReason::Length, FinishReason::ToolCalls, FinishReason::ContentFilter, other];
        assert_eq!(words.each_ref().map(FinishReason::word), ["stop", "length", "tool_calls", "content_filter", "eos"]);
    }

    #[test]
    fn every_failure_says_whom_it_concerns() {
        let (model, detail) = ("m".to_owned(), "HTTP 503".to_owned());
        let errors = [
            ChatError::Transport { model: model.clone(), attempts: 3, detail: detail.clone() },
            ChatError::Refused { model, status: 400, detail },
            ChatError::Unscripted { task: Task::CanServe, item: "a/1".to_owned(), draw: 2 },
            ChatError::Interrupted,
        ];
        insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"), @"
        no answer from `m` after 3 attempts: HTTP 503
        `m` refuses the request with 400: HTTP 503
        no reply is recorded for CanServe of `a/1`, draw 2
        the run was interrupted
        ");
    }
}
