//! What a stage asks of a model, and what comes back.

use super::Variables;
use crate::record::{Message, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The kinds of thing that a model is asked to do; one prompt folder each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Make a toolkit from a category and its wanted functions (HammerBench E.1).
    Toolkits,
    /// Write a query with the arguments that it names (E.2).
    WriteQuery,
    /// Choose the parameters that people would mention (E.3).
    SelectParameters,
    /// Read a query: which call does it ask for (appendix D)?
    Call,
    /// Read a question: which APIs does it want, in which order (CallNavi's routing)?
    Route,
    /// The same, with the parameters of every call (CallNavi).
    RouteCalls,
    /// Do two calls say the same (E.4)?
    JudgeCall,
    /// Can this tool serve this query (E.5)?
    CanServe,
    /// Which argument is a known entity (E.6, first step)?
    ExternalEntity,
    /// Name a pointer to an entity (E.6, second step).
    ExternalPointer,
    /// Simulate the message that holds the entity (E.6, third step).
    ExternalMessage,
    /// Rewrite the query with the pointer in the value's place (E.6, fourth step).
    ExternalQuery,
    /// Ask for a missing parameter (E.7, question).
    SlotQuestion,
    /// Answer such a question (E.7, answer).
    SlotAnswer,
    /// Invent APIs for a domain (CallNavi section 4).
    WriteApis,
    /// Write a question that wants several calls in order (CallNavi section 4).
    WriteQuestion,
    /// Write a request that wants several calls in steps (`ComplexFuncBench`, section 3.1).
    WriteComplexQuery,
    /// Does a question ask for these calls (CallNavi section 4, quality control)?
    JudgeQuestion,
    /// Ask for everything that is missing at once (FunctionChat-Bench: slot).
    AskMissing,
    /// Tell a tool's answer (FunctionChat-Bench: completion).
    TellAnswer,
    /// Decline what no tool serves (FunctionChat-Bench: relevance).
    Decline,
    /// Say something that wants no tool, and answer it (FunctionChat-Bench: relevance).
    Exchange,
    /// Say one line of a conversation (CONFETTI).
    Say,
    /// Write down what a person wants, before a conversation is played (CONFETTI, section 3.1).
    WriteScenario,
    /// Is such a scenario sound (CONFETTI, section 3.1)?
    ReviewScenario,
    /// Does a conversation have a complexity that no rule can prove (CONFETTI, Table 1)?
    JudgeComplexity,
    /// What does an agent do with its words (CONFETTI, Table 8)?
    ClassifyDialogActs,
    /// Speak for the person of a conversation (CONFETTI, section 3.2).
    PlayUser,
    /// Call or speak for the assistant of a conversation (CONFETTI, section 3.2).
    PlayAgent,
    /// Answer a call in the place of an API.
    Simulate,
    /// Turn texts into vectors: each message of the history is a text.
    Embed,
    /// Say how well claims stand in contexts, where a server of its own does so.
    Score,
    /// Write requests that want several calls in steps (`ComplexFuncBench`, figure 8).
    CoarseQueries,
    /// Serve a request with calls, turn by turn (`ComplexFuncBench`, 3.1).
    Annotate,
    /// Is a call needed for what a request asks (`ComplexFuncBench`, correction)?
    JudgeNeeded,
    /// Rewrite a request that leaves out what its calls need (`ComplexFuncBench`, correction).
    CorrectQuery,
    /// Say a request with other values (`ComplexFuncBench`, figure 9).
    GeneralizeQuery,
    /// Say texts and their values in another language, with everything else as it was.
    Localize,
    /// Complete what is said of a tool.
    Enrich,
    /// Whatever a user's own prompt asks (the `generate` stage).
    Generate,
}

