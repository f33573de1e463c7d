//! One dialog on its way: every step adds what was said, and the turn that is scored.

use crate::failure::{ItemError, RunStopped};
use crate::functionchat::layout::TypeOfOutput;
use crate::functionchat::stage::dialog_plan::{Plan, Step, places};
use crate::locale::Topic;
use crate::record::{
    ArgumentNotes, Chance, Expected, FunctionCall, GOLD_TEXT_FACT, Item, ItemId, Message, Object, Provenance, Record,
    Sample, Snapshot, SuiteId, Tool, Value,
};
use crate::settings::{Amount, Count};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use crate::stage::targets::{ranked, serves, strangers};
use crate::stage::writing::speaker::{Speaker, assistant, called};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Tools whose positions differ by less count as one area.
const AREA: usize = 6;

/// Most tools that are tried for a request that no listed tool serves.
const ABSENT_TRIES: usize = 12;

/// A dialog as far as it went.
pub(crate) struct Talk<'a> {
    context: &'a Context,
    plan: &'a Plan,
    id: &'a ItemId,
    speaker: Speaker<'a>,
    asks: Count,
    messages: Vec<Message>,
    turns: Vec<Turn>,
    /// The texts of all requests, none of which a stranger may serve.
    requests: Vec<String>,
    /// Functions that are asked for and not shown.
    absent: Vec<Arc<Tool>>,
    /// What is known of the request at hand.
    known: Object,
    notes: ArgumentNotes,
    /// The last call with its answer, and how many calls there were.
    last: Option<(Arc<Tool>, FunctionCall, Value)>,
    calls: usize,
    /// The tools that are shown, once all is said.
    shown: Vec<Arc<Tool>>,
}

/// A turn of the assistant.
struct Turn {
    kind: TypeOfOutput,
    messages: Vec<Message>,
    expected: Expected,
    notes: ArgumentNotes,
    text: Option<String>,
    tool: String,
}

impl<'a> Talk<'a> {
    /// Nothing said yet.
    pub(crate) fn new(context: &'a Context, plan: &'a Plan, id: &'a ItemId, speaker: Speaker<'a>, asks: Count) -> Self {
        Self {
            context,
            plan,
            id,
            speaker,
            asks,
            messages: Vec::new(),
            turns: Vec::new(),
            requests: Vec::new(),
            absent: Vec::new(),
            known: Object::new(),
            notes: ArgumentNotes::new(),
            last: None,
            calls: 0,
            shown: Vec::new(),
        }
    }

    /// Talks to the end, and chooses the tools that are shown.
    pub(crate) async fn through(mut self) -> Result<Self, ItemError> {
        for step in &self.plan.steps {
            match step {
                Step::Ask { request, later, first } => self.ask(*request, *later, *first).await?,
                Step::Call { request, asked } => self.call(*request, *asked).await?,
                Step::Tell => self.tell().await?,
                Step::TellAgain => self.tell_again().await?,
                Step::Decline => self.decline().await?,
                Step::Chat(topic) => self.chat(*topic).await?,
            }
        }
        let functions = self.plan.distinct();
        let taken: Vec<Arc<Tool>> = functions.iter().chain(&self.absent).cloned().collect();
        let requests: Vec<&str> = self.requests.iter().map(String::as_str).collect();
        let others = self.plan.shown.saturating_sub(functions.len());
        let mut shown = strangers(self.context, self.id, &requests, &taken, others).await?;
        shown.extend(functions);
        self.context.chance_of("shown", self.id.as_str(), 0).shuffle(&mut shown);
        self.shown = shown;
        Ok(self)
    }

