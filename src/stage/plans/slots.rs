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

/// What the place of a slot must be near to: where another parameter of a call that takes its lookup is.
pub(super) fn near_to<'p>(declaration: &Declaration, plan: &'p Plan, key: &str) -> Option<&'p Feed> {
    let lookups = takers(plan, key);
    let is_own = |feed: &Feed| feed.sources().iter().any(|it| lookups.contains(it));
    plan.calls.iter().find_map(|call| {
        let function = declaration.functions.get(&call.function)?;
        let mut own = call.arguments.iter().filter(|(_, feed)| is_own(feed));
        let near = own.find_map(|(name, _)| function.parameters.get(name)?.near.as_ref());
        call.arguments.get(near?).filter(|other| !is_own(other))
    })
}

/// The slots that say where a feed's place is.
pub(super) fn places<'p>(plan: &'p Plan, feed: &'p Feed) -> Vec<&'p str> {
    let lookups = feed.sources().into_iter().filter_map(|call| plan.calls.get(call));
    let arguments = lookups.flat_map(|call| call.arguments.values());
    arguments.flat_map(|it| if it.sources().is_empty() { it.slots() } else { places(plan, it) }).collect()
}

/// What a plan is, in a line: its path, for people and for telling plans apart.
pub(in crate::stage) fn describe(plan: &Plan) -> String {
    plan.path().iter().map(|step| step.join(" + ")).collect::<Vec<_>>().join(" > ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{inn, said, slot, stay, two_towns};
    use super::*;
    use crate::record::{PlanSlot, Value};
    use indexmap::IndexMap;

    #[test]
    fn what_is_protected_or_agrees_with_another_cannot_change() {
        let mut plan = stay();
        assert_eq!(changeable(&plan), 5, "quiet is protected");
        plan.slots
            .insert("1.arrival".to_owned(), PlanSlot { with: Some("0.arrival".to_owned()), ..PlanSlot::default() });
        assert_eq!((changeable(&plan), changeable(&two_towns()), changeable(&Plan::default())), (5, 6, 0));
    }

    #[test]
    fn protected_values_are_compared_and_no_others() {
        let (plan, before) = (stay(), inn().said(&stay(), 0));
        let mut after = inn().said(&stay(), 1);
        assert!(protected(&plan, &before, &after));
        after["0.quiet"].value = Value::Bool(false);
        assert!(!protected(&plan, &before, &after));
        after.shift_remove("0.quiet");
        assert!(!protected(&plan, &before, &after));
    }

    #[test]
    fn a_slot_leads_to_its_parameter_and_to_the_field_of_a_leg() {
        let mut plan = stay();
        plan.slots.insert("0.legs.0.day".to_owned(), slot("Plan_Tour", "legs.day"));
        plan.slots.insert("0.wrong".to_owned(), slot("Plan_Tour", "guests"));
        let found = |key: &str| parameter(inn().declaration(), &plan, key).map(|it| (it.required, it.format));
        assert_eq!(found("0.legs.0.day"), Some((true, Some(crate::toolset::Format::Date))));
        assert_eq!((found("0.guests"), found("0.town_id")), (Some((false, None)), Some((true, None))));
        assert_eq!((found("0.wrong"), found("0.none")), (None, None));
    }

    #[test]
    fn the_takers_of_a_slot_are_found_within_lists_too() {
        let mut plan = two_towns();
        assert_eq!((takers(&plan, "0.town_id#2"), takers(&plan, "0.arrival")), (vec![1], vec![2, 3]));
        let list = Feed::List(vec![IndexMap::from([("day".to_owned(), said("0.legs.0.day"))])]);
        plan.calls[5].arguments.insert("legs".to_owned(), list);
        assert_eq!((takers(&plan, "0.legs.0.day"), takers(&plan, "0.none")), (vec![5], vec![]));
    }

    #[test]
    fn a_plan_is_described_step_by_step() {
        assert_eq!(describe(&stay()), "Find_Town > Search_Inns > Book_Inn");
        assert_eq!(describe(&two_towns()), "Find_Town + Find_Town > Search_Inns + Search_Inns > Book_Inn + Book_Inn");
    }
}
