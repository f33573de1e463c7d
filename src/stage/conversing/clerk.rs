//! Who answers the calls of a freely played conversation, with the success or the error that its complexity wants.

use crate::failure::ItemError;
use crate::record::{Chance, Complexity, Draw, FunctionCall, Object, Scenario, Tool, Value};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use crate::stage::trace::Desk;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Answers calls: the same call with the same status is answered alike throughout a conversation.
pub(super) struct Clerk<'a> {
    desk: Desk<'a>,
    scenario: &'a Scenario,
    /// So many of the required tools are called before one fails.
    before: usize,
    /// The required tools that were called.
    called: Vec<String>,
    /// The one that failed.
    failing: Option<String>,
    error: Value,
    answered: BTreeMap<(String, bool), Answered>,
}

/// What a call is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    pub(super) answer: Value,
    /// Whether the answer is an error.
    pub(super) failed: bool,
    pub(super) draw: Option<Draw>,
}

impl<'a> Clerk<'a> {
    /// Nothing was called yet.
    pub(super) fn new(context: &'a Context, scenario: &'a Scenario, mut chance: Chance) -> Result<Self, Fault> {
        let others = scenario.required.len().saturating_sub(1);
        let failed = scenario.complexity == Complexity::FailedConversation;
        Ok(Self {
            desk: Desk::new(context),
            scenario,
            // What is not achieved comes last, so that everything that is required was called by then.
            before: if failed { others } else { chance.below(others + 1) },
            called: Vec::new(),
            failing: None,
            error: error(context, &mut chance)?,
            answered: BTreeMap::new(),
        })
    }

    /// The required tools that were not called yet.
    pub(super) fn lacking(&self) -> Vec<&str> {
        let lacks = |name: &&String| !self.called.contains(name);
        self.scenario.required.iter().filter(lacks).map(String::as_str).collect()
    }

    /// Answers a call of one of the tools.
    pub(super) async fn answer(&mut self, tools: &[Arc<Tool>], call: &FunctionCall) -> Result<Answered, ItemError> {
        let fails = self.fails(&call.name);
        if self.lacking().contains(&call.name.as_str()) {
            self.called.push(call.name.clone());
        }
        let key = (key(call), fails);
        if let Some(known) = self.answered.get(&key) {
            return Ok(known.clone());
        }
        let answered = if fails {
            self.failing = Some(call.name.clone());
            Answered { answer: self.error.clone(), failed: true, draw: None }
        } else {
            let told = self.desk.answer(tools, call).await?;
            Answered { answer: told.answer, failed: told.fault.is_some(), draw: told.draw }
        };
        self.answered.insert(key, answered.clone());
        Ok(answered)
    }

    /// Whether a call is to fail: the first of a required tool, and where nothing is to be achieved, its retries.
    fn fails(&self, name: &str) -> bool {
        let first = || self.lacking().contains(&name) && self.called.len() >= self.before;
        match (self.scenario.complexity, &self.failing) {
            (Complexity::ExceptionInExecution | Complexity::FailedConversation, None) => first(),
            (Complexity::FailedConversation, Some(failing)) => failing == name,
            _ => false,
        }
    }
}

/// An error with a code and a message.
pub(super) fn error(context: &Context, chance: &mut Chance) -> Result<Value, Fault> {
    let wordless = || Fault::new("no_words", "the locale has no `[[faults]]` in its `chat.toml`");
    let fault = chance.pick(&context.pack().chat.faults).ok_or_else(wordless)?;
    let fields = [("code", Value::from(i64::from(fault.code))), ("message", fault.message.as_str().into())];
    let error: Object = fields.map(|(name, value)| (name.to_owned(), value)).into();
    Ok(Value::Object([("error".to_owned(), Value::Object(error))].into()))
}

/// A call as text, whatever the order of its arguments.
fn key(call: &FunctionCall) -> String {
    let mut arguments = call.arguments.clone();
    arguments.sort_keys();
    format!("{} {}", call.name, Value::Object(arguments))
}

#[cfg(test)]
mod tests {
    use super::super::roles::testing::scenario;
    use super::*;
    use crate::stage::testing::context;

    /// The answers of calls of these tools; a number behind a name is its argument.
    async fn answers(complexity: Complexity, required: &[&str], calls: &[&str]) -> (Vec<String>, Vec<String>) {
        let count = std::sync::atomic::AtomicUsize::new(0);
        let (context, _) =
            context(move |_| format!("{{\"at\": {}}}", count.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
        let scenario = scenario(complexity, required);
        let mut clerk = Clerk::new(&context, &scenario, Chance::of(&[b"7"])).unwrap();
        let parameters = serde_json::from_str(r#"{"properties": {"n": {"type": "string"}}}"#).unwrap();
        let tool = |name: &str| Tool { name: name.to_owned(), parameters, ..Tool::default() };
        let one = tool("find");
        let tools =
            [one.clone(), Tool { name: "buy".to_owned(), ..one.clone() }, Tool { name: "see".to_owned(), ..one }];
        let tools = tools.map(Arc::new);
        let mut told = Vec::new();
        for text in calls {
            let (name, argument) = text.split_once(' ').unwrap_or((text, "0"));
            let arguments: Object = [("n".to_owned(), Value::from(argument))].into();
            let answered = clerk.answer(&tools, &FunctionCall { name: name.to_owned(), arguments }).await.unwrap();
            assert_eq!(answered.failed, answered.answer.at_path("error.code").is_some());
            told.push(if answered.failed { "error".to_owned() } else { answered.answer.to_string() });
        }
        (told, clerk.lacking().into_iter().map(str::to_owned).collect())
    }

    #[tokio::test]
    async fn the_first_call_of_a_required_tool_fails_once() {
        let calls = ["see", "find", "find", "find 1"];
        let (told, lacking) = answers(Complexity::ExceptionInExecution, &["find"], &calls).await;
        assert_eq!(told, [r#"{"at":0}"#, "error", r#"{"at":1}"#, r#"{"at":2}"#]);
        assert!(lacking.is_empty());
    }

    #[tokio::test]
    async fn what_is_to_fail_fails_again_and_is_the_last_that_is_required() {
        let calls = ["find", "buy", "buy", "find", "buy 1"];
        let (told, _) = answers(Complexity::FailedConversation, &["find", "buy"], &calls).await;
        assert_eq!(told, [r#"{"at":0}"#, "error", "error", r#"{"at":0}"#, "error"]);
        let (told, lacking) = answers(Complexity::FailedConversation, &["find", "buy"], &["see", "buy"]).await;
        assert_eq!((told[1].as_str(), lacking), (r#"{"at":1}"#, vec!["find".to_owned()]));
    }

    #[tokio::test]
    async fn the_same_call_is_answered_alike() {
        let (told, _) = answers(Complexity::Underfill, &["find"], &["find", "see", "find", "see 1", "see"]).await;
        assert_eq!(told, [r#"{"at":0}"#, r#"{"at":1}"#, r#"{"at":0}"#, r#"{"at":2}"#, r#"{"at":1}"#]);
    }
}
