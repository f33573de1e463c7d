//! Tables of what was found.

use super::board::{Board, Counts, Level, Steadiness, Tally, figure};
use crate::report::{Cell, Figure, Table, count_label};
use crate::score::Correlation;
use std::collections::{BTreeMap, BTreeSet};

/// All tables in which there is anything.
pub fn tables(boards: &[Board], steadiness: &[Steadiness]) -> Vec<Table> {
    let all = [
        parameters(boards),
        calls(boards),
        by_difficulty(boards, "routing", "routing (exact match)", |board| &board.routing),
        judge(boards),
        stability(steadiness),
        domains(boards),
        numbers(boards),
        faults(boards),
    ];
    all.into_iter().map(Table::compact).filter(|table| !table.is_empty()).collect()
}

/// Calls with their parameters: what can be read, what is complete, what is right.
fn parameters(boards: &[Board]) -> Table {
    let columns = ["Syntax", "repaired", "Structure", "AST easy", "AST medium", "AST hard", "AST all", "AST macro"];
    let mut table = Table::new("parameters", "calls with parameters", &["Model"], &columns);
    for board in boards {
        let share = |tally: &Tally, level| board.share(tally, level);
        let mended = share(&board.mended, Level::All).filter(|_| board.mended != board.syntax);
        let before = [share(&board.syntax, Level::All), mended, share(&board.structure, Level::All)];
        let ast = Level::EACH.map(|level| share(&board.ast, level));
        let cells = before.into_iter().chain(ast).chain([board.macro_average(&board.ast)]);
        table.add(&[&board.name], cells.map(Cell::Share).collect());
    }
    table.headed(&[("repaired", "Syntax, repaired")])
}

/// Right calls in the right order, whatever their parameters, and complete ones.
fn calls(boards: &[Board]) -> Table {
    let title = "correct calls in the correct order, in the task with parameters";
    by_difficulty(boards, "calls", title, |board| &board.order)
}

fn by_difficulty(boards: &[Board], name: &str, title: &str, of: Measured) -> Table {
    let columns: Vec<&str> = Level::NAMES.into_iter().chain(["Macro"]).collect();
    let mut table = Table::new(name, title, &["Model"], &columns);
    for board in boards {
        // The authors' script for routing counts what is there; the one for calls does not.
        let is_counted = name == "routing";
        let share = |level| if is_counted { of(board).share(level, None) } else { board.share(of(board), level) };
        let mean = if is_counted { of(board).macro_average(|_| None) } else { board.macro_average(of(board)) };
        let cells = Level::EACH.map(share).into_iter().chain([mean]);
        table.add(&[&board.name], cells.map(Cell::Share).collect());
    }
    table
}

/// What a judge gave, and how that goes together with being right: over answers, and over models.
fn judge(boards: &[Board]) -> Table {
    let columns = ["Score", "Correlation with AST", "over models", "Failures"];
    let mut table = Table::new("judge", "judge scores", &["Model"], &columns);
    let mut over_models = Correlation::default();
    for board in boards {
        let (score, ast) = (board.judge.estimate(), board.ast.share(Level::All, None));
        if let (Some(score), Some(ast)) = (score, ast) {
            over_models.add(score.value, ast.value);
        }
    }
    for board in boards.iter().filter(|board| board.judge.estimate().is_some() || board.counts.unjudged > 0) {
        let score = board.judge.estimate().map(figure);
        let correlation = board.agreement.estimate().map(figure);
        let cells =
            vec![Cell::Share(score), Cell::Number(correlation), Cell::Number(None), Cell::Count(board.counts.unjudged)];
        table.add(&[&board.name], cells);
    }
    let over_models = over_models.estimate().map(figure);
    table.add(
        &["all"],
        vec![Cell::Share(None), Cell::Number(None), Cell::Number(over_models), Cell::Text(String::new())],
    );
    table.headed(&[("over models", "Correlation over models")])
}

