//! Both sides of a chat, sentence by sentence: requests, questions, answers, what a tool said, refusals, small talk.

use crate::failure::ItemError;
use crate::gate::{check_answer, check_reply, check_script, check_told, pointed};
use crate::llm::tasks::read_written;
use crate::llm::{
    AnswerVariables, DeclineVariables, ExchangeVariables, Exchanged, Line, Missing, MissingVariables, PlannedAct,
    PlannedWords, Reply, SayVariables, SpeechAct, Task, TellVariables, Variables,
};
use crate::locale::{Stamp, Topic};
use crate::record::{
    ArgumentNotes, Draw, FunctionCall, ItemId, Message, Object, Phrases, Query, Record, Role, Tool, Value, history,
};
use crate::stage::context::{Context, Question};
use crate::stage::outcome::Fault;
use crate::stage::simulate::Simulation;
use crate::stage::writing::batch::{Settled, Wanted};
use crate::stage::writing::schemas;
use crate::stage::writing::write::{Order, write_query};
use crate::text::read_json;
use crate::world::{CallFault, WorldSession};
use std::sync::Arc;

/// Lets a model speak for both sides of one chat, and remembers what it was asked.
pub struct Speaker<'a> {
    context: &'a Context,
    /// The chat; every sentence is asked for below it.
    id: ItemId,
    asks: u32,
    /// The manner in which the person speaks.
    style: String,
    said: usize,
    /// In a conversation, the values of the tool at hand that are settled by what the person knows.
    pub given: Option<Settled>,
    /// What was asked so far.
    pub draws: Vec<Draw>,
    session: WorldSession<'a>,
    simulation: Simulation,
    /// Who answers calls that no world does.
    simulator: &'a Context,
    /// What the lines of the chat do, and what the line under way does so far.
    lines: Vec<Vec<Noted>>,
    noted: Vec<Noted>,
}

/// What a line does, or a part of it, as it was planned.
#[derive(Debug, Clone)]
pub struct Noted {
    pub is_person: bool,
    pub act: PlannedAct,
    /// What the values that it says belong to.
    pub tool: Option<Arc<Tool>>,
    pub given: Given,
}

/// What a person said, with the arguments that it gives.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub text: String,
    pub arguments: Object,
    pub notes: ArgumentNotes,
}

impl Noted {
    /// What a line does, with the values that are given by it.
    pub fn of(is_person: bool, act: PlannedAct, tool: Option<&Arc<Tool>>, given: Given) -> Self {
        let words = |name: &String| given.notes.get(name).and_then(|note| note.surface.clone()).unwrap_or_default();
        let is_free = |name: &String| {
            let parameter = tool.and_then(|tool| tool.parameters.properties.get(name));
            parameter.is_some_and(|it| it.values.is_none() && !it.more.contains_key("format"))
        };
        let says = given.arguments.iter().map(|(name, value)| PlannedWords {
            exact: value.as_str().is_some_and(|text| text == words(name) && Stamp::read(text).is_none())
                && is_free(name),
            key: name.clone(),
            about: tool.map(|tool| tool.about(name)).unwrap_or_default(),
            value: value.clone(),
            words: words(name),
        });
        let act = PlannedAct { says: says.collect(), ..act };
        Self { is_person, act, tool: tool.cloned(), given }
    }
}

impl<'a> Speaker<'a> {
    /// A chat of its own, whose person keeps one style, with a session of its own with the world.
    pub fn new(context: &'a Context, id: ItemId, asks: u32) -> Self {
        let styles = &context.pack().styles;
        let mut chance = context.chance_of("style", id.as_str(), 0);
        Self {
            context,
            id,
            asks,
            style: context.manner(styles, None, &mut chance).0,
            said: 0,
            given: None,
            draws: Vec::new(),
            session: context.domains().session(),
            simulation: Simulation::default(),
            simulator: context,
            lines: Vec::new(),
            noted: Vec::new(),
        }
    }

    /// The same where another context asks for the answers of calls that no world answers.
    #[must_use]
    pub fn answered_by(self, simulator: &'a Context) -> Self {
        Self { simulator, ..self }
    }

