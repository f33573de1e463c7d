//! Figures at the level of snapshots, where none knows of another.

use super::figures::{SnapshotFigures, real, share, traced};
use super::verdict::Facts;

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

#[cfg(test)]
mod tests {
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
