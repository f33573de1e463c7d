//! Makes FunctionChat-Bench's call decisions: whether to call, to ask for what is missing, or to decline.

use crate::failure::{ItemError, RunStopped};
use crate::functionchat::stage::talk::{Registers, chat_sample, finished};
use crate::record::{
    ArgumentNotes, Expected, FunctionCall, Item, ItemId, Message, Object, Record, RecordKind, Sample, Tool,
};
use crate::settings::{Amount, Count, amount, count};
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::targets::{chosen, serves, strangers};
use crate::stage::work::{Stage, Work};
use crate::stage::writing::speaker::{Given, Speaker, assistant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Makes call decision samples for some functions (FunctionChat-Bench, `CallDecision`): complete requests (CALL), the
/// same without the expected tool (REJECT), requests without values (SLOT-all), and requests with every partial set of
/// values (SLOT-some).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallDecisionsConfig {
    /// Functions with one, two, three ... required parameters and no optional ones.
    #[serde(default = "arities")]
    required: Vec<Amount>,
    /// Complete requests per function; as many are refused, and as many give no values.
    #[serde(default = "count::<4>")]
    queries: Count,
    /// Tools listed per sample.
    #[serde(default = "count::<5>")]
    tools: Count,
    /// Speakers per cycle in each register, by locale: `{ ko = { banmal = 1, haeyo = 2 } }`.
    #[serde(default)]
    registers: Registers,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<4>")]
    asks: Count,
}

/// As in the authors' data: seven functions with one parameter, nine with two, nine with three.
fn arities() -> Vec<Amount> {
    vec![amount::<7>(), amount::<9>(), amount::<9>()]
}

impl Stage for CallDecisionsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("call_decisions", &[RecordKind::Tool], RecordKind::Sample).asks("generator").speaks()
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), ..Settings::default() }
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        ["CALL", "REJECT", "SLOT-all", "SLOT-some"].map(str::to_owned).to_vec()
    }

    fn least_tools(&self, _input: RecordKind) -> usize {
        self.tools.get()
    }

    /// All decisions about one function, if it is one of those that were chosen; what cannot be made is rejected alone.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &item.record else { return Ok(Outcome::keep(item)) };
            let Some(rank) = self.rank(context, tool) else { return Ok(Outcome::default()) };
            let decider = Decider { config: self, context, item: &item, tool, rank };
            let mut outcome = Outcome::default();
            let mut lists = Vec::new();
            for ordinal in 0..self.queries.get() {
                outcome.add(decider.complete(ordinal, &mut lists).await?);
            }
            let nothing = Disclosure { opening: true, turns: Vec::new() };
            for ordinal in 0..self.queries.get() {
                outcome.add(decider.asked(("SLOT-all", ordinal), nothing.clone(), &lists).await?);
            }
            for (ordinal, way) in disclosures(tool.parameters.required.len()).into_iter().enumerate() {
                outcome.add(decider.asked(("SLOT-some", ordinal), way, &lists).await?);
            }
            Ok(outcome)
        })
    }
}

impl CallDecisionsConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let message = || "`tools = 1` leaves no tool once the expected one is removed".to_owned();
        if self.tools.get() < 2 { vec![("tools", message())] } else { Vec::new() }
    }

    fn rank(&self, context: &Context, tool: &Tool) -> Option<usize> {
        let quota: Vec<(usize, usize)> =
            self.required.iter().enumerate().map(|(place, amount)| (place + 1, amount.get())).collect();
        let arity = |tool: &Tool| {
            let required = tool.parameters.required.len();
            (required == tool.parameters.properties.len()).then_some(required)
        };
        chosen(context, &quota, arity).iter().position(|it| it.name == tool.name)
    }
}

/// The tools that one complete request shows, with the place of the right one.
struct List {
    tools: Vec<Arc<Tool>>,
    place: usize,
}

/// Decides about one function.
struct Decider<'a> {
    config: &'a CallDecisionsConfig,
    context: &'a Context,
    item: &'a Item,
    tool: &'a Arc<Tool>,
    rank: usize,
}

/// One decision that is to be made, or a pair of them.
enum Order<'l> {
    /// A complete request, with the right tool and without it.
    Complete(usize),
    /// A request that leaves something out.
    Asked(&'static str, Disclosure, &'l List),
}

