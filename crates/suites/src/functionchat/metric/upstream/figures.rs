//! The authors' totals, key for key: unparsed verdicts are handled in another way in each set.

use crate::record::{Object, Value};
use indexmap::IndexMap;

/// What became of items of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Passed.
    pub pass: u64,
    /// Failed.
    pub fail: u64,
    /// Neither was read.
    pub unparsed: u64,
}

/// Items by their kind, in the order in which they came.
pub type Tallied = IndexMap<String, Counted>;

/// How a set is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sections {
    /// Over all items.
    Singlecall,
    /// Over what was read, and in the end over 200.
    Dialog,
    /// Over what was read.
    Common,
}

/// The types of output of dialogs, in the authors' order.
const OUTPUTS: [&str; 4] = ["call", "completion", "slot", "relevance"];
/// The number by which the dialogs' passes are divided, whatever was run.
const TURNS: u64 = 200;

impl Counted {
    /// All of them.
    pub fn all(self) -> u64 {
        self.pass + self.fail + self.unparsed
    }
}

/// The section of a set.
pub fn section(kind: Sections, tallied: &Tallied) -> Object {
    match kind {
        Sections::Singlecall => singlecall(tallied),
        Sections::Dialog => dialog(tallied),
        Sections::Common => common(tallied),
    }
}

fn singlecall(tallied: &Tallied) -> Object {
    let mut section = Object::new();
    for (name, counted) in tallied {
        put(&mut section, &format!("{name} total"), count(counted.all()));
        // The program writes these when it meets the first pass.
        if counted.pass > 0 {
            put(&mut section, &format!("{name} pass cnt"), count(counted.pass));
            put(&mut section, &format!("{name} pass rate"), rate(counted.pass, counted.all()));
        }
    }
    let (all, pass) = (tallied.values().map(|it| it.all()).sum(), passes(tallied));
    put(&mut section, "total_cnt", count(all));
    put(&mut section, "total_pass_cnt", count(pass));
    put(&mut section, "total_pass_rate", rate(pass, all));
    section
}

/// A type of which nothing was read would end the authors' program by a division by zero; here its rate is `null`.
fn dialog(tallied: &Tallied) -> Object {
    let mut section = Object::new();
    for name in OUTPUTS {
        let counted = tallied.get(name).copied().unwrap_or_default();
        put(&mut section, &format!("{name} pass cnt"), count(counted.pass));
        put(&mut section, &format!("{name} pass rate"), rate(counted.pass, counted.pass + counted.fail));
    }
    let pass = passes(tallied);
    put(&mut section, "total_pass_cnt", count(pass));
    put(&mut section, "total_cnt", count(TURNS));
    put(&mut section, "avg(micro)", rate(pass, TURNS));
    section
}

fn common(tallied: &Tallied) -> Object {
    let mut names: Vec<&String> = tallied.keys().collect();
    names.sort();
    let mut section = Object::new();
    let or_nothing = |pass, all| if all == 0 { Value::from(0.0) } else { rate(pass, all) };
    for name in names {
        let counted = tallied[name];
        put(&mut section, &format!("{name} pass cnt"), count(counted.pass));
        put(&mut section, &format!("{name} pass rate"), or_nothing(counted.pass, counted.pass + counted.fail));
    }
    let (pass, all) = (passes(tallied), tallied.values().map(|it| it.pass + it.fail).sum());
    put(&mut section, "total_pass_cnt", count(pass));
    put(&mut section, "total_cnt", count(all));
    put(&mut section, "total_pass_rate", or_nothing(pass, all));
    section
}

fn passes(tallied: &Tallied) -> u64 {
    tallied.values().map(|it| it.pass).sum()
}

fn put(section: &mut Object, name: &str, value: Value) {
    section.insert(name.to_owned(), value);
}

fn count(number: u64) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn rate(pass: u64, all: u64) -> Value {
    if all == 0 { Value::Null } else { Value::from(pass as f64 / all as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallied(counts: &[(&str, [u64; 3])]) -> Tallied {
        let counted = |[pass, fail, unparsed]: [u64; 3]| Counted { pass, fail, unparsed };
        counts.iter().map(|(name, counts)| ((*name).to_owned(), counted(*counts))).collect()
    }

    fn shown(kind: Sections, counts: &[(&str, [u64; 3])]) -> String {
        Value::Object(section(kind, &tallied(counts))).to_string()
    }

    #[test]
    fn single_calls_keep_what_was_not_read_and_have_no_rate_without_a_pass() {
        insta::assert_snapshot!(shown(Sections::Singlecall, &[("exact", [1, 2, 1]), ("4_close", [0, 2, 0])]),
            @r#"{"exact total":4,"exact pass cnt":1,"exact pass rate":0.25,"4_close total":2,"total_cnt":6,"total_pass_cnt":1,"total_pass_rate":0.16666666666666666}"#);
    }

    #[test]
    fn dialogs_leave_it_out_of_the_types_and_divide_by_200() {
        insta::assert_snapshot!(shown(Sections::Dialog, &[("slot", [1, 1, 2]), ("call", [3, 0, 0])]),
            @r#"{"call pass cnt":3,"call pass rate":1.0,"completion pass cnt":0,"completion pass rate":null,"slot pass cnt":1,"slot pass rate":0.5,"relevance pass cnt":0,"relevance pass rate":null,"total_pass_cnt":4,"total_cnt":200,"avg(micro)":0.02}"#);
    }

    #[test]
    fn decisions_leave_it_out_everywhere() {
        insta::assert_snapshot!(shown(Sections::Common, &[("SLOT-all", [0, 0, 3]), ("CALL", [1, 3, 1])]),
            @r#"{"CALL pass cnt":1,"CALL pass rate":0.25,"SLOT-all pass cnt":0,"SLOT-all pass rate":0.0,"total_pass_cnt":1,"total_cnt":4,"total_pass_rate":0.25}"#);
        assert!(shown(Sections::Common, &[]).ends_with(r#""total_pass_rate":0.0}"#));
    }
}
