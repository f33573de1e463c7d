//! Doubles what is to be compared: two towns, two days, or two items of one answer; and lets a call hang on what an earlier
//! answer holds.

use super::sketch::Sketch;
use crate::record::{Feed, Fork, Plan, PlanCall, PlanSlot};
use crate::toolset::{Criterion, Param};
use indexmap::IndexMap;

/// How often a call that would be made in the other case is tried, where it need not take all that it may.
const OTHERWISE: usize = 4;

/// What the second of two branches has in another's place.
enum Other {
    /// Another value of a slot.
    Slot { old: String, new: String },
    /// Another item of a call's answer.
    Pick { call: usize, old: String, new: String },
}

impl Sketch<'_> {
    /// Doubles the calls that hang on one slot or one pick of the present matter; whether something was doubled.
    pub(crate) fn branch(&mut self) -> bool {
        let Some(other) = (if self.chance.happens(0.5) {
            self.other_pick().or_else(|| self.other_slot())
        } else {
            self.other_slot().or_else(|| self.other_pick())
        }) else {
            return false;
        };
        let before = self.plan.clone();
        self.double(&other);
        // A party makes one booking.
        let books =
            |name: &str| self.declaration.functions.get(name).is_some_and(|it| it.writes || !it.changes().is_empty());
        let is_twice = self.case.is_some() && self.plan.calls.iter().any(|it| it.twin.is_some() && books(&it.function));
        if is_twice {
            self.plan = before;
        }
        !is_twice
    }

    /// A slot of this matter that can have another value as well: a place or a day that stands for itself.
    fn other_slot(&mut self) -> Option<Other> {
        let prefix = format!("{}.", self.matter);
        let (declaration, plan) = (self.declaration, &self.plan);
        let can = |(key, slot): &(&String, &crate::record::PlanSlot)| {
            let param = declaration.functions.get(&slot.function).and_then(|it| it.parameters.get(&slot.parameter));
            let kind = param.is_some_and(|it| {
                !it.values.is_empty() || (it.follows.is_none() && it.format == Some(crate::toolset::Format::Date))
            });
            // A day on which others lean would pull them along.
            let leaned = plan.slots.iter().any(|(other, it)| {
                let follows = declaration
                    .functions
                    .get(&it.function)
                    .and_then(|f| f.parameters.get(&it.parameter)?.follows.as_ref());
                other.starts_with(&prefix) && follows.is_some_and(|follows| follows.parameter == slot.parameter)
            });
            self.compares(key, slot, param)
                && key.starts_with(&prefix)
                && kind
                && !leaned
                && slot.unlike.is_none()
                && !key.contains("legs")
        };
        let keys: Vec<String> = plan.slots.iter().filter(can).map(|(key, _)| key.clone()).collect();
        let old = self.chance.pick(&keys)?.clone();
        let new = format!("{old}#2");
        let mut slot = self.plan.slots.get(&old)?.clone();
        slot.unlike = Some(old.clone());
        // Two places of one town, where all else is there as well.
        slot.field = slot.field.filter(|field| self.is_elsewhere(&old, field));
        self.plan.slots.insert(new.clone(), slot);
        Some(Other::Slot { old, new })
    }

    /// Whether the person may compare two values of a slot: where the case's value is taken elsewhere too, two places of the
    /// one town; else what the case has open.
    fn compares(&self, key: &str, slot: &PlanSlot, param: Option<&Param>) -> bool {
        let Some(field) = &slot.field else { return true };
        let cases = &self.declaration.cases;
        if self.is_elsewhere(key, field) {
            let town = cases.fields.get(field).and_then(|it| it.rows.as_ref());
            return param.is_some_and(|it| it.values.iter().any(|(table, _)| Some(table) != town));
        }
        let case = self.plan.case.as_ref().and_then(|name| cases.cases.get(name));
        case.is_some_and(|case| case.compares.contains(field))
    }

    /// Whether another slot has the same value of the case.
    fn is_elsewhere(&self, key: &str, field: &str) -> bool {
        self.plan.slots.iter().any(|(other, it)| other != key && it.field.as_deref() == Some(field))
    }

    /// An answer of which two items can be meant.
    fn other_pick(&mut self) -> Option<Other> {
        let mut found: Vec<(usize, String, String)> = Vec::new();
        for call in self.plan.calls.iter().filter(|call| call.matter == self.matter) {
            for feed in call.arguments.values().flat_map(super::fed::feeds_of) {
                let Feed::Item { call: at, pick, slot: None, .. } = feed else { continue };
                let Some(feeder) = self.plan.calls.get(*at).and_then(|it| self.declaration.functions.get(&it.function))
                else {
                    continue;
                };
                let Some(known) = feeder.picks.get(pick) else { continue };
                if feeder.free
                    || matches!(known.by, Criterion::Asked { .. } | Criterion::Named(_) | Criterion::Chosen(_))
                {
                    continue;
                }
                let others = feeder.picks.iter().filter(|(name, it)| {
                    *name != pick && it.item == known.item && matches!(it.by, Criterion::Least(_) | Criterion::Most(_))
                });
                found.extend(others.map(|(name, _)| (*at, pick.clone(), name.clone())));
            }
        }
        let (call, old, new) = self.chance.pick(&found)?.clone();
        Some(Other::Pick { call, old, new })
    }

    /// Lets a call at an end hang on whether the item that it is about has some quality; whether there is such a call.
    pub(crate) fn fork(&mut self) -> bool {
        let mut found = self.forks();
        self.chance.shuffle(&mut found);
        for (call, fork, name) in found {
            if let Some(other) = self.otherwise(&name, &fork) {
                self.plan.calls[call].fork = Some(Box::new(Fork { other, ..fork }));
                return true;
            }
        }
        false
    }

    /// The calls of the matter that may hang on a quality, and the function that would be called if it were the other way
    /// round.
    fn forks(&self) -> Vec<(usize, Fork, String)> {
        let is_twin = |call: usize| {
            self.plan.calls[call].twin.is_some() || self.plan.calls.iter().any(|it| it.twin == Some(call))
        };
        let mut found = Vec::new();
        for call in self.plan.ends().into_iter().filter(|call| !is_twin(*call)) {
            let planned = &self.plan.calls[call];
            // What is made for this call alone would hang on the same.
            let is_lookup =
                |at: &usize| self.declaration.functions.get(&self.plan.calls[*at].function).is_some_and(|it| it.free);
            let needs_no_more = planned.sources().iter().filter(|at| !is_lookup(at)).count() == 1;
            let is_one = planned.matter == self.matter && needs_no_more;
            for feed in planned.arguments.values().filter(|_| is_one) {
                let Feed::Item { call: at, pick, slot: None, minutes: 0, .. } = feed else { continue };
                let feeder = self.declaration.functions.get(&self.plan.calls[*at].function).filter(|_| !is_twin(*at));
                let Some((feeder, known)) = feeder.and_then(|it| Some((it, it.picks.get(pick)?))) else { continue };
                if !matches!(known.by, Criterion::Least(_) | Criterion::Most(_)) {
                    continue;
                }
                let of_list = feeder.forks.iter().filter(|(_, it)| it.quality.item == known.item);
                for (quality, (yes, no)) in of_list.flat_map(|(name, it)| it.pairs.iter().map(move |pair| (name, pair)))
                {
                    let met = *yes == planned.function;
                    if met || *no == planned.function {
                        let (pick, quality) = (pick.clone(), quality.clone());
                        let fork = Fork { call: *at, pick, quality, met, other: PlanCall::default() };
                        found.push((call, fork, if met { no.clone() } else { yes.clone() }));
                    }
                }
            }
        }
        found
    }

    /// The call of a function for the item of a fork, if it takes nothing that the request does not say anyway.
    fn otherwise(&mut self, name: &str, fork: &Fork) -> Option<PlanCall> {
        let function = self.allowed.iter().copied().find(|it| it.name == name)?;
        let (calls, slots) = (self.plan.calls.len(), self.plan.slots.clone());
        let is_about =
            |feed: &Feed| matches!(feed, Feed::Item { call, pick, .. } if *call == fork.call && *pick == fork.pick);
        let mut found = None;
        for _ in 0..OTHERWISE {
            self.tried(|sketch| {
                let at = sketch.call(function, "", 0)?;
                let is_same = at == calls && sketch.plan.calls.len() == calls + 1 && sketch.plan.slots == slots;
                let made = sketch.plan.calls.get(at).filter(|it| is_same && it.arguments.values().any(is_about));
                found = made.cloned();
                None::<()>
            });
            if found.is_some() {
                break;
            }
        }
        found
    }

    fn double(&mut self, other: &Other) {
        let mut copies: IndexMap<usize, usize> = IndexMap::new();
        let originals = self.plan.calls.len();
        for at in 0..originals {
            let call = self.plan.calls[at].clone();
            if call.matter != self.matter {
                continue;
            }
            let mut touched = false;
            let mut copy = call.clone();
            for feed in copy.arguments.values_mut() {
                touched |= exchange(feed, other, &copies);
            }
            if touched {
                copy.twin = Some(at);
                copies.insert(at, self.plan.calls.len());
                self.plan.calls.push(copy);
            }
        }
        in_order(&mut self.plan);
    }
}

