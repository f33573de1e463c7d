//! Puts one or several matters into one plan of the wanted shape.

use super::sketch::Sketch;
use super::slots::changeable;
use crate::record::{Chance, Plan, PlanSlot};
use crate::toolset::{Declaration, Format, Function, Param};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a plan is begun anew before its draw is given up.
const TRIES: usize = 4000;
/// The fewest values that variants of a request must be able to change.
const CHANGEABLE: usize = 6;
/// How often matters share their town and their first day.
const SHARED: f64 = 0.75;

/// How many steps and calls a plan has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Steps.
    pub steps: usize,
    /// Calls in all.
    pub calls: usize,
}

/// What is to be planned.
pub(in crate::stage) struct Wish<'w> {
    /// The functions that may be called.
    pub(in crate::stage) functions: Vec<&'w Function>,
    /// From how many domains the matters come: one, or at least two.
    pub(in crate::stage) crosses: bool,
    /// The shape.
    pub(in crate::stage) shape: Shape,
}

/// A plan of the wanted shape; none where it was not found.
pub(in crate::stage) fn plan(declaration: &Declaration, wish: &Wish<'_>, mut chance: Chance) -> Option<Plan> {
    let goals: Vec<&Function> =
        wish.functions.iter().copied().filter(|it| !it.free && !it.sayings.is_empty()).collect();
    (0..TRIES).find_map(|_| {
        let seed = chance.bits();
        let mut sketch = Sketch::new(declaration, wish.functions.clone(), Chance::of(&[b"plan", &seed.to_le_bytes()]));
        let found = attempt(&mut sketch, &goals, wish)?;
        (shape(&found) == wish.shape && changeable(&found) >= CHANGEABLE).then_some(found)
    })
}

fn attempt(sketch: &mut Sketch<'_>, goals: &[&Function], wish: &Wish<'_>) -> Option<Plan> {
    let matters = if wish.crosses { 2 + usize::from(sketch.chance.happens(0.25)) } else { 1 };
    let mut domains: Vec<String> = Vec::new();
    for matter in 0..matters {
        sketch.begin(matter);
        let fresh: Vec<&Function> = goals.iter().copied().filter(|goal| !domains.contains(&goal.domain)).collect();
        let goal = sketch.chance.pick(&fresh).map(|goal| goal.name.clone())?;
        let goal = sketch.allowed.iter().copied().find(|it| it.name == goal)?;
        sketch.call(goal, "", 0)?;
        domains.push(goal.domain.clone());
        enlarge(sketch, goals, (wish.shape.calls, matter + 1 == matters));
        if sketch.plan.calls.len() > wish.shape.calls {
            return None;
        }
    }
    share(sketch);
    super::branch::in_order(&mut sketch.plan);
    Some(sketch.plan.clone())
}

/// Adds calls to a matter while there is room for them: other functions, and in the end a branch.
fn enlarge(sketch: &mut Sketch<'_>, goals: &[&Function], (room, is_last): (usize, bool)) {
    while sketch.plan.calls.len() < room && sketch.chance.happens(0.5) {
        let branches = sketch.chance.happens(0.4) && is_last;
        if branches {
            break;
        }
        beside(sketch, goals);
    }
    if sketch.plan.calls.len() < room && sketch.chance.happens(0.6) {
        sketch.branch();
    }
}

/// Another function that tells something of what the matter is about.
fn beside(sketch: &mut Sketch<'_>, goals: &[&Function]) {
    let made: Vec<String> = sketch.plan.calls.iter().map(|call| call.function.clone()).collect();
    let fed_here = |goal: &&Function| {
        let mut fed = goal.parameters.values().filter(|it| it.required && !it.from.is_empty() && it.format.is_none());
        let from_here = fed.all(|param| param.from.iter().any(|source| made.contains(&source.tool)));
        let any = goal.parameters.values().any(|it| it.required && !it.from.is_empty() && it.format.is_none());
        any && from_here && !made.contains(&goal.name)
    };
    let others: Vec<&Function> = goals.iter().copied().filter(fed_here).collect();
    let Some(name) = sketch.chance.pick(&others).map(|it| it.name.clone()) else { return };
    let Some(function) = sketch.allowed.iter().copied().find(|it| it.name == name) else { return };
    sketch.tried(|sketch| sketch.call(function, "", 0));
}

