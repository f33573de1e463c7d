//! The figures of both levels, by the names under which they are published.

use super::verdict::Facts;
use serde::Serialize;

/// What the snapshot evaluator prints.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SnapshotFigures {
    /// Snapshots.
    pub n: u64,
    /// Those of them with the right name.
    pub named: u64,
    /// Share of refusals (no right call, and the word) among all.
    pub rejection_rate: f64,
    /// Share of replies without a call.
    pub string_ratio: f64,
    /// Parameters too many, on average.
    pub avg_hallucinated: f64,
    /// Parameters too few, on average.
    pub avg_missing: f64,
    /// Share of right names.
    pub func_acc: f64,
    /// Share with a parameter too many, among those with the right name.
    pub phr: f64,
    /// Share with a parameter too few, among those with the right name.
    pub pmr: f64,
    /// Share of arguments that pass, whatever the name.
    pub acc: f64,
}

/// What the conversation evaluator prints.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ConversationFigures {
    /// Conversations.
    pub conversations: u64,
    /// Snapshots that were looked at.
    pub snapshots: u64,
    /// Those of them in conversations that begin with the right name.
    pub named: u64,
    /// Share of conversations whose first reply refuses.
    pub rejection_rate: f64,
    /// Parameters too many, on average.
    pub avg_hallucinated: f64,
    /// Parameters too few, on average.
    pub avg_missing: f64,
    /// Share of snapshots with a parameter too many, in conversations that begin with the right name.
    pub phr: f64,
    /// Share of snapshots with a parameter too few, in conversations that begin with the right name.
    pub pmr: f64,
    /// Share of conversations that begin with the right name.
    pub func_acc: f64,
    /// Share of snapshots whose arguments pass in conversations that begin with the right name.
    pub acc: f64,
    /// How far conversations went right, on average.
    pub pr: f64,
    /// Share of conversations that went right from end to end.
    pub sr: f64,
}

/// What the authors add to some denominators.
const TRACE: f64 = 1e-9;

/// A share as the authors divide where nothing is left to divide by.
pub(super) fn traced(part: f64, whole: u64) -> f64 {
    part / (real(whole) + TRACE)
}

/// A share; 0 of nothing, where the authors' program breaks off.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { real(part) / real(whole) }
}

/// A count as a real number.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

// Figures at the level of snapshots, where none knows of another.

/// Sums over snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Snapshots {
    n: u64,
    refused: u64,
    unparsed: u64,
    right_names: u64,
    passed: u64,
    hallucinated: u64,
    missing: u64,
    with_hallucinated: u64,
    with_missing: u64,
}

impl Snapshots {
    /// Adds a snapshot. One whose label is a text is left out: the evaluator breaks off at it.
    pub fn add(&mut self, facts: &Facts) {
        if facts.terminal {
            return;
        }
        self.n += 1;
        self.refused += u64::from(!facts.func_ok && facts.refusal_word);
        self.unparsed += u64::from(!facts.parsed);
        self.right_names += u64::from(facts.func_ok);
        self.passed += u64::from(facts.args_ok);
        self.hallucinated += u64::from(facts.hallucinated);
        self.missing += u64::from(facts.missing);
        self.with_hallucinated += u64::from(facts.func_ok && facts.hallucinated > 0);
        self.with_missing += u64::from(facts.func_ok && facts.missing > 0);
    }

    /// Adds what was summed elsewhere.
    pub fn absorb(&mut self, other: &Self) {
        self.n += other.n;
        self.refused += other.refused;
        self.unparsed += other.unparsed;
        self.right_names += other.right_names;
        self.passed += other.passed;
        self.hallucinated += other.hallucinated;
        self.missing += other.missing;
        self.with_hallucinated += other.with_hallucinated;
        self.with_missing += other.with_missing;
    }

    /// The figures so far.
    pub fn figures(&self) -> SnapshotFigures {
        SnapshotFigures {
            n: self.n,
            named: self.right_names,
            rejection_rate: share(self.refused, self.n),
            string_ratio: share(self.unparsed, self.n),
            avg_hallucinated: traced(real(self.hallucinated), self.n),
            avg_missing: traced(real(self.missing), self.n),
            func_acc: share(self.right_names, self.n),
            phr: traced(real(self.with_hallucinated), self.right_names),
            pmr: traced(real(self.with_missing), self.right_names),
            acc: share(self.passed, self.n),
        }
    }
}

// Figures at the level of conversations: what the paper's tables hold.

/// Which turns of a conversation are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// All of them.
    All,
    /// The first (`0`).
    First,
    /// The last (`-1`).
    Last,
    /// Those where the transformation sits (`mid`).
    Marked,
}

/// Sums over conversations.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversations {
    flag: Flag,
    n: u64,
    refused: u64,
    right_names: u64,
    snapshots: u64,
    passed: u64,
    hallucinated: u64,
    missing: u64,
    /// Snapshots of conversations that begin with the right name.
    named: u64,
    with_hallucinated: u64,
    with_missing: u64,
    progress: f64,
    successes: u64,
}