/// Puts the other value in its place; whether it was there.
fn exchange(feed: &mut Feed, other: &Other, copies: &IndexMap<usize, usize>) -> bool {
    match (feed, other) {
        (Feed::Said(slot), Other::Slot { old, new }) if slot == old => {
            slot.clone_from(new);
            true
        }
        (Feed::Item { call, pick, .. }, other) => {
            if let Some(copy) = copies.get(call) {
                *call = *copy;
                return true;
            }
            match other {
                Other::Pick { call: at, old, new } if call == at && pick == old => {
                    pick.clone_from(new);
                    true
                }
                _ => false,
            }
        }
        (Feed::Whole { call, .. }, _) => copies.get(call).is_some_and(|copy| {
            *call = *copy;
            true
        }),
        (Feed::Set(feeds), other) => exchange_any(feeds.iter_mut(), other, copies),
        (Feed::List(items), other) => exchange_any(items.iter_mut().flat_map(IndexMap::values_mut), other, copies),
        (Feed::Said(_), _) => false,
    }
}

/// The same in every one of several feeds; whether it was in any.
fn exchange_any<'f>(feeds: impl Iterator<Item = &'f mut Feed>, other: &Other, copies: &IndexMap<usize, usize>) -> bool {
    let mut touched = false;
    for feed in feeds {
        touched |= exchange(feed, other, copies);
    }
    touched
}

