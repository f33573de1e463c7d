//! Puts one or several matters into one plan of the wanted shape.

use super::brief::changeable;
use super::cases::{CaseBook, CaseValues, fits};
use super::picked::heard;
use super::sketch::Sketch;
use crate::record::{Chance, Plan, PlanSlot};
use crate::toolset::{Declaration, Format, Function, Param};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a plan is begun anew before its draw is given up.
const TRIES: usize = 4000;
/// How often a plan is begun with the function whose turn it is.
const TURN: usize = 600;
/// The fewest values that variants of a request must be able to change.
const CHANGEABLE: usize = 6;
/// How often a function that people seldom ask for is asked for where another one could be as well.
const SELDOM: f64 = 0.12;
/// How often a call hangs on what is found before it, where it can.
const FORKED: f64 = 0.8;
/// How often matters share their town and their first day.
const SHARED: f64 = 0.75;

/// Number of steps and calls of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    /// Steps.
    pub steps: usize,
    /// Calls in total.
    pub calls: usize,
}

/// What is to be planned.
pub(crate) struct Wish<'w> {
    /// The functions that may be called.
    pub functions: Vec<&'w Function>,
    /// From how many domains the matters come: one, or at least two.
    pub crosses: bool,
    /// The shape.
    pub shape: Shape,
    /// The cases of which one is drawn first; none where there are none.
    pub cases: Option<&'w CaseBook<'w>>,
    /// Which of the functions that people ask for has its turn, from the last to the first, so that none is left out; where
    /// each had its turn, and where none is said, chance decides.
    pub turn: Option<usize>,
}

/// A plan of the wanted shape; none where it was not found.
pub(crate) fn plan(declaration: &Declaration, wish: &Wish<'_>, mut chance: Chance) -> Option<Plan> {
    let goals = goals(wish);
    let least = least_changeable(wish);
    let turn = wish.turn.and_then(|turn| goals.iter().rev().nth(turn)).copied();
    (0..TRIES).find_map(|tried| {
        let seed = chance.bits();
        let mut sketch = Sketch::new(declaration, wish.functions.clone(), Chance::of(&[b"plan", &seed.to_le_bytes()]));
        let found = attempt(&mut sketch, &goals, (wish, turn.filter(|_| tried < TURN)))?;
        (shape(&found) == wish.shape && changing(declaration, &found) >= least).then_some(found)
    })
}

/// How many values of a plan variants surely change: how many people travel is often the same in another case.
fn changing(declaration: &Declaration, plan: &Plan) -> usize {
    let counts = |slot: &&PlanSlot| {
        let field = slot.field.as_ref().and_then(|it| declaration.cases.fields.get(it));
        field.is_some_and(|it| it.number.is_some() || it.sum.is_some())
    };
    changeable(plan) - plan.slots.values().filter(|it| !it.protected && it.with.is_none()).filter(counts).count()
}

/// The fewest values that variants must be able to change. What live servers take is not ours to choose: a request for the
/// cheapest of all that are listed names nothing that could be another.
fn least_changeable(wish: &Wish<'_>) -> usize {
    if wish.functions.iter().any(|it| it.live) { 0 } else { CHANGEABLE }
}

/// How many plans are tried to see which shapes there are, and the most calls that they have.
const PROBES: u64 = 600;
const LARGEST: usize = 6;

/// The shapes that plans of these functions have, of two calls at least, the longest chains first.
pub(crate) fn shapes(declaration: &Declaration, wish: &Wish<'_>, chance: &mut Chance) -> Vec<Shape> {
    let goals = goals(wish);
    let least = least_changeable(wish);
    let mut found: Vec<Shape> = Vec::new();
    for _ in 0..PROBES {
        let seed = chance.bits();
        let mut sketch = Sketch::new(declaration, wish.functions.clone(), Chance::of(&[b"shape", &seed.to_le_bytes()]));
        let Some(plan) = attempt(&mut sketch, &goals, (wish, None)) else { continue };
        let shape = shape(&plan);
        if shape.calls >= 2 && changing(declaration, &plan) >= least && !found.contains(&shape) {
            found.push(shape);
        }
    }
    found.sort_by_key(|shape| (std::cmp::Reverse(shape.steps), shape.calls));
    found
}

/// A wish for whatever plans there are.
pub(crate) fn any_shape(functions: Vec<&Function>, crosses: bool) -> Wish<'_> {
    Wish { functions, crosses, shape: Shape { steps: 0, calls: LARGEST }, cases: None, turn: None }
}