    /// Every turn as a sample.
    pub(crate) fn items(&self, item: &Item) -> Vec<Item> {
        let turns = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        let sample = |(number, turn): (u32, &Turn)| {
            let content = (
                turn.kind.as_str(),
                turn.messages.clone(),
                self.shown.clone(),
                turn.expected.clone(),
                turn.notes.clone(),
            );
            let id = self.id.child("turn", number as usize);
            let place = Snapshot {
                conversation: self.id.clone(),
                turn: number + 1,
                turns,
                marked: None,
                shared: None,
                tool: turn.tool.clone(),
            };
            let sample = Sample {
                group: self.id.to_string(),
                snapshot: Some(place),
                ..chat_sample(self.context, item, &id, content)
            };
            finished(item, sample, turn.text.clone(), &self.speaker)
        };
        (0..).zip(&self.turns).map(sample).collect()
    }

    /// The person gives a part, and the assistant asks for the rest.
    async fn ask(&mut self, request: usize, later: usize, first: bool) -> Result<(), ItemError> {
        let tool = self.function(request)?;
        if first {
            (self.known, self.notes) = (Object::new(), ArgumentNotes::new());
            let required = tool.parameters.required.clone();
            let left = self.left(required.len(), later);
            let preset = self.given(required, left);
            self.request(&tool, &preset).await?;
        } else {
            let missing = self.missing(&tool);
            let left = self.left(missing.len().saturating_sub(1), later);
            let given = self.given(missing, left);
            self.answer(&tool, &given).await?;
        }
        let missing = self.missing(&tool);
        let text = self.speaker.ask(&tool, &missing, &self.messages).await?;
        self.turn(TypeOfOutput::Slot, Expected::Question(missing), &tool.name, Some(text.clone()));
        self.messages.push(assistant(text));
        Ok(())
    }

    /// The person gives what is missing, and the assistant calls.
    async fn call(&mut self, request: usize, asked: bool) -> Result<(), ItemError> {
        let tool = self.function(request)?;
        if asked {
            let missing = self.missing(&tool);
            self.answer(&tool, &missing).await?;
        } else {
            (self.known, self.notes) = (Object::new(), ArgumentNotes::new());
            let optional = self.chance("optional").happens(0.4);
            let names = tool.parameters.properties.keys();
            let preset: Vec<String> =
                names.filter(|name| optional || tool.parameters.required.contains(name)).cloned().collect();
            self.request(&tool, &preset).await?;
        }
        let order = |name: &String| tool.parameters.properties.get_index_of(name);
        self.known.sort_by(|one, _, other, _| order(one).cmp(&order(other)));
        let call = FunctionCall { name: tool.name.clone(), arguments: self.known.clone() };
        let answer = self.speaker.call(&tool, &call).await?;
        self.turn(TypeOfOutput::Call, Expected::Call(call.clone()), &tool.name, None);
        self.messages.extend(called(call.clone(), &answer, self.calls));
        self.calls += 1;
        self.last = Some((tool, call, answer));
        Ok(())
    }

    /// The assistant tells what the tool answered.
    async fn tell(&mut self) -> Result<(), ItemError> {
        let Some((tool, call, answer)) = self.last.clone() else { return Ok(()) };
        let text = self.speaker.tell(&tool, &call, &answer, &self.messages).await?;
        self.turn(TypeOfOutput::Completion, Expected::Answer(text.clone()), &tool.name, None);
        self.messages.push(assistant(text));
        Ok(())
    }

    async fn tell_again(&mut self) -> Result<(), ItemError> {
        let exchanged = self.speaker.exchange(Topic::Again, &self.messages).await?;
        self.messages.push(Message::user(exchanged.user));
        self.tell().await
    }

