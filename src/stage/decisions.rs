//! The enumeration behind FunctionChat-Bench's call decisions: every way to disclose a part of what is required.

/// One way of disclosing: what each user turn gives, in order of mention, and whether an empty request goes before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disclosure {
    /// Whether the first user turn asks for the function and gives nothing.
    pub(super) opening: bool,
    /// Places of the required parameters that each further user turn gives.
    pub(super) turns: Vec<Vec<usize>>,
}

/// All ways of disclosing `1..required` of `required` parameters: every choice in every order of mention, split into
/// consecutive turns in every way, with and without an empty request before. There are
/// `sum over k of P(required, k) * 2^k`: 4 for two parameters, 30 for three, 248 for four.
pub(super) fn disclosures(required: usize) -> Vec<Disclosure> {
    let mut all = Vec::new();
    for size in 1..required {
        for order in orders(required, size) {
            for cuts in 0..1_usize << (size - 1) {
                for opening in [false, true] {
                    all.push(Disclosure { opening, turns: split(&order, cuts) });
                }
            }
        }
    }
    all
}

/// All sequences of `size` different places below `bound`.
fn orders(bound: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = |order: Vec<usize>| {
            let next = (0..bound).filter(|place| !order.contains(place)).collect::<Vec<_>>();
            next.into_iter().map(move |place| [order.clone(), vec![place]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Cuts a sequence behind each place whose bit is set.
fn split(order: &[usize], cuts: usize) -> Vec<Vec<usize>> {
    let mut turns = vec![Vec::new()];
    for (place, element) in order.iter().enumerate() {
        if let Some(turn) = turns.last_mut() {
            turn.push(*element);
        }
        if place + 1 < order.len() && cuts >> place & 1 == 1 {
            turns.push(Vec::new());
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn their_number_is_that_of_the_authors_data() {
        assert_eq!([1, 2, 3, 4].map(|required| disclosures(required).len()), [0, 4, 30, 248]);
        assert_eq!(disclosures(0), []);
        let count = |user_turns: usize| {
            let turns = |it: &Disclosure| it.turns.len() + usize::from(it.opening);
            let of = |required: usize| disclosures(required).iter().filter(|it| turns(it) == user_turns).count();
            9 * of(2) + 9 * of(3)
        };
        assert_eq!([1, 2, 3, 4].map(count), [99, 153, 54, 0], "user turns of the 306 items");
    }

    #[test]
    fn each_is_there_once_and_leaves_something_to_ask_for() {
        let all = disclosures(4);
        let distinct: BTreeSet<String> = all.iter().map(|it| format!("{it:?}")).collect();
        assert_eq!(distinct.len(), all.len());
        for disclosure in &all {
            let mut given: Vec<usize> = disclosure.turns.concat();
            given.sort_unstable();
            given.dedup();
            assert_eq!(given.len(), disclosure.turns.concat().len(), "nothing is given twice: {disclosure:?}");
            assert!((1..4).contains(&given.len()) && disclosure.turns.iter().all(|turn| !turn.is_empty()));
        }
    }
}
