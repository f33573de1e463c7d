//! Calls that belong together, each with everything given: they are about the same thing.

use super::Drafter;
use super::leaf::Anchor;
use crate::llm::AskedCall;
use crate::record::{Source, Tool};
use crate::toolset::Operation;
use std::sync::Arc;

impl Drafter<'_> {
    /// `length` calls, the given one among them at any place.
    pub(super) fn group(&mut self, tool: &Arc<Tool>, length: usize) -> Option<Vec<AskedCall>> {
        let first = self.call(tool, &[])?;
        let anchors = self.anchors(&first);
        let mut calls = vec![first];
        while calls.len() < length {
            let others: Vec<&Arc<Tool>> =
                self.catalogue.tools.iter().filter(|it| self.joins(it, &calls, &anchors)).collect();
            let other = self.chance.pick(&others).map(|it| Arc::clone(it))?;
            calls.push(self.call(&other, &anchors)?);
        }
        let place = self.chance.below(length);
        calls.swap(0, place);
        Some(calls)
    }

    /// The things that a call names.
    pub(super) fn anchors(&self, call: &AskedCall) -> Vec<Anchor> {
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
        let Some(api) = self.api(tool) else { return true };
        if anchors.is_empty() {
            let resource = |call: &AskedCall| self.api(&call.tool).is_some_and(|it| it.resource == api.resource);
            return calls.iter().any(resource);
        }
        let about = api.identifiers().any(|(_, resource)| anchors.iter().any(|(anchor, _)| anchor == resource));
        about && !self.undoes(tool, calls)
    }

    /// Whether it reads or changes what another call of the question changes: nobody asks for that in one breath.
    pub(super) fn undoes(&self, tool: &Tool, calls: &[AskedCall]) -> bool {
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
    pub(super) fn feeds(&self, from: &Tool, to: &Tool) -> bool {
        to.parameters.properties.keys().any(|name| self.feeders(&to.name, name).any(|it| it.tool == from.name))
    }

    /// Whether some parameter can be fed.
    pub(super) fn is_fed(&self, tool: &Tool) -> bool {
        tool.parameters.required.iter().any(|name| self.feeders(&tool.name, name).next().is_some())
    }

    /// What can feed a parameter; an answer that only repeats what the call was given finds nothing.
    pub(super) fn feeders<'s>(&'s self, tool: &str, name: &str) -> impl Iterator<Item = &'s Source> {
        let repeats = |source: &Source| {
            let from = self.catalogue.tools.iter().find(|it| it.name == source.tool);
            from.is_some_and(|from| from.parameters.properties.contains_key(source.field.trim_start_matches('/')))
        };
        self.graph.feeders(tool, name).iter().filter(move |source| !repeats(source))
    }
}
