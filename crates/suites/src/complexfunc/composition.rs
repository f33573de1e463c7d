//! What a benchmark is made of, in the layout of the paper's third table, with the lengths of values and of contexts.

use crate::complexfunc::layout::Row;
use crate::llm::{TOKEN_ESTIMATE, estimate_tokens};
use crate::record::{Argument, Expected, FINAL_ANSWER_FACT, FunctionCall, Sample, Step, SuiteId, Value};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Minimum length of a long value, in characters.
const LONG_VALUE: usize = 500;
/// From so many tokens on a context is long.
const LONG_CONTEXT: u64 = 100_000;
/// The word for an argument of which nothing is known.
const UNKNOWN: &str = "unknown";

/// Composition of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Composition {
    /// Samples, steps and calls, by domain.
    pub domains: IndexMap<String, DomainRow>,
    /// The same for all domains together.
    pub total: DomainRow,
    /// Samples whose golden calls contain a long value.
    pub long_values: LongValues,
    /// Context length.
    pub context: ContextTokens,
    /// Number of arguments of the golden calls.
    pub arguments: usize,
    /// Arguments by what they constrain, if known.
    pub constraints: IndexMap<String, usize>,
    /// Arguments by provenance.
    pub origins: IndexMap<String, usize>,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DomainRow {
    /// Number of samples.
    pub samples: usize,
    /// Mean steps per sample.
    pub steps: f64,
    /// Mean calls per sample.
    pub calls: f64,
}

/// Samples whose golden calls contain a long value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LongValues {
    /// Minimum length of a long value, in characters.
    pub characters: usize,
    /// Number of samples with a long value.
    pub samples: usize,
    /// Share of all samples.
    pub share: f64,
    /// The longest value, in characters.
    pub longest: usize,
}

/// Context length: the request, the functions, all calls with their answers, and the closing answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ContextTokens {
    /// Method of the token estimate.
    pub estimate: String,
    /// Maximum per sample.
    pub max: u64,
    /// Mean per sample.
    pub mean: f64,
    /// Number of samples with 100,000 tokens or more.
    pub at_least_100k: usize,
}

/// Counts samples, one after the other.
#[derive(Debug, Clone, Default)]
pub struct CompositionTally {
    domains: IndexMap<String, Sums>,
    long_values: usize,
    longest: usize,
    most_tokens: u64,
    tokens: u64,
    long_contexts: usize,
    constraints: IndexMap<String, usize>,
    origins: IndexMap<String, usize>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    samples: usize,
    steps: usize,
    calls: usize,
}

impl CompositionTally {
    /// Counts a sample; those of other suites are passed over.
    pub fn add(&mut self, sample: &Sample) {
        let Expected::Steps(steps) = &sample.expected else { return };
        if sample.suite != SuiteId::ComplexFuncBench {
            return;
        }
        let sums = self.domains.entry(sample.data_type.0.clone()).or_default();
        sums.samples += 1;
        sums.steps += steps.len();
        sums.calls += steps.iter().map(|step| step.calls.len()).sum::<usize>();
        self.add_values(steps);
        self.add_context(sample);
        for (note, count) in steps.iter().flat_map(noted) {
            let constraint = note.and_then(|note| note.constraint).map(|it| word(&it));
            if let Some(constraint) = constraint {
                *self.constraints.entry(constraint).or_default() += count;
            }
            let origin = note.map_or(UNKNOWN, |note| note.origin.word());
            *self.origins.entry(origin.to_owned()).or_default() += count;
        }
    }

    /// What was counted; nothing where there was no sample.
    pub fn finish(&self) -> Option<Composition> {
        let total = self.domains.values().fold(Sums::default(), |one, other| Sums {
            samples: one.samples + other.samples,
            steps: one.steps + other.steps,
            calls: one.calls + other.calls,
        });
        (total.samples > 0).then(|| Composition {
            domains: self.domains.iter().map(|(domain, sums)| (domain.clone(), sums.row())).collect(),
            total: total.row(),
            long_values: LongValues {
                characters: LONG_VALUE,
                samples: self.long_values,
                share: mean(self.long_values, total.samples),
                longest: self.longest,
            },
            context: ContextTokens {
                estimate: TOKEN_ESTIMATE.to_owned(),
                max: self.most_tokens,
                mean: mean(usize::try_from(self.tokens).unwrap_or(usize::MAX), total.samples),
                at_least_100k: self.long_contexts,
            },
            arguments: self.origins.values().sum(),
            constraints: by_count(&self.constraints),
            origins: by_count(&self.origins),
        })
    }

    fn add_values(&mut self, steps: &[Step]) {
        let arguments = steps.iter().flat_map(|step| &step.calls).flat_map(|call| call.arguments.values());
        let longest = arguments.map(length).max().unwrap_or_default();
        self.longest = self.longest.max(longest);
        self.long_values += usize::from(longest >= LONG_VALUE);
    }

    fn add_context(&mut self, sample: &Sample) {
        let tokens = context_tokens(sample);
        self.tokens += tokens;
        self.most_tokens = self.most_tokens.max(tokens);
        self.long_contexts += usize::from(tokens >= LONG_CONTEXT);
    }
}

