//! Figures at the level of conversations: what the paper's tables hold.

use super::figures::{ConversationFigures, real, share, traced};
use super::verdict::Facts;

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
