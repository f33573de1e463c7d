//! One call with values that a question gives: rows of the world where there is one.

use super::Drafter;
use crate::llm::{AskedArgument, AskedCall};
use crate::locale::{Drawn, Stamp};
use crate::record::{ApiPhrases, ReferPhrases, Saying, Tool, Value};
use crate::toolset::{Api, Content, Field, Operation, Resource, Slot};
use crate::world::{Row, World};
use std::sync::Arc;

/// How often an optional parameter is given.
const OPTIONAL: f64 = 0.35;
/// How many days later something is put off to.
const LATER: [i64; 2] = [2, 21];

/// A thing that a question is about: its resource and its identifier.
pub(crate) type Anchor = (String, String);

impl Drafter<'_> {
    /// A call of the tool, about the things of the case.
    pub(crate) fn call(&mut self, tool: &Arc<Tool>) -> Option<AskedCall> {
        let domain = self.domain.clone();
        let Some(api) = domain.as_ref().and_then(|domain| domain.api(&tool.name)) else {
            return Some(self.chosen(tool));
        };
        let world = self.world.clone()?;
        let row = self.row(api, &world)?;
        let mut call = bare(tool, api);
        for (name, slot) in &api.slots {
            if !slot.required && !self.chance.happens(OPTIONAL) {
                continue;
            }
            let drawn = if slot.own {
                plain(row.id())
            } else if by_row(&api.operation).contains(name) {
                self.surface(&slot.field, row.value(name)?)
            } else {
                self.slot((api, row), (name, slot), &call)?
            };
            let saying = if slot.open { Saying::Open } else { Saying::Plain };
            let refers = slot.field.content.reference().and_then(|it| domain.as_ref()?.resources.get(it)).map(refer);
            let argument = AskedArgument { value: drawn.value, words: drawn.surface, saying, refers };
            call.arguments.insert(name.clone(), argument);
        }
        in_order(&mut call);
        self.remember(api, row.id(), &call);
        Some(call)
    }

    /// What a call changes is so from then on: who has moved gets the parcel at the new address.
    fn remember(&mut self, api: &Api, id: &str, call: &AskedCall) {
        let Operation::Update(names) = &api.operation else { return };
        for name in names {
            if let Some(argument) = call.arguments.get(name) {
                self.changed.insert((id.to_owned(), name.clone()), argument.value.clone());
            }
        }
    }

    /// A call whose values the writer chooses.
    fn chosen(&mut self, tool: &Arc<Tool>) -> AskedCall {
        let required = &tool.parameters.required;
        let names: Vec<&String> = tool
            .parameters
            .properties
            .keys()
            .filter(|name| required.contains(name) || self.chance.happens(OPTIONAL))
            .collect();
        let argument = |name: &String| {
            let argument =
                AskedArgument { value: Value::Null, words: String::new(), saying: Saying::Chosen, refers: None };
            (name.clone(), argument)
        };
        let arguments = names.into_iter().map(argument).collect();
        AskedCall { tool: tool.clone(), arguments, phrases: None, makes: false }
    }

    /// The row that a call is about: the case's, or any where the case has nothing to do with such things.
    fn row<'w>(&mut self, api: &Api, world: &'w World) -> Option<&'w Row> {
        if let Some(id) = self.case.thing(&api.resource) {
            return world.row(&api.resource, id);
        }
        let is_there = api.slots.values().any(|slot| slot.own) || !by_row(&api.operation).is_empty();
        if is_there && self.case.lacks(&api.resource) {
            return None;
        }
        let rows: Vec<&Row> = world.rows(&api.resource).collect();
        self.chance.pick(&rows).copied()
    }

    /// A value for a parameter: what the matter gives, what the case has, or something drawn; never one that the call has.
    fn slot(&mut self, (api, row): (&Api, &Row), (name, slot): (&str, &Slot), call: &AskedCall) -> Option<Drawn> {
        let is_new = |value: &Value| call.arguments.values().all(|it| !it.value.equals(value));
        let given = self.matter.as_ref().and_then(|matter| matter.given.get(name)).cloned();
        if let Some(value) = given.filter(|_| slot.field.content.reference().is_none()) {
            return Some(self.surface(&slot.field, &value));
        }
        // What a change puts in the place of what is there.
        let old = matches!(&api.operation, Operation::Update(names) if names.iter().any(|it| it == name));
        let old = old.then(|| row.value(name)).flatten();
        if let Some(resource) = slot.field.content.reference() {
            let own = self.case.thing(resource).filter(|_| old.is_none()).map(Value::from).filter(is_new);
            if let Some(Value::String(id)) = own {
                return Some(plain(&id));
            }
            let held = old.and_then(Value::as_str).or_else(|| self.case.thing(resource)).map(str::to_owned);
            return (0..8).find_map(|_| {
                let id: String = match old {
                    Some(_) => self.replacement(resource, held.as_deref())?,
                    None => self.another(resource, held.as_deref())?,
                };
                Some(plain(&id)).filter(|drawn| is_new(&drawn.value))
            });
        }
        let own =
            slot.field.follows.is_none().then(|| self.of_record(slot, call).or_else(|| self.later(slot, old, call)));
        let known = own.flatten().map(|value| self.surface(&slot.field, &value)).or_else(|| {
            let (field, drawn) = self.drawn.get(name).filter(|_| !slot.open)?;
            (field.content == slot.field.content && field.follows == slot.field.follows).then(|| drawn.clone())
        });
        let fits = |drawn: &Drawn| is_new(&drawn.value) && old.is_none_or(|old| !old.equals(&drawn.value));
        if let Some(drawn) = known.filter(fits) {
            return Some(drawn);
        }
        let drawn = (0..8).find_map(|_| {
            let drawn = match &slot.field.follows {
                Some(_) => self.following((api, row), &slot.field, call),
                None => self.drawn(&slot.field),
            };
            drawn.filter(fits)
        })?;
        self.drawn.insert(name.to_owned(), (slot.field.clone(), drawn.clone()));
        Some(drawn)
    }

    /// A value that follows from what the call is given, or from what the row holds.
    fn following(&mut self, (api, row): (&Api, &Row), field: &Field, call: &AskedCall) -> Option<Drawn> {
        let world = self.world.clone()?;
        let value = |name: &str| call.arguments.get(name).map(|it| &it.value).or_else(|| row.value(name)).cloned();
        let known = |name: &str| {
            let Some((own, further)) = name.split_once('.') else { return value(name) };
            let slot = api.slots.get(own).map(|it| &it.field);
            let field = slot.or_else(|| world.domain().resources.get(&api.resource)?.fields.get(own))?;
            world.row(field.content.reference()?, value(own)?.as_str()?)?.value(further).cloned()
        };
        let number = world.follow(field, &known, &mut self.chance)?;
        Some(self.surface(field, &number))
    }

    /// What the record holds for a parameter: the amount that is due of the bill, the address of the customer.
    fn of_record(&mut self, slot: &Slot, call: &AskedCall) -> Option<Value> {
        let (domain, world) = (self.domain.clone()?, self.world.clone()?);
        let value = |source: &crate::record::Source| {
            let api = domain.api(&source.tool)?;
            let taken = call.arguments.iter().find_map(|(name, argument)| {
                let takes = domain.api(&call.tool.name)?.slots.get(name)?.field.content.reference()? == api.resource;
                takes.then(|| argument.value.as_str())?
            });
            let id = taken.or_else(|| self.case.thing(&api.resource))?;
            let field = source.field.trim_start_matches('/');
            let changed = self.changed.get(&(id.to_owned(), field.to_owned()));
            changed.or_else(|| world.row(&api.resource, id)?.value(field)).cloned()
        };
        let values: Vec<Value> = slot.from.iter().filter_map(value).filter(|value| *value != Value::Null).collect();
        self.chance.pick(&values).cloned()
    }

    /// A day that is later than the one that it follows, or whose place it takes.
    fn later(&mut self, slot: &Slot, old: Option<&Value>, call: &AskedCall) -> Option<Value> {
        let earlier =
            slot.field.after.as_ref().and_then(|(other, days)| Some((&call.arguments.get(other)?.value, *days)));
        let (base, [least, most]) = earlier.or(old.filter(|_| slot.field.day).map(|old| (old, LATER)))?;
        let span = usize::try_from(most - least).ok()? + 1;
        let more = least + i64::try_from(self.chance.below(span)).ok()?;
        let day = Stamp::read(base.as_str()?)?.date?.plus(more)?;
        Some(Value::from(day.to_string().as_str()))
    }

    /// A value of a field, as its kind or the world has it.
    pub(crate) fn drawn(&mut self, field: &Field) -> Option<Drawn> {
        match &field.content {
            Content::Reference(resource) => {
                let world = self.world.clone()?;
                let rows: Vec<&Row> = world.rows(resource).collect();
                self.chance.pick(&rows).map(|row| plain(row.id()))
            }
            Content::Listed(values) => {
                let value = self.chance.pick(values)?.clone();
                Some(self.surface(field, &Value::from(value.as_str())))
            }
            Content::Boolean => {
                let value = Value::Bool(self.chance.happens(0.5));
                Some(self.surface(field, &value))
            }
            Content::Kind(kind) => {
                let drawn = typed(self.context.pack().draw(kind, &mut self.chance)?, field);
                Some(if field.day { self.surface(field, &drawn.value) } else { drawn })
            }
        }
    }

    /// The words for a value that is known.
    pub(crate) fn surface(&mut self, field: &Field, value: &Value) -> Drawn {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let kind = if let Content::Kind(kind) = &field.content { kind.as_str() } else { "" };
        let worded = field.wordings.get(&text).and_then(|words| self.chance.pick(words)).cloned();
        let pack = self.context.pack();
        let surface = worded.unwrap_or_else(|| {
            // Nobody writes a day as machines do where there is another way.
            let said = (0..6).map(|_| pack.say(kind, value, &mut self.chance)).find(|said| !field.day || *said != text);
            said.unwrap_or_else(|| text.clone())
        });
        Drawn { value: value.clone(), surface }
    }
}

