//! The golden calls that are open: those that a model may make now.

use super::golden::Golden;
use super::outcome::Crash;
use super::rules::ByArgument;

/// The open calls, and how far the steps are opened.
#[derive(Debug)]
pub struct Open {
    calls: Vec<OpenCall>,
    /// Steps that are opened.
    opened: usize,
    /// Which lookups were called.
    called: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenCall {
    ordinal: usize,
    /// Whether its arguments were sorted since it was opened.
    is_sorted: bool,
}

impl Open {
    /// Opens the first step; the second as well if the first is of lookups alone.
    pub(super) fn new(golden: &Golden) -> (Self, Result<(), Crash>) {
        let mut open = Self { calls: Vec::new(), opened: 0, called: vec![false; golden.free_count()] };
        open.open_step(golden);
        let result = open.advance_past_lookups(golden);
        (open, result)
    }

    /// The open calls in order.
    pub(super) fn ordinals(&self) -> impl Iterator<Item = usize> {
        self.calls.iter().map(|call| call.ordinal)
    }

    /// Whether none is open.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How many are open.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Notes that a lookup was called.
    pub(super) fn call(&mut self, lookup: usize) {
        if let Some(called) = self.called.get_mut(lookup) {
            *called = true;
        }
    }

    /// Drops the open lookups that were called before, at the beginning of a turn.
    pub(super) fn drop_called(&mut self, golden: &Golden) -> Result<(), Crash> {
        if golden.rules().is_strict() {
            self.drop_and_open(golden);
            return Ok(());
        }
        let first = |call: &OpenCall| {
            let class = golden.get(call.ordinal).first;
            self.calls.iter().position(|other| golden.get(other.ordinal).first == class)
        };
        let mut places: Vec<usize> =
            self.calls.iter().filter(|it| self.is_called(golden, it)).filter_map(first).collect();
        places.sort_unstable();
        // Of two equal ones the authors' evaluator finds the first twice, and deletes the one behind it as well.
        for place in places.into_iter().rev() {
            if place < self.calls.len() {
                self.calls.remove(place);
            }
        }
        if self.calls.is_empty() { Err(Crash::NotImplemented) } else { Ok(()) }
    }

    /// Sorts the arguments of all that is open.
    pub(super) fn sort(&mut self) {
        for call in &mut self.calls {
            call.is_sorted = true;
        }
    }

    /// Takes out what was matched, and opens the next step if anything was; another one if nothing but lookups is open. To
    /// the authors that is so after a turn without a match as well (all of its calls are malformed).
    pub(super) fn update(&mut self, golden: &Golden, matched: &[usize]) -> Result<(), Crash> {
        if matched.is_empty() && golden.rules().is_strict() {
            return Ok(());
        }
        for ordinal in matched {
            self.remove_equal(golden, *ordinal);
        }
        if !matched.is_empty() {
            self.open_step(golden);
        }
        for lookup in (0..self.called.len()).filter(|lookup| self.called[*lookup]).collect::<Vec<_>>() {
            self.remove_equal(golden, golden.free_call(lookup));
        }
        self.advance_past_lookups(golden)
    }

    /// Drops the calls that may be left open at the end, and says whether nothing is left at all.
    pub(super) fn forgive(&mut self, golden: &Golden) -> Result<bool, Crash> {
        if golden.rules().is_strict() {
            self.drop_and_open(golden);
            self.calls.retain(|call| !is_forgiven(golden, call.ordinal).unwrap_or(false));
        } else {
            // The authors' evaluator removes while it goes through the list, and so passes over the one behind each.
            let mut at = 0;
            while let Some(call) = self.calls.get(at) {
                if is_forgiven(golden, call.ordinal)? {
                    self.calls.remove(at);
                }
                at += 1;
            }
        }
        Ok(self.opened >= golden.step_count() && self.calls.is_empty())
    }

    /// How many steps were passed: all before the first that has a call which is open.
    pub(super) fn passed(&self, golden: &Golden) -> usize {
        let step = |call: &OpenCall| golden.place(call.ordinal).0;
        self.calls.iter().map(step).min().unwrap_or(golden.step_count())
    }

    fn open_step(&mut self, golden: &Golden) {
        self.calls.extend(golden.step(self.opened).map(|ordinal| OpenCall { ordinal, is_sorted: false }));
        self.opened += 1;
    }

    fn advance_past_lookups(&mut self, golden: &Golden) -> Result<(), Crash> {
        if self.is_lookups_alone(golden)? {
            self.open_step(golden);
        }
        Ok(())
    }

