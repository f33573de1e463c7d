//! All totals of a run as one object: the authors' three sections, judge calls, and people beside the program.

use super::board::{Board, Reviewed};
use super::profile::Profile;
use crate::functionchat::layout::Set;
use crate::functionchat::metric::upstream::{Counted, Sections, Tallied, section};
use crate::record::{Object, Value};

/// The version of the authors' program that the sections are shaped as.
const VERSION: &str = "2.0.0";

/// The totals of a run.
pub fn totals(board: &Board) -> Object {
    let mut totals = Object::new();
    for (set, tallied) in &board.sets {
        totals.insert(format!("{}_score", set.as_str()), of_set(board.profile, *set, tallied).into());
    }
    totals.insert("fcb_version".to_owned(), VERSION.into());
    totals.insert("profile".to_owned(), board.profile.version().into());
    totals.insert("target_model_path".to_owned(), board.name.as_str().into());
    totals.insert("judge_calls".to_owned(), count(if board.has_judge { board.judged().judged } else { 0 }));
    if board.is_reviewed() {
        let sets = board.reviewed.iter().map(|(set, it)| (set.as_str().to_owned(), reviewed(*it).into())).collect();
        totals.insert("human_vs_pipeline".to_owned(), Value::Object(sets));
    }
    totals
}

/// The section of a set: as the authors add it up, or over everything that was scored.
pub(super) fn of_set(profile: Profile, set: Set, tallied: &Tallied) -> Object {
    if profile == Profile::Strict {
        return strict(tallied);
    }
    let kind = match set {
        Set::Singlecall => Sections::Singlecall,
        Set::Dialog => Sections::Dialog,
        Set::CallDecision => Sections::Common,
    };
    section(kind, tallied)
}

/// Over everything: what was not read stays in the denominators, and has a count of its own.
fn strict(tallied: &Tallied) -> Object {
    let mut section = Object::new();
    let mut all = Counted::default();
    let mut rates = Vec::new();
    for (name, counted) in tallied {
        put(&mut section, name, *counted);
        rates.extend(rate(counted.pass, counted.all()));
        all = Counted {
            pass: all.pass + counted.pass,
            fail: all.fail + counted.fail,
            unparsed: all.unparsed + counted.unparsed,
        };
    }
    section.insert("total_pass_cnt".to_owned(), count(all.pass));
    section.insert("total_unparsed_cnt".to_owned(), count(all.unparsed));
    section.insert("total_cnt".to_owned(), count(all.all()));
    section.insert("avg(micro)".to_owned(), rate(all.pass, all.all()).map_or(Value::Null, Value::from));
    let mean = rates.iter().sum::<f64>() / real(rates.len() as u64);
    section.insert("avg(macro)".to_owned(), if rates.is_empty() { Value::Null } else { mean.into() });
    section
}

fn put(section: &mut Object, name: &str, counted: Counted) {
    section.insert(format!("{name} total"), count(counted.all()));
    section.insert(format!("{name} pass cnt"), count(counted.pass));
    section.insert(format!("{name} unparsed cnt"), count(counted.unparsed));
    let rate = rate(counted.pass, counted.all()).map_or(Value::Null, Value::from);
    section.insert(format!("{name} pass rate"), rate);
}

fn reviewed(it: Reviewed) -> Object {
    let fields = [
        ("total", it.total),
        ("fp", it.fp),
        ("fn", it.fn_),
        ("unparsed", it.unparsed),
        ("fp_from_rule", it.fp_from_rule),
        ("fp_from_judge", it.fp_from_judge),
    ];
    fields.into_iter().map(|(name, number)| (name.to_owned(), count(number))).collect()
}

fn count(number: u64) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

fn rate(pass: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| real(pass) / real(all))
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn real(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::super::board::Verdict;
    use super::super::board::tests::found;
    use super::*;

    fn board(profile: Profile) -> Board {
        let mut board = Board::new("m", profile);
        board.has_judge = true;
        for (data_type, verdict, human) in [
            ("call", Verdict::Pass, Some(false)),
            ("call", Verdict::Fail, None),
            ("slot", Verdict::Unparsed, None),
            ("slot", Verdict::Pass, Some(true)),
        ] {
            board.add(&found(Set::Dialog, data_type, verdict, true, human));
        }
        board
    }

    #[test]
    fn our_totals_are_over_everything() {
        insta::assert_snapshot!(Value::Object(totals(&board(Profile::Strict))));
    }

    #[test]
    fn the_authors_totals_have_their_keys() {
        insta::assert_snapshot!(Value::Object(totals(&board(Profile::Upstream))));
        assert!(!totals(&Board::new("m", Profile::Strict)).contains_key("human_vs_pipeline"));
    }
}
