//! Makes the calls of a plan, and notes where every argument came from.

use super::picked::{Picked, at, items, picked};
use super::slots::parameter;
use super::values::{Said, text};
use crate::locale::Stamp;
use crate::record::{
    Argument, ArgumentNotes, Chance, Feed, FunctionCall, Object, Origin, Plan, PlanCall, SaidValue, Step, Value,
};
use crate::toolset::{Criterion, Param, Pick};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// What came of making the calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::stage) struct Walked {
    /// The calls in steps, with their answers and notes.
    pub(in crate::stage) steps: Vec<Step>,
    /// What the request says, with the texts by which items are named.
    pub(in crate::stage) said: Said,
    /// The items that are meant, by call (in the order of the plan) and pick.
    pub(in crate::stage) meant: IndexMap<(usize, String), Picked>,
}

/// Makes the calls. `said` may lack the texts of named items; they are chosen from the answers. None where some call
/// fails, an item cannot be told, or two calls are equal.
pub(in crate::stage) fn walk(world: &DeclaredWorld, plan: &Plan, said: &Said, chance: &mut Chance) -> Option<Walked> {
    let mut session = world.session();
    let mut walk = Walk {
        world,
        plan,
        said: said.clone(),
        answers: Vec::new(),
        calls: Vec::new(),
        meant: IndexMap::new(),
        chance,
    };
    let mut notes = Vec::new();
    for planned in &plan.calls {
        let (call, noted) = walk.call(planned)?;
        if walk.calls.contains(&call) {
            return None;
        }
        walk.answers.push(session.call(&call.name, &call.arguments).ok()?);
        walk.calls.push(call);
        notes.push(noted);
    }
    let levels = plan.levels();
    let mut steps = vec![Step { calls: Vec::new(), answers: Vec::new(), notes: Vec::new() }; plan.depth()];
    let (calls, answers, said, meant) = (walk.calls, walk.answers, walk.said, walk.meant);
    if contradicts(&meant) {
        return None;
    }
    for (((level, call), answer), notes) in levels.iter().zip(calls).zip(answers).zip(notes) {
        let step = steps.get_mut(*level)?;
        step.calls.push(call);
        step.answers.push(answer);
        step.notes.push(notes);
    }
    Some(Walked { steps, said, meant })
}

/// Whether an item that is meant is one that others rule out.
fn contradicts(meant: &IndexMap<(usize, String), Picked>) -> bool {
    meant
        .iter()
        .any(|((call, _), one)| meant.iter().any(|((other, _), it)| call == other && it.rivals.contains(&one.item)))
}

struct Walk<'w> {
    world: &'w DeclaredWorld,
    plan: &'w Plan,
    said: Said,
    answers: Vec<Value>,
    calls: Vec<FunctionCall>,
    meant: IndexMap<(usize, String), Picked>,
    chance: &'w mut Chance,
}

/// A value and what is known of it.
type Noted = (Value, Argument);

