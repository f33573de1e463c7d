//! Which golden call each predicted call is compared with.

use super::compare::{self, structured};
use super::golden::Golden;
use super::open::Open;
use super::outcome::Assignment;
use super::rules::Similarity;
use crate::record::FunctionCall;

/// What the same answer is worth; no likeness comes near it.
const SAME_ANSWER: f64 = 10.0;

/// A predicted call and the golden call that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The predicted call, from 0.
    pub predicted: usize,
    /// The golden call, by its ordinal in the sample.
    pub golden: usize,
}

/// Who is compared with whom.
#[derive(Debug, Default)]
pub struct Mapping {
    /// The pairs, in the order of comparison.
    pub pairs: Vec<Pair>,
    /// Predicted calls that are compared with none so far.
    pub left: Vec<usize>,
    /// Open golden calls that are compared with none so far.
    pub left_golden: Vec<usize>,
    /// Calls that repeat one that was right before: the predicted call, and the golden call. By our own rules alone.
    pub repeats: Vec<(usize, usize)>,
    /// Pairs whose answers were asked for, and whether these are the same. By our own rules alone.
    pub answered: Vec<(Pair, bool)>,
    /// How the calls that were left over were matched.
    pub assignment: Option<Assignment>,
}

impl Mapping {
    /// Pairs equal calls, and lookups, which may be called at any time.
    pub(super) fn equal(golden: &Golden, open: &mut Open, predicted: &[FunctionCall], covered: &[bool]) -> Self {
        let mut it = Self::default();
        let mut unused: Vec<usize> = open.ordinals().collect();
        for (at, call) in predicted.iter().enumerate() {
            if golden.rules().is_strict() {
                it.place(golden, open, &mut unused, (at, call), covered);
            } else {
                it.place_upstream(golden, open, &mut unused, (at, call));
            }
        }
        it.left_golden = unused;
        it
    }

    /// The authors' way: golden calls are gone through in order, and at the first that is another one a lookup is taken for
    /// a lookup, whether it was called before or not.
    fn place_upstream(
        &mut self,
        golden: &Golden,
        open: &mut Open,
        unused: &mut Vec<usize>,
        (at, call): (usize, &FunctionCall),
    ) {
        let first = unused.first().is_some_and(|ordinal| golden.equals(*ordinal, call));
        let lookup = if first || unused.is_empty() { None } else { golden.find_lookup(call) };
        let found =
            if lookup.is_some() { None } else { unused.iter().position(|ordinal| golden.equals(*ordinal, call)) };
        match (found, lookup) {
            (Some(place), _) => self.pairs.push(Pair { predicted: at, golden: unused.remove(place) }),
            (None, Some(lookup)) => {
                open.call(lookup);
                self.pairs.push(Pair { predicted: at, golden: golden.free_call(lookup) });
            }
            (None, None) => self.left.push(at),
        }
    }

    /// Our way: an open call goes first, then what was right before, then a lookup.
    fn place(
        &mut self,
        golden: &Golden,
        open: &mut Open,
        unused: &mut Vec<usize>,
        (at, call): (usize, &FunctionCall),
        covered: &[bool],
    ) {
        let lookup = golden.find_lookup(call);
        let is_done = |ordinal: &usize| covered[*ordinal] || self.pairs.iter().any(|pair| pair.golden == *ordinal);
        if let Some(place) = unused.iter().position(|ordinal| golden.equals(*ordinal, call)) {
            self.pairs.push(Pair { predicted: at, golden: unused.remove(place) });
        } else if let Some(repeated) = (0..covered.len()).filter(is_done).find(|it| golden.equals(*it, call)) {
            self.repeats.push((at, repeated));
        } else if let Some(lookup) = lookup {
            self.pairs.push(Pair { predicted: at, golden: golden.free_call(lookup) });
        } else {
            self.left.push(at);
        }
        if let Some(lookup) = lookup {
            open.call(lookup);
        }
    }

    /// Whether anything is left on both sides.
    pub(super) fn is_open(&self) -> bool {
        !self.left.is_empty() && !self.left_golden.is_empty()
    }