    /// The person wants what no shown tool does, and the assistant declines.
    async fn decline(&mut self) -> Result<(), ItemError> {
        let mut tools = ranked(self.context);
        self.chance("absent").shuffle(&mut tools);
        let functions = self.plan.distinct();
        let places = places(self.context);
        let place = |tool: &Tool| places.get(tool.name.as_str()).copied().unwrap_or_default();
        // The declined request is about the subject of the dialog, too.
        let apart = |tool: &Arc<Tool>| functions.iter().map(|it| place(it).abs_diff(place(tool)) / AREA).min();
        tools.sort_by_cached_key(apart);
        for tool in tools.iter().filter(|tool| functions.iter().all(|it| it.name != tool.name)).take(ABSENT_TRIES) {
            let given = self.speaker.request(tool, &tool.parameters.required).await?;
            let mut is_served = false;
            for function in &functions {
                is_served |= serves(self.context, self.id, &[&given.text], function).await?;
            }
            if is_served {
                continue;
            }
            self.absent.push(tool.clone());
            self.requests.push(given.text.clone());
            self.messages.push(Message::user(&given.text));
            let text = self.speaker.decline(tool, &given.text, &self.messages).await?;
            self.refused(text);
            return Ok(());
        }
        Err(Fault::new("second_right_tool", "whatever is asked for, a function of the dialog can serve it").into())
    }

    /// The person chats, and so does the assistant.
    async fn chat(&mut self, topic: Topic) -> Result<(), ItemError> {
        let exchanged = self.speaker.exchange(topic, &self.messages).await?;
        self.messages.push(Message::user(exchanged.user));
        self.refused(exchanged.assistant);
        Ok(())
    }

    fn refused(&mut self, text: String) {
        self.turn(TypeOfOutput::Relevance, Expected::Refusal, "", Some(text.clone()));
        self.messages.push(assistant(text));
    }

    /// A request that none of the dialog's other functions can serve.
    async fn request(&mut self, tool: &Arc<Tool>, preset: &[String]) -> Result<(), ItemError> {
        let others: Vec<Arc<Tool>> = self.plan.distinct().into_iter().filter(|it| it.name != tool.name).collect();
        for _ in 0..self.asks.get() {
            let given = self.speaker.request(tool, preset).await?;
            let mut is_served = false;
            for other in &others {
                is_served |= serves(self.context, self.id, &[&given.text], other).await?;
            }
            if !is_served {
                self.requests.push(given.text.clone());
                self.messages.push(Message::user(given.text));
                self.known.extend(given.arguments);
                self.notes.extend(given.notes);
                return Ok(());
            }
        }
        Err(Fault::new("second_right_tool", "another function of the dialog can serve the request as well").into())
    }

    async fn answer(&mut self, tool: &Arc<Tool>, parameters: &[String]) -> Result<(), ItemError> {
        let asked = self.missing(tool);
        let given = self.speaker.answer(tool, (parameters, &asked), &self.known, &self.messages).await?;
        self.known.extend(given.arguments);
        self.notes.extend(given.notes);
        self.messages.push(Message::user(given.text));
        Ok(())
    }

    fn turn(&mut self, kind: TypeOfOutput, expected: Expected, tool: &str, text: Option<String>) {
        let notes = if kind == TypeOfOutput::Call { self.notes.clone() } else { ArgumentNotes::new() };
        self.turns.push(Turn { kind, messages: self.messages.clone(), expected, notes, text, tool: tool.to_owned() });
    }

    fn function(&self, request: usize) -> Result<Arc<Tool>, Fault> {
        let missing = || Fault::new("too_few_tools", "no function is left that leaves enough to ask for");
        self.plan.functions.get(request).cloned().ok_or_else(missing)
    }

    fn missing(&self, tool: &Tool) -> Vec<String> {
        tool.parameters.required.iter().filter(|name| !self.known.contains_key(*name)).cloned().collect()
    }

    /// How many parameters stay missing of at most so many, where `later` more questions follow: one for each question, or one
    /// more, since a longer list is not answered naturally in one turn.
    fn left(&self, most: usize, later: usize) -> usize {
        let least = later + 1;
        least + self.chance("left").below(most.saturating_sub(least).min(1) + 1)
    }

    /// The parameters that are given so that `left` of them stay missing, in declared order.
    fn given(&self, mut parameters: Vec<String>, left: usize) -> Vec<String> {
        let mut chance = self.chance("given");
        for _ in 0..left.min(parameters.len()) {
            parameters.remove(chance.below(parameters.len()));
        }
        parameters
    }

    fn chance(&self, what: &str) -> Chance {
        self.context.chance_of(&format!("{what}/{}", self.turns.len()), self.id.as_str(), 0)
    }
}

