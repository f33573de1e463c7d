//! What the declared sources alone tell, before any call is made: how early functions can be called, and how many calls
//! there must be at least. Both are bounds: whatever the answers hold, nothing is earlier and nothing takes fewer calls.

use super::functions::{Group, Offer};
use super::harvest::key;
use super::needs::{Ground, Proposal, Want};
use indexmap::{IndexMap, IndexSet};

/// A level at which nothing can be called.
const NEVER: usize = usize::MAX / 2;

/// Functions of which any will do.
type Demand<'g> = Vec<&'g str>;

impl<'g> Ground<'g> {
    /// What a golden call must wait for.
    pub(super) fn wants_of(&self, golden: usize) -> Vec<Want> {
        let call = self.golden.calls[golden].call;
        let (name, arguments) = (call.name.as_str(), &call.arguments);
        self.wants(Proposal { name, arguments, golden: Some(golden), like: Some(golden) })
    }

    /// The first level at which a golden call could be made.
    pub(super) fn earliest(&self, golden: usize) -> usize {
        let mut levels: IndexMap<&str, usize> = IndexMap::new();
        // A level can fall as often as there are functions before it.
        for _ in 0..=self.functions.offers.len() {
            let next = self.next_levels(&levels);
            if next == levels {
                break;
            }
            levels = next;
        }
        self.level(&levels, golden)
    }

    fn next_levels(&self, levels: &IndexMap<&'g str, usize>) -> IndexMap<&'g str, usize> {
        let generic = |name: &str| self.demands(name).map_or(NEVER, |demands| after(levels, &demands));
        let own = |name: &str| {
            let calls = (0..self.golden.calls.len()).filter(|at| self.golden.calls[*at].call.name == name);
            calls.map(|at| self.level(levels, at)).min().unwrap_or(NEVER)
        };
        self.offered.iter().map(|name| (*name, generic(name).min(own(name)))).collect()
    }

    fn level(&self, levels: &IndexMap<&'g str, usize>, golden: usize) -> usize {
        let demands: Vec<Demand<'g>> = self.wants_of(golden).iter().map(|want| self.tools(want)).collect();
        after(levels, &demands)
    }

    /// The functions whose answers a want can be met by.
    fn tools(&self, want: &Want) -> Demand<'g> {
        let declared = want.places.iter().filter_map(|place| place.first()).map(|(spot, _)| spot.tool.as_str());
        let golden = want.golden.iter().map(|at| self.golden.calls[*at].call.name.as_str());
        let named: Vec<&str> = declared.chain(golden).collect();
        self.offered.iter().copied().filter(|name| named.contains(name)).collect()
    }