impl Decider<'_> {
    /// A complete request, with the right tool and without it.
    async fn complete(&self, ordinal: usize, lists: &mut Vec<List>) -> Result<Outcome, RunStopped> {
        let ids = [self.id("CALL", ordinal), self.id("REJECT", ordinal)];
        let outcome = self.make(&ids, ordinal, &Order::Complete(ordinal)).await?;
        let shown = outcome.kept.first().and_then(|item| match &item.record {
            Record::Sample(sample) => Some(sample.candidates.clone()),
            _ => None,
        });
        lists.extend(shown.and_then(|tools| {
            let place = tools.iter().position(|tool| tool.name == self.tool.name)?;
            Some(List { tools, place })
        }));
        Ok(outcome)
    }

    /// A request that leaves out what `way` does not disclose.
    async fn asked(
        &self,
        (data_type, ordinal): (&'static str, usize),
        way: Disclosure,
        lists: &[List],
    ) -> Result<Outcome, RunStopped> {
        let id = self.id(data_type, ordinal);
        let Some(list) = lists.get(ordinal % lists.len().max(1)) else {
            let fault = Fault::new("too_few_tools", "no complete request has a list of tools");
            return Ok(self.context.reject(&id, fault, ""));
        };
        self.make(std::slice::from_ref(&id), ordinal, &Order::Asked(data_type, way, list)).await
    }

    /// Makes samples with a speaker of their own; what cannot be made is tried again from the beginning.
    async fn make(&self, ids: &[ItemId], ordinal: usize, order: &Order<'_>) -> Result<Outcome, RunStopped> {
        let Some(id) = ids.first() else { return Ok(Outcome::default()) };
        let register = self.config.registers.of(self.context, self.rank * self.config.queries.get() + ordinal)?;
        let context = self.context.speaking(self.item, Some(ordinal));
        let decider = Decider { context: &context, ..*self };
        let mut last = (Fault::new("never_made", "never tried"), String::new());
        for again in 0..self.config.asks.get() {
            let (place, asks) = (id.child("try", again), self.config.asks.as_draws());
            let mut speaker = Speaker::new(&context, place, asks).speaking(register);
            let made = match order {
                Order::Complete(ordinal) => decider.try_complete(&mut speaker, ids, *ordinal).await,
                Order::Asked(data_type, way, list) => decider.try_asked(&mut speaker, id, data_type, way, list).await,
            };
            match made {
                Ok(samples) => {
                    let items = samples.into_iter().map(|(sample, text)| finished(self.item, sample, text, &speaker));
                    return context.signed(Ok(Outcome { kept: items.collect(), rejected: Vec::new() }));
                }
                Err(ItemError::Stopped(stop)) => return Err(stop),
                Err(ItemError::Item { fault, text }) => last = (fault, text),
            }
        }
        let mut outcome = Outcome::default();
        let (fault, text) = last;
        for id in ids {
            outcome.add(self.context.reject(id, fault.clone(), text.clone()));
        }
        Ok(outcome)
    }

    async fn try_complete(
        &self,
        speaker: &mut Speaker<'_>,
        ids: &[ItemId],
        ordinal: usize,
    ) -> Result<Vec<(Sample, Option<String>)>, ItemError> {
        let [id, reject] = ids else { return Ok(Vec::new()) };
        let given = speaker.request(self.tool, &self.tool.parameters.required).await?;
        let count = self.config.tools.get();
        let taken = std::slice::from_ref(self.tool);
        let mut without = strangers(self.context, id, &[&given.text], taken, count).await?;
        let place = (self.rank + ordinal) % count;
        let mut with = without.clone();
        with.truncate(count - 1);
        with.insert(place, self.tool.clone());
        // The list without the right tool differs in that place alone.
        if let Some(other) = without.pop() {
            without.insert(place, other);
        }
        let messages = vec![Message::user(&given.text)];
        let text = speaker.decline(self.tool, &given.text, &messages).await?;
        let call = FunctionCall { name: self.tool.name.clone(), arguments: given.arguments };
        let sample = |id, content| chat_sample(self.context, self.item, id, content);
        let called = ("CALL", messages.clone(), with, Expected::Call(call), given.notes);
        let declined = ("REJECT", messages, without, Expected::Refusal, ArgumentNotes::new());
        let declined = Sample { base: Some(id.clone()), ..sample(reject, declined) };
        Ok(vec![(sample(id, called), None), (declined, Some(text))])
    }

    async fn try_asked(
        &self,
        speaker: &mut Speaker<'_>,
        id: &ItemId,
        data_type: &'static str,
        way: &Disclosure,
        list: &List,
    ) -> Result<Vec<(Sample, Option<String>)>, ItemError> {
        let (messages, missing) = self.disclose(speaker, id, way, list).await?;
        let text = speaker.ask(self.tool, &missing, &messages).await?;
        let content = (data_type, messages, list.tools.clone(), Expected::Question(missing), ArgumentNotes::new());
        Ok(vec![(chat_sample(self.context, self.item, id, content), Some(text))])
    }

    /// The messages up to the last of the person's turns, and what is missing then.
    async fn disclose(
        &self,
        speaker: &mut Speaker<'_>,
        id: &ItemId,
        way: &Disclosure,
        list: &List,
    ) -> Result<(Vec<Message>, Vec<String>), ItemError> {
        let required = &self.tool.parameters.required;
        let names = |turn: &Vec<usize>| turn.iter().filter_map(|place| required.get(*place).cloned()).collect();
        let mut turns: Vec<Vec<String>> = way.turns.iter().map(names).collect();
        if way.opening {
            turns.insert(0, Vec::new());
        }
        let mut known = Object::new();
        let mut messages = Vec::new();
        let missing =
            |known: &Object| required.iter().filter(|it| !known.contains_key(*it)).cloned().collect::<Vec<_>>();
        for (place, turn) in turns.iter().enumerate() {
            let given = if place == 0 {
                self.opening(speaker, id, turn, list).await?
            } else {
                let asked = missing(&known);
                messages.push(assistant(speaker.ask(self.tool, &asked, &messages).await?));
                speaker.answer(self.tool, (turn, &asked), &known, &messages).await?
            };
            known.extend(given.arguments);
            messages.push(Message::user(given.text));
        }
        Ok((messages, missing(&known)))
    }

    /// A request that no other tool of the list can serve, its values in the order of mention where that succeeds.
    async fn opening(
        &self,
        speaker: &mut Speaker<'_>,
        id: &ItemId,
        turn: &[String],
        list: &List,
    ) -> Result<Given, ItemError> {
        let others: Vec<&Arc<Tool>> =
            list.tools.iter().enumerate().filter(|(place, _)| *place != list.place).map(|(_, tool)| tool).collect();
        let mut last = None;
        for _ in 0..self.config.asks.get() {
            let given = speaker.request(self.tool, turn).await?;
            let mut clear = true;
            for other in &others {
                clear &= !serves(self.context, id, &[&given.text], other).await?;
            }
            if clear && in_order(&given, turn) {
                return Ok(given);
            }
            if clear {
                last = Some(given);
            }
        }
        last.ok_or_else(|| {
            Fault::new("second_right_tool", "every request fits another tool of the list as well").into()
        })
    }

    fn id(&self, data_type: &str, ordinal: usize) -> ItemId {
        self.item.id.child(&format!("{}/{data_type}", self.context.stage()), ordinal)
    }
}

