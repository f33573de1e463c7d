//! Tables of what was found.

use super::board::{Board, Chains};
use super::judged_tables::{classifier, validity};
use super::turns::Reference;
use crate::confetti::metric::Act;
use crate::report::{Cell, Figure, Table};
use crate::score::{Estimate, Mean, wilson};
use std::collections::{BTreeMap, BTreeSet};

/// A slice of chains, by name.
type Slice = fn(&Chains) -> &BTreeMap<&'static str, Mean>;

/// All tables in which there is anything.
pub fn tables(boards: &[Board], reference: &Reference) -> Vec<Table> {
    let slices: [(&str, &str, Slice); 4] = [
        ("chain length", "AST soft by the number of calls in a chain", |chains| &chains.by_length),
        ("functions", "AST soft by the number of listed tools", |chains| &chains.by_functions),
        ("user turns", "AST soft by user turns before the chain (counted by fcgen)", |chains| &chains.by_turns),
        ("position", "AST soft by turn position in the conversation", |chains| &chains.by_position),
    ];
    let slices = slices.map(|(name, title, slice)| sliced(boards, name, title, slice));
    let further = [complexities(boards), errors(boards), validity(boards, reference), classifier(reference)];
    let all = [overall(boards)].into_iter().chain(slices).chain(further).chain([counts(boards)]);
    let confusions = boards.iter().map(confusion);
    all.chain(confusions).map(Table::compact).filter(|table| !table.is_empty()).collect()
}

pub(super) fn share(estimate: Option<Estimate>) -> Cell {
    Cell::Share(estimate.map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n }))
}

fn mean(mean: &Mean) -> Cell {
    share(mean.estimate())
}

/// The figures of each model, with the rule behind them.
fn overall(boards: &[Board]) -> Table {
    let columns = ["AST soft (chains)", "Mean of calls", "AST", "Dialog acts", "Valid parameters"];
    let rule = ["String score", "Combine", "Profile", "Missing"];
    let columns: Vec<&str> = columns.into_iter().chain(rule).collect();
    let mut table = Table::new("overall", "calls, dialog acts and parameters", &["Model"], &columns);
    for board in boards.iter().filter(|board| board.scored() > 0) {
        let figures = [
            mean(&board.chains.all),
            mean(&board.item_mean()),
            share(wilson(board.ast.right, board.ast.of)),
            share(wilson(board.acts.matched.right, board.acts.matched.of)),
            share(board.validity.rate()),
        ];
        let profile = board.rule.profile.version();
        let score = score_of_strings(&board.rule.string_score);
        let rule = [score.as_str(), board.rule.combine, profile.as_str(), board.rule.missing];
        let rule = rule.map(|text| Cell::Text(text.to_owned()));
        table.add(&[&board.name], figures.into_iter().chain(rule).collect());
    }
    table.headed(&[("Mean of calls", "Mean over calls")])
}

/// The name of the score of strings, and whether figures by it can be those of the paper: only a server of people's own
/// can run its cross-encoder.
fn score_of_strings(name: &str) -> String {
    if name == "http" { name.to_owned() } else { format!("{name}, not the paper's cross-encoder") }
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

/// Complexities are many and their names long: a row for each.
fn complexities(boards: &[Board]) -> Table {
    let columns: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let names: BTreeSet<&String> = boards.iter().flat_map(|board| board.chains.by_complexity.keys()).collect();
    let title = "AST soft by the complexity of the conversation";
    let mut table = Table::new("complexity", title, &["Complexity"], &columns);
    for name in names {
        let cell = |board: &Board| board.chains.by_complexity.get(name).map_or(Cell::Share(None), mean);
        table.add(&[name], boards.iter().map(cell).collect());
    }
    table
}

fn errors(boards: &[Board]) -> Table {
    let columns: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("errors", "errors by type", &["Error"], &columns);
    table.add_counts(&[], boards.iter().map(|board| &board.errors));
    table
}

fn counts(boards: &[Board]) -> Table {
    let columns = [
        "calls",
        "missing calls",
        "unscored chains",
        "turns",
        "missing turns",
        "unclassified",
        "unreachable",
        "unknown",
        "unreadable",
    ];
    let mut table = Table::new("counts", "predictions", &["Model"], &columns);
    for board in boards {
        let (acts, faults) = (&board.acts, board.faults.len() as u64);
        let calls = [board.ast.of, board.missing, board.chains.unscored];
        let turns = [acts.matched.of, acts.missing, acts.unclassified];
        let lines = [board.unreachable.len() as u64, board.unknown, faults];
        table.add(&[&board.name], [calls, turns, lines].concat().into_iter().map(Cell::Count).collect());
    }
    table.headed(&[("unreachable", "failed requests"), ("unreadable", "unparsable lines")])
}

/// Which acts were taken for which others, where nothing matched; the diagonal is left out.
fn confusion(board: &Board) -> Table {
    let columns = Act::ALL.map(Act::as_str);
    let (matched, confusion) = (board.acts.matched, &board.acts.confusion);
    let title = format!(
        "{}: expected acts (rows) and acts of unmatched replies ({} replies; every pair of acts counts, {} in total)",
        board.name,
        matched.of - matched.right,
        confusion.sum()
    );
    let mut table = Table::new("confusion", &title, &["Wanted"], &columns);
    for wanted in Act::ALL {
        let count = |act: Act| match confusion.count(wanted, act) {
            0 => Cell::Text(String::new()),
            count => Cell::Count(count),
        };
        table.add(&[wanted.as_str()], Act::ALL.map(count).into());
    }
    table.headed(&[("Wanted", "Expected")])
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::{LINES, scored};
    use super::super::turns::tests::judged;
    use super::*;
    use crate::bfcl::Profile;
    use crate::confetti::metric::Validity;
    use crate::report::{Form, write};

    #[test]
    fn chains_slices_and_acts_have_their_tables() {
        let (board, _) = scored(LINES, Profile::Strict);
        insta::assert_snapshot!(write(&tables(&[board], &Reference::default()), &[], Form::Text).unwrap());
    }

    #[test]
    fn judges_have_theirs_beside_what_they_say_of_the_gold() {
        let (mut board, _) = scored(LINES, Profile::Strict);
        board.validity = Validity { calls: 3, judged: 8, valid: 6, unjudged: 2 };
        let mut mean = Mean::default();
        mean.add(0.5);
        board.chains.by_complexity.insert("OVERFILL".to_owned(), mean);
        let other = Board { name: "n".to_owned(), ..scored(LINES, Profile::Strict).0 };
        let reference = judged(r#"{"hallucinated_parameters": [[]]}"#, "agent_other, agent_inform_user");
        insta::assert_snapshot!(write(&tables(&[board, other], &reference), &[], Form::Text).unwrap());
    }

    #[test]
    fn the_rule_stands_with_the_figures_in_every_form() {
        let (mut board, _) = scored(LINES, Profile::Strict);
        for form in [Form::Text, Form::Markdown, Form::Csv, Form::Tsv, Form::Json] {
            let written = write(&tables(std::slice::from_ref(&board), &Reference::default()), &[], form).unwrap();
            let told = ["guarded_token_f1", "product", "bfcl strict, version 1", "fail"];
            assert!(told.iter().all(|text| written.contains(text)), "{written}");
            assert!(written.contains("guarded_token_f1, not the paper's cross-encoder"), "{written}");
        }
        "http".clone_into(&mut board.rule.string_score);
        let written = write(&tables(&[board], &Reference::default()), &[], Form::Json).unwrap();
        assert!(!written.contains("cross-encoder"), "{written}");
    }
}
