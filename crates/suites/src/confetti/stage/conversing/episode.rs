//! What happens in an episode, complexity by complexity (CONFETTI, Table 1).

use super::aim::Aim;
use super::play::{Heard, Play};
use super::state::State;
use crate::confetti::metric::Act;
use crate::failure::ItemError;
use crate::llm::{Line, PlannedValue, SpeechAct};
use crate::locale::Pattern;
use crate::record::{Chance, Complexity, Episode, Parameter, Parameters, Tool, Value};
use crate::stage::outcome::Fault;
use crate::stage::targets::{ranked, serves};
use crate::stage::writing::batch::Settled;
use crate::stage::writing::speaker::Given;
use std::sync::Arc;

/// How many values a person says in one request.
const BREATH: usize = 2;

impl Play<'_> {
    /// Plays one episode.
    pub(crate) async fn episode(&mut self, episode: &Episode) -> Result<(), ItemError> {
        let toolset = self.context.toolset();
        let aims: Vec<Aim> = episode.aims.iter().filter_map(|name| Aim::find(toolset, name)).collect();
        let mut aims = aims.into_iter().map(|aim| {
            let given = self.facts.given(&aim);
            let mut state = State::new(aim, given);
            state.asked_on = episode.followup;
            state.is_asked_twice = episode.way == Complexity::FollowupQuestion;
            state
        });
        let unknown = || Fault::new("unknown_tool", format!("no tool or goal `{}`", episode.aims.join("`, `")));
        let mut first = aims.next().ok_or_else(unknown)?;
        let second = aims.next();
        drop(aims);
        let turn_ends_at = episode.chains.first().copied().unwrap_or_default();
        match (episode.way, second) {
            (Complexity::GoalNotSupported, _) => return self.unsupported(&first).await,
            (Complexity::GoalSwitching, Some(second)) => first = self.switching(first, second, turn_ends_at).await?,
            (Complexity::AmbiguousGoal, Some(other)) => self.ambiguous(&mut first, &other).await?,
            (_, Some(second)) => return self.stacked(first, second).await,
            (Complexity::Underfill, None) => self.underfilled(&mut first).await?,
            (Complexity::Overfill, None) => self.overfilled(&mut first).await?,
            (Complexity::ImplicitDescriptiveGoal, None) => self.implied(&mut first).await?,
            (Complexity::Confirmation, None) => self.confirmed(&mut first, turn_ends_at).await?,
            (Complexity::ExceptionInExecution, None) => self.failing(&mut first, turn_ends_at, true).await?,
            (Complexity::FailedConversation, None) => return self.failing(&mut first, turn_ends_at, false).await,
            (Complexity::GoalCorrection, None) => {
                self.plain(&mut first).await?;
                self.corrected(&mut first, episode.corrected.as_deref().unwrap_or_default()).await?;
            }
            (_, None) => self.plain(&mut first).await?,
        }
        if episode.followup {
            self.follow_up(&first, 0).await?;
            // Where that is what it is about, the person asks all that there is to ask.
            if episode.way == Complexity::FollowupQuestion {
                self.follow_up(&first, 1).await?;
            }
        }
        Ok(())
    }

    async fn plain(&mut self, state: &mut State) -> Result<(), ItemError> {
        let given = self.request_first(state).await?;
        self.person(self.bridged(given.text));
        self.asked_for(state).await?;
        self.called_and_told(state, 0).await
    }

    async fn called_and_told(&mut self, state: &mut State, from: usize) -> Result<(), ItemError> {
        self.finish(state, from).await?;
        let reply = self.told(state).await?;
        self.agent(reply, &[Act::Inform]);
        Ok(())
    }

    /// Something required is left out, asked for and given.
    async fn underfilled(&mut self, state: &mut State) -> Result<(), ItemError> {
        // What the request is about is said, and of much that is required one thing more; where leaving out is what it is
        // about, no more than that.
        let own = self.scenario.complexity == Complexity::Underfill;
        let required = &state.tool().parameters.required;
        let about = state.aim.about();
        let mut more: Vec<String> =
            required.iter().filter(|name| !about.contains(name) && state.aim.leans(name)).cloned().collect();
        self.chance("left").shuffle(&mut more);
        let least = if own { 3 } else { 2 };
        more.truncate(usize::from(about.is_empty() && required.len() >= least));
        let mut preset: Vec<String> = required.iter().filter(|name| about.contains(name)).cloned().collect();
        preset.extend(more);
        let (known, new): (Vec<String>, Vec<String>) =
            state.tool().parameters.required.clone().into_iter().partition(|name| self.is_heard(state, name));
        if !new.is_empty() {
            // What was said before is not asked for: it is said again, or taken as said.
            preset.retain(|name| new.contains(name));
            if preset.len() == new.len() {
                preset.retain(|name| about.contains(name));
            }
            preset.extend(known.into_iter().filter(|name| !self.carries(state, name) || about.contains(name)));
        }
        let given = self.request(state, &preset).await?;
        self.person(self.bridged(given.text));
        self.is_needing = own && self.requests.len() == 1;
        self.asked_for(state).await?;
        self.called_and_told(state, 0).await
    }

    /// Whether the person spoke before of what a parameter stands for.
    fn is_heard(&self, state: &State, name: &str) -> bool {
        self.facts.key(&state.aim, name).is_some_and(|key| self.heard.contains_key(&key))
    }

    /// Whether an assistant takes it as said, by what the conversation is about or by the same request.
    fn carries(&mut self, state: &mut State, name: &str) -> bool {
        let Some(key) = self.facts.key(&state.aim, name) else { return false };
        let Some(Heard { place, value, note }) = self.heard.get(&key).cloned() else { return false };
        // What was said of another matter is not taken for this one.
        let is_same = state.settled(name) == Some(&value) && place.is_none_or(|place| place == self.place);
        if is_same {
            state.carry(name, value, note);
        }
        is_same
    }

    /// The person has given this, and it is known from now on.
    fn hear(&mut self, state: &mut State, given: &Given) {
        state.take(given);
        for (name, note) in &given.notes {
            if let Some((key, value)) = self.facts.key(&state.aim, name).zip(given.arguments.get(name)) {
                self.heard.insert(key, Heard { place: Some(self.place), value: value.clone(), note: note.clone() });
            }
        }
    }

    /// The agent asks for what is missing, one thing at a time, and the person says it.
    async fn asked_for(&mut self, state: &mut State) -> Result<(), ItemError> {
        for name in state.missing() {
            if self.carries(state, &name) {
                continue;
            }
            let missing = [name];
            let question = self.speaker.ask(state.tool(), &missing, &self.messages).await?;
            let needs = if std::mem::take(&mut self.is_needing) { 1.0 } else { 0.0 };
            let bare = self.context.pack().dialogue.unasked(&question).to_owned();
            let question = if needs > 0.0 { bare } else { question };
            let question = self.framed(&self.context.pack().chat.needs, ("question", question), needs);
            self.agent(question, &[Act::Seek]);
            self.speaker.given = Some(self.settled(state.given.clone()));
            let given = self.speaker.answer(state.tool(), (&missing, &missing), &state.said, &self.messages).await?;
            self.hear(state, &given);
            self.person(given.text);
        }
        Ok(())
    }

    /// Details that nothing needs stand beside the request.
    async fn overfilled(&mut self, state: &mut State) -> Result<(), ItemError> {
        let given = self.request_all(state).await?;
        let mut chance = self.chance("aside");
        let mut parts = self.details(&mut chance);
        if parts.is_empty() {
            parts.push(self.speaker.say(Line::Aside, &self.messages, |_| Ok(())).await?);
        } else {
            self.speaker.note_act(true, SpeechAct::Aside);
        }
        parts.insert(chance.below(parts.len() + 1), given.text);
        let chat = &self.context.pack().chat;
        let ended = parts.iter().map(|part| self.ended(part));
        let text = ended.fold(String::new(), |text, part| chat.continued(&text, &part));
        self.person(text);
        self.asked_for(state).await?;
        self.called_and_told(state, 0).await
    }

    /// Two details of the matter that no function takes; none where the thread has none, or a model writes.
    fn details(&mut self, chance: &mut Chance) -> Vec<String> {
        let mut left = self.facts.thread.as_ref().map(|thread| thread.details.clone()).unwrap_or_default();
        left.retain(|_| self.is_template());
        let fits = self.in_style();
        let mut details = Vec::new();
        while details.len() < 2 && !left.is_empty() {
            let one = vec![left.remove(chance.below(left.len()))];
            details.extend(self.facts.sentence(&one, &fits, chance));
        }
        details
    }

    /// The person describes a problem; what the description leaves out is asked for.
    async fn implied(&mut self, state: &mut State) -> Result<(), ItemError> {
        let properties = &state.tool().parameters.properties;
        let mut patterns: Vec<Pattern> =
            state.aim.phrases().implies.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        // What was said before is said again where a description can say it.
        let says = |it: &Pattern| it.slots().into_iter().filter(|slot| self.is_heard(state, slot)).count();
        let most = patterns.iter().map(says).max().unwrap_or_default();
        patterns.retain(|it| says(it) == most);
        let preset: Vec<String> = match self.chance("implied").pick(&patterns) {
            Some(pattern) => {
                let slots = pattern.slots();
                properties.keys().filter(|name| slots.contains(&name.as_str())).cloned().collect()
            }
            None => state.tool().parameters.required.clone(),
        };
        self.speaker.given = Some(self.settled(state.given.clone()));
        let given = self.speaker.wanting(state.tool(), &preset, true).await?;
        self.hear(state, &given);
        self.requests.push(given.text.clone());
        self.person(self.closed(&given));
        self.asked_for(state).await?;
        self.called_and_told(state, 0).await
    }

    /// The person's words could mean two things, and the agent asks which.
    async fn ambiguous(&mut self, state: &mut State, other: &State) -> Result<(), ItemError> {
        let between = [state, other].map(|it| it.tool().description.clone()).to_vec();
        let names = [state.aim.name(), other.aim.name()];
        let toolset = self.context.toolset();
        let vague = toolset.vague.iter().find(|vague| vague.between.iter().all(|name| names.contains(&name.as_str())));
        let (says, questions) = vague.map(|it| (it.says.clone(), it.questions.clone())).unwrap_or_default();
        let line = Line::Vague { between: between.clone(), says };
        let said = self.speaker.say(line, &self.messages, |_| Ok(())).await?;
        let said = self.closed(&Given { text: said, ..Given::default() });
        // Nothing leads over to what is no request; only a refusal is taken in first.
        self.person(if self.was_refused() { self.bridged(said) } else { said });
        let question = self.speaker.say(Line::Which { between, questions }, &self.messages, |_| Ok(())).await?;
        self.agent(question, &[Act::Seek]);
        self.plain(state).await
    }

    /// The person wants to be asked first, and is; `at` is the call before which.
    async fn confirmed(&mut self, state: &mut State, at: usize) -> Result<(), ItemError> {
        self.paused(state, at).await?;
        let agreed = self.speaker.say(Line::Agree, &self.messages, |_| Ok(())).await?;
        self.person(agreed);
        self.called_and_told(state, at).await
    }

    /// Everything up to the question whether to go on.
    async fn paused(&mut self, state: &mut State, at: usize) -> Result<(), ItemError> {
        let given = self.request_first(state).await?;
        let caution = self.speaker.say(Line::Caution, &self.messages, |_| Ok(())).await?;
        let ended = self.ended(&self.bridged(given.text));
        self.person(self.context.pack().chat.continued(&ended, &caution));
        self.asked_for(state).await?;
        self.make(state, 0..at, None).await?;
        let line = Line::Confirm {
            tool: state.tool().clone(),
            said: state.said.clone(),
            answers: state.answers.clone(),
            next: state.call(at)?.0,
            phrases: Some(state.aim.goal.phrases.clone()),
        };
        let question = self.speaker.say(line, &self.messages, |_| Ok(())).await?;
        self.agent(question, &[Act::Inform, Act::Seek]);
        Ok(())
    }

    /// Asked for leave, the person turns to something else instead.
    async fn switching(&mut self, mut state: State, mut other: State, at: usize) -> Result<State, ItemError> {
        self.paused(&mut state, at).await?;
        let given = self.request_first(&mut other).await?;
        let check = Self::holds(&[&given]);
        let line = Line::Switch { query: given.text.clone() };
        let text = self.speaker.say(line, &self.messages, check).await?;
        self.person(text);
        self.asked_for(&mut other).await?;
        self.called_and_told(&mut other, 0).await?;
        Ok(other)
    }

    /// Two requests in one message, both served in one turn.
    async fn stacked(&mut self, mut first: State, mut second: State) -> Result<(), ItemError> {
        let one = self.request_first(&mut first).await?;
        let other = self.request_first(&mut second).await?;
        let ended = |text: &str| self.ended(text);
        let line = Line::Stack { first: ended(&one.text), second: other.text.clone() };
        let check = Self::holds(&[&one, &other]);
        let text = self.speaker.say(line, &self.messages, check).await?;
        self.person(text);
        self.asked_for(&mut first).await?;
        self.asked_for(&mut second).await?;
        self.finish(&mut first, 0).await?;
        self.finish(&mut second, 0).await?;
        let (one, other) = (self.told_plainly(&mut first).await?, self.told_plainly(&mut second).await?);
        self.agent(self.context.pack().chat.continued(&one, &other), &[Act::Inform]);
        Ok(())
    }

    /// A call fails and is made again: it works, or it fails once more.
    async fn failing(&mut self, state: &mut State, chain: usize, works: bool) -> Result<(), ItemError> {
        let given = self.request_first(state).await?;
        self.person(self.bridged(given.text));
        self.asked_for(state).await?;
        let (at, error) = (chain.saturating_sub(1), self.error()?);
        self.make(state, 0..chain, Some((at, &error))).await?;
        let report = self.speaker.say(Line::Report { error: error.clone() }, &self.messages, |_| Ok(())).await?;
        self.agent(report, &[Act::Inform, Act::Seek]);
        let again = self.speaker.say(Line::Retry { error: error.clone() }, &self.messages, |_| Ok(())).await?;
        self.person(again);
        if works {
            return self.called_and_told(state, at).await;
        }
        self.make(state, at..chain, Some((at, &error))).await?;
        let sorry = self.speaker.say(Line::Sorry { error }, &self.messages, |_| Ok(())).await?;
        self.agent(sorry, &[Act::Reject]);
        Ok(())
    }

    /// The person takes a detail back, and what hangs on it is called again.
    async fn corrected(&mut self, state: &mut State, parameter: &str) -> Result<(), ItemError> {
        let tool = state.tool().clone();
        let mut known = state.said.clone();
        known.shift_remove(parameter);
        let names = [parameter.to_owned()];
        let mut settled = state.given.clone();
        settled.retain(|it| it.name != parameter);
        let day = state.said.get(parameter).and_then(|day| self.facts.another_day(&state.aim, parameter, day));
        settled.extend(day);
        self.speaker.given = Some(self.settled(settled));
        let same = || Fault::new("same_value", "the corrected value is the same as before");
        let mut given = Err(same());
        for _ in 0..self.asks.get() {
            let other = self.speaker.answer(&tool, (&names, &names), &known, &self.messages).await?;
            if other.arguments.get(parameter) != state.said.get(parameter) {
                given = Ok(other);
                break;
            }
        }
        let given = given?;
        let value = given.arguments.get(parameter).cloned().ok_or_else(same)?;
        let old = state.notes.get(parameter).and_then(|note| note.surface.clone()).unwrap_or_default();
        let surface = given.notes.get(parameter).and_then(|note| note.surface.clone()).unwrap_or_default();
        // Where the answer began with it, it has a capital that it has nowhere else.
        let surface = match &value {
            Value::String(text) if text.to_lowercase() == surface.to_lowercase() => text.clone(),
            _ => surface,
        };
        let phrases = state.aim.phrases().parameters.get(parameter).cloned();
        if let Some((key, before)) = self.facts.key(&state.aim, parameter).zip(state.said.get(parameter)) {
            self.facts.change(&key, before, &value);
        }
        let line = Line::Correct { tool, parameter: parameter.to_owned(), value, surface, old, phrases };
        let check = Self::holds(&[&given]);
        let text = self.speaker.say(line, &self.messages, check).await?;
        self.hear(state, &given);
        self.person(text);
        let affected = state.aim.affected(parameter);
        self.make(state, affected, None).await?;
        let reply = self.told(state).await?;
        self.agent(reply, &[Act::Inform]);
        Ok(())
    }

    /// The person wants what no shown tool does, and the agent declines.
    async fn unsupported(&mut self, planned: &State) -> Result<(), ItemError> {
        let own = self.own_tools();
        let mut tools = ranked(self.context);
        self.chance("absent").shuffle(&mut tools);
        tools.retain(|tool| tool.name != planned.aim.name() && tool.from.is_empty());
        // What is wanted belongs to the thread, if anything does.
        let belongs = |tool: &Arc<Tool>| self.facts.thread.as_ref().is_some_and(|it| it.goal(&tool.name).is_some());
        tools.sort_by_key(|tool| !belongs(tool));
        tools.insert(0, planned.tool().clone());
        for tool in tools.iter().filter(|tool| own.iter().all(|it| it.name != tool.name)).take(8) {
            let aim = Aim::find(self.context.toolset(), &tool.name);
            let given = aim.map(|aim| State::new(aim.clone(), self.facts.given(&aim)));
            let preset = given.as_ref().map(|state| self.said_first(state)).unwrap_or_default();
            self.speaker.given = Some(self.settled(given.map(|state| state.given).unwrap_or_default()));
            let mut given = self.speaker.request(tool, &preset).await?;
            given.text = self.closed(&given);
            if self.is_served(&given.text, &own).await? {
                continue;
            }
            self.absent.push(tool.clone());
            self.requests.push(given.text.clone());
            self.person(self.bridged(given.text.clone()));
            let text = self.speaker.decline(tool, &given.text, &self.messages).await?;
            self.agent(text, &[Act::Reject]);
            return Ok(());
        }
        Err(Fault::new("second_right_tool", "whatever is asked for, a tool of the conversation can serve it").into())
    }

    async fn is_served(&self, text: &str, tools: &[Arc<Tool>]) -> Result<bool, ItemError> {
        for tool in tools {
            if serves(self.context, self.id, &[text], tool).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A request that says these parameters.
    async fn request(&mut self, state: &mut State, preset: &[String]) -> Result<Given, ItemError> {
        self.speaker.given = Some(self.settled(state.given.clone()));
        let mut given = self.speaker.request(state.tool(), preset).await?;
        for _ in 1..self.asks.get() {
            // Nobody says hello in the middle of a conversation.
            let begins = self.messages.is_empty() && self.requests.is_empty();
            if begins || !self.context.pack().chat.greets(&given.text) {
                break;
            }
            given = self.speaker.request(state.tool(), preset).await?;
        }
        given.text = self.closed(&given);
        self.requests.push(given.text.clone());
        self.hear(state, &given);
        Ok(given)
    }

    /// A request that says everything.
    async fn request_all(&mut self, state: &mut State) -> Result<Given, ItemError> {
        let preset = self.everything(state);
        self.request(state, &preset).await
    }

    /// A request that says no more than people say in one breath; the rest is asked for.
    async fn request_first(&mut self, state: &mut State) -> Result<Given, ItemError> {
        let mut preset = self.said_first(state);
        // What was said before is not asked for: it is said again, or taken as said.
        let rest: Vec<String> = state.missing().into_iter().filter(|name| !preset.contains(name)).collect();
        for name in rest {
            if self.is_heard(state, &name) && !self.carries(state, &name) {
                preset.push(name);
            }
        }
        self.request(state, &preset).await
    }

    /// What is required, and now and then what is optional, save flags, which nobody mentions unasked.
    fn everything(&self, state: &State) -> Vec<String> {
        let Parameters { properties, required, .. } = &state.tool().parameters;
        let optional = required.len() < BREATH && self.chance("optional").happens(0.3);
        let is_said = |(name, it): &(&String, &Parameter)| {
            required.contains(name) || (optional && it.type_name() != "boolean" && state.aim.says(name))
        };
        properties.iter().filter(is_said).map(|(name, _)| name.clone()).collect()
    }

    /// The same where it is little; else what one of the sentences for it says, and one thing more now and then.
    fn said_first(&self, state: &State) -> Vec<String> {
        let required = &state.tool().parameters.required;
        if required.len() <= BREATH {
            return self.everything(state);
        }
        let patterns = state.aim.phrases().intents.iter().filter_map(|text| Pattern::parse(text).ok());
        let says = |pattern: Pattern| -> Vec<String> {
            let slots = pattern.slots();
            required.iter().filter(|name| slots.contains(&name.as_str())).cloned().collect()
        };
        let mut sayable: Vec<Vec<String>> = patterns.map(says).collect();
        let most = sayable.iter().map(Vec::len).max().unwrap_or_default().min(BREATH);
        sayable.retain(|it| it.len() >= most);
        let mut chance = self.chance("first");
        let mut preset = chance.pick(&sayable).cloned().unwrap_or_default();
        let rest = required.iter().filter(|name| !preset.contains(name) && state.aim.leans(name));
        let rest: Vec<&String> = rest.collect();
        let more = preset.len() < BREATH || (preset.len() == BREATH && rest.len() == 1 && chance.happens(0.5));
        if more && !rest.is_empty() && chance.happens(0.6) {
            preset.push(rest[chance.below(rest.len())].clone());
        }
        required.iter().filter(|name| preset.contains(name)).cloned().collect()
    }

    fn settled(&self, values: Vec<PlannedValue>) -> Settled {
        Settled { values, reference_time: self.scenario.reference_time.clone() }
    }

    /// Whether a text still says everything that these requests said.
    fn holds(requests: &[&Given]) -> impl Fn(&str) -> Result<(), Fault> + use<> {
        let notes = requests.iter().flat_map(|given| &given.notes);
        let surfaces: Vec<(String, String)> =
            notes.filter_map(|(name, note)| Some((name.clone(), note.surface.clone()?.to_lowercase()))).collect();
        move |text| {
            let text = text.to_lowercase();
            match surfaces.iter().find(|(_, surface)| !text.contains(surface)) {
                Some((name, surface)) => {
                    let detail = format!("the request does not say {name}, which was said as `{surface}`");
                    Err(Fault::new("value_not_in_query", detail))
                }
                None => Ok(()),
            }
        }
    }
}