    /// What any call of a function waits for, if all are left out that the request says; none where it cannot be called.
    fn demands(&self, name: &str) -> Option<Vec<Demand<'g>>> {
        let offer = self.functions.offers.get(name).filter(|offer| !offer.writes())?;
        let demand = |group: &Group| {
            let open = group.params.iter().any(|name| !self.may_be_said(offer, name, |after| after.is_none()));
            open.then(|| self.feeders(offer, group))
        };
        let demands: Vec<Demand<'g>> = offer.groups.iter().filter_map(demand).collect();
        (!demands.iter().any(Vec::is_empty)).then_some(demands)
    }

    /// What every golden call of a function waits for that is called in no other way.
    fn shared_demands(&self, name: &str) -> Vec<Demand<'g>> {
        let calls = (0..self.golden.calls.len()).filter(|at| self.golden.calls[*at].call.name == name);
        let own = |at: usize| self.wants_of(at).iter().map(|want| self.tools(want)).collect::<Vec<_>>();
        let shared =
            |one: Vec<Demand<'g>>, other: Vec<Demand<'g>>| one.into_iter().filter(|it| other.contains(it)).collect();
        calls.map(own).reduce(shared).unwrap_or_default()
    }

    fn feeders(&self, offer: &Offer, group: &Group) -> Demand<'g> {
        let places = group.places.iter().flat_map(IndexMap::values).map(|spot| spot.tool.as_str());
        let named: Vec<&str> = places.collect();
        let follows = |name: &&&str| {
            let own = |after: Option<usize>| after.is_some_and(|at| self.golden.calls[at].call.name == **name);
            group.params.iter().any(|param| self.may_be_said(offer, param, own))
        };
        self.offered.iter().filter(|name| named.contains(name) || follows(name)).copied().collect()
    }

    fn may_be_said(&self, offer: &Offer, name: &str, is_there: impl Fn(Option<usize>) -> bool) -> bool {
        let Some(param) = offer.params.get(name) else { return false };
        self.knowns.iter().any(|known| is_there(known.after) && known.suits(name, param))
    }

    /// The last level at which a call of each function can still serve a goal that is to be made so many levels before
    /// its golden step.
    pub(super) fn latest(&self, before: usize) -> IndexMap<&'g str, usize> {
        let mut latest: IndexMap<&'g str, usize> = IndexMap::new();
        for goal in self.golden.goals() {
            let Some(level) = self.golden.calls[goal].step.checked_sub(before + 1) else { continue };
            for name in self.wants_of(goal).iter().flat_map(|want| self.tools(want)) {
                raise(&mut latest, name, level);
            }
        }
        let mut at = 0;
        while let Some((name, level)) = latest.get_index(at).map(|(name, level)| (*name, *level)) {
            let feeders = if level > 0 { self.all_feeders(name) } else { Vec::new() };
            let raised = feeders.into_iter().filter(|feeder| raise(&mut latest, feeder, level - 1));
            let changed = raised.count() > 0;
            at = if changed { 0 } else { at + 1 };
        }
        latest
    }

    /// Every function that can feed a call of this one, by what is declared and by golden notes.
    fn all_feeders(&self, name: &str) -> Demand<'g> {
        let Some(offer) = self.functions.offers.get(name) else { return Vec::new() };
        let own = || (0..self.golden.calls.len()).filter(|at| self.golden.calls[*at].call.name == name);
        let mut feeders: IndexSet<&'g str> = offer.groups.iter().flat_map(|group| self.feeders(offer, group)).collect();
        feeders.extend(own().flat_map(|at| self.wants_of(at)).flat_map(|want| self.tools(&want)));
        feeders.into_iter().collect()
    }

    /// The fewest calls besides the goals.
    pub(super) fn fewest(&self) -> usize {
        let goals = self.golden.goals();
        let wants: Vec<Want> = goals.iter().flat_map(|goal| self.wants_of(*goal)).collect();
        let mut bound = Fewest {
            ground: self,
            goals: IndexMap::new(),
            forced: IndexMap::new(),
            best: self.golden.calls.len() - goals.len(),
        };
        for goal in goals {
            *bound.goals.entry(self.golden.calls[goal].call.name.as_str()).or_default() += 1;
        }
        for want in &wants {
            // A field that stands once in an answer gives one value; other values want other calls.
            if let ([place], []) = (want.places.as_slice(), want.golden_beside().as_slice()) {
                if let Some((spot, _)) = place.first().filter(|(spot, _)| spot.single) {
                    let values: Vec<String> = place.iter().map(|(_, value)| key(value)).collect();
                    let name = self.offered.iter().copied().find(|name| *name == spot.tool).unwrap_or_default();
                    bound.forced.entry(name).or_default().insert(format!("{} {}", spot.number, values.join("\u{1f}")));
                }
            }
        }
        let pending = wants.iter().map(|want| self.tools(want)).collect();
        bound.search(&mut Vec::new(), pending, 0);
        bound.best
    }
}

impl Want {
    /// The golden calls that give what no declared place holds.
    fn golden_beside(&self) -> Vec<usize> {
        if self.places.is_empty() { self.golden.clone() } else { Vec::new() }
    }
}

struct Fewest<'b, 'g> {
    ground: &'b Ground<'g>,
    /// How many goals each function has.
    goals: IndexMap<&'g str, usize>,
    /// Values that one answer of a function cannot give together.
    forced: IndexMap<&'g str, IndexSet<String>>,
    best: usize,
}

