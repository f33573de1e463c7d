//! The talk with a model that serves a request: its calls are answered until it answers in words.

use super::desk::Desk;
use super::held::today;
use crate::failure::ItemError;
use crate::gate::Fault;
use crate::llm::tasks::{Spoken, read_spoken};
use crate::llm::{AnnotateVariables, Reply, Task, Variables};
use crate::record::{Catalogue, Draw, FunctionCall, ItemId, Message, Object, Role, Tool, Value};
use crate::stage::context::{Context, Question, Said};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How functions are passed to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Manner {
    /// As native tools.
    #[default]
    Tools,
    /// In the prompt text; calls are returned as text.
    Prompt,
}

/// A talk to be had.
pub(crate) struct Talk<'a> {
    pub context: &'a Context,
    pub item: &'a ItemId,
    pub query: &'a str,
    pub tools: &'a [Arc<Tool>],
    pub manner: Manner,
    pub max_turns: usize,
    /// How often it is had, the first time included; and the how-manieth time this is, from 0.
    pub asks: u32,
    pub time: u32,
    /// What was wrong the last time.
    pub fault: &'a str,
}

/// What came of it.
pub(crate) struct Talked {
    pub attempts: Vec<Attempt>,
    /// What the model said in the end; empty where it never came to an end.
    pub answer: String,
    pub draws: Vec<Draw>,
}

/// A call as it was made, and what is wrong with it.
pub(crate) struct Attempt {
    pub turn: usize,
    pub tool: Option<Arc<Tool>>,
    pub call: FunctionCall,
    pub answer: Value,
    pub fault: Option<Fault>,
}

/// The functions that are offered for a request: those that its writer had in mind, and all others of the domain but
/// those that overlap with one that is offered already.
pub(crate) fn offered(context: &Context, catalogue: &Catalogue, wanted: &[String]) -> Vec<Arc<Tool>> {
    let world = context.toolset().world.as_ref();
    let overlap = |one: &str, other: &str| world.is_some_and(|world| world.overlap(one, other));
    let is_wanted = |tool: &Tool| wanted.contains(&tool.name);
    let others = catalogue.tools.iter().filter(|tool| !is_wanted(tool));
    let mut offered: Vec<Arc<Tool>> = catalogue.tools.iter().filter(|tool| is_wanted(tool)).cloned().collect();
    for tool in others {
        if !offered.iter().any(|other| overlap(&tool.name, &other.name)) {
            offered.push(tool.clone());
        }
    }
    offered
}

impl Attempt {
    fn unreadable(turn: usize, reply: &Reply, detail: String) -> Self {
        let name = reply.tool_calls.first().map(|call| call.name.clone()).unwrap_or_default();
        let call = FunctionCall { name, arguments: Object::new() };
        Self { turn, tool: None, call, answer: Value::Null, fault: Some(Fault::new("malformed_call", detail)) }
    }
}

impl Talk<'_> {
    /// Has the talk.
    pub(crate) async fn talk(&self) -> Result<Talked, ItemError> {
        let mut desk = Desk::new(self.context);
        let mut talked = Talked { attempts: Vec::new(), answer: String::new(), draws: Vec::new() };
        let mut history = Vec::new();
        for turn in 0..=self.max_turns {
            let (reply, draw) = self.ask(&history).await?;
            talked.draws.push(draw);
            let spoken = match read_spoken(&reply) {
                Ok(spoken) => spoken,
                Err(unreadable) => {
                    talked.attempts.push(Attempt::unreadable(turn, &reply, unreadable.detail));
                    return Ok(talked);
                }
            };
            match spoken {
                Spoken::Words(words) => {
                    talked.answer = words;
                    return Ok(talked);
                }
                Spoken::Calls { calls, native } if turn < self.max_turns => {
                    let first = talked.attempts.len();
                    for call in calls {
                        talked.attempts.push(self.attempt(&mut desk, turn, call).await?);
                    }
                    let said = if native { (!reply.text.is_empty()).then_some(reply.text) } else { Some(reply.text) };
                    history.extend(messages(&talked.attempts, first, said, native));
                }
                Spoken::Calls { .. } => {}
            }
        }
        Ok(talked)
    }

    async fn ask(&self, history: &[Message]) -> Result<(Reply, Draw), ItemError> {
        let native = self.manner == Manner::Tools;
        let tools: Vec<Arc<Tool>> = self.tools.iter().map(|tool| Arc::new(bare(tool))).collect();
        let variables = |common| {
            let (query, tools, today) = (self.query.to_owned(), tools.clone(), today(self.context));
            Variables::Annotate(AnnotateVariables { common, query, tools, native, today })
        };
        let role = self.context.role();
        let question = Question { task: Task::Annotate, role, item: self.item, asks: self.asks };
        let given = if native { tools.clone() } else { Vec::new() };
        let said = Said { query: self.query, history, tools: given };
        self.context.turn(&question, self.time, self.fault, &variables, said).await
    }

    async fn attempt(&self, desk: &mut Desk<'_>, turn: usize, mut call: FunctionCall) -> Result<Attempt, ItemError> {
        call.arguments.retain(|_, value| !value.is_null());
        let told = desk.answer(self.tools, &call).await?;
        let tool = self.tools.iter().find(|tool| tool.name == call.name).cloned();
        Ok(Attempt { turn, tool, call, answer: told.answer, fault: told.fault })
    }
}