impl Flag {
    /// The evaluator's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::First => "0",
            Self::Last => "-1",
            Self::Marked => "mid",
        }
    }

    /// Whether a turn of a conversation is looked at.
    pub fn takes(self, turn: usize, turns: usize, is_marked: bool) -> bool {
        match self {
            Self::All => true,
            Self::First => turn == 0,
            Self::Last => turn + 1 == turns,
            Self::Marked => is_marked,
        }
    }
}

/// How far a conversation goes right at the turns that are taken (`PR_i`): nowhere where it begins with a wrong name. Of no
/// turns at all everything went right.
pub fn progress<'f>(taken: impl ExactSizeIterator<Item = &'f Facts>, is_named: bool) -> f64 {
    let count = taken.len() as u64;
    let mut taken = taken;
    let right = taken.position(|facts| !facts.args_ok).map_or(1.0, |at| share(at as u64, count));
    if is_named { right } else { 0.0 }
}

impl Conversations {
    /// No conversations yet.
    pub fn new(flag: Flag) -> Self {
        let [n, refused, right_names, snapshots, passed, hallucinated, missing, named] = [0; 8];
        let [with_hallucinated, with_missing, successes] = [0; 3];
        let progress = 0.0;
        Self {
            flag,
            n,
            refused,
            right_names,
            snapshots,
            passed,
            hallucinated,
            missing,
            named,
            with_hallucinated,
            with_missing,
            progress,
            successes,
        }
    }

    /// Adds a conversation: its snapshots in the order of turns, each with whether it is marked.
    pub fn add(&mut self, turns: &[(Facts, bool)]) {
        let Some((first, _)) = turns.first() else { return };
        self.n += 1;
        self.right_names += u64::from(first.func_ok);
        self.refused += u64::from(!first.func_ok && first.refusal_word);
        let count = turns.len();
        let taken = turns.iter().enumerate().filter(|(turn, (_, is_marked))| self.flag.takes(*turn, count, *is_marked));
        let taken: Vec<Facts> = taken.map(|(_, (facts, _))| *facts).collect();
        self.add_taken(&taken, first.func_ok);
    }

    fn add_taken(&mut self, taken: &[Facts], is_named: bool) {
        let count = |holds: fn(&Facts) -> bool| taken.iter().filter(|facts| holds(facts)).count() as u64;
        self.snapshots += taken.len() as u64;
        self.hallucinated += taken.iter().map(|facts| u64::from(facts.hallucinated)).sum::<u64>();
        self.missing += taken.iter().map(|facts| u64::from(facts.missing)).sum::<u64>();
        if !is_named {
            return;
        }
        self.named += taken.len() as u64;
        self.passed += count(|facts| facts.args_ok);
        self.with_hallucinated += count(|facts| facts.hallucinated > 0);
        self.with_missing += count(|facts| facts.missing > 0);
        self.progress += progress(taken.iter(), is_named);
        // Of no turns at all everything went right, and yet it is no success.
        self.successes += u64::from(!taken.is_empty() && taken.iter().all(|facts| facts.args_ok));
    }