/// The fields by whose values an operation looks for rows.
fn by_row(operation: &Operation) -> &[String] {
    match operation {
        Operation::Find(names) | Operation::Latest(names) | Operation::List(names) => names,
        _ => &[],
    }
}

/// What begins ends later: of two days that a call takes, the earlier one comes first.
fn in_order(call: &mut AskedCall) {
    let is_day = |it: &AskedArgument| {
        it.value.as_str().is_some_and(|text| Stamp::read(text).is_some_and(|it| it.date.is_some()))
    };
    let days: Vec<usize> = (0..call.arguments.len())
        .filter(|place| call.arguments.get_index(*place).is_some_and(|(_, it)| is_day(it)))
        .collect();
    let [first, second] = days.as_slice() else { return };
    let text = |place: usize| call.arguments.get_index(place).and_then(|(_, it)| it.value.as_str().map(str::to_owned));
    if text(*first) > text(*second) {
        let earlier = call.arguments.get_index(*second).map(|(_, it)| (it.value.clone(), it.words.clone()));
        let later = call.arguments.get_index(*first).map(|(_, it)| (it.value.clone(), it.words.clone()));
        for (place, swapped) in [(*first, earlier), (*second, later)] {
            if let (Some((_, argument)), Some((value, words))) = (call.arguments.get_index_mut(place), swapped) {
                (argument.value, argument.words) = (value, words);
            }
        }
    }
}

