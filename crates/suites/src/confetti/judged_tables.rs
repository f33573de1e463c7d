//! Tables of what judges say, with the gold beside the models.

use super::board::Board;
use super::tables::share;
use super::turns::Reference;
use crate::confetti::metric::{Hits, Validity};
use crate::report::{Cell, Table};

/// How many arguments of calls with the right name were not made up.
pub(super) fn validity(boards: &[Board], reference: &Reference) -> Table {
    let columns = ["Valid parameters", "valid", "judged", "unjudged", "calls"];
    let title = "parameters of calls with the correct name: the share that was not hallucinated, over parameters";
    let mut table = Table::new("parameter validity", title, &["Model"], &columns);
    let of_boards = boards.iter().map(|board| (board.name.as_str(), &board.validity));
    let all = of_boards.chain([("(the gold itself)", &reference.validity)]);
    for (name, found) in all.filter(|(_, found)| **found != Validity::default()) {
        let numbers = [found.valid, found.judged, found.unjudged, found.calls].map(Cell::Count);
        table.add(&[name], [share(found.rate())].into_iter().chain(numbers).collect());
    }
    table.labelled(0, |name| (name == "(the gold itself)").then(|| "(gold calls)".to_owned()))
}

/// How well the classifier finds the acts that people found in what the agents of the data say.
pub(super) fn classifier(reference: &Reference) -> Table {
    let found = &reference.classifier;
    let title = format!(
        "dialog act classifier on the gold agent turns ({} texts, {} unanswered); matched: at least one act agrees",
        found.texts, found.unanswered
    );
    let columns = ["Precision", "Recall", "F1", "Matched"];
    let mut table = Table::new("classifier", &title, &["Act"], &columns);
    if found.texts == 0 {
        return table;
    }
    let cells =
        |hits: &Hits, matched: Cell| vec![share(hits.precision()), share(hits.recall()), share(hits.f1()), matched];
    for (act, hits) in &found.acts {
        table.add(&[act.as_str()], cells(hits, Cell::Share(None)));
    }
    table.add(&["(all)"], cells(&found.all(), share(found.accuracy())));
    table
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::{LINES, scored};
    use super::super::turns::tests::judged;
    use super::*;
    use crate::bfcl::Profile;

    #[test]
    fn the_gold_stands_below_the_models_and_who_was_not_judged_does_not_stand_there() {
        let (mut board, _) = scored(LINES, Profile::Strict);
        let reference = judged(r#"{"hallucinated_parameters": [["stars"]]}"#, "agent_other");
        let rows = |table: &Table| table.rows.iter().map(|row| row[0].shown()).collect::<Vec<_>>();
        assert_eq!(rows(&validity(&[board.clone()], &reference)), ["(gold calls)"]);
        board.validity.add(1, 2, None);
        let table = validity(&[board], &reference);
        assert_eq!(rows(&table), ["m", "(gold calls)"]);
        assert_eq!((table.rows[0][1].shown(), table.rows[0][4].shown()), ("-".to_owned(), "2".to_owned()));
        assert_eq!(rows(&classifier(&reference)).last().unwrap(), "(all)");
    }

    #[test]
    fn nothing_was_asked_and_nothing_is_shown() {
        let none = Reference::default();
        assert!(validity(&[], &none).is_empty() && classifier(&none).is_empty());
    }
}
