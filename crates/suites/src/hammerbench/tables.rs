//! Tables laid out as the paper's, by their numbers, and two of our own: all slices, and what went wrong.

use super::board::{Board, Conversation, Figures, Metric, Paired};
use crate::hammerbench::metric::upstream::Flag;
use crate::record::{SuiteId, data_type_label};
use crate::report::{Cell, Figure, Table, count_label};
use std::collections::BTreeMap;

/// Columns of many tables.
const ALL: [&str; 6] = ["Func. Acc.", "PHR", "PMR", "Acc.", "PR", "SR"];
const SINGLE: [(&str, &str, &str); 3] = [
    ("Perfect", "ST_Perfect", "ir_ST_Perfect"),
    ("Imperfect", "ST_Imperfect", "ir_ST_Imperfect"),
    ("External", "ST_External", "ir_ST_External"),
];
/// Data types of several turns under the paper's names. Of `sQsA` only conversations count that could be merged.
const MULTI: [(&str, &[&str]); 7] = [
    ("sQsA", &["Based"]),
    ("mQmA", &["mQmA"]),
    ("mQsA", &["mQsA"]),
    ("sQmA", &["sQmA"]),
    ("SO", &["SO_case1", "SO_case2"]),
    ("mSv", &["mSv"]),
    ("External", &["External"]),
];
/// Those that are compared with the conversations without them.
const SHIFTS: [(&str, &[&str]); 3] =
    [("SO", &["SO_case1", "SO_case2"]), ("mSv", &["mSv"]), ("External", &["External"])];

/// All tables in which there is anything.
pub fn tables(boards: &[Board]) -> Vec<Table> {
    let all = [
        leaderboard(boards),
        progress(boards),
        first_and_last(boards),
        single_turn(boards),
        multi_turn(boards),
        ablation(boards),
        accuracy(boards),
        changes(boards),
        marked_changes(boards),
        slices(boards),
        faults(boards),
    ];
    all.into_iter().map(Table::compact).filter(|table| !table.is_empty()).collect()
}

/// The conversations of a column; `sQsA` without those of one question, which no other trajectory has.
fn of<'b>(board: &'b Board, name: &str, types: &'static [&'static str]) -> impl Iterator<Item = &'b Conversation> {
    let least = if name == "sQsA" { 3 } else { 0 };
    let conversations = types.iter().filter_map(|data_type| board.conversations.get(*data_type));
    conversations.flat_map(indexmap::IndexMap::values).filter(move |it| it.turns.len() >= least)
}

fn figures(board: &Board, name: &str, types: &'static [&'static str]) -> Figures {
    board.figures(of(board, name, types), Flag::All)
}

fn irrelevant<'b>(board: &'b Board, types: &'b [&str]) -> Figures {
    board.figures(board.of(types).map(|(_, it)| it), Flag::All)
}

/// The mean of figures, weighted by how many each is of; the paper puts its columns together so.
fn together(parts: impl IntoIterator<Item = (Option<Figure>, u64)>) -> Option<Figure> {
    let parts: Vec<(Figure, f64)> = parts.into_iter().filter_map(|(figure, n)| Some((figure?, real(n)))).collect();
    let weight: f64 = parts.iter().map(|(_, weight)| weight).sum();
    if weight <= 0.0 {
        return None;
    }
    let mean = |of: fn(&Figure) -> f64| parts.iter().map(|(it, weight)| of(it) * weight).sum::<f64>() / weight;
    let half = |of: fn(&Figure) -> f64| {
        (parts.iter().map(|(it, weight)| (of(it) * weight).powi(2)).sum::<f64>()).sqrt() / weight
    };
    let value = mean(|it| it.value);
    let (below, above) = (half(|it| it.value - it.low), half(|it| it.high - it.value));
    Some(Figure { value, low: value - below, high: value + above, n: parts.iter().map(|(it, _)| it.n).sum() })
}

