//! One conversation on its way: what is said, what is called, turn by turn.

use super::aim::Aim;
use super::person_facts::PersonFacts;
use super::state::State;
use crate::confetti::metric::Act;
use crate::failure::ItemError;
use crate::locale::{Fill, Pattern, Topic};
use crate::record::{
    AgentTurn, Argument, Chance, Complexity, Conversation, Draw, Episode, Followup, FunctionCall, ItemId, MadeCall,
    Message, Object, Phrases, Role, Scenario, Telling, Tool, Value,
};
use crate::settings::Count;
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use crate::stage::targets::strangers;
use crate::stage::writing::speaker::{Noted, Speaker, assistant};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// How often an answer is told with more than was asked for, and is led into; how often more help is offered.
const MORE: f64 = 0.4;
const LED: f64 = 0.25;
const OFFERED: f64 = 0.25;
/// At how many forms of a question it is looked.
const ASKED: usize = 8;
/// Values of so few letters may stand anywhere.
const SHORT: usize = 2;

/// A conversation that came to its end.
pub(crate) struct Played {
    pub conversation: Conversation,
    /// The person's style.
    pub style: String,
    pub draws: Vec<Draw>,
    /// What each line does, the person's and the assistant's in turn; none where nothing was planned.
    pub lines: Vec<Vec<Noted>>,
}

/// What the person said of a fact.
#[derive(Clone)]
pub(crate) struct Heard {
    /// The episode in which it was said; none where it is what all is about.
    pub place: Option<usize>,
    pub value: Value,
    pub note: Argument,
}

/// A conversation as far as it went.
pub(crate) struct Play<'a> {
    pub context: &'a Context,
    pub scenario: &'a Scenario,
    pub id: &'a ItemId,
    pub speaker: Speaker<'a>,
    /// What the person knows.
    pub facts: PersonFacts<'a>,
    pub asks: Count,
    /// Everything said and called so far.
    pub messages: Vec<Message>,
    turns: Vec<AgentTurn>,
    /// What the person said in this turn, and what was called since.
    said: String,
    made: Vec<MadeCall>,
    calls: usize,
    /// What the person has said of each fact so far, and in which words.
    pub heard: BTreeMap<String, Heard>,
    /// The place of the episode under way.
    pub place: usize,
    /// Whether the next question says that more is needed.
    pub is_needing: bool,
    /// All requests, none of which a tool may serve that is shown only beside the others.
    pub requests: Vec<String>,
    /// Tools that are wanted and not shown.
    pub absent: Vec<Arc<Tool>>,
    shown: Vec<Arc<Tool>>,
}

