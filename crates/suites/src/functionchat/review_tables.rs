//! What people say of verdicts: the paper's Table 5, and scores after their word.

use super::board::{Board, Reviewed};
use super::tables::ratio;
use crate::functionchat::layout::Set;
use crate::report::{Cell, Table};

/// False passes and false fails over all items of a set, and the score that is left.
pub(super) fn review(boards: &[Board]) -> Table {
    let columns = [
        "Total",
        "Reviewed",
        "FP",
        "FP share",
        "FN",
        "FN share",
        "FP+FN",
        "FP+FN share",
        "FP by rule",
        "FP by judge",
        "Score",
        "Adjusted score",
    ];
    let mut table = Table::new("5", "false positives and false negatives by human review", &["Set", "Model"], &columns);
    for set in Set::ALL {
        for board in boards.iter().filter(|board| board.is_reviewed()) {
            if let Some(it) = board.reviewed.get(&set) {
                table.add(&[set.as_str(), &board.name], cells(*it));
            }
        }
    }
    table
}

fn cells(it: Reviewed) -> Vec<Cell> {
    let share = |part| Cell::Share(ratio(part, it.total));
    let both = it.fp + it.fn_;
    vec![
        Cell::Count(it.total),
        Cell::Count(it.reviewed),
        Cell::Count(it.fp),
        share(it.fp),
        Cell::Count(it.fn_),
        share(it.fn_),
        Cell::Count(both),
        share(both),
        Cell::Count(it.fp_from_rule),
        Cell::Count(it.fp_from_judge),
        share(it.passed),
        share(it.adjusted()),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::board::Verdict;
    use super::super::board::tests::found;
    use super::super::profile::Profile;
    use super::*;

    #[test]
    fn shares_are_over_all_items_of_a_set() {
        let mut board = Board::new("m", Profile::Strict);
        assert!(review(&[board.clone()]).is_empty());
        board.add(&found(Set::Dialog, "call", Verdict::Pass, true, Some(false)));
        (0..3).for_each(|_| board.add(&found(Set::Dialog, "call", Verdict::Pass, true, None)));
        let table = review(&[board]);
        let shown: Vec<String> = table.rows[0].iter().map(Cell::shown).collect();
        assert_eq!(shown[..6].join(" "), "dialog m 4 1 1 25.00% ±44.94 (n 4)");
        assert!(shown[12].starts_with("100.00%") && shown[13].starts_with("75.00%"), "{shown:?}");
    }
}
