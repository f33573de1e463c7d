//! Whether fewer calls reach the same goals in as many steps: branch and bound over who answers what.

use super::grow::Closure;
use super::needs::Ground;
use indexmap::{IndexMap, IndexSet};

/// How many choices are tried before it is given up.
const TRIES: usize = 200_000;

/// The search was given up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GivenUp;

/// The calls that matter, each with what it waits for: the calls of which one will do.
struct Cover<'c> {
    closure: &'c Closure,
    wants: IndexMap<usize, Vec<Vec<usize>>>,
    /// The goals with their last levels.
    goals: IndexMap<usize, usize>,
    tries: usize,
}

/// The calls besides the goals that reach all goals in time, if they are at most `most`.
pub(super) fn smaller(ground: &Ground<'_>, closure: &Closure, most: usize) -> Result<Option<Vec<usize>>, GivenUp> {
    let goals = ground.golden.goals().into_iter();
    let goals: Option<IndexMap<usize, usize>> =
        goals.map(|goal| Some((*closure.golden.get(&goal)?, ground.golden.calls[goal].step))).collect();
    let Some(goals) = goals else { return Ok(None) };
    let mut cover = Cover { closure, wants: IndexMap::new(), goals, tries: TRIES };
    cover.look_back(ground);
    cover.merge_alike();
    cover.search(&mut Vec::new(), &mut IndexSet::new(), most)
}

