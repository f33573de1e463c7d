//! Everything that was found, conversation by conversation, and the figures of any part of it.

use super::profile::Profile;
use crate::Coverage;
use crate::hammerbench::metric::strict::{Outcome, Sums};
use crate::hammerbench::metric::upstream::{self, Conversations, Facts, Flag, Snapshots};
use crate::report::Figure;
use crate::score::{Estimate, Mean, Pairs, wilson, wilson_around};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// What was found of one snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// Which turn it closes, from 1.
    pub turn: u32,
    /// Whether the transformation sits here.
    pub is_marked: bool,
    /// Whether it is right as a whole, by the profile.
    pub right: bool,
    /// Whether only a judge could tell, so that it is in no figure.
    pub undecided: bool,
    /// Whether the right answer is a question for missing arguments.
    pub wants_question: bool,
    /// What counts; `terminal` where a refusal is right and there is no label to compare.
    pub facts: Facts,
}

/// One conversation; a single request is one of one turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversation {
    /// Id of the conversation that it is a variant of.
    pub base: Option<String>,
    /// Its snapshots in the order of turns.
    pub turns: Vec<Found>,
}

/// What was counted besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// How much was scored.
    pub coverage: Coverage,
    /// Samples that only a judge can decide, left out of the figures.
    pub undecided: u64,
    /// Answers by what they are.
    pub status: BTreeMap<String, u64>,
    /// Wrong answers by the gravest fault.
    pub errors: BTreeMap<String, u64>,
    /// Calls by how they were found.
    pub ways: BTreeMap<String, u64>,
}

/// What one model did.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules it was scored.
    pub profile: Profile,
    /// Conversations by data type and id.
    pub conversations: BTreeMap<String, IndexMap<String, Conversation>>,
    /// What was counted besides.
    pub counts: Counts,
}

/// The figures of some conversations.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Conversations.
    pub conversations: u64,
    /// Snapshots in them.
    pub snapshots: u64,
    /// Right names.
    pub func_acc: Option<Figure>,
    /// Invented parameters.
    pub phr: Option<Figure>,
    /// Missing parameters.
    pub pmr: Option<Figure>,
    /// Right parameters with a wrong value.
    pub other: Option<Figure>,
    /// Everything right.
    pub acc: Option<Figure>,
    /// Progress.
    pub pr: Option<Figure>,
    /// Success from end to end.
    pub sr: Option<Figure>,
    /// Right refusals.
    pub refusals: Option<Figure>,
    /// Right questions for missing arguments.
    pub questions: Option<Figure>,
}

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, profile: Profile) -> Self {
        Self { name: name.to_owned(), profile, conversations: BTreeMap::new(), counts: Counts::default() }
    }

    /// The conversations of some data types.
    pub fn of<'b>(&'b self, data_types: &'b [&str]) -> impl Iterator<Item = (&'b str, &'b Conversation)> {
        let by_type = data_types.iter().filter_map(|data_type| self.conversations.get(*data_type));
        by_type.flatten().map(|(id, conversation)| (id.as_str(), conversation))
    }

    /// The conversation of a data type by its id.
    pub fn find(&self, data_type: &str, id: &str) -> Option<&Conversation> {
        self.conversations.get(data_type)?.get(id)
    }

    /// The figures of conversations, at the turns that a flag takes.
    pub fn figures<'c>(&self, conversations: impl Iterator<Item = &'c Conversation>, flag: Flag) -> Figures {
        match self.profile {
            Profile::Strict => strict(conversations, flag),
            Profile::Upstream => conversations_of(conversations, flag),
            Profile::UpstreamSnapshot => snapshot(conversations, flag),
        }
    }
}

impl Conversation {
    /// The snapshots that a flag takes.
    pub fn taken(&self, flag: Flag) -> impl Iterator<Item = &Found> {
        let count = self.turns.len();
        let taken = self.turns.iter().enumerate().filter(move |(at, found)| flag.takes(*at, count, found.is_marked));
        taken.map(|(_, found)| found)
    }
}

fn strict<'c>(conversations: impl Iterator<Item = &'c Conversation>, flag: Flag) -> Figures {
    let mut sums = Sums::default();
    for conversation in conversations {
        sums.add(conversation.taken(flag).map(Outcome::from));
    }
    let (conversations, snapshots) = sums.counts();
    Figures {
        conversations,
        snapshots,
        func_acc: shown(sums.func_acc()),
        phr: shown(sums.phr()),
        pmr: shown(sums.pmr()),
        other: shown(sums.other_errors()),
        acc: shown(sums.acc()),
        pr: shown(sums.pr()),
        sr: shown(sums.sr()),
        refusals: shown(sums.refusals()),
        questions: shown(sums.questions()),
    }
}

