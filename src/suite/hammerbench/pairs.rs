//! The same conversations with and without what makes them a variant.

use super::board::{Board, Conversation, shown};
use crate::report::Figure;
use crate::score::hammerbench::upstream::Flag;
use crate::score::{Mean, Pairs};

/// Of these all multi-turn data types are variants.
const BASE: &str = "Based";

/// A figure that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    /// How far a conversation goes right.
    Progress,
    /// Whether it goes right from end to end.
    Success,
    /// Share of its snapshots with an invented parameter.
    Invented,
    /// Share of its snapshots with a missing parameter.
    Missing,
}

/// Conversations with their bases, where both were scored.
pub(super) struct Paired<'b> {
    board: &'b Board,
    pairs: Vec<(Conversation, &'b Conversation)>,
}

impl<'b> Paired<'b> {
    /// The variants of some data types, each beside its base. The base is looked at in the turns that the variant marks.
    pub(super) fn of(board: &'b Board, data_types: &'b [&str]) -> Self {
        let pair = |(_, variant): (&str, &'b Conversation)| {
            let mut base = board.find(BASE, variant.base.as_deref()?)?.clone();
            for (at, found) in base.turns.iter_mut().enumerate() {
                found.is_marked = variant.turns.get(at).is_some_and(|other| other.is_marked);
            }
            Some((base, variant))
        };
        Self { board, pairs: board.of(data_types).filter_map(pair).collect() }
    }

    /// The bases.
    pub(super) fn without(&self) -> impl Iterator<Item = &Conversation> {
        self.pairs.iter().map(|(base, _)| base)
    }

    /// How much the variant changes a figure, pair by pair. Of outcomes that are yes or no (successes) with the interval
    /// of Agresti and Min, of others with the normal interval of their mean.
    pub(super) fn change(&self, metric: Metric, flag: Flag) -> Option<Figure> {
        let (mut outcomes, mut mean) = (Pairs::default(), Mean::default());
        for (base, variant) in &self.pairs {
            let value = |conversation: &Conversation| self.value(conversation, metric, flag);
            let Some((before, after)) = value(base).zip(value(variant)) else { continue };
            outcomes.add(before >= 1.0, after >= 1.0);
            mean.add(after - before);
        }
        shown(if metric == Metric::Success { outcomes.difference() } else { mean.estimate() })
    }

    fn value(&self, conversation: &Conversation, metric: Metric, flag: Flag) -> Option<f64> {
        let figures = self.board.figures(std::iter::once(conversation), flag);
        let figure = match metric {
            Metric::Progress => figures.pr,
            Metric::Success => figures.sr,
            Metric::Invented => figures.phr,
            Metric::Missing => figures.pmr,
        };
        // The authors' trace in the denominator must not make a success less than one.
        figure
            .filter(|_| figures.snapshots > 0)
            .map(|figure| if figure.value > 1.0 - 1e-6 { 1.0 } else { figure.value })
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::super::profile::Profile;
    use super::*;

    #[test]
    fn a_variant_is_compared_with_its_own_base() {
        for profile in [Profile::Strict, Profile::Upstream] {
            let board = board(profile, &[("Based", true), ("mSv", false), ("mQmA", true)]);
            let change =
                |types: &[&str], metric, flag| Paired::of(&board, types).change(metric, flag).map(|it| it.value);
            assert_eq!(change(&["mSv"], Metric::Progress, Flag::All), Some(-0.5), "{profile:?}");
            assert_eq!(change(&["mSv"], Metric::Success, Flag::All), Some(-1.0), "{profile:?}");
            assert_eq!(change(&["mSv"], Metric::Missing, Flag::Marked), Some(1.0), "{profile:?}");
            assert_eq!(change(&["mSv", "mQmA"], Metric::Progress, Flag::All), Some(-0.25), "{profile:?}");
            assert_eq!(change(&["mQmA"], Metric::Invented, Flag::All), Some(0.0), "{profile:?}");
            assert_eq!(Paired::of(&board, &["mSv", "mQmA"]).without().count(), 2);
        }
    }

    #[test]
    fn without_a_base_there_is_nothing_to_compare() {
        let board = board(Profile::Strict, &[("mSv", false)]);
        assert_eq!(Paired::of(&board, &["mSv"]).change(Metric::Success, Flag::All), None);
    }
}