    /// How alike those are that are left over: a row for each predicted call. Nothing where somebody else must tell.
    pub(super) fn similarity(&self, golden: &Golden, predicted: &[FunctionCall], by: Similarity) -> Option<Vec<f64>> {
        let given = || self.left.iter().map(|at| &predicted[*at]);
        let wanted = || self.left_golden.iter().map(|ordinal| golden.call(*ordinal));
        match by {
            Similarity::Embedding => None,
            Similarity::Structured => {
                Some(given().flat_map(|given| wanted().map(|it| structured(golden.rules(), given, it))).collect())
            }
            Similarity::Trigram256 => Some(compare::similarity(given(), wanted())),
        }
    }

    /// Whether the two of a pair are answered the same, where that is known.
    pub(super) fn is_same(&self, pair: Pair) -> Option<bool> {
        self.answered.iter().find(|(other, _)| *other == pair).map(|(_, same)| *same)
    }

    /// Nothing is as alike as calls that are answered the same.
    fn favour_same_answers(&self, similarity: &mut [f64]) {
        let places = self.left.iter().flat_map(|at| self.left_golden.iter().map(|ordinal| (*at, *ordinal)));
        for (alike, (predicted, golden)) in similarity.iter_mut().zip(places) {
            if self.is_same(Pair { predicted, golden }) == Some(true) {
                *alike += SAME_ANSWER;
            }
        }
    }

