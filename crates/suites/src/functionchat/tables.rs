//! Tables of what was found.

use super::board::{Board, Counts};
use super::profile::Profile;
use super::review_tables::review;
use crate::functionchat::layout::{Set, TypeOfOutput};
use crate::functionchat::metric::Decision;
use crate::functionchat::metric::upstream::{Counted, Tallied};
use crate::report::{Cell, Figure, Table, count_label};
use crate::score::wilson_around;
use std::collections::{BTreeMap, BTreeSet};

/// The number by which the authors divide the dialogs' passes.
const TURNS: u64 = 200;
/// What may be done in a turn.
const DONE: [Decision; 5] = [Decision::Call, Decision::Ask, Decision::Decline, Decision::Tell, Decision::Nothing];

/// How many turns of dialogs were scored, where that is not the number by which the authors' rules divide, and that number.
pub fn odd_dialog_turns(boards: &[Board]) -> Option<(u64, u64)> {
    let upstream = boards.iter().filter(|board| board.profile == Profile::Upstream);
    let mut turns = upstream.filter_map(|board| board.sets.get(&Set::Dialog)).map(|tallied| all(tallied).all());
    turns.find(|turns| *turns != TURNS).map(|turns| (turns, TURNS))
}

/// All tables in which there is anything.
pub fn tables(boards: &[Board]) -> Vec<Table> {
    let sets = Set::ALL.map(|set| of_set(boards, set));
    let others = [
        outputs(boards),
        extractions(boards),
        decisions(boards),
        judging(boards),
        review(boards),
        errors(boards),
        counts(boards),
    ];
    sets.into_iter().chain(others).map(Table::compact).filter(|table| !table.is_empty()).collect()
}

/// Pass rates of a set by its data types, over all, and as the mean of the types.
fn of_set(boards: &[Board], set: Set) -> Table {
    let types = types(boards, set);
    let ends = ["Micro", "Macro", "Unparsed", "Unjudged"];
    let columns: Vec<&str> = types.iter().map(String::as_str).chain(ends).collect();
    let title = match set {
        Set::Singlecall => "pass rate of single calls, by tool list",
        Set::Dialog => "pass rate of dialog turns, by type of output",
        Set::CallDecision => "pass rate of call decisions, by category",
    };
    let mut table = Table::new(set.as_str(), title, &["Model"], &columns);
    for board in boards {
        let Some(tallied) = board.sets.get(&set) else { continue };
        let shares: Vec<Option<Figure>> =
            types.iter().map(|name| share(board, set, tallied.get(name).copied().unwrap_or_default())).collect();
        let unjudged: u64 = types.iter().filter_map(|name| board.unjudged.get(&(set, name.clone()))).sum();
        let unparsed = all(tallied).unparsed - unjudged;
        let means = [micro(board, set, tallied), mean(&shares)];
        let cells = shares.into_iter().chain(means).map(Cell::Share);
        table.add(&[&board.name], cells.chain([Cell::Count(unparsed), filled(unjudged)]).collect());
    }
    table
}

/// The data types of a set, in the order of the benchmark.
fn types(boards: &[Board], set: Set) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for name in boards.iter().filter_map(|board| board.sets.get(&set)).flat_map(indexmap::IndexMap::keys) {
        if !types.contains(name) {
            types.push(name.clone());
        }
    }
    let place = |name: &String| TypeOfOutput::named(name).map(|it| it as usize);
    if set == Set::Dialog {
        types.sort_by_key(place);
    }
    types
}

/// A pass rate. The authors leave out what was not read, but not where tools are listed.
fn share(board: &Board, set: Set, counted: Counted) -> Option<Figure> {
    let of_all = board.profile == Profile::Strict || set == Set::Singlecall;
    ratio(counted.pass, if of_all { counted.all() } else { counted.pass + counted.fail })
}

fn micro(board: &Board, set: Set, tallied: &Tallied) -> Option<Figure> {
    let counted = all(tallied);
    if board.profile == Profile::Upstream && set == Set::Dialog {
        return ratio(counted.pass, TURNS);
    }
    share(board, set, counted)
}

fn all(tallied: &Tallied) -> Counted {
    tallied.values().fold(Counted::default(), |sum, it| Counted {
        pass: sum.pass + it.pass,
        fail: sum.fail + it.fail,
        unparsed: sum.unparsed + it.unparsed,
    })
}

