//! Everything that was found of one run.

use super::profile::Profile;
use super::review::ReviewRow;
use crate::Coverage;
use crate::functionchat::layout::{Set, TypeOfOutput};
use crate::functionchat::metric::Decision;
use crate::functionchat::metric::strict::Outcome;
use crate::functionchat::metric::upstream::{Counted, Tallied};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// What becomes of a turn in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is right.
    Pass,
    /// It is wrong.
    Fail,
    /// The judge's reply cannot be read, or the votes are at odds.
    Unparsed,
    /// A judge must say, and none did.
    Unjudged,
}

/// What was found of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The set.
    pub set: Set,
    /// The data type: a list of tools, a type of output, a category.
    pub data_type: String,
    /// What the turn should be.
    pub output: TypeOfOutput,
    /// What the rule says.
    pub rule: Outcome,
    /// Whether the judge decided.
    pub judged: bool,
    /// What became of it.
    pub verdict: Verdict,
    /// What was wanted, and what was done.
    pub decisions: (Decision, Decision),
    /// What a person says.
    pub human: Option<bool>,
}

/// How a set was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judging {
    /// Items.
    pub items: u64,
    /// Right by the rule.
    pub rule_pass: u64,
    /// Wrong by the rule.
    pub rule_fail: u64,
    /// Decided by the judge.
    pub judged: u64,
    /// Right by the judge.
    pub judge_pass: u64,
    /// Not to be read.
    pub unparsed: u64,
    /// Turns on which votes differ.
    pub split: u64,
    /// Judge and rule are at odds, where both spoke.
    pub at_odds: u64,
    /// Replies of judges that were used.
    pub replies: u64,
}

/// What people say of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reviewed {
    /// Items of the set.
    pub total: u64,
    /// Those that a person looked at.
    pub reviewed: u64,
    /// Passed.
    pub passed: u64,
    /// Passed, and wrong.
    pub fp: u64,
    /// Failed, and right.
    pub fn_: u64,
    /// Neither, and right.
    pub open_right: u64,
    /// Neither.
    pub unparsed: u64,
    /// Passed by the rule, and wrong.
    pub fp_from_rule: u64,
    /// Passed by the judge, and wrong.
    pub fp_from_judge: u64,
}

/// What was counted besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// How much was scored.
    pub coverage: Coverage,
    /// Predictions at which the authors' program would break off.
    pub aborted: u64,
    /// Rules by their reason.
    pub reasons: BTreeMap<String, u64>,
    /// Wrong turns by what they should be, and their kind of error.
    pub errors: BTreeMap<(String, String), u64>,
    /// Calls in texts by how they were found.
    pub ways: BTreeMap<String, u64>,
}

/// What one model did in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules it was scored.
    pub profile: Profile,
    /// Whether a judge spoke at all.
    pub has_judge: bool,
    /// Verdicts by set and data type, in the order of the benchmark.
    pub sets: BTreeMap<Set, Tallied>,
    /// Verdicts by type of output, over all sets.
    pub outputs: BTreeMap<TypeOfOutput, Counted>,
    /// Verdicts by how values follow from the words, where the benchmark says so.
    pub extractions: Tallied,
    /// Turns that wait for a judge.
    pub unjudged: BTreeMap<(Set, String), u64>,
    /// What was wanted and what was done.
    pub decisions: BTreeMap<(Set, Decision, Decision), u64>,
    /// How sets were judged.
    pub judging: BTreeMap<Set, Judging>,
    /// What people say.
    pub reviewed: BTreeMap<Set, Reviewed>,
    /// What a person is to look at, where a sheet is wanted.
    pub rows: Vec<ReviewRow>,
    /// What was counted besides.
    pub counts: Counts,
}