    /// A line is complete.
    pub fn ends_line(&mut self, is_person: bool) {
        let (own, rest) = std::mem::take(&mut self.noted).into_iter().partition(|it| it.is_person == is_person);
        self.noted = rest;
        self.lines.push(standing(own));
    }

    /// What the lines so far do, one after the other.
    pub fn take_lines(&mut self) -> Vec<Vec<Noted>> {
        std::mem::take(&mut self.lines)
    }

    fn note(&mut self, is_person: bool, act: PlannedAct, tool: Option<&Arc<Tool>>, given: Given) {
        self.noted.push(Noted::of(is_person, act, tool, given));
    }

    /// Notes what a line does that says no values.
    pub fn note_act(&mut self, is_person: bool, act: SpeechAct) {
        self.note(is_person, PlannedAct { act, ..PlannedAct::default() }, None, Given::default());
    }

    fn note_line(&mut self, line: &Line) {
        let act = |act: SpeechAct| PlannedAct { act, ..PlannedAct::default() };
        let of_two =
            |act: SpeechAct, between: &[String]| PlannedAct { act, about: between.to_vec(), ..PlannedAct::default() };
        let (is_person, act) = match line {
            Line::Caution => (true, act(SpeechAct::Caution)),
            Line::Confirm { next, .. } => (false, PlannedAct { next: Some(next.clone()), ..act(SpeechAct::Confirm) }),
            Line::Agree => (true, act(SpeechAct::Agree)),
            Line::Vague { between, .. } => (true, of_two(SpeechAct::Vague, between)),
            Line::Which { between, .. } => (false, of_two(SpeechAct::Which, between)),
            Line::Report { .. } => (false, act(SpeechAct::Report)),
            Line::Retry { .. } => (true, act(SpeechAct::Retry)),
            Line::Sorry { .. } => (false, act(SpeechAct::GiveUp)),
            Line::Ask { .. } => (true, act(SpeechAct::AskOn)),
            Line::Aside => (true, act(SpeechAct::Aside)),
            Line::Switch { .. } => (true, act(SpeechAct::Switch)),
            Line::Stack { .. } => (true, act(SpeechAct::Stack)),
            Line::Correct { .. } => (true, act(SpeechAct::Correct)),
        };
        self.note(is_person, act, None, Given::default());
    }

    /// The same chat in this register, where one is wanted.
    #[must_use]
    pub fn speaking(self, register: Option<&str>) -> Self {
        Self { style: register.map_or(self.style, str::to_owned), ..self }
    }

    /// The person's manner.
    pub fn style(&self) -> &str {
        &self.style
    }

    /// A request for a tool that names these parameters, and no others.
    pub async fn request(&mut self, tool: &Arc<Tool>, preset: &[String]) -> Result<Given, ItemError> {
        self.wanting(tool, preset, false).await
    }

    /// The same, said outright or implied by a description of the problem.
    pub async fn wanting(&mut self, tool: &Arc<Tool>, preset: &[String], implied: bool) -> Result<Given, ItemError> {
        let id = self.next();
        let order = Order {
            id: id.clone(),
            root: &id,
            tool,
            wanted: Wanted {
                preset: preset.to_vec(),
                style: Some(self.style.clone()),
                implied,
                given: self.given.clone(),
            },
            data_type: "",
            asks: self.asks,
            batch: None,
            draws: Vec::new(),
        };
        let item = write_query(self.context, order).await?;
        self.draws.extend(item.provenance.draws);
        let Record::Query(query) = item.record else { return Err(Fault::new("no_query", "no request").into()) };
        let Query { text, call, notes, .. } = *query;
        let given = Given { text, arguments: call.arguments, notes };
        let act = if implied { SpeechAct::Describe } else { SpeechAct::Request };
        let left = tool.parameters.required.iter().filter(|name| !given.arguments.contains_key(*name));
        let about = left.map(|name| tool.about(name)).collect();
        let act = PlannedAct { act, wish: tool.description.clone(), about, ..PlannedAct::default() };
        self.note(true, act, Some(tool), given.clone());
        Ok(given)
    }