impl Cover<'_> {
    /// Collects what the goals wait for, what that waits for, and so on.
    fn look_back(&mut self, ground: &Ground<'_>) {
        let mut open: Vec<usize> = self.goals.keys().copied().collect();
        while let Some(at) = open.pop() {
            if self.wants.contains_key(&at) {
                continue;
            }
            let wants = ground.wants(self.closure.calls[at].proposal());
            let producers: Vec<Vec<usize>> = wants.iter().map(|want| self.closure.producers(want)).collect();
            open.extend(producers.iter().flatten());
            self.wants.insert(at, producers);
        }
    }

    /// Keeps one of the calls that wait for the same and serve the same: any other would do as well.
    fn merge_alike(&mut self) {
        let mut numbers: IndexSet<Vec<usize>> = IndexSet::new();
        let known: Vec<(usize, Vec<usize>)> = self
            .wants
            .iter()
            .map(|(at, wants)| (*at, wants.iter().map(|want| numbers.insert_full(want.clone()).0).collect()))
            .collect();
        let mut serves: IndexMap<usize, Vec<usize>> = IndexMap::new();
        for (number, producers) in numbers.iter().enumerate() {
            for at in producers {
                serves.entry(*at).or_default().push(number);
            }
        }
        let mut kept: IndexMap<(usize, Vec<usize>, Vec<usize>), usize> = IndexMap::new();
        for (at, mut wants) in known.into_iter().filter(|(at, _)| !self.goals.contains_key(at)) {
            wants.sort_unstable();
            wants.dedup();
            let sort = (self.closure.calls[at].level, wants, serves.get(&at).cloned().unwrap_or_default());
            kept.entry(sort).or_insert(at);
        }
        let stays: IndexSet<usize> = kept.into_values().chain(self.goals.keys().copied()).collect();
        self.wants.retain(|at, _| stays.contains(at));
        self.wants.values_mut().flatten().for_each(|want| want.retain(|at| stays.contains(at)));
    }

    fn search(
        &mut self,
        chosen: &mut Vec<usize>,
        barred: &mut IndexSet<usize>,
        most: usize,
    ) -> Result<Option<Vec<usize>>, GivenUp> {
        self.tries = self.tries.checked_sub(1).ok_or(GivenUp)?;
        let levels = self.levels(chosen);
        if self.goals.iter().all(|(goal, last)| levels.get(goal).is_some_and(|level| level <= last)) {
            return Ok(Some(chosen.clone()));
        }
        if chosen.len() + self.missing(chosen, barred) > most {
            return Ok(None);
        }
        let mut tried = Vec::new();
        let mut found = Ok(None);
        for at in self.branches(chosen, barred, &levels) {
            chosen.push(at);
            found = self.search(chosen, barred, most);
            chosen.pop();
            if found != Ok(None) {
                break;
            }
            // What does without this call is looked for from here on.
            barred.insert(at);
            tried.push(at);
        }
        for at in &tried {
            barred.swap_remove(at);
        }
        found
    }

    /// When each of the goals and the chosen calls can be made.
    fn levels(&self, chosen: &[usize]) -> IndexMap<usize, usize> {
        let mut levels: IndexMap<usize, usize> = IndexMap::new();
        loop {
            let fresh: Vec<(usize, usize)> = self
                .set(chosen)
                .filter(|at| !levels.contains_key(at))
                .filter_map(|at| {
                    let before = |want: &Vec<usize>| want.iter().filter_map(|it| levels.get(it)).min().map(|it| it + 1);
                    let before: Option<Vec<usize>> = self.wants.get(&at)?.iter().map(before).collect();
                    Some((at, before?.into_iter().max().unwrap_or(0)))
                })
                .collect();
            // Those that come first are settled first, so that no level is greater than it must be.
            let Some(least) = fresh.iter().map(|(_, level)| *level).min() else { return levels };
            levels.extend(fresh.into_iter().filter(|(_, level)| *level == least));
        }
    }

    fn set<'s>(&'s self, chosen: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        self.goals.keys().chain(chosen).copied()
    }

    /// How many more calls there must be at least: wants that no call meets, no two of which one call could meet.
    fn missing(&self, chosen: &[usize], barred: &IndexSet<usize>) -> usize {
        let mut seen: IndexSet<usize> = IndexSet::new();
        let mut count = 0;
        for want in self.open(chosen) {
            let rest: Vec<usize> = want.iter().copied().filter(|at| !barred.contains(at)).collect();
            if rest.is_empty() {
                return self.closure.calls.len();
            }
            if !rest.iter().any(|at| seen.contains(at)) {
                count += 1;
                seen.extend(rest);
            }
        }
        count
    }

    /// The wants that none of the chosen calls meets.
    fn open<'s>(&'s self, chosen: &'s [usize]) -> impl Iterator<Item = &'s Vec<usize>> + 's {
        let met = |want: &Vec<usize>| want.iter().any(|at| chosen.contains(at) || self.goals.contains_key(at));
        self.set(chosen).filter_map(|at| self.wants.get(&at)).flatten().filter(move |want| !met(want))
    }

    /// Calls of which one must come in: those that meet the narrowest open want, else all that could make something earlier.
    fn branches(&self, chosen: &[usize], barred: &IndexSet<usize>, levels: &IndexMap<usize, usize>) -> Vec<usize> {
        let free = |at: &usize| !barred.contains(at) && !chosen.contains(at) && !self.goals.contains_key(at);
        if let Some(want) = self.open(chosen).min_by_key(|want| want.len()) {
            return want.iter().copied().filter(free).collect();
        }
        let late = |at: &usize| self.goals.get(at).is_none_or(|last| levels.get(at).is_none_or(|level| level > last));
        let wants = self.set(chosen).filter(late).filter_map(|at| self.wants.get(&at)).flatten().flatten();
        let branches: IndexSet<usize> = wants.copied().filter(free).collect();
        branches.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cover over calls with levels, what each waits for, and the goals with their last levels.
    fn found(calls: &[(usize, &[&[usize]])], goals: &[(usize, usize)], most: usize) -> Option<Vec<usize>> {
        let mut closure = Closure::default();
        for (level, _) in calls {
            closure.calls.push(super::super::grow::Made {
                name: "f".to_owned(),
                arguments: fcgen_core::record::Object::new(),
                level: *level,
                golden: None,
                like: None,
                harvest: std::sync::Arc::default(),
            });
        }
        let wants =
            calls.iter().enumerate().map(|(at, (_, wants))| (at, wants.iter().map(|want| want.to_vec()).collect()));
        let goals = goals.iter().copied().collect();
        let mut cover = Cover { closure: &closure, wants: wants.collect(), goals, tries: 1_000 };
        cover.merge_alike();
        cover.search(&mut Vec::new(), &mut IndexSet::new(), most).unwrap()
    }

    #[test]
    fn one_call_that_serves_both_goals_is_enough() {
        let calls: &[(usize, &[&[usize]])] = &[(0, &[]), (0, &[]), (0, &[]), (1, &[&[0, 2]]), (1, &[&[1, 2]])];
        assert_eq!(found(calls, &[(3, 1), (4, 1)], 1), Some(vec![2]));
        assert_eq!(found(calls, &[(3, 1), (4, 1)], 0), None);
        let apart: &[(usize, &[&[usize]])] = &[(0, &[]), (0, &[]), (1, &[&[0]]), (1, &[&[1]])];
        assert_eq!((found(apart, &[(2, 1), (3, 1)], 1), found(apart, &[(2, 1), (3, 1)], 2).unwrap().len()), (None, 2));
    }

    #[test]
    fn a_cheaper_way_that_takes_too_long_is_none() {
        // The goal's need is met at once by a call with two feeders, or by a chain of two calls.
        let calls: &[(usize, &[&[usize]])] =
            &[(0, &[]), (0, &[]), (0, &[]), (1, &[&[0], &[1], &[2]]), (1, &[&[0]]), (2, &[&[4]]), (3, &[&[3, 5]])];
        assert_eq!(found(calls, &[(6, 3)], 3).unwrap().len(), 3);
        assert_eq!(found(calls, &[(6, 2)], 3), None);
        assert_eq!(found(calls, &[(6, 2)], 4).unwrap().len(), 4);
    }

    #[test]
    fn a_goal_may_serve_another() {
        let calls: &[(usize, &[&[usize]])] = &[(0, &[]), (0, &[]), (1, &[&[0, 1]])];
        assert_eq!(found(calls, &[(0, 0), (2, 1)], 0), Some(Vec::new()));
    }

    #[test]
    fn calls_that_would_do_as_well_count_as_one() {
        let mut closure = Closure::default();
        closure.calls.clear();
        let wants = (0..40).map(|at| (at, Vec::new())).chain([(40, vec![(0..40).collect()])]).collect();
        closure.calls = (0..41)
            .map(|at| super::super::grow::Made {
                name: "f".to_owned(),
                arguments: fcgen_core::record::Object::new(),
                level: at / 40,
                golden: None,
                like: None,
                harvest: std::sync::Arc::default(),
            })
            .collect();
        let mut cover = Cover { closure: &closure, wants, goals: IndexMap::from([(40, 1)]), tries: 10 };
        cover.merge_alike();
        assert_eq!(cover.wants[&40], [vec![0]]);
    }
}