impl<'g> Fewest<'_, 'g> {
    fn search(&mut self, chosen: &mut Vec<&'g str>, mut pending: Vec<Demand<'g>>, cost: usize) {
        if cost >= self.best {
            return;
        }
        pending.retain(|demand| !demand.iter().any(|name| chosen.contains(name)));
        let Some(demand) = pending.pop() else {
            self.best = cost;
            return;
        };
        for name in demand {
            let forced = self.forced.get(name).map_or(0, IndexSet::len);
            let goals = self.goals.get(name).copied().unwrap_or(0);
            let mut rest = pending.clone();
            if goals == 0 {
                rest.extend(self.ground.demands(name).unwrap_or_else(|| self.ground.shared_demands(name)));
            }
            chosen.push(name);
            self.search(chosen, rest, cost + forced.max(1).saturating_sub(goals));
            chosen.pop();
        }
    }
}

/// The level after the earliest of each demand.
fn after(levels: &IndexMap<&str, usize>, demands: &[Demand<'_>]) -> usize {
    let level = |demand: &Demand<'_>| {
        let earliest = demand.iter().filter_map(|name| levels.get(name)).min();
        earliest.map_or(NEVER, |level| level.saturating_add(1).min(NEVER))
    };
    demands.iter().map(level).max().unwrap_or(0)
}

fn raise<'g>(latest: &mut IndexMap<&'g str, usize>, name: &'g str, level: usize) -> bool {
    match latest.get(name) {
        Some(known) if *known >= level => false,
        _ => latest.insert(name, level).is_none_or(|known| known < level),
    }
}

#[cfg(test)]
mod tests {
    use super::super::golden::Golden;
    use super::super::known::knowns;
    use super::super::testing::{BOOKING, TWICE, functions, path};
    use super::*;

    fn with<T>(steps: &[&[&str]], see: impl Fn(&Ground<'_>) -> T) -> T {
        let (steps, functions) = (path(steps), functions());
        let golden = Golden::new(&steps, &functions);
        let offered = functions.offers.keys().map(String::as_str).collect();
        see(&Ground { functions: &functions, golden: &golden, knowns: knowns(&golden, &functions), offered })
    }

    #[test]
    fn nothing_can_be_called_before_what_feeds_it() {
        let levels = |steps: &[&[&str]], calls: usize| {
            with(steps, |ground| (0..calls).map(|at| ground.earliest(at)).collect::<Vec<_>>())
        };
        assert_eq!(levels(BOOKING, 4), [0, 1, 2, 3]);
        assert_eq!(levels(TWICE, 6), [0, 0, 1, 1, 2, 2]);
        let said: &[&[&str]] =
            &[&[r#"Search_Inns {"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04"}"#]];
        assert_eq!(levels(said, 1), [0]);
    }

    #[test]
    fn a_function_is_of_use_until_its_goals_are_made() {
        let latest = |before: usize| {
            with(BOOKING, |ground| {
                let latest = ground.latest(before);
                latest.into_iter().map(|(name, level)| format!("{name} {level}")).collect::<Vec<_>>()
            })
        };
        assert_eq!(latest(0), ["Book_Inn 2", "Search_Inns 1", "Find_Town 0"]);
        assert_eq!(latest(1), ["Book_Inn 1", "Search_Inns 0"], "a step earlier there is no time to look a town up");
    }

    #[test]
    fn the_fewest_calls_are_one_of_each_sort_that_is_needed() {
        let fewest = |steps| with(steps, |ground| (ground.fewest(), ground.golden.goals().len()));
        assert_eq!(fewest(BOOKING), (3, 1));
        assert_eq!(fewest(TWICE), (2, 2), "one search might find both inns, for all that is declared");
        let cancelled: &[&[&str]] = &[
            BOOKING[0],
            BOOKING[1],
            &[r#"Book_Inn {"token": "@1/data/inns/0/token"}"#, r#"Book_Inn {"token": "@1/data/inns/1/token"}"#],
            &[r#"Cancel_Booking {"booking_id": "@2/data/id"}"#, r#"Cancel_Booking {"booking_id": "@3/data/id"}"#],
        ];
        assert_eq!(fewest(cancelled), (4, 2), "a booking gives one id");
    }
}