/// As the paper's tables; conversations that end in a shift, at which the evaluator breaks off, only tell how they end.
fn conversations_of<'c>(conversations: impl Iterator<Item = &'c Conversation>, flag: Flag) -> Figures {
    let (mut sums, mut progress, mut ends, mut other) = (Conversations::new(flag), Mean::default(), [0; 2], [0; 2]);
    for conversation in conversations {
        let turns: Vec<(Facts, bool)> = conversation.turns.iter().map(|found| (found.facts, found.is_marked)).collect();
        if let Some((end, _)) = turns.last().filter(|(facts, _)| facts.terminal) {
            ends = [ends[0] + u64::from(!end.parsed && end.refusal_word), ends[1] + 1];
            continue;
        }
        sums.add(&turns);
        progress.add(progress_of(conversation, flag));
        if turns.first().is_some_and(|(first, _)| first.func_ok) {
            let wrong = |facts: &Facts| facts.hallucinated == 0 && facts.missing == 0 && !facts.args_ok;
            other[0] += conversation.taken(flag).filter(|found| wrong(&found.facts)).count() as u64;
            other[1] += conversation.taken(flag).count() as u64;
        }
    }
    let it = sums.figures();
    let rejection = it.rejection_rate;
    Figures {
        conversations: it.conversations + ends[1],
        snapshots: it.snapshots,
        func_acc: shown(wilson_around(it.func_acc, it.conversations)),
        phr: shown(wilson_around(it.phr, it.named)),
        pmr: shown(wilson_around(it.pmr, it.named)),
        other: shown(wilson(other[0], other[1])),
        acc: shown(wilson_around(it.acc, it.snapshots)),
        pr: shown(progress.estimate()),
        sr: shown(wilson_around(it.sr, it.conversations)),
        refusals: shown(if ends[1] > 0 {
            wilson(ends[0], ends[1])
        } else {
            wilson_around(rejection, it.conversations)
        }),
        questions: None,
    }
}

/// How far a conversation goes right by the authors' reckoning.
fn progress_of(conversation: &Conversation, flag: Flag) -> f64 {
    let taken: Vec<Facts> = conversation.taken(flag).map(|found| found.facts).collect();
    upstream::progress(taken.iter(), conversation.turns.first().is_some_and(|first| first.facts.func_ok))
}

fn snapshot<'c>(conversations: impl Iterator<Item = &'c Conversation>, flag: Flag) -> Figures {
    let (mut sums, mut ends, mut count) = (Snapshots::default(), [0; 2], 0);
    for conversation in conversations {
        count += 1;
        for found in conversation.taken(flag) {
            sums.add(&found.facts);
            ends[0] += u64::from(found.facts.terminal && !found.facts.parsed && found.facts.refusal_word);
            ends[1] += u64::from(found.facts.terminal);
        }
    }
    let it = sums.figures();
    Figures {
        conversations: count,
        snapshots: it.n,
        func_acc: shown(wilson_around(it.func_acc, it.n)),
        phr: shown(wilson_around(it.phr, it.named)),
        pmr: shown(wilson_around(it.pmr, it.named)),
        acc: shown(wilson_around(it.acc, it.n)),
        refusals: shown(if ends[1] > 0 { wilson(ends[0], ends[1]) } else { wilson_around(it.rejection_rate, it.n) }),
        ..Figures::default()
    }
}

/// An estimate as a table shows it.
pub(super) fn shown(estimate: Option<Estimate>) -> Option<Figure> {
    estimate.map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n })
}

impl From<&Found> for Outcome {
    fn from(found: &Found) -> Self {
        let facts = found.facts;
        Self {
            wants_refusal: facts.terminal,
            wants_question: found.wants_question,
            right: found.right,
            func_ok: facts.func_ok,
            invented: facts.hallucinated > 0,
            missing: facts.missing > 0,
        }
    }
}

// The same conversations with and without what makes them a variant.

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
pub(super) mod tests {
    use super::*;

    pub(crate) fn found(turn: u32, right: bool) -> Found {
        let facts =
            Facts { parsed: true, func_ok: true, args_ok: right, missing: u32::from(!right), ..Facts::default() };
        Found { turn, is_marked: turn == 2, right, facts, ..Found::default() }
    }

    /// Of each data type one conversation of two turns, the second of which is right or wrong.
    pub(crate) fn board(profile: Profile, types: &[(&str, bool)]) -> Board {
        let mut board = Board::new("model", profile);
        for (data_type, right) in types {
            let conversation =
                Conversation { base: Some("c".to_owned()), turns: vec![found(1, true), found(2, *right)] };
            board.conversations.entry((*data_type).to_owned()).or_default().insert("c".to_owned(), conversation);
        }
        board
    }

    fn acc(profile: Profile, flag: Flag) -> (f64, Option<f64>) {
        let board = board(profile, &[("Based", true), ("mSv", false)]);
        let figures = board.figures(board.of(&["Based", "mSv"]).map(|(_, it)| it), flag);
        (figures.acc.unwrap().value, figures.pr.map(|it| it.value))
    }

    #[test]
    fn each_profile_has_its_own_figures_and_slices() {
        for profile in [Profile::Strict, Profile::Upstream] {
            assert_eq!(acc(profile, Flag::All), (0.75, Some(0.75)), "{profile:?}");
            assert_eq!(acc(profile, Flag::First), (1.0, Some(1.0)), "{profile:?}");
            assert_eq!(acc(profile, Flag::Marked), (0.5, Some(0.5)), "{profile:?}");
        }
        assert_eq!(acc(Profile::UpstreamSnapshot, Flag::All), (0.75, None));
    }

    #[test]
    fn a_shift_tells_how_it_ends() {
        let mut board = board(Profile::Upstream, &[("IS", true)]);
        let end = Facts { terminal: true, refusal_word: true, ..Facts::default() };
        board.conversations["IS"]["c"].turns.len();
        board.conversations.get_mut("IS").unwrap()["c"].turns[1].facts = end;
        for profile in [Profile::Strict, Profile::Upstream, Profile::UpstreamSnapshot] {
            board.profile = profile;
            let figures = board.figures(board.of(&["IS"]).map(|(_, it)| it), Flag::All);
            assert_eq!(figures.refusals.map(|it| (it.value, it.n)), Some((1.0, 1)), "{profile:?}");
        }
    }
}

#[cfg(test)]
mod pairs_tests {
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