    /// Pairs what is left over so that as much as possible is alike. The kept matrix has a row for each predicted call.
    pub(super) fn assign(&mut self, mut similarity: Vec<f64>, keep: bool) {
        let (rows, columns) = (self.left.len(), self.left_golden.len());
        self.favour_same_answers(&mut similarity);
        let one = || Ok((vec![0], vec![0]));
        // One against one is a pair whatever they are like.
        let solved = if rows == 1 && columns == 1 { one() } else { lsap::solve(rows, columns, &similarity, true) };
        // What is no number cannot be compared: then they go by their order.
        let in_order = || ((0..rows.min(columns)).collect(), (0..rows.min(columns)).collect());
        let (row, column): (Vec<usize>, Vec<usize>) = solved.unwrap_or_else(|_| in_order());
        let pairs = row.iter().zip(&column).filter_map(|(row, column)| {
            Some(Pair { predicted: *self.left.get(*row)?, golden: *self.left_golden.get(*column)? })
        });
        self.pairs.extend(pairs);
        if keep {
            let similarity = similarity.chunks(columns).map(<[f64]>::to_vec).collect();
            self.assignment = Some(Assignment { similarity, rows: row.clone(), columns: column });
        }
        let assigned: Vec<usize> = row.iter().filter_map(|row| self.left.get(*row).copied()).collect();
        self.left.retain(|at| !assigned.contains(at));
    }
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, golden, made, steps};
    use super::super::rules::{Dialect, Rules};
    use super::*;

    const UPSTREAM: Rules = Rules::Upstream(Dialect::Qwen);

    type Mapped = (Vec<(usize, usize)>, Vec<usize>, Vec<usize>, Vec<(usize, usize)>);

    /// The pairs of equal calls, what is left on both sides, and repeats.
    fn mapped(golden: &Golden, covered: &[usize], calls: &[FunctionCall]) -> Mapped {
        let mut open = Open::new(golden).0;
        let covered: Vec<bool> = (0..golden.call_count()).map(|ordinal| covered.contains(&ordinal)).collect();
        let it = Mapping::equal(golden, &mut open, calls, &covered);
        (it.pairs.iter().map(|pair| (pair.predicted, pair.golden)).collect(), it.left, it.left_golden, it.repeats)
    }

    fn town(query: &str) -> FunctionCall {
        call("Find_Town", &format!(r#"{{"query": "{query}"}}"#))
    }

    #[test]
    fn equal_calls_are_pairs_in_the_order_of_the_predicted_ones() {
        let golden = golden(UPSTREAM);
        let calls = [golden.call(2).clone(), town("Lake"), golden.call(0).clone()];
        assert_eq!(mapped(&golden, &[], &calls), (vec![(0, 2), (2, 0)], vec![1], vec![1], Vec::new()));
    }

    #[test]
    fn to_the_authors_a_repeated_lookup_is_right_again_while_anything_is_open() {
        let calls = [town("Hill"), town("Hill"), town("Hill")];
        assert_eq!(mapped(&golden(UPSTREAM), &[], &calls).0, [(0, 0), (1, 0), (2, 0)]);
        let (pairs, left, _, repeats) = mapped(&golden(Rules::default()), &[], &calls);
        assert_eq!((pairs, left, repeats), (vec![(0, 0)], Vec::new(), vec![(1, 0), (2, 0)]));
        let alone = made(&steps()[..1], UPSTREAM);
        let calls = [alone.call(0).clone(), call("Find_Place", r#"{"lang": "en", "query": "Mill"}"#), town("Hill")];
        assert_eq!(mapped(&alone, &[], &calls).1, [2], "nothing is left to walk through");
    }

    #[test]
    fn to_the_authors_a_lookup_behind_another_call_is_free_and_stays_open() {
        let mut steps = steps();
        steps[0].calls.swap(0, 1);
        let pairs = |rules| mapped(&made(&steps, rules), &[], &[town("Hill")]);
        let (theirs, ours) = (pairs(UPSTREAM), pairs(Rules::default()));
        assert_eq!((theirs.0, theirs.2), (vec![(0, 1)], vec![0, 1, 2]));
        assert_eq!((ours.0, ours.2), (vec![(0, 1)], vec![0, 2]));
    }

    #[test]
    fn what_was_right_before_is_a_repeat_and_no_call_of_something_else() {
        let golden = golden(Rules::default());
        let calls = [golden.call(4).clone(), golden.call(3).clone()];
        assert_eq!(mapped(&golden, &[3], &calls), (Vec::new(), vec![0], vec![0, 1, 2], vec![(1, 3)]));
    }

    #[test]
    fn a_lookup_of_a_later_step_may_come_at_any_time() {
        let mut steps = steps();
        steps.rotate_left(1);
        let golden = made(&steps, Rules::default());
        assert_eq!(mapped(&golden, &[], &[town("Hill")]), (vec![(0, 3)], Vec::new(), vec![0], Vec::new()));
    }

    #[test]
    fn the_rest_is_assigned_so_that_most_is_alike() {
        let golden = golden(UPSTREAM);
        let calls = [
            call("Search", r#"{"area": "a1"}"#),
            call("Nothing", "{}"),
            town("Hil"),
            call("Find_Place", r#"{"query": "Mil"}"#),
        ];
        for by in [Similarity::Structured, Similarity::Trigram256] {
            let mut it = Mapping::equal(&golden, &mut Open::new(&golden).0, &calls, &[]);
            assert!(it.is_open() && it.similarity(&golden, &calls, Similarity::Embedding).is_none());
            let matrix = it.similarity(&golden, &calls, by).unwrap();
            assert_eq!(matrix.len(), 12);
            it.assign(matrix, true);
            let pairs: Vec<_> = it.pairs.iter().map(|pair| (pair.predicted, pair.golden)).collect();
            assert_eq!((pairs, &it.left), (vec![(0, 2), (2, 0), (3, 1)], &vec![1]), "{by:?}");
            let kept = it.assignment.unwrap();
            assert_eq!((kept.similarity.len(), kept.rows, kept.columns), (4, vec![0, 2, 3], vec![2, 0, 1]));
        }
    }

    #[test]
    fn the_same_answer_is_worth_more_than_any_likeness() {
        let pair = |predicted, golden| Pair { predicted, golden };
        let answered = vec![(pair(0, 8), true), (pair(0, 7), false)];
        let mut it = Mapping { left: vec![0, 1], left_golden: vec![7, 8], answered, ..Mapping::default() };
        it.assign(vec![2.0, 0.0, 2.0, 1.9], false);
        assert_eq!(it.pairs, [pair(0, 8), pair(1, 7)]);
        assert_eq!(
            [it.is_same(pair(0, 8)), it.is_same(pair(0, 7)), it.is_same(pair(1, 7))],
            [Some(true), Some(false), None]
        );
    }

    #[test]
    fn one_against_one_is_a_pair_and_what_cannot_be_compared_goes_by_order() {
        let golden = golden(UPSTREAM);
        let mut it = Mapping { left: vec![5], left_golden: vec![7], ..Mapping::default() };
        it.assign(vec![f64::NAN], false);
        assert_eq!(
            (it.pairs.as_slice(), it.left.len(), it.assignment),
            ([Pair { predicted: 5, golden: 7 }].as_slice(), 0, None)
        );
        let mut it = Mapping { left: vec![0, 1], left_golden: vec![2, 1, 0], ..Mapping::default() };
        it.assign(vec![f64::NAN; 6], false);
        assert_eq!(it.pairs, [Pair { predicted: 0, golden: 2 }, Pair { predicted: 1, golden: 1 }]);
        assert!(!Mapping::default().is_open() && golden.call_count() == 5);
    }
}