/// How much several runs agree, by votes and by edit distance, as it was said and without marks and capitals.
fn stability(steadiness: &[Steadiness]) -> Table {
    let columns = ["Runs", "Election", "cleaned", "Levenshtein", "cleaned too"];
    let mut table = Table::new("stability", "stability over several runs", &["Model", "Questions"], &columns);
    for it in steadiness {
        for (level, name) in Level::EACH.into_iter().zip(Level::NAMES) {
            let means = it.means(level);
            if means.iter().any(Option::is_some) {
                let cells =
                    std::iter::once(Cell::Count(u64::try_from(it.runs).unwrap_or(0))).chain(means.map(Cell::Share));
                table.add(&[&it.name, name], cells.collect());
            }
        }
    }
    table.headed(&[("cleaned", "Election, normalized"), ("cleaned too", "Levenshtein, normalized")])
}

/// Every domain by itself.
fn domains(boards: &[Board]) -> Table {
    let mut table = Table::new("domains", "accuracy by domain", &["Domain", "Model"], &["AST", "Routing"]);
    let names: BTreeSet<&String> = boards.iter().flat_map(|board| board.domains.keys()).collect();
    for domain in names.iter().filter(|_| names.len() > 1) {
        for board in boards {
            let Some((ast, routing)) = board.domains.get(*domain) else { continue };
            let share = |tally: &Tally| -> Option<Figure> { tally.share(Level::All, None) };
            table.add(&[domain, &board.name], [share(ast), share(routing)].map(Cell::Share).to_vec());
        }
    }
    table
}

/// Something that is right or not.
type Measured = fn(&Board) -> &Tally;

/// How many are right, as numbers, and of how many.
fn numbers(boards: &[Board]) -> Table {
    let mut table = Table::new("numbers", "correct answers / total", &["Measure", "Model"], &Level::NAMES);
    let measures: [(&str, Measured); 6] = [
        ("syntax", |board| &board.syntax),
        ("syntax, repaired", |board| &board.mended),
        ("calls", |board| &board.order),
        ("structure", |board| &board.structure),
        ("AST", |board| &board.ast),
        ("routing", |board| &board.routing),
    ];
    for (name, of) in measures {
        for board in boards.iter().filter(|board| of(board).counts(Level::All).1 > 0) {
            let cell = |level| {
                let (right, all) = of(board).counts(level);
                Cell::Text(if all == 0 { String::new() } else { format!("{right}/{all}") })
            };
            table.add(&[name, &board.name], Level::EACH.map(cell).to_vec());
        }
    }
    table
}

/// Something that a board counts by name.
type Counted = fn(&Counts) -> &BTreeMap<String, u64>;

/// A number of something.
type Number = fn(&Counts) -> u64;