/// The calls of a turn with their answers: native ones are answered one by one, those in a text by a list.
fn messages(attempts: &[Attempt], first: usize, said: Option<String>, native: bool) -> Vec<Message> {
    let turn = &attempts[first..];
    let calls = if native { turn.iter().map(|it| it.call.clone()).collect() } else { Vec::new() };
    let calling = Message { content: said, tool_calls: calls, ..Message::new(Role::Assistant, "") };
    let answer = |(at, it): (usize, &Attempt)| Message {
        answers: Some(first + at),
        ..Message::new(Role::Tool, it.answer.to_string())
    };
    if native {
        return std::iter::once(calling).chain(turn.iter().enumerate().map(answer)).collect();
    }
    let answers = Value::List(turn.iter().map(|it| it.answer.clone()).collect());
    vec![calling, Message::user(answers.to_string())]
}

/// What a model may know of a tool: what feeds what is not that.
fn bare(tool: &Tool) -> Tool {
    let Tool { name, description, parameters, .. } = tool.clone();
    Tool { name, description, parameters, ..Tool::default() }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{catalogue, inn};
    use super::*;
    use crate::llm::ToolCallText;
    use crate::stage::testing::{context, silent, speaking};

    const FIND: &str = r#"[{"name": "Find_Town", "arguments": {"query": "Greyford", "more": null}}]"#;

    async fn talk(context: &Context, manner: Manner, max_turns: usize) -> Result<Talked, ItemError> {
        let (item, tools) = (ItemId::root("a"), catalogue(context).tools.clone());
        let (query, fault) = ("Where is Greyford?", "");
        let talk = Talk { context, item: &item, query, tools: &tools, manner, max_turns, asks: 1, time: 0, fault };
        talk.talk().await
    }

    fn shown(history: &[Message]) -> String {
        let line = |message: &Message| {
            let calls: Vec<&str> = message.tool_calls.iter().map(|call| call.name.as_str()).collect();
            let content = message.content.as_deref().map(|text| text.chars().take(60).collect::<String>());
            format!("{:?} {content:?} {calls:?} {:?}", message.role, message.answers)
        };
        history.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[tokio::test]
    async fn calls_in_a_text_are_answered_by_a_list() {
        let (context, asked) = context(|it| if it.history.len() < 2 { FIND } else { "In the hills." }.to_owned());
        let talked = talk(&inn(context), Manner::Prompt, 4).await.unwrap();
        assert_eq!((talked.answer.as_str(), talked.attempts.len(), talked.draws.len()), ("In the hills.", 1, 2));
        assert_eq!(talked.attempts[0].call.arguments.len(), 1, "null is no argument");
        let requests = asked.requests();
        assert!(requests[1].tools.is_empty());
        insta::assert_snapshot!(shown(&requests[1].history), @r#"
        User Some("Where is Greyford?") [] None
        Assistant Some("[{\"name\": \"Find_Town\", \"arguments\": {\"query\": \"Greyford\", \"m") [] None
        User Some("[{\"status\":true,\"message\":\"Success\",\"data\":[{\"id\":\"T2\",\"name") [] None
        "#);
    }

    #[tokio::test]
    async fn native_calls_are_answered_one_by_one() {
        let call = |query: &str| ToolCallText {
            name: "Find_Town".to_owned(),
            arguments: format!(r#"{{"query": "{query}"}}"#),
        };
        let (context, asked) = speaking(move |request| match request.history.len() {
            1 => Reply { tool_calls: vec![call("Greyford"), call("Millbrook")], ..Reply::default() },
            _ => Reply { text: "There.".to_owned(), ..Reply::default() },
        });
        let talked = talk(&inn(context), Manner::Tools, 4).await.unwrap();
        assert_eq!((talked.answer.as_str(), talked.attempts.len()), ("There.", 2));
        let last = asked.requests().remove(1);
        assert_eq!((last.tools.len(), last.tools[0].from.len(), last.user.as_str()), (8, 0, ""));
        insta::assert_snapshot!(shown(&last.history), @r#"
        User Some("Where is Greyford?") [] None
        Assistant None ["Find_Town", "Find_Town"] None
        Tool Some("{\"status\":true,\"message\":\"Success\",\"data\":[{\"id\":\"T2\",\"name\"") [] Some(0)
        Tool Some("{\"status\":true,\"message\":\"Success\",\"data\":[{\"id\":\"T1\",\"name\"") [] Some(1)
        "#);
    }

    #[tokio::test]
    async fn whoever_never_stops_calling_gives_no_answer() {
        let (context, asked) = context(|_| FIND.to_owned());
        let talked = talk(&inn(context), Manner::Prompt, 3).await.unwrap();
        assert_eq!((talked.answer.as_str(), talked.attempts.len(), asked.count()), ("", 3, 4));
    }

    #[tokio::test]
    async fn a_call_that_cannot_be_read_ends_it() {
        let (context, _) = speaking(|_| {
            let call = ToolCallText { name: "Find_Town".to_owned(), arguments: "{".to_owned() };
            Reply { tool_calls: vec![call], ..Reply::default() }
        });
        let talked = talk(&inn(context), Manner::Tools, 3).await.unwrap();
        assert_eq!(talked.attempts[0].fault.as_ref().unwrap().detail, "the arguments are not a JSON object");
    }

    #[test]
    fn of_functions_that_overlap_one_is_offered() {
        let context = inn(silent());
        let names = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            let tools = offered(&context, &catalogue(&context), &wanted);
            tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>()
        };
        assert!(names(&[]).contains(&"Find_Town".to_owned()) && !names(&[]).contains(&"Locate_Town".to_owned()));
        let located = names(&["Locate_Town"]);
        assert_eq!((located[0].as_str(), located.contains(&"Find_Town".to_owned())), ("Locate_Town", false));
        assert_eq!(located.len(), catalogue(&context).tools.len() - 1);
    }
}
