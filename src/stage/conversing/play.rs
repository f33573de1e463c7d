//! One conversation on its way: what is said, what is called, turn by turn.

use super::aim::Aim;
use super::clerk::error;
use super::state::State;
use crate::config::Count;
use crate::failure::ItemError;
use crate::locale::{Fill, Pattern, Topic};
use crate::record::{
    AgentTurn, Chance, Conversation, Draw, Episode, FunctionCall, ItemId, MadeCall, Message, Object, Scenario, Tool,
    Value,
};
use crate::score::confetti::Act;
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use crate::stage::speaker::{Noted, Speaker, assistant};
use crate::stage::targets::strangers;
use std::ops::Range;
use std::sync::Arc;

/// A conversation that came to its end.
pub(in crate::stage) struct Played {
    pub(in crate::stage) conversation: Conversation,
    /// The person's style.
    pub(in crate::stage) style: String,
    pub(in crate::stage) draws: Vec<Draw>,
    /// What each line does, the person's and the assistant's in turn; none where nothing was planned.
    pub(super) lines: Vec<Vec<Noted>>,
}

/// A conversation as far as it went.
pub(in crate::stage) struct Play<'a> {
    pub(super) context: &'a Context,
    pub(super) scenario: &'a Scenario,
    pub(super) id: &'a ItemId,
    pub(in crate::stage) speaker: Speaker<'a>,
    pub(super) asks: Count,
    /// Everything said and called so far.
    pub(super) messages: Vec<Message>,
    turns: Vec<AgentTurn>,
    /// What the person said in this turn, and what was called since.
    said: String,
    made: Vec<MadeCall>,
    calls: usize,
    /// All requests, none of which a tool may serve that is shown only beside the others.
    pub(super) requests: Vec<String>,
    /// Tools that are wanted and not shown.
    pub(super) absent: Vec<Arc<Tool>>,
    shown: Vec<Arc<Tool>>,
}

