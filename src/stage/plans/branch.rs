//! Doubles what is to be compared: two towns, two days, or two items of one answer.

use super::sketch::Sketch;
use crate::record::{Feed, Plan};
use crate::toolset::Criterion;
use indexmap::IndexMap;

/// What the second of two branches has in another's place.
enum Other {
    /// Another value of a slot.
    Slot { old: String, new: String },
    /// Another item of a call's answer.
    Pick { call: usize, old: String, new: String },
}

impl Sketch<'_> {
    /// Doubles the calls that hang on one slot or one pick of the present matter; whether something was doubled.
    pub(super) fn branch(&mut self) -> bool {
        let Some(other) = (if self.chance.happens(0.5) {
            self.other_pick().or_else(|| self.other_slot())
        } else {
            self.other_slot().or_else(|| self.other_pick())
        }) else {
            return false;
        };
        self.double(&other);
        true
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
            key.starts_with(&prefix) && kind && !leaned && slot.unlike.is_none() && !key.contains("legs")
        };
        let keys: Vec<String> = plan.slots.iter().filter(can).map(|(key, _)| key.clone()).collect();
        let old = self.chance.pick(&keys)?.clone();
        let new = format!("{old}#2");
        let mut slot = self.plan.slots.get(&old)?.clone();
        slot.unlike = Some(old.clone());
        self.plan.slots.insert(new.clone(), slot);
        Some(Other::Slot { old, new })
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
                if feeder.free || matches!(known.by, Criterion::Asked { .. } | Criterion::Named(_)) {
                    continue;
                }
                let others = feeder.picks.iter().filter(|(name, it)| {
                    *name != pick && it.item == known.item && !matches!(it.by, Criterion::Named(_) | Criterion::First)
                });
                found.extend(others.map(|(name, _)| (*at, pick.clone(), name.clone())));
            }
        }
        let (call, old, new) = self.chance.pick(&found)?.clone();
        Some(Other::Pick { call, old, new })
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
pub(super) fn in_order(plan: &mut Plan) {
    let levels = plan.levels();
    let mut order: Vec<usize> = (0..plan.calls.len()).collect();
    order.sort_by_key(|call| levels[*call]);
    let place: IndexMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let mut calls: Vec<_> = order.iter().map(|old| plan.calls[*old].clone()).collect();
    for call in &mut calls {
        call.twin = call.twin.and_then(|twin| place.get(&twin).copied());
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