    /// Whether nothing but lookups is open; one that is a lookup by its argument makes all of them so.
    fn is_lookups_alone(&self, golden: &Golden) -> Result<bool, Crash> {
        for ordinal in self.ordinals() {
            match golden.get(ordinal).by_argument {
                ByArgument::Yes => return Ok(true),
                ByArgument::Untold if !golden.rules().is_strict() => return Err(Crash::Key),
                _ => {}
            }
        }
        Ok(self.ordinals().all(|ordinal| golden.get(ordinal).is_lookup))
    }

    /// Our way: no lookup that was called stays open, and where nothing is open the next step is.
    fn drop_and_open(&mut self, golden: &Golden) {
        loop {
            let called = std::mem::take(&mut self.called);
            let is_called = |call: &OpenCall| golden.lookup_of(call.ordinal, true).is_some_and(|it| called[it]);
            self.calls.retain(|call| !is_called(call));
            self.called = called;
            if !self.calls.is_empty() || self.opened >= golden.step_count() {
                return;
            }
            self.open_step(golden);
        }
    }

    fn is_called(&self, golden: &Golden, call: &OpenCall) -> bool {
        let lookup = golden.lookup_of(call.ordinal, call.is_sorted);
        lookup.and_then(|lookup| self.called.get(lookup)).copied().unwrap_or(false)
    }

    fn remove_equal(&mut self, golden: &Golden, ordinal: usize) {
        let class = golden.get(ordinal).first;
        if let Some(place) = self.calls.iter().position(|call| golden.get(call.ordinal).first == class) {
            self.calls.remove(place);
        }
    }
}

fn is_forgiven(golden: &Golden, ordinal: usize) -> Result<bool, Crash> {
    let call = golden.get(ordinal);
    match call.by_argument {
        ByArgument::Untold if !golden.rules().is_strict() => Err(Crash::Key),
        by_argument => Ok(call.is_forgiven || by_argument == ByArgument::Yes),
    }
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, golden, made, steps};
    use super::super::rules::{Dialect, Rules};
    use super::*;
    use crate::record::Step;

    const UPSTREAM: Rules = Rules::Upstream(Dialect::Gpt);

    fn open(golden: &Golden) -> Open {
        let (open, result) = Open::new(golden);
        assert_eq!(result, Ok(()));
        open
    }

    fn ordinals(open: &Open) -> Vec<usize> {
        open.ordinals().collect()
    }