/// Puts the calls in the order of their steps, so that each comes after those that feed it.
pub(crate) fn in_order(plan: &mut Plan) {
    let levels = plan.levels();
    let mut order: Vec<usize> = (0..plan.calls.len()).collect();
    order.sort_by_key(|call| levels[*call]);
    let place: IndexMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let mut calls: Vec<_> = order.iter().map(|old| plan.calls[*old].clone()).collect();
    for call in &mut calls {
        call.twin = call.twin.and_then(|twin| place.get(&twin).copied());
        if let Some(fork) = &mut call.fork {
            fork.call = place.get(&fork.call).copied().unwrap_or(fork.call);
            fork.other.arguments.values_mut().for_each(|feed| renumber(feed, &place));
        }
        call.arguments.values_mut().for_each(|feed| renumber(feed, &place));
    }
    plan.calls = calls;
}

fn renumber(feed: &mut Feed, place: &IndexMap<usize, usize>) {
    match feed {
        Feed::Item { call, .. } | Feed::Whole { call, .. } => *call = place.get(call).copied().unwrap_or(*call),
        Feed::Set(feeds) => feeds.iter_mut().for_each(|feed| renumber(feed, place)),
        Feed::List(items) => {
            items.iter_mut().flat_map(IndexMap::values_mut).for_each(|feed| renumber(feed, place));
        }
        Feed::Said(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, inn, item, names, said, stay, travel, two_towns};
    use super::*;
    use crate::record::PlanCall;
    use proptest::prelude::*;

    fn slot_of(old: &str) -> Other {
        Other::Slot { old: old.to_owned(), new: format!("{old}#2") }
    }

    fn doubled(other: &Other) -> Plan {
        let mut sketch = inn().sketch("inns", 0);
        sketch.plan = stay();
        sketch.double(other);
        sketch.plan
    }

    fn twins(plan: &Plan) -> Vec<Option<usize>> {
        plan.calls.iter().map(|call| call.twin).collect()
    }

    #[test]
    fn what_hangs_on_a_slot_is_doubled_and_nothing_else() {
        let plan = doubled(&slot_of("0.town_id"));
        assert_eq!(plan.calls, two_towns().calls);
        assert_eq!(names(&plan), ["Find_Town", "Find_Town", "Search_Inns", "Search_Inns", "Book_Inn", "Book_Inn"]);
        assert_eq!(twins(&plan), [None, Some(0), None, Some(2), None, Some(4)]);
        assert_eq!(plan.calls[1].arguments["query"], said("0.town_id#2"));
        assert_eq!((plan.calls[3].sources(), plan.calls[5].sources()), (vec![1], vec![3]));
        assert_eq!(plan.calls[3].arguments["arrival"], said("0.arrival"), "what is not compared stays");
        let plan = doubled(&slot_of("0.guests"));
        assert_eq!(names(&plan), ["Find_Town", "Search_Inns", "Search_Inns", "Book_Inn", "Book_Inn"]);
        assert_eq!((plan.calls[1].sources(), plan.calls[2].sources()), (vec![0], vec![0]));
    }

    #[test]
    fn what_hangs_on_a_pick_is_doubled_and_nothing_else() {
        let plan = doubled(&Other::Pick { call: 1, old: "cheapest".to_owned(), new: "best".to_owned() });
        assert_eq!(names(&plan), ["Find_Town", "Search_Inns", "Book_Inn", "Book_Inn"]);
        assert_eq!(plan.calls[3].arguments["token"], item(1, "best", "/token"));
        assert_eq!((plan.calls[2].twin, plan.calls[3].twin), (None, Some(2)));
        let plan = doubled(&Other::Pick { call: 1, old: "best".to_owned(), new: "cheapest".to_owned() });
        assert_eq!(plan, stay(), "nobody means that one");
    }

    #[test]
    fn a_call_hangs_on_the_item_that_it_is_about() {
        let ground = travel("en");
        let goals = [("hotels", "Get_Hotel_Rooms"), ("cross", "Book_Taxi"), ("car_rental", "Get_Car_Extras")];
        let (mut made, mut met) = (0, 0);
        for (draw, (domain, goal)) in (0..30).flat_map(|draw| goals.map(|it| (draw, it))) {
            let mut sketch = ground.sketch(domain, draw);
            let Some(call) = sketch.call(ground.function(goal), "", 0) else { continue };
            let before = sketch.plan.clone();
            if !sketch.fork() {
                assert_eq!(sketch.plan, before);
                continue;
            }
            let fork = sketch.plan.calls[call].fork.clone().unwrap();
            let feeder = ground.function(&sketch.plan.calls[fork.call].function);
            let (own, other) = (goal.to_owned(), fork.other.function.clone());
            let pair = if fork.met { (own, other) } else { (other, own) };
            assert!(feeder.forks[&fork.quality].pairs.contains(&pair));
            assert_eq!(feeder.picks[&fork.pick].item, feeder.forks[&fork.quality].quality.item);
            assert!(fork.other.sources().contains(&fork.call), "both are about the item");
            sketch.plan.calls[call].fork = None;
            assert_eq!(sketch.plan, before, "nothing else is called, and nothing else is said");
            (made, met) = (made + 1, met + usize::from(fork.met));
        }
        assert!(made > 20 && met > 5 && met < made, "{made} {met}");
    }

    #[test]
    fn calls_of_another_matter_are_left_alone() {
        let mut sketch = inn().sketch("inns", 0);
        sketch.plan = stay();
        sketch.matter = 1;
        sketch.double(&slot_of("0.town_id"));
        assert_eq!(sketch.plan, stay());
        assert!(!sketch.branch(), "it has neither a slot nor a pick");
    }

    #[test]
    fn feeds_within_feeds_are_exchanged_too() {
        let leg = |slot: &str| IndexMap::from([("a".to_owned(), said(slot)), ("b".to_owned(), item(3, "p", "/x"))]);
        let mut list = Feed::List(vec![leg("x"), leg("y"), leg("x")]);
        assert!(exchange(&mut list, &slot_of("x"), &IndexMap::new()));
        assert_eq!(list, Feed::List(vec![leg("x#2"), leg("y"), leg("x#2")]));
        let copies = IndexMap::from([(3, 8)]);
        let mut set = Feed::Set(vec![item(3, "p", "/x"), item(2, "p", "/x"), item(3, "q", "/x")]);
        assert!(exchange(&mut set, &slot_of("x"), &copies));
        assert_eq!(set, Feed::Set(vec![item(8, "p", "/x"), item(2, "p", "/x"), item(8, "q", "/x")]));
        let mut whole = Feed::Whole { call: 3, field: "/key".to_owned() };
        assert!(exchange(&mut whole, &slot_of("x"), &copies) && whole.sources() == [8]);
        assert!(!exchange(&mut whole, &slot_of("x"), &copies) && !exchange(&mut said("z"), &slot_of("x"), &copies));
    }

    /// The calls that hang on a slot, found anew.
    fn hanging(plan: &Plan, slot: &str) -> usize {
        let mut found: Vec<usize> = Vec::new();
        for (at, call) in plan.calls.iter().enumerate() {
            let takes = call.arguments.values().any(|feed| matches!(feed, Feed::Said(it) if it == slot));
            if takes || call.sources().iter().any(|it| found.contains(it)) {
                found.push(at);
            }
        }
        found.len()
    }

    #[test]
    fn a_branch_adds_a_twin_for_each_call_that_hangs_on_what_differs() {
        let (mut by_slot, mut by_pick) = (0, 0);
        let grounds = [(inn(), "inns", "Book_Inn"), (travel("en"), "hotels", "Get_Hotel_Details")];
        for (draw, (ground, domain, goal)) in (0..30).flat_map(|draw| grounds.map(|it| (draw, it))) {
            let mut sketch = ground.sketch(domain, draw);
            let Some(_) = sketch.call(ground.function(goal), "", 0) else { continue };
            let before = sketch.plan.clone();
            if !sketch.branch() {
                assert_eq!(sketch.plan, before);
                continue;
            }
            let plan = &sketch.plan;
            let added = twins(plan).into_iter().flatten().count();
            assert_eq!(plan.calls.len(), before.calls.len() + added);
            for call in plan.calls.iter().filter(|call| call.twin.is_some()) {
                let twin = &plan.calls[call.twin.unwrap()];
                assert_eq!((&twin.function, twin.twin), (&call.function, None));
                assert_ne!(twin.arguments, call.arguments);
                assert!(twin.arguments.keys().eq(call.arguments.keys()));
            }
            if let Some(new) = plan.slots.keys().find(|key| key.ends_with("#2")) {
                let old = plan.slots[new].unlike.as_deref().unwrap();
                assert_eq!((added, format!("{old}#2")), (hanging(&before, old), new.clone()));
                by_slot += 1;
            } else {
                assert!(added > 0 && plan.slots == before.slots);
                by_pick += 1;
            }
        }
        assert!(by_slot > 5 && by_pick > 5, "{by_slot} {by_pick}");
    }

    #[test]
    fn a_day_on_which_others_lean_is_not_doubled() {
        for draw in 0..30 {
            let mut sketch = inn().sketch("inns", draw);
            sketch.call(inn().function("Search_Inns"), "", 0).unwrap();
            sketch.branch();
            assert!(sketch.plan.slots.keys().all(|key| !key.starts_with("0.arrival#")));
        }
    }

    /// Calls that take from earlier ones, through feeds of every sort.
    fn plans() -> impl Strategy<Value = Plan> {
        let call = (prop::collection::vec(any::<prop::sample::Index>(), 0..3), any::<prop::sample::Index>(), 0_u8..6);
        prop::collection::vec(call, 1..12).prop_map(|calls| Plan {
            calls: calls
                .into_iter()
                .enumerate()
                .map(|(at, (sources, twin, sort))| {
                    let earlier = |index: &prop::sample::Index| index.index(at);
                    let feeds = sources.iter().filter(|_| at > 0).enumerate().map(|(place, it)| {
                        let plain = item(earlier(it), "p", "/f");
                        let feed = match (usize::from(sort) + place) % 4 {
                            0 => plain,
                            1 => Feed::Whole { call: earlier(it), field: "/k".to_owned() },
                            2 => Feed::Set(vec![plain, said("s")]),
                            _ => Feed::List(vec![IndexMap::from([("a".to_owned(), plain)])]),
                        };
                        (format!("p{place}"), feed)
                    });
                    let twin = (at > 0 && sort == 0).then(|| twin.index(at));
                    PlanCall { function: format!("f{at}"), arguments: feeds.collect(), twin, ..PlanCall::default() }
                })
                .collect(),
            ..Plan::default()
        })
    }

    /// What each call takes from, and what it repeats, by names.
    fn told(plan: &Plan) -> IndexMap<String, (Vec<Vec<&str>>, Option<&str>)> {
        let name = |call: usize| plan.calls[call].function.as_str();
        let of = |call: &PlanCall| {
            let sources = call.arguments.values().map(|feed| feed.sources().into_iter().map(name).collect()).collect();
            (call.function.clone(), (sources, call.twin.map(name)))
        };
        let mut told: IndexMap<_, _> = plan.calls.iter().map(of).collect();
        told.sort_keys();
        told
    }

    proptest! {
        #[test]
        fn order_changes_no_feed_and_no_twin(plan in plans()) {
            let mut ordered = plan.clone();
            in_order(&mut ordered);
            prop_assert_eq!(told(&ordered), told(&plan));
            prop_assert!(ordered.levels().is_sorted());
            prop_assert!(ordered.calls.iter().enumerate().all(|(at, call)| call.sources().iter().all(|it| *it < at)));
            prop_assert_eq!(ordered.path(), plan.path());
            let again = ordered.clone();
            in_order(&mut ordered);
            prop_assert_eq!(ordered, again);
        }
    }

    #[test]
    fn a_call_without_feeds_goes_to_the_first_step() {
        let calls = vec![
            call("A", vec![("q", said("x"))]),
            call("B", vec![("a", item(0, "p", "/f"))]),
            PlanCall { twin: Some(0), ..call("A", vec![("q", said("x#2"))]) },
        ];
        let mut plan = Plan { calls, ..Plan::default() };
        in_order(&mut plan);
        assert_eq!((names(&plan), twins(&plan)), (vec!["A", "A", "B"], vec![None, Some(0), None]));
    }
}
