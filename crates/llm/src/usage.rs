//! What was asked and what it took, per stage and model.

use super::config::Price;
use super::request::Usage;
use crate::limit::budget::Spending;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Counts of a run, shared by all its models.
#[derive(Debug, Default)]
pub struct UsageBook {
    /// By stage, and by model.
    rows: Mutex<BTreeMap<String, BTreeMap<String, StageUsage>>>,
    /// Those of earlier processes of the run.
    earlier: Mutex<Vec<StageUsage>>,
    /// The last wave in which each stage asked, by model.
    waves: Mutex<BTreeMap<String, BTreeMap<String, u64>>>,
    in_flight: AtomicU64,
}

/// A request that was sent and waits for its answer, until it is dropped.
#[derive(Debug)]
pub(super) struct Flying<'a>(&'a UsageBook);

/// What one stage asked of one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StageUsage {
    /// The stage.
    pub stage: String,
    /// The model.
    pub model: String,
    /// Questions, however they were answered.
    pub requests: u64,
    /// Questions that the journal, or an equal question in flight, answered for nothing.
    pub cache_hits: u64,
    /// Requests that were sent.
    pub attempts: u64,
    /// Those of them that repeated one that had failed.
    pub retries: u64,
    /// Questions that got no answer.
    pub failures: u64,
    /// Tokens read; estimated where a broken attempt told none.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Dollars.
    pub cost: f64,
    /// Waves of batches in which the stage asked; 0 where requests go one by one. A wave is what can be asked before any of
    /// it is answered.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waves: u64,
    /// Those of them that it was the first to ask in, so that the waves of a model are the sum over its stages.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waves_begun: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// One thing that happened.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    Request,
    CacheHit,
    Attempt { repeated: bool },
    Failure,
    Tokens(Usage, Price),
    Wave { begun: bool },
}

impl UsageBook {
    /// The rows of this process so far, by stage and model.
    pub fn snapshot(&self) -> Vec<StageUsage> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).values().flat_map(BTreeMap::values).cloned().collect()
    }

    /// The rows of all processes of the run so far, by stage and model.
    pub fn totals(&self) -> Vec<StageUsage> {
        let mut rows = BTreeMap::new();
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for row in self.snapshot().into_iter().chain(earlier) {
            let total = rows.entry((row.stage.clone(), row.model.clone()));
            total.and_modify(|total: &mut StageUsage| total.add(&row)).or_insert(row);
        }
        rows.into_values().collect()
    }

    /// Counts what earlier processes of the run have asked.
    pub(super) fn follow(&self, earlier: Vec<StageUsage>) {
        *self.earlier.lock().unwrap_or_else(PoisonError::into_inner) = earlier;
    }

    /// Requests that were sent and wait for an answer.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Counts a request that is being sent.
    pub(super) fn fly(&self) -> Flying<'_> {
        self.in_flight.fetch_add(1, Relaxed);
        Flying(self)
    }

    /// Counts a question that goes along in a wave of batches.
    pub(super) fn count_wave(&self, stage: &str, model: &str, wave: u64) {
        let (begun, joined) = {
            let mut waves = self.waves.lock().unwrap_or_else(PoisonError::into_inner);
            let stages = waves.entry(model.to_owned()).or_default();
            let begun = stages.values().all(|last| *last != wave);
            (begun, stages.insert(stage.to_owned(), wave) != Some(wave))
        };
        if joined {
            self.count(stage, model, Event::Wave { begun });
        }
    }

    pub(super) fn count(&self, stage: &str, model: &str, event: Event) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = rows.get_mut(stage).and_then(|models| models.get_mut(model)) {
            return row.count(event);
        }
        let row = StageUsage { stage: stage.to_owned(), model: model.to_owned(), ..StageUsage::default() };
        rows.entry(stage.to_owned()).or_default().entry(model.to_owned()).or_insert(row).count(event);
    }
}

impl Drop for Flying<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

impl StageUsage {
    /// Adds what another process, or another part of the run, asked in the same stage.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.cache_hits += other.cache_hits;
        self.attempts += other.attempts;
        self.retries += other.retries;
        self.failures += other.failures;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.cost += other.cost;
        self.waves += other.waves;
        self.waves_begun += other.waves_begun;
    }

    /// Questions that a request of their own answered, however often it had to be sent; 0 where nothing is sent. Attempts
    /// less failures are fewer: of equal questions that wait for one answer, each fails with it.
    pub fn answered(&self) -> u64 {
        let asked = if self.attempts == 0 { 0 } else { self.requests };
        asked.saturating_sub(self.cache_hits).saturating_sub(self.failures)
    }

    pub(super) fn spending(&self) -> Spending {
        Spending { cost: self.cost, tokens: self.prompt_tokens + self.completion_tokens }
    }

    fn count(&mut self, event: Event) {
        match event {
            Event::Request => self.requests += 1,
            Event::CacheHit => self.cache_hits += 1,
            Event::Attempt { repeated } => {
                self.attempts += 1;
                self.retries += u64::from(repeated);
            }
            Event::Failure => self.failures += 1,
            Event::Tokens(usage, price) => self.add_tokens(usage, price),
            Event::Wave { begun } => {
                self.waves += 1;
                self.waves_begun += u64::from(begun);
            }
        }
    }

    fn add_tokens(&mut self, usage: Usage, price: Price) {
        self.prompt_tokens += usage.prompt;
        self.completion_tokens += usage.completion;
        // From the totals, because a sum of floats would depend on who came first.
        let total = Usage { prompt: self.prompt_tokens, completion: self.completion_tokens };
        self.cost = price.of(total);
    }
}

