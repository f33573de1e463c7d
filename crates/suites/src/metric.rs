//! Suites with one metric: each reply is right or wrong by itself. A suite of its own tables and judges has a driver instead.

use super::coverage::Coverage;
use super::{Missing, ScoreError, VerdictSink};
use crate::format::{Bench, Predictions, Said};
use crate::record::{ItemId, Mark, Object, PredictionTurn, Sample, SuiteName, Verdict};
use crate::report::{Cell, Figure, Table};
use crate::score::wilson;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// How the samples of a suite are scored, one by one.
pub trait Metric {
    /// The suite's name, as its samples have it.
    fn suite(&self) -> &'static str;

    /// The name and the version of its rules.
    fn version(&self) -> &'static str;

    /// Whether it can score a sample of its suite; the others are counted as not scored.
    fn accepts(&mut self, _sample: &Sample) -> bool {
        true
    }

    /// Judges a reply to a sample. A sample without a reply is wrong (`no_reply`), and this is not called.
    fn judge(&mut self, sample: &Sample, reply: &PredictionTurn) -> Judgement;
}

/// The judgement of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether it is right.
    pub right: bool,
    /// The error class; ignored if the reply is right.
    pub error: &'static str,
    /// The reason, in words.
    pub reason: String,
}

/// Scores of one run of a file of predictions.
#[derive(Debug, Clone, Default)]
pub struct MetricScores {
    /// Its name in tables.
    pub name: String,
    /// How much was scored.
    pub coverage: Coverage,
    /// How many are right, and of how many, by data type.
    types: IndexMap<String, (u64, u64)>,
    /// Wrong replies by the class of their error.
    errors: BTreeMap<String, u64>,
}

/// Scoring options.
#[derive(Debug, Clone)]
pub struct MetricOptions {
    /// The suite whose samples are scored.
    pub suite: SuiteName,
    /// What becomes of samples without a prediction.
    pub missing: Missing,
    /// Score this locale alone.
    pub locale: Option<String>,
}

/// Scores one run of a file of predictions, and passes each verdict to `sink`.
pub fn score(
    metric: &mut dyn Metric,
    bench: &Bench,
    predictions: &Predictions,
    run: u32,
    board: &mut MetricScores,
    options: &MetricOptions,
    sink: VerdictSink<'_>,
) -> Result<(), ScoreError> {
    bench.each(&mut |sample| {
        let is_own = sample.suite == options.suite && metric.accepts(&sample);
        if !board.coverage.wants(&sample, options.locale.as_ref(), is_own) {
            return Ok(());
        }
        // A copy has the prediction of its original.
        let of = |id: &ItemId| predictions.find(id.as_str(), run);
        let found = of(&sample.id).or_else(|| of(sample.copy_of.as_ref()?));
        let said = board.coverage.said(&sample, found, |said| matches!(said, Said::Failed(_)));
        let reply = said.as_ref().and_then(Said::turn);
        if reply.is_none() && options.missing == Missing::Skip {
            return Ok(());
        }
        let absent = || Judgement { right: false, error: "no_reply", reason: String::new() };
        let judged = reply.as_ref().map_or_else(absent, |reply| metric.judge(&sample, reply));
        board.count(&sample, &judged);
        sink(&|| verdict(&sample, &judged)).map_err(ScoreError::from)
    })
}

impl MetricScores {
    /// Scores without counts.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    fn count(&mut self, sample: &Sample, judged: &Judgement) {
        self.coverage.scored += 1;
        let (right, of) = self.types.entry(sample.data_type.0.clone()).or_default();
        (*right, *of) = (*right + u64::from(judged.right), *of + 1);
        if !judged.right {
            *self.errors.entry(judged.error.to_owned()).or_default() += 1;
        }
    }
}

fn verdict(sample: &Sample, judged: &Judgement) -> Verdict {
    let mut line = Object::new();
    let mut put = |name: &str, value: &str| drop(line.insert(name.to_owned(), value.into()));
    put("id", sample.id.as_str());
    put("locale", &sample.locale);
    put("data_type", &sample.data_type.0);
    if !judged.right {
        put("error", judged.error);
        put("reason", &judged.reason);
    }
    line.insert("right".to_owned(), judged.right.into());
    let verdict = Verdict::new(sample.id.as_str(), Some(judged.right), line);
    verdict.because(Some(judged.error), &judged.reason).marked(Mark::Right, judged.right)
}