/// Lets later matters be about the town and the day of the first.
fn share(sketch: &mut Sketch<'_>) {
    for fits in [is_town, is_day] {
        let mut first: Option<String> = None;
        for key in one_of_each_matter(sketch, fits) {
            match &first {
                None => first = Some(key),
                Some(first) => {
                    if sketch.chance.happens(SHARED) {
                        if let Some(slot) = sketch.plan.slots.get_mut(&key) {
                            slot.with = Some(first.clone());
                        }
                    }
                }
            }
        }
    }
}

fn is_town(param: &Param) -> bool {
    param.values.iter().any(|(table, column)| table == "cities" && column == "name")
}

fn is_day(param: &Param) -> bool {
    param.format == Some(Format::Date) && param.follows.is_none()
}

/// The first slot of a sort in every matter; the place where a journey ends is where the other matters are.
fn one_of_each_matter(sketch: &Sketch<'_>, fits: fn(&Param) -> bool) -> Vec<String> {
    let matter = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    let param = |slot: &PlanSlot| sketch.declaration.functions.get(&slot.function)?.parameters.get(&slot.parameter);
    let is_one = |(key, slot): &(&String, &PlanSlot)| !key.contains('#') && param(slot).is_some_and(fits);
    let mut keys: Vec<String> = sketch.plan.slots.iter().filter(is_one).map(|(key, _)| key.clone()).collect();
    keys.sort_by_key(|key| (matter(key), starts(key)));
    keys.dedup_by_key(|key| matter(key));
    keys
}

/// Whether a slot is where something starts, and not where it ends.
fn starts(key: &str) -> bool {
    key.contains("from") || key.contains("pick_up")
}

fn shape(plan: &Plan) -> Shape {
    Shape { steps: plan.depth(), calls: plan.calls.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::plans::describe;
    use crate::toolset::Toolset;

    fn found(domain: &str, shape: (usize, usize), draw: u32) -> Option<Plan> {
        let toolset = Toolset::load("travel", "en").unwrap();
        let world = toolset.world.clone().unwrap();
        let crosses = domain == "cross";
        let functions = world.functions.values().filter(|it| crosses || it.domain == domain).collect();
        let wish = Wish { functions, crosses, shape: Shape { steps: shape.0, calls: shape.1 } };
        plan(&world, &wish, Chance::new(1, "s", domain, draw))
    }

    #[test]
    fn a_plan_has_the_wanted_shape_and_enough_to_change() {
        for (domain, shape) in
            [("hotels", (3, 4)), ("car_rental", (2, 3)), ("attractions", (3, 3)), ("flights", (2, 4))]
        {
            let plan = found(domain, shape, 0).unwrap();
            assert_eq!((plan.depth(), plan.calls.len()), shape, "{domain}");
            assert!(changeable(&plan) >= CHANGEABLE, "{domain}");
            for (at, call) in plan.calls.iter().enumerate() {
                assert!(call.sources().iter().all(|source| *source < at), "{domain}: {}", describe(&plan));
            }
            let said: Vec<&str> =
                plan.calls.iter().flat_map(|it| it.arguments.values()).flat_map(crate::record::Feed::slots).collect();
            assert!(said.iter().all(|slot| plan.slots.contains_key(*slot)), "{domain}");
        }
    }

    #[test]
    fn the_same_draw_plans_the_same_and_no_shape_is_forced() {
        assert_eq!(found("hotels", (3, 4), 5), found("hotels", (3, 4), 5));
        assert!(found("car_rental", (1, 4), 0).is_none(), "a search needs its place first");
    }
}
