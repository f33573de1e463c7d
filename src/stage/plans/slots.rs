//! What a plan's request says.

use crate::record::{Feed, Plan};
use crate::toolset::{Declaration, Param};

/// How many of a plan's values variants may change: those that are neither protected nor the same as another.
pub(in crate::stage) fn changeable(plan: &Plan) -> usize {
    plan.slots.values().filter(|slot| !slot.protected && slot.with.is_none()).count()
}

/// Whether all protected values are what they were.
pub(in crate::stage) fn protected(plan: &Plan, before: &super::values::Said, after: &super::values::Said) -> bool {
    let value = |said: &super::values::Said, key: &str| said.get(key).map(|it| it.value.clone());
    plan.slots.iter().filter(|(_, slot)| slot.protected).all(|(key, _)| value(before, key) == value(after, key))
}

/// The parameter of a slot; of a leg's field, that field.
pub(super) fn parameter<'d>(declaration: &'d Declaration, plan: &Plan, key: &str) -> Option<&'d Param> {
    let slot = plan.slots.get(key)?;
    let parameters = &declaration.functions.get(&slot.function)?.parameters;
    match slot.parameter.split_once('.') {
        Some((name, field)) => parameters.get(name)?.fields.get(field),
        None => parameters.get(&slot.parameter),
    }
}

/// The calls that take from a slot.
pub(super) fn takers(plan: &Plan, key: &str) -> Vec<usize> {
    let takes = |feed: &Feed| feed.slots().contains(&key);
    let calls = plan.calls.iter().enumerate().filter(|(_, call)| call.arguments.values().any(takes));
    calls.map(|(at, _)| at).collect()
}

/// What a plan is, in a line: its path, for people and for telling plans apart.
pub(in crate::stage) fn describe(plan: &Plan) -> String {
    plan.path().iter().map(|step| step.join(" + ")).collect::<Vec<_>>().join(" > ")
}
