//! Calls of which one takes what an earlier one answers. A chain has one order only: no call waits for two others.

use super::Drafter;
use crate::llm::AskedCall;
use crate::record::{Saying, Source, Tool};
use crate::toolset::{Matter, Operation};
use std::sync::Arc;

/// How often a question goes on with the thing that it found, where it has calls left.
const GOES_ON: f64 = 0.4;

/// A call that is fed: the parameter, and where its value comes from.
struct Link {
    tool: Arc<Tool>,
    fed: Option<(String, Source)>,
}

impl Drafter<'_> {
    /// `length` calls that end in the given one, or go on behind it with the same thing.
    pub(crate) fn chain(&mut self, tool: &Arc<Tool>, length: usize) -> Option<Vec<AskedCall>> {
        let goes_on = length > 2 && self.chance.happens(GOES_ON);
        let links = self.links(tool, if goes_on { length - 1 } else { length })?;
        self.begin_case(&links.first()?.tool.clone())?;
        let mut calls: Vec<AskedCall> = Vec::new();
        for (place, link) in links.iter().enumerate() {
            let mut call = self.call(&link.tool)?;
            if let Some((name, source)) = &link.fed {
                take(&mut call, name, place.checked_sub(1)?, source)?;
            }
            self.retake(&mut call, &links, place)?;
            calls.push(call);
        }
        if goes_on {
            calls.push(self.further(&links, &calls)?);
        }
        Some(calls)
    }

    /// Begins the matter whose turn it is, with a call of it that another answer can feed: each has its turn. None where
    /// the domain has no matters.
    pub(crate) fn begin_chain(&mut self, ordinal: usize) -> Option<Arc<Tool>> {
        let domain = self.domain.clone()?;
        let mut turns: Vec<(&Matter, &String)> =
            domain.matters.values().flat_map(|matter| matter.calls.iter().map(move |call| (matter, call))).collect();
        turns.retain(|(matter, call)| {
            self.tool(call).is_some_and(|tool| {
                let mut names = tool.parameters.required.iter();
                names.any(|name| self.feeders(&tool.name, name).any(|it| self.leads(matter, &it.tool, &tool.name)))
            })
        });
        self.context.chance(&self.catalogue.domain, 3).shuffle(&mut turns);
        let (matter, call) = turns.get(ordinal % turns.len().max(1))?;
        self.matter = Some(Arc::new((*matter).clone()));
        self.tool(call).cloned()
    }

    /// Whether a call may feed another one in a matter: of the matter's own the earlier feed the later, and besides
    /// them whatever finds a thing, or is the newest one that some matter asks for.
    fn leads(&self, matter: &Matter, tool: &str, taker: &str) -> bool {
        let place =
            |matter: &Matter, tool: &str| matter.calls.iter().position(|call| tool.rsplit('.').next() == Some(call));
        match (place(matter, tool), place(matter, taker)) {
            (Some(first), Some(second)) => first < second,
            (Some(_), None) => true,
            (None, _) => self.domain.as_ref().is_some_and(|domain| match domain.api(tool).map(|api| &api.operation) {
                Some(Operation::Find(_)) => true,
                Some(Operation::Latest(_)) => domain.matters.values().any(|it| place(it, tool).is_some()),
                _ => false,
            }),
        }
    }

    /// A further thing of a sort that an earlier call finds is the one that it finds.
    fn retake(&self, call: &mut AskedCall, links: &[Link], place: usize) -> Option<()> {
        let Some(domain) = &self.domain else { return Some(()) };
        let api = domain.api(&call.tool.name)?;
        for (name, _) in api.identifiers() {
            let given = call.arguments.get(name).is_some_and(|it| it.saying == Saying::Plain);
            // What a call takes from two steps before is known by then; what it takes twice from one step is doubtful.
            let fed = links.iter().take(place.saturating_sub(1)).enumerate().find_map(|(from, link)| {
                self.feeders(&call.tool.name, name).find(|it| it.tool == link.tool.name).map(|it| (from, it.clone()))
            });
            if let Some((from, source)) = fed.filter(|_| given) {
                take(call, name, from, &source)?;
            }
        }
        Some(())
    }

    /// The chain, from the call that is made first.
    fn links(&mut self, last: &Arc<Tool>, length: usize) -> Option<Vec<Link>> {
        let mut links = vec![Link { tool: last.clone(), fed: None }];
        while links.len() < length {
            let taker = links.last()?.tool.clone();
            let choices = self.choices(&taker, &links);
            // Of the parameters each as often as the others, however many APIs can feed it.
            let mut names: Vec<&String> = choices.iter().map(|(name, _)| name).collect();
            names.dedup();
            let name = self.chance.pick(&names).map(|it| (*it).clone())?;
            let sources: Vec<&Source> =
                choices.iter().filter(|(it, _)| *it == name).map(|(_, source)| source).collect();
            let source = self.chance.pick(&sources).map(|it| (*it).clone())?;
            let feeder = self.catalogue.tools.iter().find(|tool| tool.name == source.tool)?.clone();
            links.last_mut()?.fed = Some((name, source));
            links.push(Link { tool: feeder, fed: None });
        }
        links.reverse();
        Some(links)
    }

    /// What can feed a call: parameter and source.
    fn choices(&self, taker: &Arc<Tool>, links: &[Link]) -> Vec<(String, Source)> {
        let mut choices = Vec::new();
        for name in &taker.parameters.required {
            for source in self.feeders(&taker.name, name) {
                let known = links.iter().any(|link| link.tool.name == source.tool);
                let leads = self.matter.as_ref().is_none_or(|matter| {
                    let twice = links.iter().any(|link| self.doubles(&link.tool.name, &source.tool));
                    !twice && self.leads(matter, &source.tool, &taker.name)
                });
                if !known && leads && self.makes_sense(&source.tool, taker) {
                    choices.push((name.clone(), source.clone()));
                }
            }
        }
        choices
    }

    /// Nobody asks for a field by which the thing was found, or for one that was just given, or makes a thing to take it away.
    fn makes_sense(&self, from: &str, to: &Tool) -> bool {
        let Some(domain) = &self.domain else { return true };
        let (Some(from), Some(to)) = (domain.api(from), domain.api(&to.name)) else { return true };
        let told = from.operation.fields();
        let wanted = to.operation.fields();
        let same = from.resource == to.resource;
        match (&from.operation, &to.operation) {
            (Operation::List(_), _) => false,
            (Operation::Create(_), Operation::Delete) => !same,
            (
                Operation::Create(_) | Operation::Find(_) | Operation::Latest(_),
                Operation::Get(_) | Operation::Update(_),
            ) => !same || wanted.iter().all(|field| !told.contains(field)),
            _ => true,
        }
    }

    /// One more call, about the thing that the last one took.
    fn further(&mut self, links: &[Link], calls: &[AskedCall]) -> Option<AskedCall> {
        let last = links.last()?;
        let (_, source) = last.fed.as_ref()?;
        let from = links.len().checked_sub(2)?;
        let fits = |tool: &&Arc<Tool>| {
            let new = calls.iter().all(|call| call.tool.name != tool.name);
            let own = self.matter.as_ref().is_none_or(|it| it.calls.iter().any(|call| call == tool.function()));
            let twice = calls.iter().any(|call| self.doubles(&call.tool.name, &tool.name));
            new && own
                && !twice
                && self.makes_sense(&source.tool, tool)
                && !self.feeds(&last.tool, tool)
                && !self.undoes(tool, calls)
        };
        let mut choices: Vec<(Arc<Tool>, String)> = Vec::new();
        for tool in self.catalogue.tools.iter().filter(fits) {
            let takes = |name: &&String| self.feeders(&tool.name, name).any(|it| it == source);
            choices.extend(tool.parameters.required.iter().filter(takes).map(|name| (tool.clone(), name.clone())));
        }
        let (tool, name) = self.chance.pick(&choices)?.clone();
        let mut call = self.call(&tool)?;
        take(&mut call, &name, from, source)?;
        self.retake(&mut call, links, links.len())?;
        // A value has no word for saying it again; a thing has.
        call.arguments.get(&name)?.refers.is_some().then_some(call)
    }
}

/// Lets a call take an argument from the answer of an earlier one.
fn take(call: &mut AskedCall, name: &str, from: usize, source: &Source) -> Option<()> {
    let argument = call.arguments.get_mut(name)?;
    argument.saying = Saying::Answer { call: from, field: source.field.clone() };
    argument.words.clear();
    argument.value = crate::record::Value::Null;
    Some(())
}