/// Why functions give no plan of two calls: what they take and no answer of another is known to hold.
pub(crate) fn missing_links(functions: &[&Function]) -> String {
    let unfed = functions.iter().flat_map(|function| {
        let needed =
            function.parameters.iter().filter(|(_, it)| it.required && it.values.is_empty() && it.from.is_empty());
        needed.map(|(name, _)| format!("`{name}` of `{}`", function.name))
    });
    let unfed: Vec<String> = unfed.take(NAMED).collect();
    let linked = functions.iter().flat_map(|it| it.parameters.values()).filter(|it| !it.from.is_empty()).count();
    if unfed.is_empty() {
        return format!("{linked} parameters take what other answers hold, and no two calls follow from that");
    }
    format!(
        "{linked} parameters take what other answers hold; no answer and no value is known for {}",
        unfed.join(", ")
    )
}

/// Most parameters that are named.
const NAMED: usize = 6;

/// The functions that people ask for.
fn goals<'w>(wish: &Wish<'w>) -> Vec<&'w Function> {
    wish.functions.iter().copied().filter(|it| !it.free && !it.sayings.is_empty()).collect()
}

/// A plan of whatever shape; `turn` is what the person asks for first of all.
fn attempt(sketch: &mut Sketch<'_>, goals: &[&Function], (wish, turn): (&Wish<'_>, Option<&Function>)) -> Option<Plan> {
    if let Some(book) = wish.cases {
        let name = book.any(&mut sketch.chance)?;
        sketch.plan.case = Some(name.to_owned());
        sketch.case = Some(book.values(name, (&[], &CaseValues::new()), &mut sketch.chance)?);
    }
    let matters = if wish.crosses { 2 + usize::from(sketch.chance.happens(0.25)) } else { 1 };
    let mut domains: Vec<String> = Vec::new();
    for matter in 0..matters {
        sketch.begin(matter);
        let fresh: Vec<&Function> = goals.iter().copied().filter(|goal| !domains.contains(&goal.domain)).collect();
        let turn = turn.filter(|_| matter == 0);
        let goal = turn.or_else(|| sketch.chance.pick(&fresh).copied()).map(|goal| goal.name.clone())?;
        let goal = sketch.allowed.iter().copied().find(|it| it.name == goal)?;
        sketch.call(goal, "", 0)?;
        if turn.is_none() && is_too_seldom(sketch, &goal.name) {
            return None;
        }
        domains.push(goal.domain.clone());
        enlarge(sketch, goals, (wish.shape.calls, matter + 1 == matters));
        if sketch.plan.calls.len() > wish.shape.calls {
            return None;
        }
    }
    if !heard(sketch.declaration, &mut sketch.plan) {
        return None;
    }
    match &sketch.case {
        Some(values) if !fits(sketch.declaration, &sketch.plan, values) => return None,
        Some(_) => {}
        None => share(sketch),
    }
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
    if is_last && sketch.chance.happens(FORKED) && sketch.fork() {
        return;
    }
    if sketch.plan.calls.len() < room && (is_last || sketch.case.is_none()) && sketch.chance.happens(0.6) {
        sketch.branch();
    }
}