/// Whether the words say the values in this order; what cannot be found in them stands anywhere.
fn in_order(given: &Given, order: &[String]) -> bool {
    let place = |name: &String| given.text.find(given.notes.get(name)?.surface.as_ref()?.as_str());
    let places: Vec<usize> = order.iter().filter_map(place).collect();
    places.is_sorted()
}

// The enumeration behind FunctionChat-Bench's call decisions: every way to disclose a part of what is required.

/// One way of disclosing: what each user turn gives, in order of mention, and whether an empty request goes before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Disclosure {
    /// Whether the first user turn asks for the function and gives nothing.
    pub opening: bool,
    /// Places of the required parameters that each further user turn gives.
    pub turns: Vec<Vec<usize>>,
}

/// All ways of disclosing `1..required` of `required` parameters: every choice in every order of mention, split into
/// consecutive turns in every way, with and without an empty request before. There are
/// `sum over k of P(required, k) * 2^k`: 4 for two parameters, 30 for three, 248 for four.
pub(crate) fn disclosures(required: usize) -> Vec<Disclosure> {
    let mut all = Vec::new();
    for size in 1..required {
        for order in orders(required, size) {
            for cuts in 0..1_usize << (size - 1) {
                for opening in [false, true] {
                    all.push(Disclosure { opening, turns: split(&order, cuts) });
                }
            }
        }
    }
    all
}

/// All sequences of `size` different places below `bound`.
fn orders(bound: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = |order: Vec<usize>| {
            let next = (0..bound).filter(|place| !order.contains(place)).collect::<Vec<_>>();
            next.into_iter().map(move |place| [order.clone(), vec![place]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Cuts a sequence behind each place whose bit is set.
fn split(order: &[usize], cuts: usize) -> Vec<Vec<usize>> {
    let mut turns = vec![Vec::new()];
    for (place, element) in order.iter().enumerate() {
        if let Some(turn) = turns.last_mut() {
            turn.push(*element);
        }
        if place + 1 < order.len() && cuts >> place & 1 == 1 {
            turns.push(Vec::new());
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn their_number_is_that_of_the_authors_data() {
        assert_eq!([1, 2, 3, 4].map(|required| disclosures(required).len()), [0, 4, 30, 248]);
        assert_eq!(disclosures(0), []);
        let count = |user_turns: usize| {
            let turns = |it: &Disclosure| it.turns.len() + usize::from(it.opening);
            let of = |required: usize| disclosures(required).iter().filter(|it| turns(it) == user_turns).count();
            9 * of(2) + 9 * of(3)
        };
        assert_eq!([1, 2, 3, 4].map(count), [99, 153, 54, 0], "user turns of the 306 items");
    }

    #[test]
    fn each_is_there_once_and_leaves_something_to_ask_for() {
        let all = disclosures(4);
        let distinct: BTreeSet<String> = all.iter().map(|it| format!("{it:?}")).collect();
        assert_eq!(distinct.len(), all.len());
        for disclosure in &all {
            let mut given: Vec<usize> = disclosure.turns.concat();
            given.sort_unstable();
            given.dedup();
            assert_eq!(given.len(), disclosure.turns.concat().len(), "nothing is given twice: {disclosure:?}");
            assert!((1..4).contains(&given.len()) && disclosure.turns.iter().all(|turn| !turn.is_empty()));
        }
    }
}
