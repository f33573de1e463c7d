//! Tables of what was found.

use super::board::{Board, Counts, Sums, mean, share};
use crate::report::{Cell, Table, count_label};
use std::collections::{BTreeMap, BTreeSet};

/// The authors divide by these numbers of samples, whatever was run.
const AUTHORS: [(&str, u64); 1] = [("Cross", 400)];
const AUTHORS_OTHER: u64 = 150;
const AUTHORS_ALL: u64 = 1000;

/// All tables in which there is anything.
pub fn tables(boards: &[Board]) -> Vec<Table> {
    let all = [
        overall(boards),
        by_domain(boards, "success", "success by domain (all golden calls made)", |board, domain, sums| {
            Cell::Share(sums.success(board.divisor(domain)))
        }),
        by_domain(boards, "calls", "call accuracy by domain (golden calls made)", |_, _, sums| {
            Cell::Share(sums.call_accuracy())
        }),
        corrections(boards),
        arguments(boards),
        extra_turns(boards),
        counts(boards),
    ];
    all.into_iter().map(Table::compact).filter(|table| !table.is_empty()).collect()
}

impl Board {
    /// The number of samples that the authors divide by; by our own rules it is the number that was scored.
    fn divisor(&self, domain: Option<&str>) -> Option<u64> {
        if self.profile.rules.is_strict() {
            return None;
        }
        Some(domain.map_or(AUTHORS_ALL, |domain| {
            AUTHORS.iter().find(|(name, _)| *name == domain).map_or(AUTHORS_OTHER, |(_, number)| *number)
        }))
    }
}

/// Success, calls, turns, precision, answers, and turns more than needed.
fn overall(boards: &[Board]) -> Table {
    let columns = [
        "Success",
        "Success of those run",
        "Call acc.",
        "Turn acc.",
        "Precision",
        "Complete (0-2)",
        "Correct (0-2)",
        "Extra turns",
    ];
    let mut table = Table::new("overall", "all domains", &["Model"], &columns);
    for board in boards {
        let (all, is_strict) = (board.all(), board.profile.rules.is_strict());
        let of_run = all.success(None).filter(|_| !is_strict);
        let shares = [all.success(board.divisor(None)), of_run, all.call_accuracy(), all.turn_accuracy()];
        let precision = all.precision().filter(|_| is_strict);
        let numbers = [mean(&all.complete), mean(&all.right), mean(&all.extra_turns)];
        let cells = shares.into_iter().chain([precision]).map(Cell::Share).chain(numbers.map(Cell::Number));
        table.add(&[&board.name], cells.collect());
    }
    table.headed(&[("Success of those run", "Success (samples run)")])
}

fn by_domain(boards: &[Board], name: &str, title: &str, cell: fn(&Board, Option<&str>, &Sums) -> Cell) -> Table {
    let domains: BTreeSet<&String> = boards.iter().flat_map(|board| board.domains.keys()).collect();
    let columns: Vec<&str> = domains.iter().map(|domain| domain.as_str()).chain(["all"]).collect();
    let mut table = Table::new(name, title, &["Model"], &columns);
    for board in boards.iter().filter(|_| domains.len() > 1) {
        let of = |domain: &&String| {
            board.domains.get(*domain).map_or(Cell::Share(None), |sums| cell(board, Some(domain), sums))
        };
        let cells = domains.iter().map(of).chain([cell(board, None, &board.all())]);
        table.add(&[&board.name], cells.collect());
    }
    table
}

/// Faults that were made, and those that were made up for; calls beyond what was wanted.
fn corrections(boards: &[Board]) -> Table {
    let columns = ["Calls", "Wrong form", "corrected", "Wrong content", "corrected too", "Redundant", "Extra"];
    let mut table = Table::new("corrections", "wrong calls, and the share that was corrected", &["Model"], &columns);
    for board in boards {
        let all = board.all();
        let (form, content) = (all.form, all.content);
        let is_strict = board.profile.rules.is_strict();
        let redundant = if is_strict { Cell::Count(all.redundant) } else { Cell::Text(String::new()) };
        let cells = vec![
            Cell::Count(all.calls),
            Cell::Count(form.0),
            Cell::Share(share(form.1, form.0)),
            Cell::Count(content.0),
            Cell::Share(share(content.1, content.0)),
            redundant,
            Cell::Count(all.extra),
        ];
        table.add(&[&board.name], cells);
    }
    table.headed(&[("corrected", "Form corrected"), ("corrected too", "Content corrected")])
}