/// Whether a function is one that people seldom ask for, and this is not the time for it.
fn is_too_seldom(sketch: &mut Sketch<'_>, name: &str) -> bool {
    sketch.declaration.cases.seldom.iter().any(|it| it == name) && !sketch.chance.happens(SELDOM)
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
    if is_too_seldom(sketch, &name) {
        return;
    }
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
    use super::super::testing::{SHAPES, inn, slot, travel};
    use super::*;
    use crate::complexfunc::stage::plans::describe;
    use std::collections::BTreeSet;

    fn found(domain: &str, shape: (usize, usize), draw: u32) -> Plan {
        let ground = if domain == "inns" { inn() } else { travel("en") };
        plan(ground.declaration(), &ground.wish(domain, shape), Chance::new(5, "plan", domain, draw)).unwrap()
    }

    #[test]
    fn a_function_whose_turn_it_is_is_asked_for() {
        let ground = travel("en");
        for (domain, shape) in [("hotels", (4, 4)), ("cross", (4, 6)), ("car_rental", (3, 4))] {
            let mut wish = ground.wish(domain, shape);
            let names: Vec<String> = goals(&wish).iter().rev().map(|it| it.name.clone()).collect();
            let is_asked_for = |turn: usize| {
                wish.turn = Some(turn);
                let found = plan(ground.declaration(), &wish, Chance::new(5, "turn", domain, 0)).unwrap();
                found.calls.iter().any(|call| call.function == names[turn])
            };
            let served = (0..names.len()).map(is_asked_for).filter(|it| *it).count();
            // Of some functions there is no plan of the shape, and chance decides.
            assert!(served * 2 > names.len(), "{domain}: {served} of {}", names.len());
        }
    }

    #[test]
    fn wanted_shapes_are_found_in_every_domain() {
        for (domain, wanted) in SHAPES.into_iter().chain([("inns", (2, 4)), ("inns", (3, 6))]) {
            let plan = found(domain, wanted, 0);
            assert_eq!((plan.depth(), plan.calls.len()), wanted, "{domain}");
            assert!(changeable(&plan) >= CHANGEABLE, "{domain}: {}", describe(&plan));
            assert!(plan.levels().is_sorted(), "{domain}: {}", describe(&plan));
            let after =
                |(at, call): (usize, &crate::record::PlanCall)| call.sources().iter().all(|source| *source < at);
            assert!(plan.calls.iter().enumerate().all(after), "{domain}: {}", describe(&plan));
        }
    }

    #[test]
    fn functions_that_overlap_are_never_together_and_domains_are_kept() {
        let world = travel("en").declaration();
        for (domain, shape) in SHAPES {
            let plan = found(domain, shape, 1);
            let names: Vec<&str> = plan.calls.iter().map(|call| call.function.as_str()).collect();
            let overlap = |one: &&str| names.iter().any(|other| world.overlap(one, other));
            assert!(!names.iter().any(overlap), "{names:?}");
            let domains: BTreeSet<&str> = names.iter().map(|name| world.functions[*name].domain.as_str()).collect();
            let matters: BTreeSet<usize> = plan.calls.iter().map(|call| call.matter).collect();
            let crosses = domain == "cross";
            assert_eq!((domains.len() > 1, matters.len() > 1), (crosses, crosses), "{domain}: {domains:?}");
            assert!(crosses || domains.contains(domain));
        }
    }

    #[test]
    fn every_slot_is_taken_by_a_call_and_every_call_says_what_is_there() {
        for (domain, shape) in [("hotels", (3, 4)), ("inns", (3, 6)), ("cross", (3, 5))] {
            let plan = found(domain, shape, 2);
            let taken: BTreeSet<&str> = plan
                .calls
                .iter()
                .flat_map(|call| call.arguments.values())
                .flat_map(crate::record::Feed::slots)
                .collect();
            let there: BTreeSet<&str> = plan.slots.keys().map(String::as_str).collect();
            assert_eq!(taken, there, "{domain}");
        }
    }

    #[test]
    fn the_same_chance_gives_the_same_plan_and_other_chance_others() {
        let plans: Vec<Plan> = (0..6).map(|draw| found("inns", (2, 4), draw)).collect();
        assert_eq!(plans[3], found("inns", (2, 4), 3));
        assert!(plans.iter().any(|plan| plan != &plans[0]));
    }

    #[test]
    fn nothing_is_found_where_nothing_may_be_called() {
        let wish = Wish { shape: Shape { steps: 2, calls: 4 }, ..any_shape(Vec::new(), false) };
        assert_eq!(plan(inn().declaration(), &wish, Chance::of(&[b"none"])), None);
    }

    #[test]
    fn one_town_of_each_matter_is_shared_the_end_of_a_journey_first() {
        let mut sketch = travel("en").sketch("cross", 0);
        for (key, name, parameter) in [
            ("0.pick_up", "Search_Car_Location", "query"),
            ("0.drop_off", "Search_Car_Location", "query"),
            ("1.town", "Search_Car_Location", "query"),
            ("1.town#2", "Search_Car_Location", "query"),
            ("2.arrival_date", "Search_Hotels", "arrival_date"),
            ("2.departure_date", "Search_Hotels", "departure_date"),
            ("3.arrival_date", "Search_Hotels", "arrival_date"),
        ] {
            sketch.plan.slots.insert(key.to_owned(), slot(name, parameter));
        }
        assert_eq!(one_of_each_matter(&sketch, is_town), ["0.drop_off", "1.town"]);
        assert_eq!(one_of_each_matter(&sketch, is_day), ["2.arrival_date", "3.arrival_date"]);
        let shared = (0..20).filter(|draw| {
            for slot in sketch.plan.slots.values_mut() {
                slot.with = None;
            }
            sketch.chance = Chance::new(1, "share", "x", *draw);
            share(&mut sketch);
            let with: Vec<(&str, &str)> =
                sketch.plan.slots.iter().filter_map(|(key, it)| Some((key.as_str(), it.with.as_deref()?))).collect();
            let allowed = [("1.town", "0.drop_off"), ("3.arrival_date", "2.arrival_date")];
            assert!(with.iter().all(|it| allowed.contains(it)), "{with:?}");
            with.contains(&allowed[0])
        });
        assert!((8..20).contains(&shared.count()));
    }

    #[test]
    fn a_matter_grows_by_what_hangs_on_it_already() {
        for draw in 0..20 {
            let mut sketch = inn().sketch("inns", draw);
            let goals: Vec<&Function> =
                inn().functions("inns").into_iter().filter(|it| !it.sayings.is_empty()).collect();
            sketch.call(inn().function("Search_Inns"), "", 0).unwrap();
            beside(&mut sketch, &goals);
            let third = sketch.plan.calls[2].function.as_str();
            assert!(["Get_Inn", "Book_Inn"].contains(&third), "{third}");
            assert_eq!(sketch.plan.calls[2].sources(), [1]);
        }
    }
}