/// The share of right replies, whole and by data type, and what was wrong.
pub fn tables(boards: &[MetricScores]) -> Vec<Table> {
    let share = |(right, of): (u64, u64)| {
        Cell::Share(wilson(right, of).map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n }))
    };
    let mut all = Table::new("right", "Accuracy", &["model"], &["Right"]);
    let mut types = Table::new("slices", "Accuracy by data type", &["model", "data type"], &["Right"]);
    for board in boards {
        let sum = |one: (u64, u64), other: &(u64, u64)| (one.0 + other.0, one.1 + other.1);
        all.add(&[&board.name], vec![share(board.types.values().fold((0, 0), sum))]);
        for (data_type, counts) in &board.types {
            types.add(&[&board.name, data_type], vec![share(*counts)]);
        }
    }
    let columns: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let mut errors = Table::new("counts", "Errors by type", &["error"], &columns);
    errors.add_counts(&[], boards.iter().map(|board| &board.errors));
    let headings = [("model", "Model"), ("data type", "Data type"), ("error", "Error"), ("Right", "Accuracy")];
    [all, types, errors].into_iter().map(|table| table.headed(&headings)).filter(|table| !table.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::testing::sample;

    /// Wants a word, and does not know samples of the type `other`.
    struct Word;

    impl Metric for Word {
        fn suite(&self) -> &'static str {
            "words"
        }

        fn version(&self) -> &'static str {
            "words 1"
        }

        fn accepts(&mut self, sample: &Sample) -> bool {
            sample.data_type.0 != "other"
        }

        fn judge(&mut self, _: &Sample, reply: &PredictionTurn) -> Judgement {
            let right = reply.content.as_deref() == Some("yes");
            Judgement { right, error: "no_word", reason: "expected `yes`".to_owned() }
        }
    }

    fn scored(missing: Missing) -> (MetricScores, Vec<Verdict>) {
        let folder = tempfile::tempdir().unwrap();
        let line = |id: &str, suite: &str, data_type: &str| {
            let mut sample = sample(id);
            (sample.suite, sample.data_type.0) = (suite.into(), data_type.to_owned());
            serde_json::to_string(&sample).unwrap() + "\n"
        };
        let lines = [("a", "words", "x"), ("b", "words", "x"), ("c", "words", "y"), ("d", "words", "other")];
        let text: String = lines.iter().map(|(id, suite, of)| line(id, suite, of)).collect();
        std::fs::write(folder.path().join("samples.jsonl"), text + &line("e", "callnavi", "x")).unwrap();
        let said = folder.path().join("said.jsonl");
        let turn = |id: &str, text: &str| format!("{{\"id\": \"{id}\", \"turns\": [{{\"content\": \"{text}\"}}]}}\n");
        std::fs::write(&said, turn("a", "yes") + &turn("b", "no") + &turn("d", "yes")).unwrap();
        let (bench, said) = (Bench::open(folder.path()).unwrap(), Predictions::open(&said).unwrap());
        let options = MetricOptions { suite: "words".into(), missing, locale: None };
        let (mut board, mut verdicts) = (MetricScores::new("m"), Vec::new());
        let mut put = |verdict: &dyn Fn() -> Verdict| {
            verdicts.push(verdict());
            Ok(())
        };
        score(&mut Word, &bench, &said, 0, &mut board, &options, &mut put).unwrap();
        (board, verdicts)
    }

    #[test]
    fn samples_are_counted_by_type_and_what_is_missing_is_wrong_or_left_out() {
        let (board, verdicts) = scored(Missing::Fail);
        assert_eq!((board.coverage.scored, board.coverage.missing, board.coverage.unscored), (3, 1, 2));
        let told: Vec<_> = verdicts.iter().map(|it| (it.sample.as_str(), it.outcome.is_right(), it.error)).collect();
        assert_eq!(
            told,
            [("a", Some(true), None), ("b", Some(false), Some("no_word")), ("c", Some(false), Some("no_reply"))]
        );
        let line = crate::record::Value::Object(verdicts[1].line.clone()).to_string();
        assert_eq!(
            line,
            r#"{"id":"b","locale":"en","data_type":"x","error":"no_word","reason":"expected `yes`","right":false}"#
        );
        let (board, _) = scored(Missing::Skip);
        assert_eq!((board.coverage.scored, board.types["x"], board.types.get("y")), (2, (1, 2), None));
    }

    #[test]
    fn the_tables_have_the_whole_and_the_types() {
        let (board, _) = scored(Missing::Fail);
        let tables = tables(&[board]);
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["right", "slices", "counts"]);
        assert_eq!(tables[0].rows[0][1].shown().split(' ').next(), Some("33.33%"));
        assert_eq!((tables[1].rows.len(), tables[2].rows.len()), (2, 2));
    }
}
