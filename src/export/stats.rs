//! What an export holds, counted.

use super::choice::Mixed;
use super::loss::{Loss, Rule};
use crate::export::lessons::lesson::Lesson;
use crate::record::{Paradigm, SuiteId, Tier};
use crate::run::PerThousand;
use std::collections::{BTreeMap, BTreeSet};

/// Counts by a name.
pub type Counts = BTreeMap<String, u64>;

/// Figures of an export.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// Rows of each part, by its file's stem.
    pub sides: Counts,
    /// By suite and data type.
    pub types: Counts,
    /// Whether rows of HammerBench are among them.
    pub has_hammerbench: bool,
    /// By locale.
    pub locales: Counts,
    /// By what they end in.
    pub aims: Counts,
    /// By source and licence.
    pub licences: Counts,
    /// By which readings agreed with the label.
    pub tiers: Counts,
    /// The stages that compared readings with labels, each with which had to agree.
    pub readings: Vec<(String, &'static str)>,
    /// By the model that wrote them.
    pub models: Counts,
    /// By where a rejected answer comes from.
    pub rejected_from: Counts,
    /// Rows with text of templates.
    pub template: u64,
    /// Turns of the person in them by suite and data type: those that contain template text, and all.
    pub template_turns: BTreeMap<String, (u64, u64)>,
    /// What a thousand samples of the run took, where its manifest says so.
    pub per_thousand: Option<PerThousand>,
    /// Rows with other names for tools and parameters.
    pub renamed: u64,
    /// Rows with a turn that is not to be learned.
    pub masked: u64,
    /// How the run was mixed.
    pub mixed: Mixed,
    /// Replies of the assistant that are trained.
    pub trained: u64,
    /// Those that differ from each other or from what stands before them, by hash.
    pub distinct: BTreeSet<u64>,
    /// The share of rows in the greatest group that cannot be parted.
    pub greatest: Option<f64>,
    /// Refusals, by their words' hash; the greatest count is what matters.
    pub refusals: BTreeMap<u64, u64>,
    /// What was left out, by rule: rows, and parts of rows.
    pub losses: BTreeMap<Rule, (u64, u64)>,
}

impl Stats {
    /// Rows in all parts.
    pub fn rows(&self) -> u64 {
        self.sides.values().sum()
    }

    /// The commands that score a model trained on the rows, on a benchmark that is not among them. HammerBench has two
    /// paradigms and must be told which; every other suite is asked in `ask`.
    pub fn scored_by(&self, paradigm: Paradigm) -> [String; 2] {
        let is_told = paradigm == Paradigm::Ask || self.has_hammerbench;
        let told = if is_told { format!(" --paradigm {}", paradigm.as_str()) } else { String::new() };
        [
            format!("fcgen predict BENCH --model M --base-url URL{told}"),
            "fcgen score BENCH --predictions predictions.jsonl".to_owned(),
        ]
    }

    /// The share of refusals that have the commonest words.
    #[expect(clippy::cast_precision_loss, reason = "numbers of rows are far below 2^52")]
    pub fn commonest_refusal(&self) -> Option<f64> {
        let all: u64 = self.refusals.values().sum();
        self.refusals.values().max().map(|most| *most as f64 / all as f64)
    }