// Registers of speech as quotas: in which manner people speak, so many times each.

/// Speakers per cycle in each of a locale's registers (the styles of its `pack.toml`), by locale. Locales that are not
/// listed use their own weights.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Registers(IndexMap<String, IndexMap<String, Amount>>);

impl Registers {
    /// The register of the `place`-th that speaks, from 0; absent where the locale draws by its own weights.
    pub(crate) fn of(&self, context: &Context, place: usize) -> Result<Option<&str>, RunStopped> {
        let pack = context.pack();
        let Some(quota) = self.0.get(&pack.code) else { return Ok(None) };
        let mut round: Vec<&str> = Vec::new();
        for (name, amount) in quota {
            if pack.styles.iter().all(|style| style.name != *name) {
                let known: Vec<&str> = pack.styles.iter().map(|style| style.name.as_str()).collect();
                let known = known.join("`, `");
                let fault = format!(
                    "`registers`: unknown register `{name}` of locale `{}`; known registers: `{known}`",
                    pack.code
                );
                return Err(RunStopped::Input(fault));
            }
            round.extend(std::iter::repeat_n(name.as_str(), amount.get()));
        }
        Ok(round.get(place % round.len().max(1)).copied())
    }
}

// Samples of FunctionChat-Bench, from what was said.

/// What is said, shown and expected in one sample of a chat, with the notes on the gold arguments; its data type first.
pub(crate) type Content = (&'static str, Vec<Message>, Vec<Arc<Tool>>, Expected, ArgumentNotes);

/// The sample with this id, grown from `item`.
pub(crate) fn chat_sample(context: &Context, item: &Item, id: &ItemId, content: Content) -> Sample {
    let (data_type, messages, candidates, expected, arguments) = content;
    let toolset = context.toolset();
    let template = context.is_template(context.role());
    Sample {
        locale: context.pack().code.clone(),
        reference_time: context.writing_time(),
        messages,
        candidates,
        arguments,
        group: item.root.to_string(),
        licence: toolset.licence.clone(),
        source: toolset.name.clone(),
        provenance: Provenance { template, parents: vec![item.id.to_string()], ..Provenance::default() },
        ..Sample::new(id.clone(), SuiteId::FunctionChat, data_type, expected)
    }
}

/// The sample as an item, with who said what, and the right words where it has some.
pub(crate) fn finished(item: &Item, mut sample: Sample, text: Option<String>, speaker: &Speaker<'_>) -> Item {
    let facts = [("style", Some(speaker.style().to_owned())), (GOLD_TEXT_FACT, text)];
    let facts = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?)));
    sample.provenance.facts.extend(facts);
    sample.provenance.draws.clone_from(&speaker.draws);
    Item {
        id: sample.id.clone(),
        root: item.root.clone(),
        provenance: sample.provenance.clone(),
        record: Record::Sample(Box::new(sample)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::silent;

    fn registers(text: &str) -> Registers {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn each_round_has_as_many_of_each_as_the_quota_says() {
        let registers = registers(r#"{"en": {"plain": 2, "polite": 1}, "ko": {"banmal": 1}}"#);
        let all: Vec<_> = (0..6).map(|place| registers.of(&silent(), place).unwrap()).collect();
        assert_eq!(all, ["plain", "plain", "polite", "plain", "plain", "polite"].map(Some));
    }

    #[test]
    fn a_locale_without_a_quota_has_its_own_weights_and_a_strange_name_is_told() {
        assert_eq!(registers(r#"{"ko": {"banmal": 1}}"#).of(&silent(), 0).unwrap(), None);
        assert_eq!(registers(r#"{"en": {}}"#).of(&silent(), 3).unwrap(), None);
        let fault = registers(r#"{"en": {"regal": 1}}"#).of(&silent(), 0).unwrap_err().to_string();
        assert!(fault.contains("unknown register `regal` of locale `en`; known registers: `plain`, `wish`"), "{fault}");
    }
}
