//! The case that a question is about: one thing of the world with all that belongs to it, so that the customer, the
//! account and the card of a question are one person's.

use super::Drafter;
use super::leaf::Anchor;
use crate::locale::Fill;
use crate::record::{Chance, Tool, Value};
use crate::toolset::{Api, Domain, Operation, Resource};
use crate::world::{Row, World};
use std::collections::BTreeSet;

/// What belongs together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Case {
    /// The things, one of a sort.
    things: Vec<Anchor>,
    /// What they were when the case began, before a call put another in the place of one.
    first: Vec<Anchor>,
    /// Sorts of which others may have one, but this case has none.
    lacks: BTreeSet<String>,
}

impl Case {
    /// The identifier of the case's thing of a sort.
    pub(crate) fn thing(&self, resource: &str) -> Option<&str> {
        self.things.iter().find(|(it, _)| it == resource).map(|(_, id)| id.as_str())
    }

    /// The identifier of the thing of a sort with which the case began.
    fn first(&self, resource: &str) -> Option<&str> {
        self.first.iter().find(|(it, _)| it == resource).map(|(_, id)| id.as_str())
    }

    pub(crate) fn lacks(&self, resource: &str) -> bool {
        self.lacks.contains(resource)
    }

    /// From now on the case has another thing of the sort.
    fn replace(&mut self, resource: &str, new: &str) {
        for (_, id) in self.things.iter_mut().filter(|(it, _)| it == resource) {
            new.clone_into(id);
        }
    }
}

impl Drafter<'_> {
    /// Begins a case for a call of the tool; an empty one where the call is about nothing that is there.
    pub(crate) fn begin_case(&mut self, tool: &Tool) -> Option<()> {
        self.case = Case::default();
        self.drawn.clear();
        self.changed.clear();
        let (Some(domain), Some(world)) = (self.domain.clone(), self.world.clone()) else { return Some(()) };
        let Some(focus) = domain.api(&tool.name).and_then(focus) else { return Some(()) };
        let rows: Vec<&Row> = world.rows(focus).collect();
        let id = self.chance.pick(&rows)?.id().to_owned();
        self.case.things.push((focus.to_owned(), id));
        self.follow(&domain, &world);
        while self.gather(&domain, &world) {
            self.follow(&domain, &world);
        }
        self.case.first.clone_from(&self.case.things);
        Some(())
    }

    /// Adds what the things refer to.
    fn follow(&mut self, domain: &Domain, world: &World) {
        let mut at = 0;
        while let Some((resource, id)) = self.case.things.get(at).cloned() {
            let row = world.row(&resource, &id);
            for (to, id) in row.into_iter().flat_map(|row| references(domain, &resource, row)) {
                if self.case.thing(to).is_none() {
                    self.case.things.push((to.to_owned(), id.to_owned()));
                }
            }
            at += 1;
        }
    }

    /// Adds one thing that refers to the case's, the one that fits best; whether there was one.
    fn gather(&mut self, domain: &Domain, world: &World) -> bool {
        for resource in domain.resources.values() {
            let (name, case) = (&resource.name, &self.case);
            if case.thing(name).is_some() || case.lacks(name) || !refers_to(resource, case) {
                continue;
            }
            let fit = |row: &Row| -> usize {
                let own = references(domain, name, row).filter(|(to, id)| case.thing(to) == Some(*id));
                own.map(|(to, _)| to).collect::<BTreeSet<_>>().len()
            };
            let best = world.rows(name).map(fit).max().unwrap_or(0);
            let rows: Vec<&Row> = world.rows(name).filter(|row| best > 0 && fit(row) == best).collect();
            match self.chance.pick(&rows) {
                Some(row) => self.case.things.push((name.clone(), row.id().to_owned())),
                None => drop(self.case.lacks.insert(name.clone())),
            }
            return true;
        }
        false
    }

    /// Another thing than the one that is there, as like it as can be.
    pub(crate) fn another(&mut self, resource: &str, old: Option<&str>) -> Option<String> {
        let (domain, world) = (self.domain.clone()?, self.world.clone()?);
        let old = old.and_then(|id| world.row(resource, id));
        let fields = &domain.resources.get(resource)?.fields;
        let like = |row: &Row| {
            let same = fields.iter().filter(|(name, field)| {
                field.content.reference().is_some() && old.is_some_and(|old| old.value(name) == row.value(name))
            });
            same.count()
        };
        let others = || world.rows(resource).filter(|row| old.is_none_or(|old| old.id() != row.id()));
        let best = others().map(like).max()?;
        let rows: Vec<&Row> = others().filter(|row| like(row) == best).collect();
        self.chance.pick(&rows).map(|row| row.id().to_owned())
    }

    /// Another thing that a call puts in the place of one; what comes later in the question is about the new one.
    pub(crate) fn replacement(&mut self, resource: &str, old: Option<&str>) -> Option<String> {
        let new = self.another(resource, old)?;
        self.case.replace(resource, &new);
        Some(new)
    }

    /// What the matter is about, in words, with what the case has to say to it.
    pub(crate) fn situation(&mut self) -> Option<String> {
        let matter = self.matter.clone()?;
        let pack = self.context.pack();
        let mut words = Record { world: self.world.as_deref()?, case: &self.case, pack };
        let fitting: Vec<_> = matter.says.iter().map(|it| &it.pattern).filter(|it| it.fits(&words)).collect();
        let pattern = *self.chance.pick(&fitting)?;
        Some(pattern.render(&mut words, &mut self.chance))
    }
}

/// The resource whose thing a call is about.
fn focus(api: &Api) -> Option<&str> {
    let is_there = !matches!(api.operation, Operation::Create(_) | Operation::Answer(_));
    let referred = || api.slots.values().find_map(|slot| slot.field.content.reference());
    if is_there { Some(api.resource.as_str()) } else { referred() }
}

/// What a row refers to: resources with identifiers.
fn references<'a>(domain: &'a Domain, resource: &str, row: &'a Row) -> impl Iterator<Item = (&'a str, &'a str)> {
    let fields = domain.resources.get(resource).map(|it| &it.fields).into_iter().flatten();
    fields.filter_map(|(name, field)| Some((field.content.reference()?, row.value(name).and_then(Value::as_str)?)))
}

fn refers_to(resource: &Resource, case: &Case) -> bool {
    resource.fields.values().filter_map(|field| field.content.reference()).any(|to| case.thing(to).is_some())
}

/// Slots such as `{customer.fullName}`: fields of the case's things.
struct Record<'a> {
    world: &'a World,
    case: &'a Case,
    pack: &'a crate::locale::Pack,
}

impl Record<'_> {
    fn value(&self, slot: &str) -> Option<&Value> {
        let (resource, field) = slot.split_once('.')?;
        self.world.row(resource, self.case.first(resource)?)?.value(field).filter(|value| **value != Value::Null)
    }
}

impl Fill for Record<'_> {
    fn has(&self, slot: &str) -> bool {
        self.value(slot).is_some()
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        let Some(value) = self.value(slot).cloned() else { return String::new() };
        let field = slot
            .split_once('.')
            .and_then(|(resource, field)| self.world.domain().resources.get(resource)?.fields.get(field).cloned());
        let words = field.map(|field| self.world.say(&field, &value, chance)).unwrap_or_default();
        self.pack.agreed(&words, particle)
    }
}