fn leaderboard(boards: &[Board]) -> Table {
    let columns = [
        "Overall (Acc.)",
        "Perfect",
        "Imperfect",
        "External",
        "Irrelevant",
        "Diverse Q&A",
        "Argument shifts",
        "External (multi)",
        "Intent shifts",
    ];
    let mut table = Table::new("3", "leaderboard (Acc.)", &["Model"], &columns);
    for board in boards {
        let acc = |name: &str, types| figures(board, name, types).acc;
        let conversations = |name, types| (acc(name, types), figures(board, name, types).conversations);
        let refused = |types: &'static [&'static str]| {
            let it = irrelevant(board, types);
            (it.refusals, it.conversations)
        };
        let parts = [
            acc("", &["ST_Perfect"]),
            acc("", &["ST_Imperfect"]),
            acc("", &["ST_External"]),
            together([refused(&["ir_ST_Perfect"]), refused(&["ir_ST_Imperfect"]), refused(&["ir_ST_External"])]),
            together(MULTI.iter().take(4).map(|(name, types)| conversations(name, types))),
            together([conversations("", MULTI[4].1), conversations("", MULTI[5].1)]),
            acc("", &["External"]),
            refused(&["IS"]).0,
        ];
        // The paper's overall figure is the plain mean of its columns.
        let overall = together(parts.iter().map(|part| (*part, 1)));
        table.add(&[&board.name], std::iter::once(overall).chain(parts).map(Cell::Share).collect());
    }
    table
}

fn progress(boards: &[Board]) -> Table {
    let columns = [
        "sQsA",
        "mQmA",
        "mQsA",
        "sQmA",
        "w/o SO",
        "w/ SO",
        "w/o mSv",
        "w/ mSv",
        "w/o External",
        "w/ External",
        "IS (Acc.)",
    ];
    let mut table =
        Table::new("5", "progress (PR) with and without shifts, and intent shifts (Acc.)", &["Model"], &columns);
    for board in boards {
        let plain = MULTI.iter().take(4).map(|(name, types)| figures(board, name, types).pr);
        let pairs = SHIFTS.iter().flat_map(|(name, types)| {
            [board.figures(Paired::of(board, types).without(), Flag::All).pr, figures(board, name, types).pr]
        });
        let shift = irrelevant(board, &["IS"]).refusals;
        table.add(&[&board.name], plain.chain(pairs).chain([shift]).map(Cell::Share).collect());
    }
    table
}

fn first_and_last(boards: &[Board]) -> Table {
    let columns = [
        "Func. Acc.",
        "First: PHR",
        "First: PMR",
        "First: other errors",
        "Last: PHR",
        "Last: PMR",
        "Last: other errors",
    ];
    let mut table = Table::new("6", "first and last snapshots of sQsA", &["Model"], &columns);
    for board in boards {
        let at = |flag| board.figures(board.of(&["Based"]).map(|(_, it)| it), flag);
        let (first, last) = (at(Flag::First), at(Flag::Last));
        let cells = [first.func_acc, first.phr, first.pmr, first.other, last.phr, last.pmr, last.other];
        table.add(&[&board.name], cells.map(Cell::Share).to_vec());
    }
    table
}

fn single_turn(boards: &[Board]) -> Table {
    let columns = ["Func. Acc.", "PHR", "PMR", "Acc.", "Irrelevant"];
    let mut table = Table::new("8", "single-turn", &["Data type", "Model"], &columns);
    for (name, direct, twin) in SINGLE {
        for board in boards {
            let it = irrelevant(board, &[direct]);
            let cells = [it.func_acc, it.phr, it.pmr, it.acc, irrelevant(board, &[twin]).refusals];
            table.add(&[name, &board.name], cells.map(Cell::Share).to_vec());
        }
    }
    for board in boards {
        let weighted = |of: fn(&Figures) -> Option<Figure>, twin: bool| {
            together(SINGLE.map(|(_, direct, other)| {
                let it = irrelevant(board, &[if twin { other } else { direct }]);
                (of(&it), it.conversations)
            }))
        };
        let cells = [
            weighted(|it| it.func_acc, false),
            weighted(|it| it.phr, false),
            weighted(|it| it.pmr, false),
            weighted(|it| it.acc, false),
            weighted(|it| it.refusals, true),
        ];
        table.add(&["Overall", &board.name], cells.map(Cell::Share).to_vec());
    }
    table
}