impl<'a> Play<'a> {
    /// Nothing said yet.
    pub(in crate::stage) fn new(
        context: &'a Context,
        scenario: &'a Scenario,
        id: &'a ItemId,
        speaker: Speaker<'a>,
        asks: Count,
    ) -> Self {
        Self {
            context,
            scenario,
            id,
            speaker,
            asks,
            messages: Vec::new(),
            turns: Vec::new(),
            said: String::new(),
            made: Vec::new(),
            calls: 0,
            requests: Vec::new(),
            absent: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Plays every episode, and chooses the tools that are shown.
    pub(in crate::stage) async fn through(mut self) -> Result<Self, ItemError> {
        for episode in &self.scenario.episodes {
            self.episode(episode).await?;
        }
        if self.scenario.thanks {
            let exchanged = self.speaker.exchange(Topic::Thanks, &self.messages).await?;
            self.person(exchanged.user);
            self.agent(exchanged.assistant, &[Act::Other]);
        }
        let own = self.own_tools();
        let taken: Vec<Arc<Tool>> = own.iter().chain(&self.absent).cloned().collect();
        let requests: Vec<&str> = self.requests.iter().map(String::as_str).collect();
        let others = self.scenario.offered.saturating_sub(own.len());
        let mut shown = strangers(self.context, self.id, &requests, &taken, others).await?;
        shown.extend(own);
        self.chance("shown").shuffle(&mut shown);
        self.shown = shown;
        Ok(self)
    }

    /// What came of it.
    pub(in crate::stage) fn played(mut self) -> Played {
        let system = system(self.context, self.scenario);
        let style = self.speaker.style().to_owned();
        let conversation =
            Conversation { scenario: self.scenario.clone(), system, tools: self.shown, turns: self.turns };
        let lines = self.speaker.take_lines();
        Played { conversation, style, draws: self.speaker.draws, lines }
    }

    /// The person speaks.
    pub(super) fn person(&mut self, text: String) {
        self.speaker.ends_line(true);
        self.messages.push(Message::user(&text));
        self.said = text;
    }

    /// The agent speaks, and its turn is over.
    pub(super) fn agent(&mut self, reply: String, acts: &[Act]) {
        self.speaker.ends_line(false);
        self.messages.push(assistant(&reply));
        let calls = std::mem::take(&mut self.made);
        let calling = (!calls.is_empty()).then_some(Act::FunctionCalling);
        let acts = calling.iter().chain(acts).map(|act| act.as_str().to_owned()).collect();
        self.turns.push(AgentTurn { said: std::mem::take(&mut self.said), calls, reply, acts });
    }

    /// Makes the calls of some steps; where the last of them is to fail, its answer is the error that comes back.
    pub(super) async fn make(
        &mut self,
        state: &mut State,
        steps: impl IntoIterator<Item = usize>,
        fails: Option<(usize, &Value)>,
    ) -> Result<(), ItemError> {
        for at in steps {
            let (call, notes) = state.call(at)?;
            let tool = self.tool(&call)?;
            let error = fails.filter(|(failing, _)| *failing == at).map(|(_, error)| error.clone());
            let failed = error.is_some();
            let answer = match error {
                Some(error) => error,
                None => self.speaker.call(&tool, &call).await?,
            };
            if !failed {
                state.learn(at, answer.clone(), self.calls);
            }
            let made = MadeCall { call, notes, answer, failed };
            self.messages.extend(made.messages(self.calls));
            self.made.push(made);
            self.calls += 1;
        }
        Ok(())
    }

    /// Everything of an aim from a step on.
    pub(super) async fn finish(&mut self, state: &mut State, from: usize) -> Result<(), ItemError> {
        let steps: Range<usize> = from..state.aim.length();
        self.make(state, steps, None).await
    }

    /// The agent's words for what was answered.
    pub(super) async fn told(&mut self, state: &State) -> Result<String, ItemError> {
        let call = FunctionCall { name: state.tool().name.clone(), arguments: state.said.clone() };
        self.speaker.tell(state.tool(), &call, state.told(), &self.messages).await
    }

    /// The person asks on about what was answered, and is told.
    pub(super) async fn follow_up(&mut self, state: &State) -> Result<(), ItemError> {
        let phrases = state.aim.phrases();
        let followup = self.chance("followup").pick(&phrases.followups).cloned();
        let answers = self.speaker.data(state.tool(), state.told()).clone();
        let line = crate::llm::Line::Ask { answers: answers.clone(), followup: followup.clone() };
        let asked = self.speaker.say(line, &self.messages, |_| Ok(())).await?;
        self.person(asked);
        let telling = followup.map(|it| {
            let tells = vec![crate::record::Telling { say: it.tells.clone(), ..crate::record::Telling::default() }];
            let answers = common_slots(&it.tells, &state.said);
            Arc::new(crate::record::Phrases { tells, answers, ..crate::record::Phrases::default() })
        });
        let call = FunctionCall { name: state.tool().name.clone(), arguments: state.said.clone() };
        let reply = self.speaker.tell_by(telling, (state.tool(), &call, &answers), &self.messages).await?;
        self.agent(reply, &[Act::Inform]);
        Ok(())
    }

    /// The tools of everything that is wanted, each once, in the order in which they come up.
    pub(super) fn own_tools(&self) -> Vec<Arc<Tool>> {
        let toolset = self.context.toolset();
        let mut own: Vec<Arc<Tool>> = Vec::new();
        let supported = |it: &&Episode| it.way != crate::record::Complexity::GoalNotSupported;
        let aims = self.scenario.episodes.iter().filter(supported).flat_map(|episode| &episode.aims);
        for aim in aims.filter_map(|name| Aim::find(toolset, name)) {
            for name in aim.tools() {
                let tool = toolset.tools.iter().find(|tool| tool.name == name);
                own.extend(tool.filter(|_| own.iter().all(|it| it.name != name)).cloned());
            }
        }
        own
    }

    fn tool(&self, call: &FunctionCall) -> Result<Arc<Tool>, Fault> {
        let tools = &self.context.toolset().tools;
        let missing = || Fault::new("unknown_tool", format!("no tool `{}`", call.name));
        tools.iter().find(|tool| tool.name == call.name).cloned().ok_or_else(missing)
    }

    /// An error that a call can answer with.
    pub(super) fn error(&self) -> Result<Value, Fault> {
        error(self.context, &mut self.chance("fault"))
    }

    pub(super) fn chance(&self, what: &str) -> Chance {
        self.context.chance_of(&format!("{what}/{}", self.turns.len()), self.id.as_str(), 0)
    }
}

/// What the assistant of a conversation is told before anything is said.
pub(super) fn system(context: &Context, scenario: &Scenario) -> String {
    let time = scenario.reference_time.replace('T', " ");
    let time = time.get(..16).unwrap_or(&time).to_owned();
    context.pack().chat.system.render(&mut Time(&time), &mut Chance::of(&[b"system"]))
}

/// The fields of an answer that every one of the sentences tells.
fn common_slots(texts: &[String], said: &Object) -> Vec<String> {
    let slots = |text: &String| -> Vec<String> {
        let pattern = Pattern::parse(text).ok();
        pattern.iter().flat_map(|pattern| pattern.needed()).map(str::to_owned).collect()
    };
    let mut common: Vec<String> = texts.first().map(slots).unwrap_or_default();
    common.retain(|slot| !said.contains_key(slot) && texts.iter().all(|text| slots(text).contains(slot)));
    common
}

struct Time<'a>(&'a str);

impl Fill for Time<'_> {
    fn has(&self, slot: &str) -> bool {
        slot == "time"
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        self.0.to_owned()
    }
}