/// How answers were found, and what went wrong.
fn faults(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("counts", "Parse paths, errors and counts", &["What", "Name"], &names);
    let kinds: [(&str, Counted); 4] = [
        ("way", |counts| &counts.ways),
        ("way, routing", |counts| &counts.route_ways),
        ("fault", |counts| &counts.errors),
        ("fault, routing", |counts| &counts.route_errors),
    ];
    for (what, of) in kinds {
        table.add_counts(&[what], boards.iter().map(|board| of(&board.counts)));
    }
    let numbers: [(&str, Number); 7] = [
        ("scored", |counts| counts.coverage.scored),
        ("missing", |counts| counts.coverage.missing),
        ("transport", |counts| counts.coverage.transport),
        ("unreadable", |counts| counts.coverage.unreadable.len() as u64),
        ("unscored", |counts| counts.coverage.unscored),
        ("aborts_upstream", |counts| counts.aborted),
        ("repaired", |counts| counts.repaired),
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
    use crate::report::{Form, write};
    use insta::assert_snapshot;

    fn shown(boards: &[Board], steadiness: &[Steadiness]) -> String {
        write(&tables(boards, steadiness), &[], Form::Text).unwrap()
    }

    #[test]
    fn one_model_has_all_its_tables() {
        let mut steadiness = Steadiness::new("one");
        steadiness.add(Some(0), &["a", "a", "b"]);
        let mut board = board("one", Profile::Strict);
        board.counts.errors.insert("wrong_value".to_owned(), 1);
        board.counts.ways.insert("whole_json".to_owned(), 3);
        assert_snapshot!(shown(&[board], &[steadiness]), @r"
        calls with parameters
        Model               Syntax      Syntax, repaired             Structure              AST easy            AST medium            AST hard              AST all            AST macro
        one    66.67% ±45.90 (n 3)  100.00% ±56.15 (n 3)  100.00% ±56.15 (n 3)  100.00% ±79.35 (n 1)  100.00% ±79.35 (n 1)  0.00% ±79.35 (n 1)  66.67% ±45.90 (n 3)  66.67% ±37.40 (n 3)

        correct calls in the correct order, in the task with parameters
        Model                  Easy                Medium                  Hard                   All                 Macro
        one    100.00% ±79.35 (n 1)  100.00% ±79.35 (n 1)  100.00% ±79.35 (n 1)  100.00% ±56.15 (n 3)  100.00% ±45.81 (n 3)

        routing (exact match)
        Model                  Easy                Medium                Hard                  All                Macro
        one    100.00% ±79.35 (n 1)  100.00% ±79.35 (n 1)  0.00% ±79.35 (n 1)  66.67% ±45.90 (n 3)  66.67% ±37.40 (n 3)

        judge scores
        Model                Score  Correlation with AST  Failures
        one    75.00% ±28.29 (n 3)    0.866 ±1.866 (n 3)         0

        stability over several runs
        Model  Questions  Runs            Election  Election, normalized         Levenshtein  Levenshtein, normalized
        one    Easy          3  50.00% ±0.00 (n 1)    50.00% ±0.00 (n 1)  50.00% ±0.00 (n 1)       50.00% ±0.00 (n 1)
        one    All           3  50.00% ±0.00 (n 1)    50.00% ±0.00 (n 1)  50.00% ±0.00 (n 1)       50.00% ±0.00 (n 1)

        correct answers / total
        Measure           Model  Easy  Medium  Hard  All
        syntax            one     1/1     1/1   0/1  2/3
        syntax, repaired  one     1/1     1/1   1/1  3/3
        calls             one     1/1     1/1   1/1  3/3
        structure         one     1/1     1/1   1/1  3/3
        AST               one     1/1     1/1   0/1  2/3
        routing           one     1/1     1/1   0/1  2/3

        Parse paths, errors and counts
        Category     Name         one
        parsed from  whole_json     3
        error        wrong_value    1
        count        scored         3
        ");
    }

    #[test]
    fn several_models_are_compared_over_models_too() {
        let mut boards = ["a", "b", "c"].map(|name| board(name, Profile::Upstream));
        for (at, board) in boards.iter_mut().enumerate() {
            for _ in 0..=at {
                board.add("hotel", Some(0), super::super::board::tests::RIGHT, Some(1.0));
            }
        }
        let tables = tables(&boards, &[]);
        let judge = tables.iter().find(|table| table.name == "judge").unwrap();
        let last = judge.rows.last().unwrap();
        assert!(
            last.iter().any(|cell| matches!(cell, Cell::Number(Some(it)) if it.value > 0.9 && it.n == 3)),
            "{last:?}"
        );
        let domains = tables.iter().find(|table| table.name == "domains").unwrap();
        assert_eq!(domains.rows.len(), 6);
    }

    #[test]
    fn the_papers_numbers_are_those_of_calls_and_not_of_routing() {
        let boards = [board("one", Profile::UpstreamPaper)];
        let tables = tables(&boards, &[]);
        let n = |name: &str| match &tables.iter().find(|table| table.name == name).unwrap().rows[0][4] {
            Cell::Share(Some(figure)) => figure.n,
            _ => 0,
        };
        assert_eq!((n("calls"), n("routing")), (729, 3));
    }

    #[test]
    fn nothing_has_no_tables() {
        assert!(tables(&[], &[]).is_empty());
    }
}
