//! Tables of what was found.

use super::board::{Board, Tally};
use crate::bfcl::metric::Category;
use crate::report::{Cell, Figure, Table};
use crate::score::wilson;
use std::collections::BTreeSet;

/// All tables in which there is anything. There is no overall score: BFCL's also has categories that are not judged here.
pub fn tables(boards: &[Board]) -> Vec<Table> {
    let all = [categories(boards), means(boards), abstentions(boards), errors(boards), counts(boards)];
    all.into_iter().map(Table::compact).filter(|table| !table.is_empty()).collect()
}

fn share(tally: Tally) -> Cell {
    let estimate = wilson(tally.right, tally.of);
    Cell::Share(estimate.map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n }))
}

fn categories(boards: &[Board]) -> Table {
    let names: BTreeSet<Category> = boards.iter().flat_map(|board| board.categories.keys().copied()).collect();
    let columns: Vec<&str> = names.iter().map(|category| category.as_str()).collect();
    let mut table = Table::new("categories", "accuracy by category", &["Model"], &columns);
    for board in boards {
        let cell = |category: &Category| share(board.categories.get(category).copied().unwrap_or_default());
        table.add(&[&board.name], names.iter().map(cell).collect());
    }
    table
}

/// The means of which all categories were run.
fn means(boards: &[Board]) -> Table {
    let columns = ["Non-live, Python alone", "Live", "Irrelevance"];
    let title = "means over categories, where all of them were run; no overall score";
    let mut table = Table::new("means", title, &["Model"], &columns);
    for board in boards {
        let text =
            |mean: Option<f64>| Cell::Text(mean.map(|mean| format!("{:.2} %", 100.0 * mean)).unwrap_or_default());
        let live = board.live().map_or(Cell::Share(None), share);
        table.add(&[&board.name], vec![text(board.own_python()), live, text(board.irrelevance())]);
    }
    table.headed(&[("Non-live, Python alone", "Non-live (Python only)")])
}

fn abstentions(boards: &[Board]) -> Table {
    let title = "no call where none is expected; an unparsable call counts as none (upstream) or does not (strict)";
    let mut table = Table::new("abstentions", title, &["Model", "Category"], &["upstream", "strict"]);
    for board in boards {
        for (category, tallies) in &board.abstentions {
            table.add(&[&board.name, category.as_str()], tallies.iter().map(|tally| share(*tally)).collect());
        }
    }
    table
}

fn errors(boards: &[Board]) -> Table {
    let columns: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("errors", "errors by type", &["Error"], &columns);
    table.add_counts(&[], boards.iter().map(|board| &board.counts.errors));
    table
}

fn counts(boards: &[Board]) -> Table {
    let columns = ["scored", "missing", "unknown", "repeated", "unreachable", "unscorable", "unreadable", "unwrapped"];
    let mut table = Table::new("counts", "predictions", &["Model"], &columns);
    for board in boards {
        let counts = &board.counts;
        let numbers = [
            counts.coverage.scored,
            counts.coverage.missing,
            counts.unknown,
            counts.repeated,
            counts.coverage.transport,
            counts.unscorable,
            counts.faults.len() as u64,
            counts.wrappers.values().sum(),
        ];
        table.add(&[&board.name], numbers.map(Cell::Count).into());
    }
    table.headed(&[
        ("unreachable", "failed requests"),
        ("unscorable", "not scorable"),
        ("unreadable", "unparsable lines"),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::driver::Options;
    use super::super::driver::tests::scored;
    use super::*;
    use crate::report::{Form, write};

    #[test]
    fn what_was_run_has_its_figures_and_nothing_is_called_overall() {
        let lines = r#"{"id": "simple_python_0", "result": "[f(a=1)]"}
{"id": "simple_python_1", "result": "[f(a=2)]"}
{"id": "irrelevance_0", "result": "no"}"#;
        let (board, _) = scored(lines, Options::default());
        insta::assert_snapshot!(write(&tables(&[board]), &[], Form::Text).unwrap());
    }

    #[test]
    fn nothing_found_makes_no_figures() {
        let (board, _) = scored("", Options::default());
        assert_eq!(tables(&[board]).iter().map(|table| table.name.as_str()).collect::<Vec<_>>(), ["counts"]);
    }
}