impl Price {
    /// What so many tokens cost, in dollars.
    #[expect(clippy::cast_precision_loss, reason = "2^52 tokens are beyond any run")]
    pub fn of(&self, usage: Usage) -> f64 {
        (usage.prompt as f64 * self.input + usage.completion as f64 * self.output) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 0.3, output: 1.2 };

    #[test]
    fn rows_are_by_stage_and_model_in_order() {
        let book = UsageBook::default();
        book.count("judge", "b", Event::Request);
        book.count("ask", "b", Event::Request);
        book.count("ask", "a", Event::Request);
        book.count("ask", "a", Event::CacheHit);
        let rows: Vec<_> = book.snapshot().into_iter().map(|row| (row.stage, row.model, row.cache_hits)).collect();
        let row = |stage: &str, model: &str, hits| (stage.to_owned(), model.to_owned(), hits);
        assert_eq!(rows, [row("ask", "a", 1), row("ask", "b", 0), row("judge", "b", 0)]);
    }

    #[test]
    fn the_cost_does_not_depend_on_the_order() {
        let usages =
            [(1, 7), (1_000_003, 11), (333, 77_777), (5, 1)].map(|(prompt, completion)| Usage { prompt, completion });
        let cost = |usages: &mut dyn Iterator<Item = Usage>| {
            let book = UsageBook::default();
            usages.for_each(|usage| book.count("s", "m", Event::Tokens(usage, PRICE)));
            book.snapshot()[0].cost
        };
        assert_eq!(cost(&mut usages.into_iter()).to_bits(), cost(&mut usages.into_iter().rev()).to_bits());
    }

    #[test]
    fn nothing_is_free_but_what_has_no_price() {
        let usage = Usage { prompt: 2_000_000, completion: 1_000_000 };
        assert!((PRICE.of(usage) - 1.8).abs() < 1e-12);
        assert!(Price::default().of(usage).abs() < 1e-12);
    }

    #[test]
    fn attempts_and_their_repetitions_are_told_apart() {
        let book = UsageBook::default();
        for repeated in [false, true, true] {
            book.count("s", "m", Event::Attempt { repeated });
        }
        book.count("s", "m", Event::Failure);
        let row = &book.snapshot()[0];
        assert_eq!((row.attempts, row.retries, row.failures), (3, 2, 1));
    }

    #[test]
    fn equal_questions_that_fail_together_take_no_answer_away() {
        let count =
            |attempts| StageUsage { requests: 12, cache_hits: 4, failures: 6, attempts, ..StageUsage::default() };
        assert_eq!([count(3).answered(), count(0).answered()], [2, 0]);
    }

    #[test]
    fn a_wave_counts_once_for_each_stage_and_once_in_all() {
        let book = UsageBook::default();
        for (stage, wave) in [("ask", 0), ("judge", 0), ("ask", 0), ("judge", 1)] {
            book.count_wave(stage, "m", wave);
        }
        let rows: Vec<_> = book.snapshot().into_iter().map(|row| (row.stage, row.waves, row.waves_begun)).collect();
        assert_eq!(rows, [("ask".to_owned(), 1, 1), ("judge".to_owned(), 2, 1)]);
    }

    #[test]
    fn whoever_waits_for_an_answer_is_in_flight() {
        let book = UsageBook::default();
        let (first, second) = (book.fly(), book.fly());
        assert_eq!(book.in_flight(), 2);
        drop(first);
        assert_eq!(book.in_flight(), 1);
        drop(second);
        assert_eq!(book.in_flight(), 0);
    }

    #[test]
    fn a_snapshot_goes_into_a_manifest() {
        let book = UsageBook::default();
        book.count("s", "m", Event::Tokens(Usage { prompt: 1_000_000, completion: 500_000 }, PRICE));
        let row = serde_json::to_string(&book.snapshot()[0]).unwrap();
        insta::assert_snapshot!(row, @r#"{"stage":"s","model":"m","requests":0,"cache_hits":0,"attempts":0,"retries":0,"failures":0,"prompt_tokens":1000000,"completion_tokens":500000,"cost":0.9}"#);
    }
}