    /// The figures so far.
    pub fn figures(&self) -> ConversationFigures {
        ConversationFigures {
            conversations: self.n,
            snapshots: self.snapshots,
            named: self.named,
            rejection_rate: share(self.refused, self.n),
            avg_hallucinated: traced(real(self.hallucinated), self.snapshots),
            avg_missing: traced(real(self.missing), self.snapshots),
            phr: traced(real(self.with_hallucinated), self.named),
            pmr: traced(real(self.with_missing), self.named),
            func_acc: share(self.right_names, self.n),
            acc: share(self.passed, self.snapshots),
            pr: traced(self.progress, self.n),
            sr: traced(real(self.successes), self.n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_keeps_nothing_divisible() {
        assert!(traced(0.0, 0).abs() < 1e-300 && (traced(1.0, 2) - 0.499_999_999_75).abs() < 1e-12);
        assert!(share(3, 0).abs() < 1e-300 && (share(1, 4) - 0.25).abs() < 1e-300);
    }
}

#[cfg(test)]
mod snapshots_tests {
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn rates_of_parameters_look_at_right_names_alone() {
        let right = Facts { parsed: true, func_ok: true, args_ok: true, ..Facts::default() };
        let mut sums = Snapshots::default();
        for facts in [
            right,
            Facts { args_ok: false, hallucinated: 2, ..right },
            Facts { func_ok: false, missing: 3, ..right },
            Facts { refusal_word: true, missing: 1, ..Facts::default() },
            Facts { terminal: true, ..Facts::default() },
        ] {
            sums.add(&facts);
        }
        let figures = sums.figures();
        assert_eq!(figures.n, 4);
        assert!(near(figures.func_acc, 0.5) && near(figures.acc, 0.5) && near(figures.rejection_rate, 0.25));
        assert!(near(figures.phr, 0.5) && near(figures.pmr, 0.0) && near(figures.string_ratio, 0.25));
        assert!(near(figures.avg_hallucinated, 0.5) && near(figures.avg_missing, 1.0));
        let mut twice = sums;
        twice.absorb(&sums);
        assert_eq!(twice.figures().n, 8);
        assert!(near(twice.figures().acc, figures.acc));
    }

    #[test]
    fn nothing_has_figures_too() {
        assert_eq!(Snapshots::default().figures(), SnapshotFigures::default());
    }

    fn any_facts() -> impl Strategy<Value = Facts> {
        (any::<[bool; 5]>(), 0..4_u32, 0..4_u32).prop_map(
            |([parsed, refusal_word, terminal, func_ok, args_ok], hallucinated, missing)| Facts {
                parsed,
                refusal_word,
                terminal,
                func_ok,
                args_ok,
                hallucinated,
                missing,
            },
        )
    }

    proptest! {
            #[test]
            fn parts_together_are_the_whole(facts in prop::collection::vec(any_facts(), 0..20), cut in any::<prop::sample::Index>()) {
                let sum = |facts: &[Facts]| {
                    let mut sums = Snapshots::default();
                    for facts in facts {
    sums.add(facts);
    }
                    sums
                };
                let (one, other) = facts.split_at(cut.index(facts.len() + 1));
                let mut together = sum(one);
                together.absorb(&sum(other));
                prop_assert_eq!(together, sum(&facts));
                let figures = together.figures();
                let shares = [figures.rejection_rate, figures.string_ratio, figures.func_acc, figures.phr, figures.pmr, figures.acc];
                prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{figures:?}");
                prop_assert_eq!(figures.n, facts.iter().filter(|facts| !facts.terminal).count() as u64);
            }
        }
}

#[cfg(test)]
mod conversations_tests {
    use super::*;
    use proptest::prelude::*;

    const RIGHT: Facts = Facts {
        parsed: true,
        refusal_word: false,
        terminal: false,
        func_ok: true,
        args_ok: true,
        hallucinated: 0,
        missing: 0,
    };
    const WRONG: Facts = Facts { args_ok: false, missing: 1, ..RIGHT };

    fn figures(flag: Flag, conversations: &[&[(Facts, bool)]]) -> ConversationFigures {
        let mut sums = Conversations::new(flag);
        for turns in conversations {
            sums.add(turns);
        }
        sums.figures()
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn a_wrong_first_name_spoils_the_whole_conversation() {
        let lost = Facts { func_ok: false, refusal_word: true, ..RIGHT };
        let it = figures(Flag::All, &[&[(lost, false), (RIGHT, false)], &[(RIGHT, false), (WRONG, true)]]);
        assert!(near(it.func_acc, 0.5) && near(it.acc, 0.25) && near(it.rejection_rate, 0.5));
        assert!(near(it.pr, 0.25) && near(it.sr, 0.0) && near(it.pmr, 0.5) && near(it.avg_missing, 0.25));
    }

    #[test]
    fn later_names_are_never_looked_at() {
        let renamed = Facts { func_ok: false, ..RIGHT };
        assert!(near(figures(Flag::All, &[&[(RIGHT, false), (renamed, false)]]).sr, 1.0));
    }

    #[test]
    fn flags_take_their_turns() {
        let turns: &[(Facts, bool)] = &[(RIGHT, false), (WRONG, true), (RIGHT, true)];
        let acc = |flag| figures(flag, &[turns]).acc;
        assert!(near(acc(Flag::All), 2.0 / 3.0) && near(acc(Flag::Marked), 0.5));
        assert!(near(acc(Flag::First), 1.0) && near(acc(Flag::Last), 1.0));
        assert!(near(figures(Flag::All, &[turns]).pr, 1.0 / 3.0));
    }

    #[test]
    fn of_no_turns_all_went_right_and_nothing_was_won() {
        let it = figures(Flag::Marked, &[&[(RIGHT, false)], &[]]);
        assert_eq!((it.conversations, it.snapshots), (1, 0));
        assert!(near(it.pr, 1.0) && near(it.sr, 0.0) && near(it.acc, 0.0));
    }

    proptest! {
        #[test]
        fn success_is_harder_than_progress_and_progress_than_a_right_name(
            conversations in prop::collection::vec(prop::collection::vec((any::<[bool; 2]>(), any::<bool>()), 1..5), 1..8),
        ) {
            for flag in [Flag::All, Flag::First, Flag::Last] {
                let mut sums = Conversations::new(flag);
                let facts = |[func_ok, args_ok]: [bool; 2]| Facts { parsed: true, func_ok, args_ok, ..Facts::default() };
                for turns in &conversations {
                    sums.add(&turns.iter().map(|(facts_of, is_marked)| (facts(*facts_of), *is_marked)).collect::<Vec<_>>());
                }
                let it = sums.figures();
                prop_assert!(it.sr <= it.pr + 1e-6 && it.pr <= 1.0 && it.func_acc <= 1.0, "{it:?}");
                prop_assert_eq!(it.conversations, conversations.len() as u64);
                let all: usize = conversations.iter().map(Vec::len).sum();
                let looked_at = if flag == Flag::All { all } else { conversations.len() };
                prop_assert_eq!(it.snapshots, looked_at as u64);
            }
        }
    }
}
