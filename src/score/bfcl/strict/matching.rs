//! Calls with wanted calls, as many as can be at once.

/// Finds a partner among `right` for every `left`, as far as there are any; `serves` says who may go with whom.
pub(super) fn matched(left: usize, right: usize, serves: &dyn Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut taken: Vec<Option<usize>> = vec![None; right];
    for at in 0..left {
        let mut tried = vec![false; right];
        find(at, serves, &mut taken, &mut tried);
    }
    let mut found = vec![None; left];
    for (partner, at) in taken.iter().enumerate().filter_map(|(partner, at)| Some((partner, (*at)?))) {
        if let Some(place) = found.get_mut(at) {
            *place = Some(partner);
        }
    }
    found
}

/// Gives one a partner; whoever has it already looks for another.
fn find(at: usize, serves: &dyn Fn(usize, usize) -> bool, taken: &mut [Option<usize>], tried: &mut [bool]) -> bool {
    for partner in 0..taken.len() {
        if tried.get(partner).copied().unwrap_or(true) || !serves(at, partner) {
            continue;
        }
        if let Some(tried) = tried.get_mut(partner) {
            *tried = true;
        }
        let holder = taken.get(partner).copied().flatten();
        if holder.is_none_or(|holder| find(holder, serves, taken, tried)) {
            if let Some(place) = taken.get_mut(partner) {
                *place = Some(at);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whoever_has_another_choice_makes_room() {
        let serves = |left: usize, right: usize| [[true, true], [true, false]][left][right];
        assert_eq!(matched(2, 2, &serves), [Some(1), Some(0)]);
        assert_eq!(matched(2, 1, &|_, _| true), [Some(0), None]);
        assert_eq!(matched(0, 3, &|_, _| true), []);
    }

    /// The most pairs, by trying everything.
    fn most(at: usize, edges: &[Vec<bool>], taken: &mut Vec<bool>) -> usize {
        let Some(row) = edges.get(at) else { return 0 };
        let mut best = most(at + 1, edges, taken);
        for partner in 0..row.len() {
            if row[partner] && !taken[partner] {
                taken[partner] = true;
                best = best.max(1 + most(at + 1, edges, taken));
                taken[partner] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_matching_has_more_pairs(edges in prop::collection::vec(prop::collection::vec(any::<bool>(), 4), 0..5)) {
            let found = matched(edges.len(), 4, &|left, right| edges[left][right]);
            let pairs: Vec<(usize, usize)> = found.iter().enumerate().filter_map(|(left, right)| Some((left, (*right)?))).collect();
            prop_assert!(pairs.iter().all(|(left, right)| edges[*left][*right]));
            prop_assert_eq!(pairs.len(), most(0, &edges, &mut vec![false; 4]));
        }
    }
}