impl Task {
    /// The tasks whose prompts ship with fcgen; the general one brings its own, and texts need none.
    pub const WITH_PROMPT: [Self; 37] = [
        Self::Toolkits,
        Self::WriteQuery,
        Self::SelectParameters,
        Self::Call,
        Self::Route,
        Self::RouteCalls,
        Self::JudgeCall,
        Self::CanServe,
        Self::ExternalEntity,
        Self::ExternalPointer,
        Self::ExternalMessage,
        Self::ExternalQuery,
        Self::SlotQuestion,
        Self::SlotAnswer,
        Self::WriteApis,
        Self::WriteQuestion,
        Self::WriteComplexQuery,
        Self::JudgeQuestion,
        Self::AskMissing,
        Self::TellAnswer,
        Self::Decline,
        Self::Exchange,
        Self::Say,
        Self::WriteScenario,
        Self::ReviewScenario,
        Self::JudgeComplexity,
        Self::ClassifyDialogActs,
        Self::PlayUser,
        Self::PlayAgent,
        Self::Simulate,
        Self::CoarseQueries,
        Self::Annotate,
        Self::JudgeNeeded,
        Self::CorrectQuery,
        Self::GeneralizeQuery,
        Self::Localize,
        Self::Enrich,
    ];

    /// The task's folder below `prompts/`.
    pub fn folder(self) -> &'static str {
        self.words().0
    }

    /// The task's word in seeds of the built-in model. It stays as it is when a task gets another name: another word is
    /// another text in every benchmark.
    pub fn seed_word(self) -> &'static str {
        self.words().1
    }

    /// The words for the folder and for seeds.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Toolkits => ("toolkits", "Toolkits"),
            Self::WriteQuery => ("write_query", "WriteQuery"),
            Self::SelectParameters => ("select_parameters", "SelectParameters"),
            Self::Call => ("call", "Call"),
            Self::Route => ("route", "Route"),
            Self::RouteCalls => ("route_calls", "RouteCalls"),
            Self::JudgeCall => ("judge_call", "JudgeCall"),
            Self::CanServe => ("can_serve", "CanServe"),
            Self::ExternalEntity => ("external_entity", "ExternalEntity"),
            Self::ExternalPointer => ("external_pointer", "ExternalPointer"),
            Self::ExternalMessage => ("external_message", "ExternalMessage"),
            Self::ExternalQuery => ("external_query", "ExternalQuery"),
            Self::SlotQuestion => ("slot_question", "SlotQuestion"),
            Self::SlotAnswer => ("slot_answer", "SlotAnswer"),
            Self::WriteApis => ("write_apis", "WriteApis"),
            Self::WriteQuestion => ("write_question", "WriteQuestion"),
            Self::WriteComplexQuery => ("write_complex_query", "WriteComplexQuery"),
            Self::JudgeQuestion => ("judge_question", "JudgeQuestion"),
            Self::AskMissing => ("ask_missing", "AskMissing"),
            Self::TellAnswer => ("tell_answer", "TellAnswer"),
            Self::Decline => ("decline", "Decline"),
            Self::Exchange => ("exchange", "Exchange"),
            Self::Say => ("say", "Say"),
            Self::WriteScenario => ("write_scenario", "WriteScenario"),
            Self::ReviewScenario => ("review_scenario", "ReviewScenario"),
            Self::JudgeComplexity => ("judge_complexity", "JudgeComplexity"),
            Self::ClassifyDialogActs => ("classify_dialog_acts", "ClassifyDialogActs"),
            Self::PlayUser => ("play_user", "PlayUser"),
            Self::PlayAgent => ("play_agent", "PlayAgent"),
            Self::Simulate => ("simulate", "Simulate"),
            Self::Embed => ("embed", "Embed"),
            Self::Score => ("score", "Score"),
            Self::CoarseQueries => ("coarse_queries", "CoarseQueries"),
            Self::Annotate => ("annotate", "Annotate"),
            Self::JudgeNeeded => ("judge_needed", "JudgeNeeded"),
            Self::CorrectQuery => ("correct_query", "CorrectQuery"),
            Self::GeneralizeQuery => ("generalize_query", "GeneralizeQuery"),
            Self::Localize => ("localize", "Localize"),
            Self::Enrich => ("enrich", "Enrich"),
            Self::Generate => ("generate", "Generate"),
        }
    }
}

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