    /// Counts a row.
    pub(super) fn add(&mut self, lesson: &Lesson, side: &str, is_renamed: bool) {
        let sample = &lesson.sample;
        let count = |counts: &mut Counts, name: String| *counts.entry(name).or_default() += 1;
        count(&mut self.sides, side.to_owned());
        let kind = format!("{} {}", sample.suite, sample.data_type.0);
        let turns = self.template_turns.entry(kind.clone()).or_default();
        for by_template in sample.own_turns() {
            *turns = (turns.0 + u64::from(by_template), turns.1 + 1);
        }
        count(&mut self.types, kind);
        self.has_hammerbench |= sample.suite == SuiteId::HammerBench;
        count(&mut self.locales, sample.locale.clone());
        count(&mut self.aims, lesson.aim.as_str().to_owned());
        count(&mut self.tiers, sample.provenance.tier.map_or("not read", Tier::word).to_owned());
        count(&mut self.licences, format!("{} ({})", sample.source, sample.licence));
        let mut models: Vec<&str> = sample.provenance.draws.iter().map(|draw| draw.model.as_str()).collect();
        models.sort_unstable();
        models.dedup();
        for model in models {
            count(&mut self.models, model.to_owned());
        }
        self.template += u64::from(sample.provenance.template);
        self.renamed += u64::from(is_renamed);
        self.masked += u64::from(lesson.turns.iter().any(|turn| turn.learn != super::Learn::Yes));
        if lesson.aim == super::Aim::Refusal {
            let words = lesson.turns.last().and_then(|turn| turn.text.as_deref()).unwrap_or_default();
            let digest = blake3::hash(words.as_bytes());
            let hash = digest.as_bytes().iter().take(8).fold(0, |hash: u64, byte| hash << 8 | u64::from(*byte));
            *self.refusals.entry(hash).or_default() += 1;
        }
    }

    /// Counts the replies that a row trains.
    pub(super) fn train(&mut self, replies: &[u64]) {
        self.trained += replies.len() as u64;
        self.distinct.extend(replies);
    }

    /// The share of rows that end in calls, questions, refusals and answers, each where there are some.
    pub fn shares(&self) -> String {
        let share = |(aim, rows): (&String, &u64)| {
            let tenths = (rows * 1000).checked_div(self.rows()).unwrap_or(0);
            format!("{}.{} % {aim}s", tenths / 10, tenths % 10)
        };
        self.aims.iter().map(share).collect::<Vec<_>>().join(", ")
    }

    /// What the mix is: which rows, and the shares that came of it.
    pub fn mix(&self) -> String {
        let absent: Vec<String> = self.mixed.absent.iter().map(|aim| format!("{}s", aim.as_str())).collect();
        let rows = match (self.mixed.is_default, absent.as_slice()) {
            (false, _) => "every row".to_owned(),
            (true, []) => "each request once, at most 15 questions and 15 refusals per 70 calls".to_owned(),
            (true, absent) => {
                format!("each request once, shares unchanged, since there are no {}", absent.join(" and no "))
            }
        };
        format!("{rows}: {}", self.shares())
    }

    /// Counts a loss.
    pub(super) fn lose(&mut self, loss: &Loss) {
        let (rows, parts) = self.losses.entry(loss.rule).or_default();
        *(if loss.kept { parts } else { rows }) += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lesson, masked};
    use super::*;

    #[test]
    fn rows_are_counted_every_way() {
        let mut stats = Stats::default();
        for (lesson, side) in [(lesson("call"), "train"), (lesson("refusal"), "train"), (masked(), "test")] {
            stats.add(&lesson, side, side == "test");
        }
        assert_eq!((stats.rows(), stats.sides["train"], stats.renamed, stats.masked), (3, 2, 1, 1));
        assert_eq!((stats.types["hammerbench ST_Perfect"], stats.models["m"]), (3, 3));
        assert_eq!(stats.tiers["not read"], 3);
        let predict = |stats: &Stats, paradigm| stats.scored_by(paradigm)[0].clone();
        assert!(predict(&stats, Paradigm::Snapshot).ends_with(" --base-url URL --paradigm snapshot"));
        assert!(predict(&Stats::default(), Paradigm::Ask).ends_with(" --paradigm ask"));
        assert!(predict(&Stats::default(), Paradigm::Snapshot).ends_with(" --base-url URL"));
        assert_eq!((stats.licences["test (CC0-1.0)"], stats.commonest_refusal()), (3, Some(1.0)));
    }

    #[test]
    fn losses_are_rows_or_parts() {
        let mut stats = Stats::default();
        stats.lose(&Loss::row("a", Rule::Mask, ""));
        stats.lose(&Loss::part("a", Rule::Mask, ""));
        assert_eq!((stats.losses[&Rule::Mask], stats.commonest_refusal()), ((1, 1), None));
    }
}
