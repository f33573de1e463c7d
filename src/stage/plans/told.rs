//! What an assistant tells once the calls of a plan are made.

use super::picked::{at, picked};
use super::values::{Said, text};
use super::walk::Walked;
use crate::locale::{Fill, Pack, Pattern};
use crate::record::{Chance, Feed, FunctionCall, Plan, Value};
use crate::toolset::Function;
use crate::world::DeclaredWorld;

/// A sentence for every call at an end of the plan.
pub(in crate::stage) fn told(world: &DeclaredWorld, plan: &Plan, walked: &Walked, chance: &mut Chance) -> Vec<String> {
    let calls: Vec<(&FunctionCall, &Value)> =
        walked.steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect();
    let sentence = |call: usize| {
        let (made, answer) = calls.get(call)?;
        let function = world.declaration().functions.get(&made.name)?;
        let text = match plan.told.get(&call) {
            Some(pick) => found(world.pack(), function, pick, (made, answer), chance),
            None => whole(world.pack(), function, answer, chance),
        }?;
        Some(match apart(world, plan, &walked.said, call) {
            Some(thing) => about(world.pack(), &thing, &text),
            None => text,
        })
    };
    plan.ends().into_iter().filter_map(sentence).collect()
}

/// A sentence with what it is about before it.
fn about(pack: &Pack, thing: &str, text: &str) -> String {
    format!("{}: {text}", pack.tidy(thing))
}

/// What tells a call apart from its twins: the place, the day or the item that they differ in.
fn apart(world: &DeclaredWorld, plan: &Plan, said: &Said, call: usize) -> Option<String> {
    let twin = plan.calls.get(call)?.twin.or_else(|| plan.calls.iter().position(|it| it.twin == Some(call)))?;
    let (own, other) = (plan.calls.get(call)?, plan.calls.get(twin)?);
    let differing = own.arguments.iter().find(|(name, feed)| other.arguments.get(*name) != Some(*feed));
    let (_, feed) = differing?;
    match feed {
        Feed::Said(slot) => said.get(slot).map(|it| it.words.clone()),
        Feed::Item { call: from, pick, .. } => {
            let feeder = world.declaration().functions.get(&plan.calls.get(*from)?.function)?;
            let same_source = other.arguments.values().any(|it| it.sources() == [*from]);
            if same_source {
                let phrases = feeder.sayings.picks.get(pick)?;
                let bare = phrases.iter().find(|text| !text.contains('{'))?;
                return Pattern::parse(bare).ok()?.variants(1).into_iter().next();
            }
            if plan.calls.get(*from)?.twin.is_none() && !plan.calls.iter().any(|it| it.twin == Some(*from)) {
                return None;
            }
            apart(world, plan, said, *from)
        }
        Feed::Whole { call: from, .. } => apart(world, plan, said, *from),
        Feed::Set(_) | Feed::List(_) => None,
    }
}

/// A sentence about one item of a search.
fn found(
    pack: &Pack,
    function: &Function,
    name: &str,
    (call, answer): (&FunctionCall, &Value),
    chance: &mut Chance,
) -> Option<String> {
    let item = picked(answer, function.picks.get(name)?, call, None)?.item;
    let phrases = function.sayings.picks.get(name)?;
    let bare: Vec<&String> = phrases.iter().filter(|text| !text.contains('{')).collect();
    let phrase = Pattern::parse(chance.pick(&bare)?).ok()?.variants(1).into_iter().next()?;
    say(pack, &function.sayings.found, &Slots { pack, value: at(answer, &item)?, pick: phrase }, chance)
}

/// A sentence about a whole answer.
fn whole(pack: &Pack, function: &Function, answer: &Value, chance: &mut Chance) -> Option<String> {
    let data = at(answer, function.data.as_str()).unwrap_or(answer);
    say(pack, &function.sayings.tells, &Slots { pack, value: data, pick: String::new() }, chance)
}

fn say(pack: &Pack, texts: &[String], slots: &Slots<'_>, chance: &mut Chance) -> Option<String> {
    let patterns: Vec<Pattern> = texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
    let fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(slots)).collect();
    let mut fill = Slots { pack, value: slots.value, pick: slots.pick.clone() };
    Some(chance.pick(&fitting)?.render(&mut fill, &mut Chance::of(&[b"told"])))
}

/// Paths into an answer; of a list the first element.
struct Slots<'a> {
    pack: &'a Pack,
    value: &'a Value,
    pick: String,
}

impl Slots<'_> {
    fn at(&self, path: &str) -> Option<&Value> {
        let mut value = first(self.value)?;
        for part in path.split('.') {
            value = first(value.as_object()?.get(part)?)?;
        }
        (!value.is_null()).then_some(value)
    }
}

fn first(value: &Value) -> Option<&Value> {
    match value {
        Value::List(list) => first(list.first()?),
        other => Some(other),
    }
}

impl Fill for Slots<'_> {
    fn has(&self, slot: &str) -> bool {
        (slot == "pick" && !self.pick.is_empty()) || self.at(slot).is_some()
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let words = if slot == "pick" { self.pick.clone() } else { self.at(slot).map(text).unwrap_or_default() };
        self.pack.agreed(&words, particle)
    }
}