/// A call without arguments yet.
fn bare(tool: &Arc<Tool>, api: &Api) -> AskedCall {
    let texts = |sayings: &[crate::toolset::Saying]| sayings.iter().map(|it| it.text.clone()).collect();
    AskedCall {
        tool: tool.clone(),
        arguments: indexmap::IndexMap::new(),
        phrases: Some(Arc::new(ApiPhrases { intents: texts(&api.intents), phrases: texts(&api.phrases) })),
        makes: matches!(api.operation, Operation::Create(_)),
    }
}

pub(crate) fn refer(resource: &Resource) -> Arc<ReferPhrases> {
    let texts = |sayings: &[crate::toolset::Saying]| sayings.iter().map(|it| it.text.clone()).collect();
    let (called, again, fresh) = (texts(&resource.called), texts(&resource.again), texts(&resource.fresh));
    Arc::new(ReferPhrases { called, again, fresh })
}

fn plain(id: &str) -> Drawn {
    Drawn { value: Value::from(id), surface: id.to_owned() }
}

/// A number where the field is one, a text where it is one.
fn typed(drawn: Drawn, field: &Field) -> Drawn {
    if field.type_name == "string" && drawn.value.as_str().is_none() {
        return Drawn { value: Value::from(drawn.surface.as_str()), surface: drawn.surface };
    }
    drawn
}