fn multi_turn(boards: &[Board]) -> Table {
    let mut table = Table::new("9", "multi-turn", &["Data type", "Model"], &ALL);
    for (name, types) in MULTI {
        for board in boards {
            table.add(&[name, &board.name], row(&figures(board, name, types)));
        }
    }
    table.labelled(0, labelled)
}

fn ablation(boards: &[Board]) -> Table {
    let mut table = Table::new("10", "the same conversations without and with shifts", &["Data type", "Model"], &ALL);
    for (name, types) in SHIFTS {
        for board in boards {
            let without = board.figures(Paired::of(board, types).without(), Flag::All);
            table.add(&[&format!("w/o {name}"), &board.name], row(&without));
        }
        for board in boards {
            table.add(&[&format!("w/ {name}"), &board.name], row(&figures(board, name, types)));
        }
    }
    table
}

fn accuracy(boards: &[Board]) -> Table {
    let columns = ["Overall", "sQsA", "mQmA", "mQsA", "sQmA", "SO", "mSv", "External", "Intent shifts"];
    let mut table = Table::new("11", "multi-turn (Acc.)", &["Model"], &columns);
    for board in boards {
        let parts = MULTI.map(|(name, types)| figures(board, name, types).acc);
        let weights = MULTI.map(|(name, types)| figures(board, name, types).conversations);
        let shift = irrelevant(board, &["IS"]).refusals;
        let overall = together(parts.iter().copied().zip(weights));
        table.add(&[&board.name], std::iter::once(overall).chain(parts).chain([shift]).map(Cell::Share).collect());
    }
    table
}

/// Of all snapshots.
fn changes(boards: &[Board]) -> Table {
    let columns =
        ["mQmA", "mQsA", "sQmA", "SO", "mSv", "External", "Success: SO", "Success: mSv", "Success: External", "IS"];
    let mut table =
        Table::new("12", "progress (PR) without the situation, and its change with it", &["Model"], &columns);
    for board in boards {
        let change = |types: &'static [&'static str], metric| {
            let paired = Paired::of(board, types);
            let without = board.figures(paired.without(), Flag::All);
            let base = if metric == Metric::Success { without.sr } else { without.pr };
            Cell::Change(base, paired.change(metric, Flag::All))
        };
        let progress = MULTI.iter().skip(1).map(|(_, types)| change(types, Metric::Progress));
        let success = SHIFTS.iter().map(|(_, types)| change(types, Metric::Success));
        let shift = Cell::Share(irrelevant(board, &["IS"]).refusals);
        table.add(&[&board.name], progress.chain(success).chain([shift]).collect());
    }
    table
}

/// Of the turns where the transformation sits.
fn marked_changes(boards: &[Board]) -> Table {
    let columns = ["SO: PHR", "SO: PMR", "SO: PR", "External: PHR", "External: PMR", "External: PR"];
    let title = "marked snapshots: rates without slot overriding or external answers, and the change with them";
    let mut table = Table::new("13", title, &["Model"], &columns);
    for board in boards {
        let cells = [SHIFTS[0].1, SHIFTS[2].1].into_iter().flat_map(|types| {
            let paired = Paired::of(board, types);
            let without = board.figures(paired.without(), Flag::Marked);
            [(without.phr, Metric::Invented), (without.pmr, Metric::Missing), (without.pr, Metric::Progress)]
                .map(|(base, metric)| Cell::Change(base, paired.change(metric, Flag::Marked)))
        });
        table.add(&[&board.name], cells.collect());
    }
    table
}

