//! Scoring suites with one metric.

use crate::cli::console::talk::say;
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use fcgen::export::RewardMetric;
use fcgen::format::Predictions;
use fcgen::record::SuiteName;
use fcgen::suite::{METRICS, Metric, MetricOptions, MetricScores, ScoreError, VerdictSink, metric_tables, score_by};

struct ByMetric<'a> {
    asked: &'a Asked,
    metric: Box<dyn Metric>,
    options: MetricOptions,
}

/// Scores every file of predictions, and makes the tables.
pub(crate) fn run(
    suite: &SuiteName,
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    arguments.own_profile()?;
    let own = METRICS.iter().map(|new| new()).find(|metric| metric.suite() == suite.as_str());
    let metric = own.unwrap_or_else(|| {
        if !suite.is_training() {
            say(format!(
                "`{suite}` is not a built-in suite: its samples are scored with the reward rules (as `--stdin` does)"
            ));
        }
        Box::new(RewardMetric::default())
    });
    let options =
        MetricOptions { suite: suite.clone(), missing: arguments.missing(), locale: arguments.locale.clone() };
    let files = arguments.open(Predictions::open)?;
    let rows = rows(&files, Predictions::runs);
    drive(ByMetric { asked, metric, options }, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for ByMetric<'_> {
    type Said = Predictions;
    type Board = MetricScores;

    fn score(&mut self, row: &Row<'_, Predictions>, sink: VerdictSink<'_>) -> Result<MetricScores, ScoreError> {
        let mut board = MetricScores::new(&row.name);
        let bench = self.asked.bench(row.file);
        score_by(&mut *self.metric, bench, row.predictions, row.run, &mut board, &self.options, sink)?;
        Ok(board)
    }

    fn scored(board: &MetricScores) -> u64 {
        board.coverage.scored
    }

    fn tell(&self, row: &Row<'_, Predictions>, board: &MetricScores) {
        told(&board.name, &board.coverage, row.predictions.path(), row.predictions.faults(), &[]);
    }

    fn outcome(&self, _: &[Row<'_, Predictions>], boards: &[MetricScores]) -> anyhow::Result<Outcome> {
        let notes = vec![("rules", self.metric.version().to_owned()), ("intervals", "95 %, Wilson".to_owned())];
        Ok(Outcome {
            tables: metric_tables(boards),
            notes,
            unscored: boards.iter().map(|board| board.coverage.unscored).sum(),
            ..Outcome::default()
        })
    }
}
