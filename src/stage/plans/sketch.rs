//! Strings functions together: each takes what an earlier answer holds, or what the request says.

use super::fed::Choices;
use crate::record::{Chance, Feed, Plan, PlanCall, PlanSlot, Value};
use crate::toolset::{Declaration, Function, Param};
use indexmap::IndexMap;

/// The longest chain that is tried.
const DEPTH: usize = 6;
/// How often an optional parameter is said.
const OPTIONAL: f64 = 0.5;
/// How often an optional parameter that another function's answer holds is given.
const FED: f64 = 0.45;

/// A plan in the making.
pub(super) struct Sketch<'p> {
    pub(super) declaration: &'p Declaration,
    /// The functions that may be called.
    pub(super) allowed: Vec<&'p Function>,
    pub(super) plan: Plan,
    pub(super) chance: Chance,
    /// Which matter of the request is being planned.
    pub(super) matter: usize,
    /// The calls of the matter, by function and role.
    pub(super) calls: IndexMap<(String, String), usize>,
    /// What the matter says already, by parameter.
    pub(super) said: IndexMap<String, String>,
    /// Which item of an answer the matter is about, by call and list.
    pub(super) choices: Choices,
}

impl<'p> Sketch<'p> {
    pub(super) fn new(declaration: &'p Declaration, allowed: Vec<&'p Function>, chance: Chance) -> Self {
        Self {
            declaration,
            allowed,
            plan: Plan::default(),
            chance,
            matter: 0,
            calls: IndexMap::new(),
            said: IndexMap::new(),
            choices: Choices::new(),
        }
    }

    /// Begins another matter.
    pub(super) fn begin(&mut self, matter: usize) {
        self.matter = matter;
        self.calls.clear();
        self.said.clear();
        self.choices.clear();
    }

    /// The call of a function in a role, with all that it needs before it; none where something cannot be had.
    pub(super) fn call(&mut self, function: &'p Function, role: &str, depth: usize) -> Option<usize> {
        let key = (function.name.clone(), role.to_owned());
        if let Some(known) = self.calls.get(&key) {
            return Some(*known);
        }
        if depth > DEPTH || !self.is_allowed(function) {
            return None;
        }
        let mut arguments = IndexMap::new();
        for (name, param) in &function.parameters {
            if let Some(feed) = self.argument(function, name, param, (role, depth, &arguments))? {
                arguments.insert(name.clone(), feed);
            }
        }
        let call = PlanCall { function: function.name.clone(), matter: self.matter, arguments, twin: None };
        self.plan.calls.push(call);
        self.calls.insert(key, self.plan.calls.len() - 1);
        Some(self.plan.calls.len() - 1)
    }

    /// What an argument is fed by; `Some(None)` where it is left out, `None` where it cannot be had.
    #[expect(clippy::option_option, reason = "left out is not the same as not to be had")]
    fn argument(
        &mut self,
        function: &'p Function,
        name: &str,
        param: &'p Param,
        (role, depth, others): (&str, usize, &IndexMap<String, Feed>),
    ) -> Option<Option<Feed>> {
        if !param.fields.is_empty() {
            return Some(Some(self.legs(function, name, param, depth)?));
        }
        if Self::takes_from_answers(function, param) {
            let wanted = param.required
                || (function.sayings.mentions(name) && !self.is_circular(function, param) && self.chance.happens(FED));
            return if wanted { Some(Some(self.fed(function, name, param, (depth, others))?)) } else { Some(None) };
        }
        if let Some(feed) = self.elsewhere(function, name, param, others) {
            return Some(Some(feed));
        }
        let known = self.said.contains_key(name) && !function.free;
        // What is said of another date is said once that one is.
        let leans = param.follows.as_ref().is_some_and(|it| !function.parameters.contains_key(&it.parameter));
        let says = param.required
            || known
            || (!leans && function.sayings.mentions(name) && !function.free && self.chance.happens(OPTIONAL));
        Some(says.then(|| Feed::Said(self.slot(function, name, param, role))))
    }

    /// Whether a parameter's values come from answers, and not from people.
    fn takes_from_answers(function: &Function, param: &Param) -> bool {
        let sources = param.from.iter().any(|source| source.tool != function.name);
        sources
            && param.format.is_none()
            && param.values.is_empty()
            && (param.listed.is_none() || ties(function, param))
    }