/// Every data type and slice by itself, with all figures.
fn slices(boards: &[Board]) -> Table {
    let columns =
        ["Conversations", "Snapshots", ALL[0], ALL[1], ALL[2], ALL[3], ALL[4], ALL[5], "Refusals", "Questions"];
    let mut table = Table::new("slices", "All data types by slice", &["Data type", "Slice", "Model"], &columns);
    let slices = [("all", Flag::All), ("first", Flag::First), ("last", Flag::Last), ("marked", Flag::Marked)];
    let types: BTreeMap<&str, bool> = boards
        .iter()
        .flat_map(|board| board.conversations.iter())
        .map(|(name, conversations)| (name.as_str(), conversations.values().any(|it| it.turns.len() > 1)))
        .collect();
    for (data_type, has_turns) in types {
        for (slice, flag) in slices.iter().take(if has_turns { 4 } else { 1 }) {
            for board in boards {
                let it = irrelevant_at(board, data_type, *flag);
                if it.snapshots == 0 && it.refusals.is_none() {
                    continue;
                }
                let counts = [it.conversations, it.snapshots].map(Cell::Count);
                let shares = row(&it).into_iter().chain([it.refusals, it.questions].map(Cell::Share));
                table.add(&[data_type, slice, &board.name], counts.into_iter().chain(shares).collect());
            }
        }
    }
    table.labelled(0, labelled)
}

/// A data type with its label; the paper has another name for `Based`, and one for both cases of `SO`.
fn labelled(name: &str) -> Option<String> {
    let label = match name {
        "sQsA" => data_type_label(&SuiteId::HammerBench.into(), "Based"),
        "SO" => Some("value corrected"),
        code => data_type_label(&SuiteId::HammerBench.into(), code),
    };
    label.map(|label| format!("{name} ({label})"))
}

fn irrelevant_at(board: &Board, data_type: &str, flag: Flag) -> Figures {
    board.figures(board.of(&[data_type]).map(|(_, it)| it), flag)
}

/// Something that a board counts by name.
type Counted = fn(&Board) -> &BTreeMap<String, u64>;

/// What the strict profile counts besides: what answers are, how calls were found, what went wrong.
fn faults(boards: &[Board]) -> Table {
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut table = Table::new("counts", "Answers, parse paths and errors", &["What", "Name"], &names);
    let kinds: [(&str, Counted); 3] = [
        ("answer", |board| &board.counts.status),
        ("way", |board| &board.counts.ways),
        ("fault", |board| &board.counts.errors),
    ];
    for (what, counts) in kinds {
        table.add_counts(&[what], boards.iter().map(counts));
    }
    table.headed(&[("What", "Category")]).labelled(0, count_label)
}

fn row(figures: &Figures) -> Vec<Cell> {
    [figures.func_acc, figures.phr, figures.pmr, figures.acc, figures.pr, figures.sr].map(Cell::Share).to_vec()
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::super::profile::Profile;
    use super::*;

    fn cell<'t>(tables: &'t [Table], name: &str, row: usize, column: &str) -> &'t Cell {
        let table = tables.iter().find(|table| table.name == name).unwrap();
        &table.rows[row][table.columns.iter().position(|it| it == column).unwrap()]
    }

    #[test]
    fn only_what_is_there_is_shown() {
        let boards = [board(Profile::Strict, &[("Based", true), ("mSv", false), ("SO_case1", true)])];
        let tables = tables(&boards);
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["3", "5", "6", "9", "10", "11", "12", "13", "slices"]);
        assert_eq!(cell(&tables, "12", 0, "mSv").shown(), "100.00% -50.00 ±0.00 (n 1)");
        assert_eq!(cell(&tables, "5", 0, "w/ mSv").shown().split(' ').next(), Some("50.00%"));
        assert!(!tables[1].columns.contains(&"mQmA".to_owned()));
    }

    #[test]
    fn several_models_stand_side_by_side() {
        let mut boards =
            [board(Profile::Upstream, &[("ST_Perfect", true)]), board(Profile::Upstream, &[("ST_Perfect", false)])];
        boards[1].name = "other".to_owned();
        let tables = tables(&boards);
        let rows = &tables.iter().find(|table| table.name == "8").unwrap().rows;
        assert_eq!((rows.len(), rows[1][1].shown()), (4, "other".to_owned()));
    }

    #[test]
    fn figures_are_put_together_by_weight() {
        let figure = |value| Some(Figure { value, low: value - 0.1, high: value + 0.1, n: 10 });
        let it = together([(figure(0.5), 1), (figure(1.0), 3), (None, 5)]).unwrap();
        assert!((it.value - 0.875).abs() < 1e-12 && it.n == 20 && it.low < it.value);
        assert_eq!(together([(None, 3)]), None);
    }
}
