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

/// A thing that a question is about: its resource and its identifier.
pub(super) type Anchor = (String, String);

impl Drafter<'_> {
    /// A call of the tool; where it takes a thing of an anchor's sort, it takes the anchor.
    pub(super) fn call(&mut self, tool: &Arc<Tool>, anchors: &[Anchor]) -> Option<AskedCall> {
        let domain = self.domain.clone();
        let Some(api) = domain.as_ref().and_then(|domain| domain.api(&tool.name)) else { return Some(chosen(tool)) };
        let world = self.world.clone()?;
        let row = self.row(api, &world, anchors)?;
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
                self.slot(slot, anchors, &call)?
            };
            let saying = if slot.open { Saying::Open } else { Saying::Plain };
            let refers = slot.field.content.reference().and_then(|it| domain.as_ref()?.resources.get(it)).map(refer);
            let argument = AskedArgument { value: drawn.value, words: drawn.surface, saying, refers };
            call.arguments.insert(name.clone(), argument);
        }
        in_order(&mut call);
        Some(call)
    }

    /// The row that a call is about: the anchor of its sort, or one that holds the anchors by which it is looked for.
    fn row<'w>(&mut self, api: &Api, world: &'w World, anchors: &[Anchor]) -> Option<&'w Row> {
        let anchor = |resource: &str| anchors.iter().find(|(it, _)| it == resource).map(|(_, id)| id.as_str());
        if let Some(id) = anchor(&api.resource).filter(|_| api.slots.values().any(|slot| slot.own)) {
            return world.row(&api.resource, id);
        }
        let looked_for = by_row(&api.operation).iter().filter_map(|name| {
            let resource = api.slots.get(name)?.field.content.reference()?;
            Some((name, anchor(resource)?))
        });
        let wanted: Vec<(&String, &str)> = looked_for.collect();
        let holds = |row: &&Row| wanted.iter().all(|(name, id)| row.value(name).and_then(Value::as_str) == Some(*id));
        let fitting: Vec<&Row> = world.rows(&api.resource).filter(holds).collect();
        self.chance.pick(&fitting).copied()
    }

    /// A value for a parameter; never one that the call has already.
    fn slot(&mut self, slot: &Slot, anchors: &[Anchor], call: &AskedCall) -> Option<Drawn> {
        let is_new = |drawn: &Drawn| call.arguments.values().all(|it| !it.value.equals(&drawn.value));
        let anchored = slot.field.content.reference();
        let anchored = anchored.and_then(|resource| anchors.iter().find(|(it, _)| it == resource));
        if let Some(drawn) = anchored.map(|(_, id)| plain(id)).filter(is_new) {
            return Some(drawn);
        }
        (0..8).find_map(|_| self.drawn(&slot.field).filter(is_new))
    }

    /// A value of a field, as its kind or the world has it.
    pub(super) fn drawn(&mut self, field: &Field) -> Option<Drawn> {
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
                let drawn = self.context.pack().draw(kind, &mut self.chance)?;
                Some(typed(drawn, field))
            }
        }
    }

    /// The words for a value that is known.
    pub(super) fn surface(&mut self, field: &Field, value: &Value) -> Drawn {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let kind = if let Content::Kind(kind) = &field.content { kind.as_str() } else { "" };
        let worded = field.wordings.get(&text).and_then(|words| self.chance.pick(words)).cloned();
        let surface = worded.unwrap_or_else(|| self.context.pack().say(kind, value, &mut self.chance));
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

/// A call whose values the writer chooses.
fn chosen(tool: &Arc<Tool>) -> AskedCall {
    let argument = |name: &String| {
        let argument = AskedArgument { value: Value::Null, words: String::new(), saying: Saying::Chosen, refers: None };
        (name.clone(), argument)
    };
    AskedCall {
        tool: tool.clone(),
        arguments: tool.parameters.required.iter().map(argument).collect(),
        phrases: None,
        makes: false,
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

pub(super) fn refer(resource: &Resource) -> Arc<ReferPhrases> {
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