    /// A question for everything that is missing.
    pub async fn ask(&mut self, tool: &Arc<Tool>, missing: &[String], said: &[Message]) -> Result<String, ItemError> {
        let phrases = self.context.toolset().said_of(&tool.name);
        let missing = missing.iter().map(|name| Missing {
            parameter: name.clone(),
            about: tool.about(name),
            phrases: phrases.and_then(|phrases| phrases.parameters.get(name).cloned()),
        });
        let missing: Vec<Missing> = missing.collect();
        let about = missing.iter().map(|it| it.about.clone()).collect();
        let act = PlannedAct { act: SpeechAct::Ask, about, ..PlannedAct::default() };
        self.note(false, act, None, Given::default());
        let variables = |common| {
            let (tool, missing) = (tool.clone(), missing.clone());
            Variables::AskMissing(MissingVariables { common, tool, history: history(said), missing })
        };
        self.line(Task::AskMissing, variables).await
    }

    /// The person's words for these of the parameters that were `asked` for, one after the other.
    pub async fn answer(
        &mut self,
        tool: &Arc<Tool>,
        (parameters, asked): (&[String], &[String]),
        known: &Object,
        said: &[Message],
    ) -> Result<Given, ItemError> {
        let mut given = Given::default();
        let mut known = known.clone();
        for parameter in parameters {
            let one = self.answer_one(tool, (parameter, asked, &given.text), &known, said).await?;
            known.extend(one.arguments.clone());
            given.arguments.extend(one.arguments);
            given.notes.extend(one.notes);
            given.text = self.context.pack().chat.continued(&given.text, &one.text);
        }
        let act = PlannedAct { act: SpeechAct::Answer, ..PlannedAct::default() };
        self.note(true, act, Some(tool), given.clone());
        Ok(given)
    }

    async fn answer_one(
        &mut self,
        tool: &Arc<Tool>,
        (parameter, asked, so_far): (&str, &[String], &str),
        known: &Object,
        said: &[Message],
    ) -> Result<Given, ItemError> {
        let phrases = self.context.toolset().said_of(&tool.name);
        let phrases = phrases.and_then(|phrases| phrases.parameters.get(parameter).cloned());
        let (style, manner, given) = (self.style.clone(), self.manner(), self.given.clone());
        let (before, question) = said.split_at(said.len().saturating_sub(1));
        let question = question.first().and_then(|message| message.content.clone()).unwrap_or_default();
        let variables = |common| {
            Variables::SlotAnswer(AnswerVariables {
                common,
                tool: tool.clone(),
                history: history(before),
                question: question.clone(),
                known: known.clone(),
                parameter: parameter.to_owned(),
                among: asked.iter().filter(|other| *other != parameter).cloned().collect(),
                so_far: so_far.to_owned(),
                style: style.clone(),
                manner: manner.clone(),
                phrases: phrases.clone(),
                given: given.as_ref().map(|settled| settled.values.clone()),
            })
        };
        let read = |reply: &Reply| {
            let (written, _) = read_written(&reply.text)?;
            let language = self.context.language();
            let value = written.parameters.get(parameter);
            let notes = match given.as_ref().zip(value).filter(|_| written.parameters.len() == 1) {
                None => check_answer(tool, parameter, known, (&written.parameters, &written.query), language)?,
                Some((settled, value)) => settled.with_wording(|wording| {
                    check_reply(tool, (parameter, value), known, (&written.query, wording), language)
                })?,
            };
            self.context.check_copied(Task::SlotAnswer, tool, &written.parameters)?;
            Ok(Given { text: written.query, arguments: written.parameters, notes })
        };
        let schema = Some(schemas::written(tool, &[parameter.to_owned()]));
        let id = self.next();
        let question = self.question(Task::SlotAnswer, &id);
        let (given, draw) = self.context.obtain(&question, schema, variables, read).await?;
        self.draws.push(draw);
        Ok(given)
    }

    /// What the tool answers: from the toolset's world, else from a model that stands in for it. A call that is refused
    /// is a fault, for the person has said nothing wrong.
    pub async fn call(&mut self, tool: &Arc<Tool>, call: &FunctionCall) -> Result<Value, ItemError> {
        let refused = |fault: CallFault| ItemError::from(Fault::new("refused_call", fault.to_string()));
        if let Some(answer) = self.session.made(&call.name, &call.arguments) {
            return answer.map_err(refused);
        }
        let (answer, draw) = self.simulation.call(self.simulator, tool, call, self.asks).await?;
        self.draws.push(draw);
        Ok(answer)
    }