impl<'a> Play<'a> {
    /// Nothing said yet.
    pub(crate) fn new(
        context: &'a Context,
        scenario: &'a Scenario,
        id: &'a ItemId,
        (speaker, facts): (Speaker<'a>, PersonFacts<'a>),
        asks: Count,
    ) -> Self {
        Self {
            context,
            scenario,
            id,
            speaker,
            facts,
            asks,
            messages: Vec::new(),
            turns: Vec::new(),
            said: String::new(),
            made: Vec::new(),
            calls: 0,
            heard: BTreeMap::new(),
            place: 0,
            is_needing: false,
            requests: Vec::new(),
            absent: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Plays every episode, and chooses the tools that are shown.
    pub(crate) async fn through(mut self) -> Result<Self, ItemError> {
        self.opening();
        for (place, episode) in self.scenario.episodes.iter().enumerate() {
            self.place = place;
            if place > 0 {
                self.pause();
            }
            self.episode(episode).await?;
        }
        let refused = self.was_refused();
        let failed = self.scenario.complexity == Complexity::FailedConversation;
        if let Some((said, reply)) = self.resigned().filter(|_| refused && (self.scenario.thanks || failed)) {
            self.person(said);
            self.agent(reply, &[Act::Other]);
        } else if self.scenario.thanks {
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

    /// Whether the built-in model speaks: what it says between requests is the locale's, and costs nothing.
    pub(crate) fn is_template(&self) -> bool {
        self.context.is_template(self.context.role())
    }

    /// Whether a sentence ends as those of the person's style do.
    pub(crate) fn in_style(&self) -> impl Fn(&str) -> bool + use<> {
        let manner = self.context.pack().dialogue.manner(self.speaker.style()).cloned();
        move |text: &str| manner.as_ref().is_none_or(|manner| manner.fits(text))
    }

    /// Whether the assistant declined what was wanted last, or gave it up.
    pub(crate) fn was_refused(&self) -> bool {
        self.has_just(Act::Reject)
    }

    /// Whether the assistant's last turn has an act.
    pub(crate) fn has_just(&self, act: Act) -> bool {
        self.turns.last().is_some_and(|turn| turn.acts.iter().any(|own| own == act.as_str()))
    }

    /// What came of it.
    pub(crate) fn played(mut self) -> Played {
        let system = system(self.context, self.scenario);
        let style = self.speaker.style().to_owned();
        let conversation =
            Conversation { scenario: self.scenario.clone(), system, tools: self.shown, turns: self.turns };
        let lines = self.speaker.take_lines();
        Played { conversation, style, draws: self.speaker.draws, lines }
    }

    /// The person speaks.
    pub(crate) fn person(&mut self, text: String) {
        self.speaker.ends_line(true);
        self.messages.push(Message::user(&text));
        self.said = text;
    }

    /// The agent speaks, and its turn is over.
    pub(crate) fn agent(&mut self, reply: String, acts: &[Act]) {
        self.speaker.ends_line(false);
        self.messages.push(assistant(&reply));
        let calls = std::mem::take(&mut self.made);
        let calling = (!calls.is_empty()).then_some(Act::FunctionCalling);
        let acts = calling.iter().chain(acts).map(|act| act.as_str().to_owned()).collect();
        self.turns.push(AgentTurn { said: std::mem::take(&mut self.said), calls, reply, acts });
    }

    /// Makes the calls of some steps; where the last of them is to fail, its answer is the error that comes back.
    pub(crate) async fn make(
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
    pub(crate) async fn finish(&mut self, state: &mut State, from: usize) -> Result<(), ItemError> {
        let steps: Range<usize> = from..state.aim.length();
        self.make(state, steps, None).await
    }

    /// The agent's words for what was answered; the built-in model now and then adds what people ask on about.
    pub(crate) async fn told(&mut self, state: &mut State) -> Result<String, ItemError> {
        let told = self.told_plainly(state).await?;
        let chat = &self.context.pack().chat;
        let recovered = self.made.iter().any(|made| made.failed) || self.has_failed_before();
        let answers = self.turns.last().is_some_and(|turn| turn.acts.iter().any(|act| act == Act::Seek.as_str()));
        let (leads, share) = match (recovered, answers) {
            (true, _) => (&chat.recovered, 1.0),
            (_, answers) => (&chat.leads, if answers { 0.0 } else { LED }),
        };
        let dialogue = &self.context.pack().dialogue;
        let is_one_voice = |lead: &&Pattern| {
            let before = lead.render(&mut Around("reply", ""), &mut Chance::of(&[b"lead"]));
            let before = before.trim_end();
            !before.ends_with(['.', '!']) || dialogue.is_one_voice(before, &told)
        };
        let leads: Vec<Pattern> = leads.iter().filter(is_one_voice).cloned().collect();
        let told = self.framed(&leads, ("reply", told), share);
        let mut chance = self.chance("offer");
        let offers = chat.offers.iter().map(|it| it.render(&mut Around("", ""), &mut chance));
        let offers: Vec<String> = offers.filter(|it| self.context.pack().dialogue.is_one_voice(&told, it)).collect();
        let offer = chance.pick(&offers).filter(|_| self.is_template() && !state.asked_on);
        let is_new = chat.offers.iter().all(|offer| {
            let offer = offer.render(&mut Around("", ""), &mut Chance::of(&[b"offer"]));
            self.turns.iter().all(|turn| !turn.reply.contains(&offer))
        });
        let offer = offer.filter(|_| is_new && self.chance("offered").happens(OFFERED));
        Ok(offer.map_or(told.clone(), |offer| chat.continued(&told, offer)))
    }

    /// The same without words around it.
    pub(crate) async fn told_plainly(&mut self, state: &mut State) -> Result<String, ItemError> {
        let told = self.told_first(state).await?;
        self.told_more(state, told).await
    }

    /// Whether what is called in this turn failed in the one before.
    fn has_failed_before(&self) -> bool {
        let failed = self.turns.last().and_then(|turn| turn.calls.last()).filter(|made| made.failed);
        failed.zip(self.made.first()).is_some_and(|(failed, made)| failed.call == made.call)
    }

    /// What was answered, without what the person is going to ask on about.
    async fn told_first(&mut self, state: &mut State) -> Result<String, ItemError> {
        let call = FunctionCall { name: state.tool().name.clone(), arguments: state.said.clone() };
        if !state.asked_on {
            return self.speaker.tell(state.tool(), &call, state.told(), &self.messages).await;
        }
        let answers = self.speaker.data(state.tool(), state.told()).clone();
        let mut left: Vec<Followup> = state.aim.phrases().followups.clone();
        self.chance("followup").shuffle(&mut left);
        left.retain(|it| !self.was_told(it, state));
        let most = if state.is_asked_twice { 2 } else { 1 };
        while !left.is_empty() {
            left.truncate(most);
            if let Some(phrases) = without(state, &left, &answers) {
                state.followups = left;
                return self.speaker.tell_by(Some(phrases), (state.tool(), &call, &answers), &self.messages).await;
            }
            left.pop();
        }
        let phrases = Phrases { lists: None, ..state.aim.phrases().clone() };
        self.speaker.tell_by(Some(Arc::new(phrases)), (state.tool(), &call, &answers), &self.messages).await
    }

    async fn told_more(&mut self, state: &State, told: String) -> Result<String, ItemError> {
        let more = self.is_template() && self.chance("more").happens(MORE);
        // Of several things nobody knows which one is meant.
        let phrases = state.aim.phrases();
        let Some(followup) = phrases.followups.last().filter(|_| more && !state.asked_on && phrases.lists.is_none())
        else {
            return Ok(told);
        };
        let call = FunctionCall { name: state.tool().name.clone(), arguments: state.said.clone() };
        let answers = self.speaker.data(state.tool(), state.told()).clone();
        let pack = self.context.pack();
        let chat = &pack.chat;
        let is_told = |slot: &str| answers.at_path(slot).is_some_and(|value| told.contains(&pack.told(value)));
        // What was named already is not named again.
        let says_anew = |text: &String| Pattern::parse(text).is_ok_and(|it| !it.slots().into_iter().any(is_told));
        let tells: Vec<String> = followup.tells.iter().filter(|text| says_anew(text)).cloned().collect();
        if tells.is_empty() {
            return Ok(told);
        }
        let telling = telling(&Followup { tells, ..followup.clone() }, state);
        let more = self.speaker.tell_by(Some(telling), (state.tool(), &call, &answers), &self.messages).await?;
        let fits = !more.is_empty() && self.context.pack().dialogue.is_one_voice(&told, &more);
        Ok(if fits { chat.continued(&told, &more) } else { told })
    }

    /// The person asks on about what was answered, and is told.
    pub(crate) async fn follow_up(&mut self, state: &State, place: usize) -> Result<(), ItemError> {
        let followups = &state.aim.phrases().followups;
        let untold = followups.iter().filter(|it| !self.was_told(it, state) && !self.was_asked(it));
        let untold: Vec<Followup> = untold.cloned().collect();
        let other = followups.first().filter(|_| place == 0).cloned();
        let planned = state.followups.get(place).cloned();
        let followup = planned.or_else(|| self.chance("followup").pick(&untold).cloned()).or(other);
        if followup.is_none() {
            return Ok(());
        }
        let answers = self.speaker.data(state.tool(), state.told()).clone();
        let line = crate::llm::Line::Ask { answers: answers.clone(), followup: followup.clone() };
        let asked = self.speaker.say(line, &self.messages, |_| Ok(())).await?;
        self.person(asked);
        let telling = followup.map(|it| telling(&it, state));
        let call = FunctionCall { name: state.tool().name.clone(), arguments: state.said.clone() };
        let reply = self.speaker.tell_by(telling, (state.tool(), &call, &answers), &self.messages).await?;
        self.agent(reply, &[Act::Inform]);
        Ok(())
    }

    /// Whether the person asked this before.
    fn was_asked(&self, followup: &Followup) -> bool {
        let patterns = followup.asks.iter().filter_map(|text| Pattern::parse(text).ok());
        let asks: Vec<String> = patterns.flat_map(|it| it.variants(ASKED)).map(|text| text.to_lowercase()).collect();
        let mut said = self.messages.iter().filter(|it| it.role == Role::User).filter_map(|it| it.content.as_ref());
        said.any(|text| asks.contains(&text.to_lowercase()))
    }

    /// Whether what was said last tells what this would ask for.
    fn was_told(&self, followup: &Followup, state: &State) -> bool {
        let answers = self.speaker.data(state.tool(), state.told());
        let pack = self.context.pack();
        let spoken = self.messages.iter().rev().filter(|message| message.role != Role::Tool);
        let said: Vec<&str> = spoken.filter_map(|message| message.content.as_deref()).collect();
        // A short number may stand anywhere.
        let stands = |shown: String| {
            let far = shown.chars().count() > SHORT;
            said.iter().take(if far { said.len() } else { 1 }).any(|text| text.contains(&shown))
        };
        let is_told = |field: &String| answers.at_path(field).is_some_and(|value| stands(pack.told(value)));
        let answers = &telling(followup, state).answers;
        !answers.is_empty() && answers.iter().all(is_told)
    }

    /// The tools of everything that is wanted, each once, in the order in which they come up.
    pub(crate) fn own_tools(&self) -> Vec<Arc<Tool>> {
        let toolset = self.context.toolset();
        let mut own: Vec<Arc<Tool>> = Vec::new();
        let supported = |it: &&Episode| it.way != Complexity::GoalNotSupported;
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
    pub(crate) fn error(&self) -> Result<Value, Fault> {
        error(self.context, &mut self.chance("fault"))
    }

    pub(crate) fn chance(&self, what: &str) -> Chance {
        self.context.chance_of(&format!("{what}/{}", self.turns.len()), self.id.as_str(), 0)
    }
}

/// An error with a code and a message.
pub(crate) fn error(context: &Context, chance: &mut Chance) -> Result<Value, Fault> {
    let wordless = || Fault::new("no_words", "the locale has no `[[faults]]` in its `chat.toml`");
    let fault = chance.pick(&context.pack().chat.faults).ok_or_else(wordless)?;
    let fields = [("code", Value::from(i64::from(fault.code))), ("message", fault.message.as_str().into())];
    let error: Object = fields.map(|(name, value)| (name.to_owned(), value)).into();
    Ok(Value::Object([("error".to_owned(), Value::Object(error))].into()))
}

/// The sentences that tell what is asked on about, as phrases of their own.
fn telling(followup: &Followup, state: &State) -> Arc<Phrases> {
    let tells = vec![Telling { say: followup.tells.clone(), ..Telling::default() }];
    let answers = common_slots(&followup.tells, &state.said);
    Arc::new(Phrases { tells, answers, ..Phrases::default() })
}

/// What tells an answer without the fields that these ask on about; absent where every sentence holds one of them.
fn without(state: &State, followups: &[Followup], answers: &Value) -> Option<Arc<Phrases>> {
    let phrases = state.aim.phrases();
    let asked: Vec<String> = followups.iter().flat_map(|it| telling(it, state).answers.clone()).collect();
    // What every sentence names is what they are about.
    let names = |field: &String| {
        let mut says = phrases.tells.iter().flat_map(|it| &it.say).filter_map(|text| Pattern::parse(text).ok());
        says.all(|it| it.slots().contains(&field.as_str()))
    };
    let asked: Vec<String> = asked.into_iter().filter(|field| !names(field)).collect();
    let asked_values: Vec<&Value> = asked.iter().filter_map(|field| answers.at_path(field)).collect();
    let is_asked = |slot: &str| answers.at_path(slot).is_some_and(|value| asked_values.contains(&value));
    let keeps = |text: &String| Pattern::parse(text).is_ok_and(|it| !it.slots().into_iter().any(is_asked));
    let tells = phrases
        .tells
        .iter()
        .map(|it| Telling { say: it.say.iter().filter(|say| keeps(say)).cloned().collect(), ..it.clone() });
    let tells: Vec<Telling> = tells.collect();
    // What is asked on about is one thing, and no list stands between.
    let answers = phrases.answers.iter().filter(|field| !is_asked(field)).cloned().collect();
    let is_complete = tells.iter().all(|it| !it.say.is_empty()) && !tells.is_empty();
    is_complete.then(|| Arc::new(Phrases { tells, answers, ..Phrases::default() }))
}

/// What the assistant of a conversation is told before anything is said.
pub(crate) fn system(context: &Context, scenario: &Scenario) -> String {
    let time = scenario.reference_time.replace('T', " ");
    let time = time.get(..16).unwrap_or(&time).to_owned();
    context.pack().chat.system.render(&mut Around("time", &time), &mut Chance::of(&[b"system"]))
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

/// One slot, and the text that stands there.
pub(crate) struct Around<'a>(pub(crate) &'a str, pub(crate) &'a str);

impl Fill for Around<'_> {
    fn has(&self, slot: &str) -> bool {
        slot == self.0
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        self.1.to_owned()
    }
}
