//! The closure: level by level, every call whose arguments are known by then.

use super::answers::Answers;
use super::harvest::{Harvest, key};
use super::needs::{Ground, Proposal, Want, holds};
use fcgen_core::record::{Object, Value};
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

/// The calls that can be made.
#[derive(Default)]
pub(super) struct Closure {
    pub(super) calls: Vec<Made>,
    /// The place of each golden call.
    pub(super) golden: IndexMap<usize, usize>,
    keys: IndexSet<String>,
    /// The calls whose answers hold a value at a spot.
    index: IndexMap<(usize, String), Vec<usize>>,
}

/// A call that can be made, with the level at which it can be made first.
pub(super) struct Made {
    pub(super) name: String,
    pub(super) arguments: Object,
    pub(super) level: usize,
    pub(super) golden: Option<usize>,
    pub(super) like: Option<usize>,
    pub(super) harvest: Arc<Harvest>,
}

/// How far a closure grows.
pub(super) struct Reach<'r> {
    /// The last level.
    pub(super) last: usize,
    /// The last level at which a call of a function is of any use.
    pub(super) latest: IndexMap<&'r str, usize>,
    /// Most calls of a level.
    pub(super) calls: usize,
}

/// A level has more calls than it may.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Closure {
    /// Grows from what the request says. Without a world the golden calls alone have answers.
    pub(super) fn grow(ground: &Ground<'_>, answers: Option<&Answers>, reach: &Reach<'_>) -> Result<Self, Full> {
        let mut closure = Self::default();
        for level in 0..=reach.last {
            let mut made = closure.golden_calls(ground, level);
            if let Some(answers) = answers {
                closure.others(ground, answers, level, reach, &mut made)?;
            }
            for call in made {
                closure.add(ground, call);
            }
        }
        Ok(closure)
    }

    /// The golden calls that can be made now and could not before.
    fn golden_calls(&self, ground: &Ground<'_>, level: usize) -> Vec<Made> {
        let fresh = (0..ground.golden.calls.len()).filter(|at| !self.golden.contains_key(at));
        let made = |at: usize| {
            let golden = &ground.golden.calls[at];
            let (name, arguments) = (golden.call.name.clone(), golden.call.arguments.clone());
            let harvest = golden.harvest.clone();
            let call = Made { name, arguments, level, golden: Some(at), like: Some(at), harvest };
            self.is_ready(&ground.wants(call.proposal())).then_some(call)
        };
        fresh.filter_map(made).collect()
    }

    fn others(
        &self,
        ground: &Ground<'_>,
        answers: &Answers,
        level: usize,
        reach: &Reach<'_>,
        made: &mut Vec<Made>,
    ) -> Result<(), Full> {
        for (name, offer) in ground.functions.offers.iter().filter(|(name, _)| ground.offered.contains(&name.as_str()))
        {
            if offer.writes() || reach.latest.get(name.as_str()).is_none_or(|latest| *latest < level) {
                continue;
            }
            for (arguments, like) in ground.bind(self, name, offer, reach.calls).ok_or(Full)? {
                let golden =
                    |it: &super::golden::GoldenCall<'_>| it.call.name == *name && it.call.arguments == arguments;
                if self.keys.contains(&call_key(name, &arguments)) || ground.golden.calls.iter().any(golden) {
                    continue;
                }
                if let Some(harvest) = answers.get(ground.functions, name, &arguments) {
                    made.push(Made { name: name.clone(), arguments, level, golden: None, like, harvest });
                }
                if made.len() > reach.calls {
                    return Err(Full);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, ground: &Ground<'_>, call: Made) {
        let at = self.calls.len();
        if let Some(golden) = call.golden {
            self.golden.insert(golden, at);
        }
        self.keys.insert(call_key(&call.name, &call.arguments));
        let shapes = ground.functions.shapes.get(&call.name).map_or(&[][..], Vec::as_slice);
        for (shape, items) in shapes.iter().zip(call.harvest.iter()) {
            for ((_, number), value) in items.iter().flat_map(|item| shape.fields.iter().zip(item)) {
                let Some(value) = value else { continue };
                let calls = self.index.entry((*number, key(value))).or_default();
                if calls.last() != Some(&at) {
                    calls.push(at);
                }
            }
        }
        self.calls.push(call);
    }

    /// Whether every want has an answer.
    pub(super) fn is_ready(&self, wants: &[Want]) -> bool {
        wants.iter().all(|want| !self.producers(want).is_empty())
    }

    /// The calls that answer a want.
    pub(super) fn producers(&self, want: &Want) -> Vec<usize> {
        let mut calls: Vec<usize> = want.golden.iter().filter_map(|golden| self.golden.get(golden).copied()).collect();
        for place in &want.places {
            let Some((spot, value)) = place.first() else { continue };
            let found = self.index.get(&(spot.number, key(value))).into_iter().flatten().copied();
            let whole = |at: &usize| {
                let items = self.calls[*at].harvest.get(spot.shape);
                items.into_iter().flatten().any(|item| place.iter().all(|(spot, value)| holds(item, spot, value)))
            };
            calls.extend(found.filter(whole));
        }
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    /// The first level at which a golden call can be made.
    pub(super) fn level_of(&self, golden: usize) -> Option<usize> {
        self.golden.get(&golden).map(|at| self.calls[*at].level)
    }
}

impl Made {
    pub(super) fn proposal(&self) -> Proposal<'_> {
        Proposal { name: &self.name, arguments: &self.arguments, golden: self.golden, like: self.like }
    }

    /// The call for people; long arguments are cut.
    pub(super) fn shown(&self) -> String {
        shown(&self.name, &self.arguments)
    }
}

/// A call for people; long arguments are cut.
pub(super) fn shown(name: &str, arguments: &Object) -> String {
    let values = arguments.iter().map(|(name, value)| {
        let text = value.to_string();
        let cut: String = text.chars().take(40).collect();
        if cut.len() < text.len() { format!("{name}={cut}...") } else { format!("{name}={text}") }
    });
    format!("{name}({})", values.collect::<Vec<_>>().join(", "))
}

fn call_key(name: &str, arguments: &Object) -> String {
    format!("{name}{}", Value::Object(arguments.clone()))
}

#[cfg(test)]
mod tests {
    use super::super::functions::Functions;
    use super::super::golden::Golden;
    use super::super::known::knowns;
    use super::super::testing::{BOOKING, TWICE, functions, path, world};
    use super::*;

    fn grown<T>(
        steps: &[&[&str]],
        reach: impl Fn(&Functions) -> (usize, usize),
        see: impl Fn(Result<Closure, Full>) -> T,
    ) -> T {
        let (steps, functions) = (path(steps), functions());
        let golden = Golden::new(&steps, &functions);
        let offered: Vec<&str> = functions.offers.keys().map(String::as_str).collect();
        let (last, calls) = reach(&functions);
        let latest = offered.iter().map(|name| (*name, last)).collect();
        let ground = Ground { functions: &functions, golden: &golden, knowns: knowns(&golden, &functions), offered };
        see(Closure::grow(&ground, Some(&Answers::new(world())), &Reach { last, latest, calls }))
    }

    #[test]
    fn each_level_makes_what_the_one_before_gave() {
        let names = grown(
            BOOKING,
            |_| (2, 1_000),
            |closure| {
                let calls = closure.unwrap_or_default().calls;
                calls.iter().map(|call| (call.level, call.name.clone())).collect::<IndexSet<_>>()
            },
        );
        let at = |level: usize| {
            names.iter().filter(|(it, _)| *it == level).map(|(_, name)| name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(at(0), ["Find_Town", "Locate_Town"]);
        assert_eq!(at(1), ["Search_Inns"]);
        assert_eq!(at(2), ["Book_Inn", "Get_Inn"], "what changes something is made as a golden call alone");
    }

    #[test]
    fn days_go_in_pairs_that_make_sense() {
        let searches = grown(
            TWICE,
            |_| (1, 1_000),
            |closure| {
                let calls = closure.unwrap_or_default().calls;
                let days = |call: &Made| ["arrival", "departure"].map(|name| call.arguments[name].to_string());
                calls.iter().filter(|call| call.name == "Search_Inns").map(days).collect::<Vec<_>>()
            },
        );
        assert!(searches.iter().all(|[arrival, departure]| arrival < departure));
        assert_eq!(searches.len(), 2 * 3, "two towns, three pairs of three days");
    }

    #[test]
    fn a_level_that_is_too_wide_ends_it() {
        assert!(grown(TWICE, |_| (1, 2), |closure| closure.is_err()));
        assert!(grown(TWICE, |_| (1, 20), |closure| closure.is_ok()));
    }

    #[test]
    fn a_call_is_shown_with_its_arguments_cut() {
        let arguments =
            Object::from([("token".to_owned(), Value::from("x".repeat(99))), ("n".to_owned(), Value::from(2))]);
        assert_eq!(shown("f", &arguments), format!("f(token=\"{}..., n=2)", "x".repeat(39)));
    }
}