    /// Steps of lookups and details, by their names alone: a letter for each, a word for each step.
    fn plan(words: &str) -> Vec<Step> {
        let one = |letter: char| match letter {
            'p' | 'q' => call("Find_Place", &format!(r#"{{"query": "{letter}"}}"#)),
            't' | 'u' => call("Find_Town", &format!(r#"{{"query": "{letter}"}}"#)),
            's' => call("Search", r#"{"kind": "inn"}"#),
            '?' => call("Search", "{}"),
            _ => call("Detail", &format!(r#"{{"token": "{letter}"}}"#)),
        };
        let step = |word: &str| Step { calls: word.chars().map(one).collect(), answers: Vec::new(), notes: Vec::new() };
        words.split(' ').map(step).collect()
    }

    #[test]
    fn a_first_step_of_lookups_is_open_together_with_the_next() {
        assert_eq!(ordinals(&open(&golden(UPSTREAM))), [0, 1, 2]);
        assert_eq!(ordinals(&open(&made(&plan("pa b"), UPSTREAM))), [0, 1]);
        assert_eq!(ordinals(&open(&made(&plan("sa b"), UPSTREAM))), [0, 1, 2], "one lookup by its argument is enough");
        assert_eq!(ordinals(&open(&made(&plan("p"), UPSTREAM))), [0]);
    }

    #[test]
    fn a_step_opens_after_a_match_and_one_more_where_lookups_alone_are_left() {
        let golden = golden(UPSTREAM);
        let mut open = open(&golden);
        assert_eq!((open.update(&golden, &[0]), ordinals(&open), open.passed(&golden)), (Ok(()), vec![1, 2, 3, 4], 0));
        let lookups = made(&plan("a t b"), UPSTREAM);
        let mut it = Open::new(&lookups).0;
        assert_eq!((it.update(&lookups, &[0]), ordinals(&it)), (Ok(()), vec![1, 2]));
    }

    #[test]
    fn without_a_match_the_authors_open_a_step_where_lookups_alone_are_left() {
        for (rules, opened) in [(UPSTREAM, vec![0, 1, 2]), (Rules::default(), vec![0, 1])] {
            let golden = made(&plan("t u a b"), rules);
            let mut open = open(&golden);
            assert_eq!((open.update(&golden, &[]), ordinals(&open)), (Ok(()), opened.clone()), "{rules:?}");
            // Now something else is open as well.
            assert_eq!((open.update(&golden, &[]), ordinals(&open)), (Ok(()), opened), "{rules:?}");
        }
        let golden = made(&plan("a b"), UPSTREAM);
        let mut open = open(&golden);
        assert_eq!((open.update(&golden, &[]), ordinals(&open)), (Ok(()), vec![0]));
    }

    #[test]
    fn lookups_that_were_called_are_taken_out() {
        let golden = made(&plan("ap b"), UPSTREAM);
        let mut open = open(&golden);
        open.call(0);
        assert_eq!((open.update(&golden, &[0]), ordinals(&open)), (Ok(()), vec![2]));
        open.call(9);
    }

    #[test]
    fn of_two_equal_lookups_the_authors_delete_the_one_behind_as_well() {
        for (rules, left) in [(UPSTREAM, vec![2]), (Rules::default(), vec![1])] {
            let golden = made(&plan("pap"), rules);
            let mut open = open(&golden);
            open.call(0);
            assert_eq!((open.drop_called(&golden), ordinals(&open)), (Ok(()), left), "{rules:?}");
        }
    }

    #[test]
    fn where_nothing_is_left_the_authors_break_off_and_we_open_the_next_step() {
        let of = |rules| {
            let golden = made(&plan("a p b"), rules);
            let mut open = Open::new(&golden).0;
            open.calls = vec![OpenCall { ordinal: 1, is_sorted: false }];
            (open.opened, open.called) = (2, vec![true]);
            (open.drop_called(&golden), ordinals(&open))
        };
        assert_eq!(of(UPSTREAM), (Err(Crash::NotImplemented), Vec::new()));
        assert_eq!(of(Rules::default()), (Ok(()), vec![2]));
    }

    #[test]
    fn of_two_lookups_that_are_left_the_authors_forgive_the_first() {
        let of = |words: &str, rules| {
            let golden = made(&plan(words), rules);
            let (mut open, _) = Open::new(&golden);
            (open.forgive(&golden), open.len())
        };
        assert_eq!(of("tu", UPSTREAM), (Ok(false), 1));
        assert_eq!(
            (of("tu", Rules::default()), of("t", UPSTREAM), of("s", UPSTREAM)),
            ((Ok(true), 0), (Ok(true), 0), (Ok(true), 0))
        );
        assert_eq!((of("tp", UPSTREAM), of("tp", Rules::default())), ((Ok(false), 1), (Ok(false), 1)));
        assert_eq!(of("a b", UPSTREAM), (Ok(false), 1));
    }

    #[test]
    fn a_call_whose_argument_does_not_tell_breaks_the_authors_evaluator_off() {
        let golden = made(&plan("?a b"), UPSTREAM);
        assert_eq!(Open::new(&golden).1, Err(Crash::Key));
        assert_eq!(Open::new(&golden).0.forgive(&golden), Err(Crash::Key));
        let golden = made(&plan("?a b"), Rules::default());
        let mut open = open(&golden);
        assert_eq!((ordinals(&open), open.forgive(&golden)), (vec![0, 1], Ok(false)));
    }

    #[test]
    fn an_open_call_that_stood_earlier_as_well_counts_from_there() {
        let golden = made(&plan("pa b p"), UPSTREAM);
        let mut open = open(&golden);
        open.calls = vec![OpenCall { ordinal: 3, is_sorted: true }];
        assert_eq!(open.passed(&golden), 0);
        open.calls.clear();
        assert_eq!((open.passed(&golden), open.is_empty()), (3, true));
    }

    #[test]
    fn sorting_hides_a_lookup_from_the_authors() {
        let golden = made(&steps(), UPSTREAM);
        let mut open = open(&golden);
        open.call(1);
        assert_eq!((open.drop_called(&golden), open.len()), (Ok(()), 2), "its keys are as they were given");
        let mut again = Open::new(&golden).0;
        again.call(1);
        again.sort();
        assert_eq!((again.drop_called(&golden), again.len()), (Ok(()), 3));
    }
}