    /// Whether what holds a value needs this function's own answer.
    fn is_circular(&self, function: &Function, param: &Param) -> bool {
        param.from.iter().all(|source| {
            let needs = |it: &Param| it.required && it.from.iter().any(|from| from.tool == function.name);
            self.declaration.functions.get(&source.tool).is_none_or(|it| it.parameters.values().any(needs))
        })
    }

    /// The slot by which the request says a parameter: one for each lookup, else one for the whole matter.
    pub(super) fn slot(&mut self, function: &Function, name: &str, param: &Param, role: &str) -> String {
        if function.free {
            let key = format!("{}.{role}", self.matter);
            self.add_slot(&key, function, name, param);
            return key;
        }
        let key = format!("{}.{name}", self.matter);
        self.add_slot(&key, function, name, param);
        self.said.insert(name.to_owned(), key.clone());
        key
    }

    pub(super) fn add_slot(&mut self, key: &str, function: &Function, parameter: &str, param: &Param) {
        let slot = PlanSlot {
            function: function.name.clone(),
            parameter: parameter.to_owned(),
            protected: param.protected || is_fixed(function, parameter, param),
            ..PlanSlot::default()
        };
        self.plan.slots.entry(key.to_owned()).or_insert(slot);
    }

    /// Whether a function may be called beside those that are.
    pub(super) fn is_allowed(&self, function: &Function) -> bool {
        let apart = |call: &PlanCall| !self.declaration.overlap(&call.function, &function.name);
        self.allowed.iter().any(|it| it.name == function.name) && self.plan.calls.iter().all(apart)
    }

    fn legs(&mut self, function: &'p Function, name: &str, param: &'p Param, depth: usize) -> Option<Feed> {
        let count = 2 + self.chance.below(2);
        let mut legs: Vec<IndexMap<String, Feed>> = Vec::new();
        for leg in 0..count {
            let mut fields = IndexMap::new();
            for (field, inner) in &param.fields {
                let role = format!("{name}.{leg}.{field}");
                let feed = if Self::takes_from_answers(function, inner) {
                    self.leg_end(inner, &legs, (&role, field, depth))?
                } else {
                    let key = format!("{}.{role}", self.matter);
                    self.add_slot(&key, function, &format!("{name}.{field}"), inner);
                    Feed::Said(key)
                };
                fields.insert(field.clone(), feed);
            }
            legs.push(fields);
        }
        Some(Feed::List(legs))
    }

    /// A place of a leg: it begins where the one before ended.
    fn leg_end(
        &mut self,
        param: &'p Param,
        legs: &[IndexMap<String, Feed>],
        (role, field, depth): (&str, &str, usize),
    ) -> Option<Feed> {
        if let Some(last) = legs.last() {
            let is_place =
                |(name, feed): (&String, &Feed)| (name != field && !feed.sources().is_empty()).then(|| feed.clone());
            let first_place = last.iter().position(|(name, _)| name == field)?;
            let others: Vec<Feed> = last.iter().filter_map(is_place).collect();
            let begins = last.values().take(first_place).all(|feed| feed.sources().is_empty());
            if begins && !others.is_empty() {
                return others.into_iter().next();
            }
        }
        self.looked_up(param, role, depth)
    }
}

/// Whether requests can give a parameter one value alone.
fn is_fixed(function: &Function, name: &str, param: &Param) -> bool {
    let Some(listed) = &param.listed else { return param.type_name == "boolean" };
    let forms = function.sayings.said.get(name);
    let is_default = |value: &Value| param.default.as_ref().is_some_and(|default| default.equals(value));
    let said =
        |value: &&Value| forms.is_some_and(|it| it.contains_key(&super::values::text(value))) && !is_default(value);
    listed.iter().filter(said).count() < 2
}

/// Whether a listed parameter comes with another of the same item: the sort of a destination with its id.
fn ties(function: &Function, param: &Param) -> bool {
    param.required
        && param.from.iter().any(|source| {
            function.parameters.values().any(|other| {
                !std::ptr::eq(other, param)
                    && other.listed.is_none()
                    && other.from.iter().any(|it| it.tool == source.tool && it.field != source.field)
            })
        })
}