/// The plain mean of several shares, whatever their weight.
fn mean(shares: &[Option<Figure>]) -> Option<Figure> {
    let shares: Vec<Figure> = shares.iter().copied().flatten().collect();
    let n = real(shares.len() as u64);
    let mean = |of: fn(&Figure) -> f64| shares.iter().map(of).sum::<f64>() / n;
    let half = |of: fn(&Figure) -> f64| shares.iter().map(|it| of(it).powi(2)).sum::<f64>().sqrt() / n;
    let value = mean(|it| it.value);
    let (below, above) = (half(|it| it.value - it.low), half(|it| it.high - it.value));
    let n = shares.iter().map(|it| it.n).sum();
    (!shares.is_empty()).then_some(Figure { value, low: value - below, high: value + above, n })
}

/// Pass rates by type of output, over all sets.
fn outputs(boards: &[Board]) -> Table {
    let columns: Vec<&str> = TypeOfOutput::ALL.iter().map(|it| it.as_str()).collect();
    let mut table = Table::new("outputs", "pass rate by type of output, over all sets", &["Model"], &columns);
    for board in boards {
        let of = |kind: TypeOfOutput| board.outputs.get(&kind).and_then(|it| ratio(it.pass, it.all()));
        table.add(&[&board.name], TypeOfOutput::ALL.map(|kind| Cell::Share(of(kind))).to_vec());
    }
    table
}

/// Pass rates of single calls by how their values follow from the words.
fn extractions(boards: &[Board]) -> Table {
    let names: BTreeSet<&String> = boards.iter().flat_map(|board| board.extractions.keys()).collect();
    let columns: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let mut table = Table::new("extraction", "pass rate of single calls, by extraction type", &["Model"], &columns);
    for board in boards {
        let of = |name: &&String| board.extractions.get(*name).and_then(|it| ratio(it.pass, it.all()));
        table.add(&[&board.name], names.iter().map(|name| Cell::Share(of(name))).collect());
    }
    table
}

/// What was wanted, and what was done.
fn decisions(boards: &[Board]) -> Table {
    let columns = DONE.map(Decision::as_str);
    let mut table = Table::new("decisions", "expected and actual decisions", &["Set", "Wanted", "Model"], &columns);
    let wanted: BTreeSet<(Set, Decision)> =
        boards.iter().flat_map(|board| board.decisions.keys()).map(|(set, wanted, _)| (*set, *wanted)).collect();
    for (set, wanted) in wanted {
        for board in boards {
            let counts = DONE.map(|done| board.decisions.get(&(set, wanted, done)).copied().unwrap_or(0));
            if counts.iter().any(|count| *count > 0) {
                table.add(&[set.as_str(), wanted.as_str(), &board.name], counts.map(Cell::Count).to_vec());
            }
        }
    }
    table.headed(&[("Wanted", "Expected")])
}

/// Who decided, and what it took.
fn judging(boards: &[Board]) -> Table {
    let columns = [
        "Items",
        "Right by rule",
        "Wrong by rule",
        "Judged",
        "Right by judge",
        "Unparsed",
        "Replies",
        "Split votes",
        "Against the rule",
    ];
    let mut table = Table::new("judging", "verdicts by rule and by judge", &["Set", "Model"], &columns);
    for set in Set::ALL {
        for board in boards {
            let Some(it) = board.judging.get(&set) else { continue };
            let cells = vec![
                Cell::Count(it.items),
                Cell::Share(ratio(it.rule_pass, it.items)),
                Cell::Share(ratio(it.rule_fail, it.items)),
                Cell::Share(ratio(it.judged, it.items)),
                Cell::Share(ratio(it.judge_pass, it.judged).filter(|_| board.has_judge)),
                Cell::Count(it.unparsed),
                Cell::Count(it.replies),
                filled(it.split),
                filled(it.at_odds),
            ];
            table.add(&[set.as_str(), &board.name], cells);
        }
    }
    table.headed(&[
        ("Right by rule", "Correct by rule"),
        ("Right by judge", "Correct by judge"),
        ("Replies", "Judge replies"),
        ("Against the rule", "Judge against rule"),
    ])
}

