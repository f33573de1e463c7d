//! Tables of what was found.

use super::board::{Board, Chains};
use crate::report::{Cell, Figure, Table};
use crate::score::confetti::Act;
use crate::score::{Estimate, Mean, wilson};
use std::collections::{BTreeMap, BTreeSet};

/// A slice of chains, by name.
type Slice = fn(&Chains) -> &BTreeMap<&'static str, Mean>;

/// All tables in which there is anything.
pub fn tables(boards: &[Board]) -> Vec<Table> {
    let slices: [(&str, &str, Slice); 4] = [
        ("chain length", "AST soft by the number of calls in a chain", |chains| &chains.by_length),
        ("functions", "AST soft by the number of functions that are offered", |chains| &chains.by_functions),
        ("user turns", "AST soft by user turns before the chain (our own count)", |chains| &chains.by_turns),
        ("position", "AST soft by the turn's place in its conversation", |chains| &chains.by_position),
    ];
    let slices = slices.map(|(name, title, slice)| sliced(boards, name, title, slice));
    let all = [overall(boards)].into_iter().chain(slices).chain([errors(boards), counts(boards)]);
    let confusions = boards.iter().map(confusion);
    all.chain(confusions).map(Table::compact).filter(|table| !table.is_empty()).collect()
}

fn figure(estimate: Estimate) -> Figure {
    Figure { value: estimate.value, low: estimate.low, high: estimate.high, n: estimate.n }
}

fn mean(mean: &Mean) -> Cell {
    Cell::Share(mean.estimate().map(figure))
}

fn overall(boards: &[Board]) -> Table {
    let columns = ["AST soft (chains)", "Mean of calls", "AST", "Dialog acts"];
    let mut table = Table::new("overall", "calls and dialog acts", &["Model"], &columns);
    for board in boards {
        let ast = Cell::Share(wilson(board.ast.right, board.ast.of).map(figure));
        let acts = Cell::Share(wilson(board.acts.matched.right, board.acts.matched.of).map(figure));
        table.add(&[&board.name], vec![mean(&board.chains.all), mean(&board.item_mean()), ast, acts]);
    }
    table
}

fn sliced(boards: &[Board], name: &str, title: &str, slice: Slice) -> Table {
    let mut columns: Vec<&str> = Vec::new();
    for column in ["1", "2", "3", "4+", "1-5", "6-10", "11+", "1-9", "10-19", "20+"] {
        if boards.iter().any(|board| slice(&board.chains).contains_key(column)) {
            columns.push(column);
        }
    }
    let mut table = Table::new(name, title, &["Model"], &columns);
    for board in boards {
        let cell = |column: &&str| slice(&board.chains).get(*column).map_or(Cell::Share(None), mean);
        table.add(&[&board.name], columns.iter().map(cell).collect());
    }
    table
}

fn errors(boards: &[Board]) -> Table {
    let columns: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let names: BTreeSet<&String> = boards.iter().flat_map(|board| board.errors.keys()).collect();
    let mut table = Table::new("errors", "what was wrong", &["Error"], &columns);
    for name in names {
        let count = |board: &Board| Cell::Count(board.errors.get(name).copied().unwrap_or_default());
        table.add(&[name], boards.iter().map(count).collect());
    }
    table
}

fn counts(boards: &[Board]) -> Table {
    let columns = ["calls", "missing", "unknown", "unreachable", "unreadable", "turns", "unclassified"];
    let mut table = Table::new("counts", "predictions", &["Model"], &columns);
    for board in boards {
        let faults = board.faults.len() as u64;
        let (turns, unclassified) = (board.acts.matched.of, board.acts.unclassified);
        let numbers = [board.ast.of, board.missing, board.unknown, board.transport, faults, turns, unclassified];
        table.add(&[&board.name], numbers.map(Cell::Count).into());
    }
    table
}

/// Which acts were taken for which others, where nothing matched; the diagonal is left out.
fn confusion(board: &Board) -> Table {
    let columns = Act::ALL.map(Act::as_str);
    let title = format!("{}: wanted acts (rows) and acts of replies that do none of them", board.name);
    let mut table = Table::new("confusion", &title, &["Wanted"], &columns);
    for wanted in Act::ALL {
        let count = |act: Act| match board.acts.confusion.count(wanted, act) {
            0 => Cell::Text(String::new()),
            count => Cell::Count(count),
        };
        table.add(&[wanted.as_str()], Act::ALL.map(count).into());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::{LINES, scored};
    use super::*;
    use crate::report::{Form, write};
    use crate::suite::bfcl::Profile;

    #[test]
    fn chains_slices_and_acts_have_their_tables() {
        let (board, _) = scored(LINES, Profile::Strict);
        insta::assert_snapshot!(write(&tables(&[board]), &[], Form::Text).unwrap());
    }
}