    /// The assistant's words for a tool's answer.
    pub async fn tell(
        &mut self,
        tool: &Arc<Tool>,
        call: &FunctionCall,
        answer: &Value,
        said: &[Message],
    ) -> Result<String, ItemError> {
        let phrases = self.context.toolset().said_of(&tool.name).cloned();
        self.tell_by(phrases, (tool, call, self.data(tool, answer)), said).await
    }

    /// The same by these phrases, of the answer as it is.
    pub async fn tell_by(
        &mut self,
        phrases: Option<Arc<Phrases>>,
        (tool, call, answer): (&Arc<Tool>, &FunctionCall, &Value),
        said: &[Message],
    ) -> Result<String, ItemError> {
        let must_tell = phrases.as_ref().map(|phrases| phrases.answers.clone()).unwrap_or_default();
        let tells = must_tell.iter().filter_map(|field| answer.at_path(field).cloned()).collect();
        let act = PlannedAct { act: SpeechAct::Tell, tells, ..PlannedAct::default() };
        self.note(false, act, Some(tool), Given::default());
        // Who writes the line anew needs no words of templates, and nobody may have written any.
        if self.context.is_draft() && phrases.as_ref().is_none_or(|phrases| phrases.tells.is_empty()) {
            return Ok(String::new());
        }
        let variables = |common| {
            Variables::TellAnswer(TellVariables {
                common,
                tool: tool.clone(),
                history: history(said),
                call: call.clone(),
                answer: answer.clone(),
                must_tell: must_tell.clone(),
                phrases: phrases.clone(),
            })
        };
        let language = self.context.language();
        let read = |reply: &Reply| {
            let text = self.context.line(reply)?;
            check_told(&text, answer, &call.arguments, &must_tell, language)?;
            Ok(text)
        };
        let id = self.next();
        let question = self.question(Task::TellAnswer, &id);
        let (text, draw) = self.context.obtain(&question, question.task.reply_schema(), variables, read).await?;
        self.draws.push(draw);
        Ok(text)
    }