/// The kinds of errors (the paper's section 6.2), by what the turn should have been.
fn errors(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("errors", "error types", &["Type of output", "Kind"], &names);
    let kinds: BTreeSet<&(String, String)> = boards.iter().flat_map(|board| board.counts.errors.keys()).collect();
    for kind in kinds {
        let of = |board: &Board| Cell::Count(board.counts.errors.get(kind).copied().unwrap_or(0));
        table.add(&[&kind.0, &kind.1], boards.iter().map(of).collect());
    }
    table
}

/// Something that a board counts by name.
type Named = fn(&Counts) -> &BTreeMap<String, u64>;
/// A number of something.
type Number = fn(&Counts) -> u64;

/// Reasons, ways and numbers.
fn counts(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("counts", "Reasons, parse paths and counts", &["What", "Name"], &names);
    let kinds: [(&str, Named); 2] = [("reason", |counts| &counts.reasons), ("way", |counts| &counts.ways)];
    for (what, of) in kinds {
        table.add_counts(&[what], boards.iter().map(|board| of(&board.counts)));
    }
    let numbers: [(&str, Number); 6] = [
        ("scored", |counts| counts.coverage.scored),
        ("missing", |counts| counts.coverage.missing),
        ("transport", |counts| counts.coverage.transport),
        ("unreadable", |counts| counts.coverage.unreadable.len() as u64),
        ("unscored", |counts| counts.coverage.unscored),
        ("aborts_upstream", |counts| counts.aborted),
    ];
    for (name, of) in numbers {
        table.add_number(name, boards.iter().map(|board| of(&board.counts)));
    }
    table.headed(&[("What", "Category")]).labelled(0, count_label)
}

/// A share with its interval.
pub(super) fn ratio(part: u64, of: u64) -> Option<Figure> {
    let value = real(part) / real(of);
    wilson_around(value, of).map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n })
}

/// A count that is left out where there is nothing to count.
fn filled(count: u64) -> Cell {
    if count == 0 { Cell::Text(String::new()) } else { Cell::Count(count) }
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn real(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::found;
    use super::super::board::{Found, Verdict};
    use super::*;
    use crate::report::{Form, write};

    fn board(name: &str, profile: Profile) -> Board {
        let mut board = Board::new(name, profile);
        board.has_judge = true;
        for (set, data_type, verdict, judged, human) in [
            (Set::Singlecall, "exact", Verdict::Pass, false, Some(false)),
            (Set::Singlecall, "4_close", Verdict::Unparsed, true, Some(true)),
            (Set::Dialog, "slot", Verdict::Fail, true, Some(true)),
            (Set::Dialog, "call", Verdict::Pass, true, Some(true)),
            (Set::Dialog, "call", Verdict::Unjudged, true, None),
            (Set::CallDecision, "SLOT-some", Verdict::Unparsed, true, None),
            (Set::CallDecision, "CALL", Verdict::Pass, false, None),
        ] {
            board.add(&Found {
                decisions: (Decision::Ask, Decision::Call),
                ..found(set, data_type, verdict, judged, human)
            });
        }
        board.add_extraction("date", Verdict::Pass);
        board.counts.errors.insert(("call".to_owned(), "invented_year".to_owned()), 2);
        board.counts.reasons.insert("equal".to_owned(), 2);
        board.counts.coverage.missing = 1;
        board
    }

    #[test]
    fn our_tables_are_over_everything_with_what_was_not_read_in_a_column_of_its_own() {
        insta::assert_snapshot!(write(&tables(&[board("m", Profile::Strict)]), &[], Form::Text).unwrap());
    }

    #[test]
    fn the_authors_leave_out_what_they_do_not_read() {
        let shown =
            write(&tables(&[board("m", Profile::Upstream), board("n", Profile::Upstream)]), &[], Form::Text).unwrap();
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn dialogs_of_another_number_of_turns_than_the_authors_are_noticed() {
        assert_eq!(odd_dialog_turns(&[board("m", Profile::Upstream)]), Some((3, 200)));
        assert_eq!(odd_dialog_turns(&[board("m", Profile::Strict), Board::new("n", Profile::Upstream)]), None);
        let mut whole = board("m", Profile::Upstream);
        for _ in 0..197 {
            whole.add(&found(Set::Dialog, "call", Verdict::Pass, false, None));
        }
        assert_eq!(odd_dialog_turns(&[whole]), None);
    }

    #[test]
    fn nothing_has_no_tables() {
        assert!(tables(&[]).is_empty());
        assert_eq!(mean(&[None, None]), None);
    }
}
