//! Calls that belong together, each with everything given: they are about the same thing.

use super::Drafter;
use super::leaf::Anchor;
use crate::llm::AskedCall;
use crate::record::{Source, Tool};
use crate::toolset::Operation;
use std::sync::Arc;

impl Drafter<'_> {
    /// Begins the matter whose turn it is; what it is called. None where the domain has no matters.
    pub(crate) fn begin_matter(&mut self, ordinal: usize) -> Option<String> {
        let domain = self.domain.clone()?;
        let known = |call: &String| self.tool(call).is_some();
        let mut names: Vec<&String> = domain
            .matters
            .iter()
            .filter(|(_, matter)| matter.calls.iter().filter(|call| known(call)).count() > 1)
            .map(|(name, _)| name)
            .collect();
        self.context.chance(&self.catalogue.domain, 2).shuffle(&mut names);
        let name = (*names.get(ordinal % names.len().max(1))?).clone();
        self.matter = domain.matters.get(&name).cloned().map(Arc::new);
        Some(name)
    }

    /// A tool of the catalogue by its function's name.
    pub(crate) fn tool(&self, function: &str) -> Option<&Arc<Tool>> {
        self.catalogue.tools.iter().find(|tool| tool.function() == function)
    }

    /// `length` calls of the matter, or as many as go together, in its order.
    pub(crate) fn together(&mut self, length: usize) -> Option<Vec<AskedCall>> {
        let matter = self.matter.clone()?;
        let tools: Vec<Arc<Tool>> = matter.calls.iter().filter_map(|call| self.tool(call).cloned()).collect();
        let mut order: Vec<usize> = (0..tools.len()).collect();
        self.chance.shuffle(&mut order);
        let mut places: Vec<usize> = Vec::new();
        for place in order {
            let apart = places.iter().all(|it| {
                let (one, other) = (&tools[*it], &tools[place]);
                !self.feeds(one, other) && !self.feeds(other, one) && !self.doubles(&one.name, &other.name)
            });
            if apart && places.len() < length {
                places.push(place);
            }
        }
        places.sort_unstable();
        let chosen: Vec<&Arc<Tool>> = places.iter().map(|place| &tools[*place]).collect();
        self.begin_case(chosen.first()?)?;
        let calls: Vec<AskedCall> = chosen.into_iter().map(|tool| self.call(tool)).collect::<Option<_>>()?;
        (calls.len() > 1).then_some(calls)
    }

    /// Whether two tools look up one sort of thing, each in its way: nobody asks for both.
    pub(crate) fn doubles(&self, one: &str, other: &str) -> bool {
        let found = |tool: &str| {
            let api = self.domain.as_ref()?.api(tool)?;
            matches!(api.operation, Operation::Find(_) | Operation::Latest(_)).then_some(api.resource.as_str())
        };
        found(one).is_some() && found(one) == found(other)
    }

    /// `length` calls, the given one among them at any place.
    pub(crate) fn group(&mut self, tool: &Arc<Tool>, length: usize) -> Option<Vec<AskedCall>> {
        self.begin_case(tool)?;
        let first = self.call(tool)?;
        let anchors = self.anchors(&first);
        let mut calls = vec![first];
        while calls.len() < length {
            let others: Vec<&Arc<Tool>> =
                self.catalogue.tools.iter().filter(|it| self.joins(it, &calls, &anchors)).collect();
            let other = self.chance.pick(&others).map(|it| Arc::clone(it))?;
            calls.push(self.call(&other)?);
        }
        let place = self.chance.below(length);
        calls.swap(0, place);
        Some(calls)
    }

    /// Whether another API may be asked for with this one: in a domain that declares nothing, one that takes the same thing.
    pub(crate) fn has_company(&self, tool: &Arc<Tool>) -> bool {
        self.domain.is_some() || self.catalogue.tools.iter().any(|it| it.name != tool.name && takes_same(it, tool))
    }

    /// The things that a call names.
    pub(crate) fn anchors(&self, call: &AskedCall) -> Vec<Anchor> {
        let Some(api) = self.api(&call.tool) else { return Vec::new() };
        let anchor = |(name, resource): (&str, &str)| {
            let id = call.arguments.get(name)?.value.as_str()?.to_owned();
            Some((resource.to_owned(), id))
        };
        api.identifiers().filter_map(anchor).collect()
    }

    /// Whether an API goes with the calls: it is about one of their things, and none of them feeds another.
    fn joins(&self, tool: &Arc<Tool>, calls: &[AskedCall], anchors: &[Anchor]) -> bool {
        let distinct = calls.iter().all(|call| call.tool.name != tool.name);
        let apart = calls.iter().all(|call| !self.feeds(&call.tool, tool) && !self.feeds(tool, &call.tool));
        distinct && apart && self.shares(tool, calls, anchors)
    }

    fn shares(&self, tool: &Tool, calls: &[AskedCall], anchors: &[Anchor]) -> bool {
        let Some(api) = self.api(tool) else { return calls.iter().all(|call| takes_same(&call.tool, tool)) };
        if anchors.is_empty() {
            let resource = |call: &AskedCall| self.api(&call.tool).is_some_and(|it| it.resource == api.resource);
            return calls.iter().any(resource);
        }
        let about = api.identifiers().any(|(_, resource)| anchors.iter().any(|(anchor, _)| anchor == resource));
        about && !self.undoes(tool, calls)
    }

    /// Whether it reads or changes what another call of the question changes: nobody asks for that in one breath.
    pub(crate) fn undoes(&self, tool: &Tool, calls: &[AskedCall]) -> bool {
        let touched = |tool: &Tool| -> Vec<String> {
            let fields = self.api(tool).map(|api| api.operation.fields());
            fields.unwrap_or_default().into_iter().map(str::to_owned).collect()
        };
        let changes = |tool: &Tool| {
            self.api(tool).is_some_and(|api| {
                matches!(api.operation, Operation::Update(_) | Operation::Set(_) | Operation::Delete)
            })
        };
        let ends = |one: &Tool, other: &Tool| {
            [one, other].iter().any(|it| self.api(it).is_some_and(|api| matches!(api.operation, Operation::Delete)))
        };
        let own = touched(tool);
        calls.iter().any(|call| {
            let meets = touched(&call.tool).iter().any(|field| own.contains(field));
            (meets && (changes(tool) || changes(&call.tool)))
                || (changes(tool) && changes(&call.tool) && ends(tool, &call.tool))
        })
    }

    /// Whether an answer of one can be an argument of the other.
    pub(crate) fn feeds(&self, from: &Tool, to: &Tool) -> bool {
        to.parameters.properties.keys().any(|name| self.feeders(&to.name, name).any(|it| it.tool == from.name))
    }

    /// Whether some parameter can be fed.
    pub(crate) fn is_fed(&self, tool: &Tool) -> bool {
        tool.parameters.required.iter().any(|name| self.feeders(&tool.name, name).next().is_some())
    }

    /// What can feed a parameter; an answer that only repeats what the call was given finds nothing.
    pub(crate) fn feeders<'s>(&'s self, tool: &str, name: &str) -> impl Iterator<Item = &'s Source> {
        let repeats = |source: &Source| {
            let from = self.catalogue.tools.iter().find(|it| it.name == source.tool);
            from.is_some_and(|from| from.parameters.properties.contains_key(source.field.trim_start_matches('/')))
        };
        self.graph.feeders(tool, name).iter().filter(move |source| !repeats(source))
    }
}

/// Whether two tools take one and the same thing.
fn takes_same(one: &Tool, other: &Tool) -> bool {
    one.parameters.required.iter().any(|name| names_one_thing(name, one, other))
}

/// Whether a parameter of two tools holds one and the same thing: both require it, with one type, and it is what things
/// are told apart by, as far as its name tells, or a text that both describe in the same words and that is not listed.
pub(crate) fn names_one_thing(name: &str, one: &Tool, other: &Tool) -> bool {
    let required = |tool: &Tool| tool.parameters.required.iter().any(|it| it == name);
    let of = |tool: &Tool| tool.parameters.properties.get(name).cloned();
    let (Some(first), Some(second)) = (of(one), of(other)) else { return false };
    if !required(one) || !required(other) || first.kind != second.kind {
        return false;
    }
    let words = name.to_lowercase();
    let identifies = ["id", "code", "number", "email", "phone", "reference"].iter().any(|end| words.ends_with(end));
    let is_text =
        first.kind.as_ref().is_some_and(|it| it == "string") && first.values.is_none() && first.more.is_empty();
    identifies || (is_text && first == second && first.description.is_some_and(|it| !it.trim().is_empty()))
}