/// How often golden arguments of a type were wrong or missing at least once.
fn arguments(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let title = "golden arguments wrong or missing at least once, by type";
    let mut table = Table::new("arguments", title, &["Type"], &names);
    let kinds: BTreeSet<&String> = boards.iter().flat_map(|board| board.counts.arguments.keys()).collect();
    for kind in kinds {
        let of = |board: &Board| board.counts.arguments.get(kind).and_then(|(wrong, all)| share(*wrong, *all));
        table.add(&[kind], boards.iter().map(|board| Cell::Share(of(board))).collect());
    }
    table
}

/// How many turns more than steps it took, where all was called.
fn extra_turns(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table =
        Table::new("turns", "extra turns (turns minus steps), where all golden calls were made", &["Turns"], &names);
    let numbers: BTreeSet<i64> = boards.iter().flat_map(|board| board.counts.extra_turns.keys().copied()).collect();
    for number in numbers {
        let of = |board: &Board| Cell::Count(board.counts.extra_turns.get(&number).copied().unwrap_or(0));
        table.add(&[&format!("{number:+}")], boards.iter().map(of).collect());
    }
    table
}

/// Something that a board counts by name.
type Counted = fn(&Counts) -> &BTreeMap<String, u64>;
/// A number of something.
type Number = fn(&Counts) -> u64;

/// What ended samples, what went wrong on the way, and how calls were found.
fn counts(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("counts", "Outcomes, errors, parse paths and counts", &["What", "Name"], &names);
    let kinds: [(&str, Counted); 3] =
        [("end", |counts| &counts.ends), ("fault", |counts| &counts.faults), ("way", |counts| &counts.ways)];
    for (what, of) in kinds {
        table.add_counts(&[what], boards.iter().map(|board| of(&board.counts)));
    }
    let numbers: [(&str, Number); 9] = [
        ("scored", |counts| counts.coverage.scored),
        ("missing", |counts| counts.coverage.missing),
        ("transport", |counts| counts.coverage.transport),
        ("unreadable", |counts| counts.coverage.unreadable.len() as u64),
        ("unscored", |counts| counts.coverage.unscored),
        ("not_recorded_upstream", |counts| counts.not_recorded),
        ("crashes_upstream", |counts| counts.crashed),
        ("empty_answers", |counts| counts.empty),
        ("unjudged_answers", |counts| counts.unjudged),
    ];
    for (name, of) in numbers {
        table.add_number(name, boards.iter().map(|board| of(&board.counts)));
    }
    table.headed(&[("What", "Category")]).labelled(0, count_label)
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::super::profile::Profile;
    use super::*;
    use crate::complexfunc::metric::Dialect;
    use crate::report::{Form, write};
    use insta::assert_snapshot;

    fn shown(boards: &[Board]) -> String {
        write(&tables(boards), &[], Form::Text).unwrap()
    }

    #[test]
    fn one_model_has_all_its_tables() {
        let mut board = board("one", Profile::default());
        board.counts.arguments.insert("date".to_owned(), (1, 4));
        board.counts.ways.insert("native".to_owned(), 3);
        assert_snapshot!(shown(&[board]));
    }

    #[test]
    fn the_authors_divide_by_their_own_numbers_and_know_no_precision() {
        assert_snapshot!(shown(&[board("one", Profile::upstream(Dialect::Gpt)), board("other", Profile::default())]));
    }

    #[test]
    fn domains_are_shown_where_there_are_several() {
        let mut board = board("one", Profile::default());
        board.domains.remove("Cross");
        let names: Vec<String> = tables(&[board]).into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["overall", "corrections", "turns", "counts"]);
    }
}