    /// What an answer is about, without what stands around every answer of its world.
    pub fn data<'v>(&self, tool: &Tool, answer: &'v Value) -> &'v Value {
        let declared = self.context.domains().declared();
        let function = declared.and_then(|world| world.declaration().functions.get(&tool.name));
        function.and_then(|function| pointed(answer, &function.data)).unwrap_or(answer)
    }

    /// The assistant's words for a request that no tool serves: it wants `tool`, which is not at hand.
    pub async fn decline(&mut self, tool: &Tool, query: &str, said: &[Message]) -> Result<String, ItemError> {
        self.note_act(false, SpeechAct::Decline);
        let title = self.context.toolset().said_of(&tool.name).map(|it| it.title.clone()).unwrap_or_default();
        let variables = |common| {
            let (query, title) = (query.to_owned(), title.clone());
            Variables::Decline(DeclineVariables { common, history: history(said), query, title })
        };
        self.line(Task::Decline, variables).await
    }

    /// Something that wants no tool, and the assistant's answer.
    pub async fn exchange(&mut self, topic: Topic, said: &[Message]) -> Result<Exchanged, ItemError> {
        self.note_act(true, SpeechAct::Thank);
        self.note_act(false, SpeechAct::Thank);
        let (style, manner) = (self.style.clone(), self.manner());
        let variables = |common| {
            let (history, style, manner) = (history(said), style.clone(), manner.clone());
            Variables::Exchange(ExchangeVariables { common, history, topic, style, manner })
        };
        let language = self.context.language();
        let read = |reply: &Reply| {
            let (value, _) = read_json(&reply.text)?;
            let field = |name: &str| value.at_path(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let exchanged = Exchanged { user: field("user"), assistant: field("assistant") };
            let texts = [&exchanged.user, &exchanged.assistant];
            for text in texts.into_iter().take(if topic == Topic::Again { 1 } else { 2 }) {
                if text.trim().is_empty() {
                    return Err(Fault::new("empty_text", "`user` and `assistant` are to be said"));
                }
                check_script(text, language, None)?;
            }
            Ok(exchanged)
        };
        let id = self.next();
        let question = self.question(Task::Exchange, &id);
        let (exchanged, draw) = self.context.obtain(&question, question.task.reply_schema(), variables, read).await?;
        self.draws.push(draw);
        Ok(exchanged)
    }

    /// One line of a conversation, which `check` must be content with.
    pub async fn say(
        &mut self,
        line: Line,
        said: &[Message],
        check: impl Fn(&str) -> Result<(), Fault>,
    ) -> Result<String, ItemError> {
        self.note_line(&line);
        let (style, manner) = (self.style.clone(), self.manner());
        let variables = |common| {
            let (history, style, manner, line) = (history(said), style.clone(), manner.clone(), line.clone());
            Variables::Say(Box::new(SayVariables { common, history, style, manner, line }))
        };
        let language = self.context.language();
        let read = |reply: &Reply| {
            let text = self.context.line(reply)?;
            check_script(&text, language, None)?;
            check(&text)?;
            Ok(text)
        };
        let id = self.next();
        let question = self.question(Task::Say, &id);
        let (text, draw) = self.context.obtain(&question, question.task.reply_schema(), variables, read).await?;
        self.draws.push(draw);
        Ok(text)
    }

    /// One line of text in the locale's language.
    async fn line(
        &mut self,
        task: Task,
        variables: impl Fn(crate::llm::Common) -> Variables,
    ) -> Result<String, ItemError> {
        let language = self.context.language();
        let read = |reply: &Reply| {
            let text = self.context.line(reply)?;
            check_script(&text, language, None)?;
            Ok(text)
        };
        let id = self.next();
        let question = self.question(task, &id);
        let (text, draw) = self.context.obtain(&question, question.task.reply_schema(), variables, read).await?;
        self.draws.push(draw);
        Ok(text)
    }

    fn question<'q>(&self, task: Task, item: &'q ItemId) -> Question<'q>
    where
        'a: 'q,
    {
        self.context.question(task, item, self.asks)
    }

    /// Each sentence is asked for under an id of its own, so that no two of them are asked for in one way.
    fn next(&mut self) -> ItemId {
        self.said += 1;
        self.id.child("say", self.said - 1)
    }

    fn manner(&self) -> String {
        let styles = &self.context.pack().styles;
        styles.iter().find(|it| it.name == self.style).map(|it| it.description.clone()).unwrap_or_default()
    }
}

/// What of a line stands in the end: a request that was made anew is the last, unless two are put into one message; and who
/// takes a value back gives the one that was answered last.
fn standing(noted: Vec<Noted>) -> Vec<Noted> {
    let is_request = |it: &Noted| matches!(it.act.act, SpeechAct::Request | SpeechAct::Describe);
    let stacks = noted.iter().any(|it| it.act.act == SpeechAct::Stack);
    let mut kept: Vec<Noted> = Vec::new();
    for mut it in noted {
        if is_request(&it) {
            kept.retain(|old| !is_request(old) || (stacks && old.act.wish != it.act.wish));
        }
        if it.act.act == SpeechAct::Correct {
            let answer = kept.pop_if(|old| old.act.act == SpeechAct::Answer);
            kept.retain(|old| old.act.act != SpeechAct::Answer);
            if let Some(answer) = answer {
                it = Noted { act: PlannedAct { act: SpeechAct::Correct, ..answer.act }, ..answer };
            }
        }
        kept.push(it);
    }
    kept
}

/// What an assistant says.
pub fn assistant(text: impl Into<String>) -> Message {
    Message::new(Role::Assistant, text)
}

/// An assistant's call, and the tool's answer to it; `ordinal` counts the calls of the chat from 0.
pub fn called(call: FunctionCall, answer: &Value, ordinal: usize) -> [Message; 2] {
    let made = Message { content: None, tool_calls: vec![call], ..Message::new(Role::Assistant, "") };
    [made, Message { answers: Some(ordinal), ..Message::new(Role::Tool, answer.to_string()) }]
}