/// About how many tokens a model reads of a sample, when all goes well: everything that stands in its row.
fn context_tokens(sample: &Sample) -> u64 {
    let row = Row::of(sample).and_then(|row| serde_json::to_string(&row).ok());
    let bare = || sample.query() + sample.provenance.facts.get(FINAL_ANSWER_FACT).map_or("", String::as_str);
    estimate_tokens(&row.unwrap_or_else(bare))
}

impl Sums {
    fn row(self) -> DomainRow {
        let Self { samples, steps, calls } = self;
        DomainRow { samples, steps: mean(steps, samples), calls: mean(calls, samples) }
    }
}

/// The notes on a step's arguments, each counted once; arguments without a note come together.
fn noted(step: &Step) -> Vec<(Option<&Argument>, usize)> {
    let of = |(at, call): (usize, &FunctionCall)| {
        let notes: Vec<&Argument> = call.arguments.keys().filter_map(|name| step.notes.get(at)?.get(name)).collect();
        let unknown = call.arguments.len() - notes.len();
        let known = notes.into_iter().map(|note| (Some(note), 1));
        known.chain((unknown > 0).then_some((None, unknown))).collect::<Vec<_>>()
    };
    step.calls.iter().enumerate().flat_map(of).collect()
}

/// How long a value is as text.
fn length(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().chars().count(), |text| text.chars().count())
}

/// The word by which a value is written in JSON.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The greatest count first.
fn by_count(counts: &IndexMap<String, usize>) -> IndexMap<String, usize> {
    let mut counts = counts.clone();
    counts.sort_by(|one, few, other, many| many.cmp(few).then_with(|| one.cmp(other)));
    counts
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn mean(sum: usize, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample(domain: &str, token: &str) -> Sample {
        let notes = json!({"query": {"surface": "Hill", "origin": "verbatim", "constraint": "location"}});
        let fed = json!({"token": {"origin": {"answer": {"call": 0, "field": "/data"}}, "constraint": "token"}});
        serde_json::from_value(json!({
            "id": "t/0", "suite": SuiteId::ComplexFuncBench.as_str(), "data_type": domain, "locale": "en", "group": "t",
            "messages": [{"role": "user", "content": "Book Hill"}], "candidates": [{"name": "Find"}],
            "expected": {"steps": [
                {"calls": [{"name": "Find", "arguments": {"query": "Hill", "page": 2}}], "answers": [{"data": token}], "notes": [notes]},
                {"calls": [{"name": "Book", "arguments": {"token": token}}, {"name": "Rate", "arguments": {}}],
                 "answers": [{}, {}], "notes": [fed, {}]}]},
            "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []},
        }))
        .unwrap()
    }

    #[test]
    fn the_table_has_a_row_for_each_domain_and_their_sum() {
        let mut tally = CompositionTally::default();
        assert_eq!(tally.finish(), None);
        tally.add(&sample("Hotels", "short"));
        tally.add(&sample("Hotels", &"x".repeat(600)));
        tally.add(&Sample { suite: "callnavi".into(), ..sample("easy", "t") });
        let mut short = sample("Cross", "t");
        if let Expected::Steps(steps) = &mut short.expected {
            steps.truncate(1);
        }
        tally.add(&short);
        let made = tally.finish().unwrap();
        assert_eq!(made.domains["Hotels"], DomainRow { samples: 2, steps: 2.0, calls: 3.0 });
        assert_eq!(made.domains["Cross"], DomainRow { samples: 1, steps: 1.0, calls: 1.0 });
        assert_eq!(made.total.samples, 3);
        assert!((made.total.steps - 5.0 / 3.0).abs() < 1e-12);
        assert_eq!((made.long_values.samples, made.long_values.longest), (1, 600));
        assert!((made.long_values.share - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn arguments_are_counted_by_what_they_constrain_and_where_they_come_from() {
        let mut tally = CompositionTally::default();
        tally.add(&sample("Hotels", "short"));
        let made = tally.finish().unwrap();
        assert_eq!(made.arguments, 3);
        assert_eq!(json!(made.constraints), json!({"location": 1, "token": 1}));
        assert_eq!(json!(made.origins), json!({"answer": 1, "unknown": 1, "verbatim": 1}));
    }

    #[test]
    fn a_context_is_everything_that_stands_in_the_row() {
        let (short, long) = (sample("Hotels", "t"), sample("Hotels", &"x".repeat(400_000)));
        let mut tally = CompositionTally::default();
        tally.add(&short);
        tally.add(&long);
        let context = tally.finish().unwrap().context;
        // The token stands in an answer and in a call.
        assert!((200_000..200_400).contains(&context.max), "{}", context.max);
        assert_eq!((context.max, context.at_least_100k), (context_tokens(&long), 1));
        assert!((context.mean - 100_000.0).abs() < 300.0 && context.estimate.contains("quarter"));
    }

    #[test]
    fn what_was_counted_is_read_back_from_a_manifest() {
        let mut tally = CompositionTally::default();
        tally.add(&sample("Hotels", "short"));
        let made = tally.finish().unwrap();
        let text = serde_json::to_string(&made).unwrap();
        assert_eq!(serde_json::from_str::<Composition>(&text).unwrap(), made);
    }
}