impl Verdict {
    /// The word in a verdict.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unparsed => "unparsed",
            Self::Unjudged => "unjudged",
        }
    }

    fn count(self, counted: &mut Counted) {
        match self {
            Self::Pass => counted.pass += 1,
            Self::Fail => counted.fail += 1,
            Self::Unparsed | Self::Unjudged => counted.unparsed += 1,
        }
    }
}

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, profile: Profile) -> Self {
        Self {
            name: name.to_owned(),
            profile,
            has_judge: false,
            sets: BTreeMap::new(),
            outputs: BTreeMap::new(),
            extractions: IndexMap::new(),
            unjudged: BTreeMap::new(),
            decisions: BTreeMap::new(),
            judging: BTreeMap::new(),
            reviewed: BTreeMap::new(),
            rows: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Counts a turn.
    pub fn add(&mut self, found: &Found) {
        self.counts.coverage.scored += 1;
        let of_set = self.sets.entry(found.set).or_default();
        found.verdict.count(of_set.entry(found.data_type.clone()).or_default());
        found.verdict.count(self.outputs.entry(found.output).or_default());
        if found.verdict == Verdict::Unjudged {
            *self.unjudged.entry((found.set, found.data_type.clone())).or_default() += 1;
        }
        let (wanted, done) = found.decisions;
        *self.decisions.entry((found.set, wanted, done)).or_default() += 1;
        self.judging.entry(found.set).or_default().add(found);
        self.reviewed.entry(found.set).or_default().add(found);
    }

    /// Counts a turn among those whose values follow from the words in this way.
    pub fn add_extraction(&mut self, name: &str, verdict: Verdict) {
        verdict.count(self.extractions.entry(name.to_owned()).or_default());
    }

    /// How all sets were judged.
    pub fn judged(&self) -> Judging {
        self.judging.values().fold(Judging::default(), |mut all, it| {
            all.join(*it);
            all
        })
    }

    /// Whether any person said anything.
    pub fn is_reviewed(&self) -> bool {
        self.reviewed.values().any(|it| it.reviewed > 0)
    }
}

impl Judging {
    fn add(&mut self, found: &Found) {
        self.items += 1;
        self.rule_pass += u64::from(found.rule == Outcome::Pass);
        self.rule_fail += u64::from(found.rule == Outcome::Fail);
        self.judged += u64::from(found.judged);
        self.judge_pass += u64::from(found.judged && found.verdict == Verdict::Pass);
        self.unparsed += u64::from(found.verdict == Verdict::Unparsed);
        let by_rule = match found.rule {
            Outcome::Pass => Some(Verdict::Pass),
            Outcome::Fail => Some(Verdict::Fail),
            Outcome::Undecided => None,
        };
        let speaks = found.judged && matches!(found.verdict, Verdict::Pass | Verdict::Fail);
        self.at_odds += u64::from(speaks && by_rule.is_some_and(|verdict| verdict != found.verdict));
    }

    fn join(&mut self, other: Self) {
        self.items += other.items;
        self.rule_pass += other.rule_pass;
        self.rule_fail += other.rule_fail;
        self.judged += other.judged;
        self.judge_pass += other.judge_pass;
        self.unparsed += other.unparsed;
        self.split += other.split;
        self.at_odds += other.at_odds;
        self.replies += other.replies;
    }
}

impl Reviewed {
    fn add(&mut self, found: &Found) {
        let passed = found.verdict == Verdict::Pass;
        let is_open = matches!(found.verdict, Verdict::Unparsed | Verdict::Unjudged);
        let wrongly = passed && found.human == Some(false);
        self.total += 1;
        self.reviewed += u64::from(found.human.is_some());
        self.passed += u64::from(passed);
        self.unparsed += u64::from(is_open);
        self.fp += u64::from(wrongly);
        self.fp_from_rule += u64::from(wrongly && !found.judged);
        self.fp_from_judge += u64::from(wrongly && found.judged);
        self.fn_ += u64::from(found.verdict == Verdict::Fail && found.human == Some(true));
        self.open_right += u64::from(is_open && found.human == Some(true));
    }

    /// How many are right once people have spoken; where they were silent the verdict stands.
    pub fn adjusted(&self) -> u64 {
        self.passed - self.fp + self.fn_ + self.open_right
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn found(set: Set, data_type: &str, verdict: Verdict, judged: bool, human: Option<bool>) -> Found {
        let rule = if judged { Outcome::Undecided } else { Outcome::Pass };
        Found {
            set,
            data_type: data_type.to_owned(),
            output: TypeOfOutput::Call,
            rule,
            judged,
            verdict,
            decisions: (Decision::Call, Decision::Call),
            human,
        }
    }

    #[test]
    fn people_are_set_beside_the_verdicts() {
        let mut board = Board::new("m", Profile::Strict);
        for (verdict, judged, human) in [
            (Verdict::Pass, false, Some(false)),
            (Verdict::Pass, true, Some(false)),
            (Verdict::Pass, true, Some(true)),
            (Verdict::Pass, true, None),
            (Verdict::Fail, true, Some(true)),
            (Verdict::Unparsed, true, Some(true)),
            (Verdict::Unjudged, false, None),
        ] {
            board.add(&found(Set::Dialog, "call", verdict, judged, human));
        }
        let it = board.reviewed[&Set::Dialog];
        assert_eq!((it.total, it.reviewed, it.fp, it.fn_, it.unparsed), (7, 5, 2, 1, 2));
        assert_eq!((it.fp_from_rule, it.fp_from_judge, it.adjusted()), (1, 1, 4));
        assert!(board.is_reviewed());
        assert_eq!(board.unjudged[&(Set::Dialog, "call".to_owned())], 1);
    }

    #[test]
    fn a_judge_who_says_otherwise_than_the_rule_is_at_odds() {
        let mut board = Board::new("m", Profile::Strict);
        for (rule, verdict) in [
            (Outcome::Pass, Verdict::Fail),
            (Outcome::Pass, Verdict::Pass),
            (Outcome::Fail, Verdict::Unparsed),
            (Outcome::Undecided, Verdict::Pass),
        ] {
            board.add(&Found { rule, ..found(Set::Singlecall, "exact", verdict, true, None) });
        }
        let it = board.judged();
        assert_eq!(
            (it.items, it.rule_pass, it.rule_fail, it.judged, it.judge_pass, it.unparsed, it.at_odds),
            (4, 2, 1, 4, 2, 1, 1)
        );
    }
}