impl Task {
    /// Whether something new is wanted, so that equal prompts for different items want different answers. A question
    /// that reads or judges has one answer, whoever asks, and so has a call of an API.
    pub fn creates(self) -> bool {
        let one = [
            Self::Call,
            Self::Route,
            Self::RouteCalls,
            Self::JudgeCall,
            Self::CanServe,
            Self::Simulate,
            Self::Annotate,
            Self::JudgeNeeded,
            Self::ReviewScenario,
            Self::JudgeComplexity,
            Self::ClassifyDialogActs,
            Self::Embed,
            Self::Score,
            // What is said twice is translated once.
            Self::Localize,
        ];
        !one.contains(&self)
    }
}

impl Request {
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

/// A native tool call as the server gave it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolCallText {
    /// The function's name.
    pub name: String,
    /// The arguments, as text.
    pub arguments: String,
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
    #[error("the run was interrupted, and {batches} of its batches go on at the server")]
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
        let request = |task, item: &str, draw| Request { task, ..crate::llm::testing::request(item, draw) };
        let steps = ["A.b/s/0", "A.b/s/1", "A.b/s/1/t/0", "A.b/s/2/t/0"]
            .map(|item| request(Task::WriteQuery, item, 3).seed_step());
        assert_eq!(steps, [3, 103, 100_003, 200_003]);
        assert_eq!(request(Task::Call, "A.b/s/1", 3).ordinals(), [0; 0]);
        assert_eq!(request(Task::Call, "A.b/s/1", 3).seed_step(), 3);
    }

    #[test]
    fn every_task_has_the_folder_that_its_name_says() {
        for task in Task::WITH_PROMPT.into_iter().chain([Task::Generate, Task::Embed, Task::Score]) {
            assert_eq!(serde_json::to_value(task).unwrap(), task.folder());
        }
        let shipped = crate::data::list("prompts");
        assert!(Task::WITH_PROMPT.iter().all(|task| shipped.contains(&task.folder().to_owned())), "{shipped:?}");
    }

    #[test]
    fn the_words_in_seeds_are_frozen() {
        let tasks = Task::WITH_PROMPT.into_iter().chain([Task::Generate, Task::Embed, Task::Score]);
        let words: Vec<&str> = tasks.map(Task::seed_word).collect();
        insta::assert_snapshot!(words.join(" "), @"Toolkits WriteQuery SelectParameters Call Route RouteCalls JudgeCall CanServe ExternalEntity ExternalPointer ExternalMessage ExternalQuery SlotQuestion SlotAnswer WriteApis WriteQuestion WriteComplexQuery JudgeQuestion AskMissing TellAnswer Decline Exchange Say WriteScenario ReviewScenario JudgeComplexity ClassifyDialogActs PlayUser PlayAgent Simulate CoarseQueries Annotate JudgeNeeded CorrectQuery GeneralizeQuery Localize Enrich Generate Embed Score");
    }

    #[test]
    fn who_reads_or_judges_creates_nothing() {
        let reading: Vec<Task> = Task::WITH_PROMPT.into_iter().filter(|task| !task.creates()).collect();
        let expected = [
            Task::Call,
            Task::Route,
            Task::RouteCalls,
            Task::JudgeCall,
            Task::CanServe,
            Task::ReviewScenario,
            Task::JudgeComplexity,
            Task::ClassifyDialogActs,
            Task::Simulate,
            Task::Annotate,
            Task::JudgeNeeded,
            Task::Localize,
        ];
        assert_eq!(reading, expected);
        assert!(!Task::Embed.creates() && !Task::Score.creates() && Task::Generate.creates());
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