impl Walk<'_> {
    fn call(&mut self, planned: &PlanCall) -> Option<(FunctionCall, ArgumentNotes)> {
        let function = self.world.declaration().functions.get(&planned.function)?;
        let mut arguments = Object::new();
        let mut notes = ArgumentNotes::new();
        for (name, feed) in &planned.arguments {
            let param = function.parameters.get(name)?;
            let (value, note) = self.feed(feed, name, param, &mut notes)?;
            notes.insert(name.clone(), Argument { constraint: param.constraint, ..note });
            arguments.insert(name.clone(), value);
        }
        Some((FunctionCall { name: planned.function.clone(), arguments }, notes))
    }

    fn feed(&mut self, feed: &Feed, name: &str, param: &Param, notes: &mut ArgumentNotes) -> Option<Noted> {
        match feed {
            Feed::Said(slot) => self.spoken(slot),
            Feed::Whole { call, field } => {
                let value = at(self.answers.get(*call)?, field)?.clone();
                Some((value, from_answer(*call, field.clone())))
            }
            Feed::Item { call, pick, field, slot, minutes } => {
                self.item((*call, pick, field), slot.as_deref(), *minutes)
            }
            Feed::Set(feeds) => self.set(feeds, name, param, notes),
            Feed::List(list) => self.list(list, name, param, notes),
        }
    }

    fn spoken(&self, slot: &str) -> Option<Noted> {
        let said = self.said.get(slot)?;
        let listed = parameter(self.world.declaration(), self.plan, slot)
            .is_some_and(|it| it.listed.is_some() || it.of.is_some() || it.type_name == "boolean");
        let origin = if said.length.is_some() || self.is_near(said) {
            Origin::Inferred
        } else if said.words == text(&said.value) {
            Origin::Verbatim
        } else if listed {
            Origin::Enum
        } else {
            Origin::Normalised
        };
        let surface = said.length.is_none().then(|| said.words.clone());
        Some((said.value.clone(), Argument { surface, origin, ..Argument::default() }))
    }

    /// Whether a day is said by how far it is from today.
    fn is_near(&self, said: &SaidValue) -> bool {
        let near = &self.world.pack().requests.near;
        near.values().flatten().any(|word| *word == said.words)
    }

    fn item(&mut self, (call, pick, field): (usize, &str, &str), slot: Option<&str>, minutes: i64) -> Option<Noted> {
        let function = self.world.declaration().functions.get(&self.calls.get(call)?.name)?;
        let found = self.meant_by(call, function.picks.get(pick)?, (pick, slot))?;
        let pointer = format!("{}{field}", found.item);
        let value = at(self.answers.get(call)?, &pointer).filter(|value| !value.is_null())?.clone();
        if minutes == 0 {
            let surface = slot.and_then(|slot| self.said.get(slot)).map(|said| said.words.clone());
            return Some((value, Argument { surface, ..from_answer(call, pointer) }));
        }
        let time = Stamp::read(value.as_str()?)?.time?;
        let later = time.plus_minutes(minutes);
        // What is past midnight is on another day.
        let value = (later > time).then(|| Value::from(format!("{:02}:{:02}", later.hour, later.minute)))?;
        let origin = Origin::Derived { call, field: pointer };
        Some((value, Argument { origin, ..Argument::default() }))
    }

    fn meant_by(&mut self, call: usize, pick: &Pick, (name, slot): (&str, Option<&str>)) -> Option<Picked> {
        if let (Criterion::Named(field), Some(slot)) = (&pick.by, slot) {
            if !self.said.contains_key(slot) {
                let text = self.choose(call, pick, field, slot)?;
                self.said.insert(
                    slot.to_owned(),
                    SaidValue { words: super::values::text(&text), value: text, length: None },
                );
            }
        }
        let said = slot.and_then(|slot| self.said.get(slot)).map(|it| &it.value);
        let answer = self.answers.get(call)?;
        if is_cut_off(answer, pick) {
            return None;
        }
        let found = picked(answer, pick, self.calls.get(call)?, said)?;
        let key = slot.map_or_else(|| name.to_owned(), |slot| format!("{name} {slot}"));
        self.meant.insert((call, key), found.clone());
        Some(found)
    }

    /// A text by which one of an answer's items can be named; never that of the slot from which it must differ.
    fn choose(&mut self, call: usize, pick: &Pick, field: &str, slot: &str) -> Option<Value> {
        let other =
            self.plan.slots.get(slot)?.unlike.as_ref().and_then(|it| self.said.get(it)).map(|it| it.value.clone());
        let found = items(self.answers.get(call)?, &pick.item);
        let texts: Vec<Value> = found
            .iter()
            .filter_map(|(_, item)| at(item, field))
            .filter(|it| it.as_str().is_some_and(|it| !it.is_empty()) && other.as_ref() != Some(*it))
            .cloned()
            .collect();
        let alone: Vec<&Value> = texts.iter().filter(|one| texts.iter().filter(|it| it == one).count() == 1).collect();
        self.chance.pick(&alone).map(|it| (*it).clone())
    }

    fn set(&mut self, feeds: &[Feed], name: &str, param: &Param, notes: &mut ArgumentNotes) -> Option<Noted> {
        let parts: Vec<Noted> = feeds.iter().map(|feed| self.feed(feed, name, param, notes)).collect::<Option<_>>()?;
        let values: Vec<String> = parts.iter().map(|(value, _)| text(value)).collect();
        let distinct = values.iter().enumerate().all(|(at, value)| !values[..at].contains(value));
        let note = parts.first()?.1.clone();
        if parts.len() > 1 {
            for (place, (_, note)) in parts.iter().enumerate() {
                notes.insert(format!("{name}/{place}"), Argument { constraint: param.constraint, ..note.clone() });
            }
        }
        distinct.then(|| (Value::from(values.join(",")), note))
    }

    fn list(
        &mut self,
        list: &[IndexMap<String, Feed>],
        name: &str,
        param: &Param,
        notes: &mut ArgumentNotes,
    ) -> Option<Noted> {
        let mut elements = Vec::new();
        for (place, fields) in list.iter().enumerate() {
            let mut object = Object::new();
            for (field, feed) in fields {
                let inner = param.fields.get(field)?;
                let (value, note) = self.feed(feed, name, inner, notes)?;
                notes.insert(format!("{name}/{place}/{field}"), Argument { constraint: inner.constraint, ..note });
                object.insert(field.clone(), value);
            }
            elements.push(Value::Object(object));
        }
        Some((Value::List(elements), Argument { origin: Origin::Inferred, ..Argument::default() }))
    }
}

fn from_answer(call: usize, field: String) -> Argument {
    Argument { origin: Origin::Answer { call, field }, ..Argument::default() }
}

/// Whether an answer says that there are more items than it shows, so that the extreme one may not be among them.
fn is_cut_off(answer: &Value, pick: &Pick) -> bool {
    let orders = matches!(pick.by, Criterion::Least(_) | Criterion::Most(_));
    let shown = items(answer, &pick.item).len();
    let count =
        |path: &str| at(answer, path).and_then(Value::as_number).and_then(|it| it.as_str().parse::<usize>().ok());
    let list = pick.item.strip_suffix("/0").unwrap_or(&pick.item);
    let around = list.rsplit_once('/').map_or("", |(around, _)| around);
    let places =
        [format!("{around}/count"), format!("{around}/meta/count"), format!("{around}/aggregation/total_count")];
    orders && places.iter().filter_map(|place| count(place)).any(|count| count > shown)
}
