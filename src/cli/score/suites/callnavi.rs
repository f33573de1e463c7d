//! Scoring `CallNavi`.

use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, thousands};
use crate::cli::flags::judge::{JudgeArguments, RepairArguments};
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::baselines;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use fcgen::record::SuiteId;
use fcgen::suite::callnavi::{Answers, Board, Options, Scored, score, tables};
use fcgen::suite::{Question, Replies, ScoreError, VerdictSink};

struct CallNavi<'a> {
    asked: &'a Asked,
    repair: &'a RepairArguments,
    options: Options,
    replies: Replies,
    /// What is asked in each round. A judge looks at what was repaired, so that repairs come first.
    rounds: Vec<Question>,
    /// Questions of all rounds without an answer.
    lost: usize,
}

/// Scores every file of predictions, and makes the tables.
pub(crate) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let mut files = arguments.open(Answers::open)?;
    if arguments.baselines {
        let first = files.first().map(|(name, _)| name.as_str()).unwrap_or_default();
        let baselines = baselines::callnavi(asked.bench(first), arguments.locale.as_deref())?;
        files.extend(baselines);
    }
    let replies = arguments.judge.replies(&arguments.repair, SuiteId::CallNavi)?;
    let asks = [(Question::Repair, arguments.repair.asks()), (Question::Judge, arguments.judge.asks())];
    let rounds = asks.into_iter().filter_map(|(question, asks)| asks.then_some(question)).collect();
    // Runs are compared question by question, so that all runs of a file are a row.
    let rows = rows(&files, |_| vec![0]);
    let has_several_runs = files.iter().any(|(_, answers)| answers.runs().len() > 1);
    let scorer = CallNavi { asked, repair: &arguments.repair, options, replies, rounds, lost: 0 };
    drive(scorer, &rows, has_several_runs, arguments, reader)
}

impl Scorer for CallNavi<'_> {
    type Said = Answers;
    type Board = Scored;

    fn score(&mut self, row: &Row<'_, Answers>, sink: VerdictSink<'_>) -> Result<Scored, ScoreError> {
        score(self.asked.bench(row.file), row.predictions, row.file, &self.options, &mut self.replies, sink)
    }

    fn replies(&mut self) -> Option<&mut Replies> {
        Some(&mut self.replies)
    }

    fn has_round(&mut self, round: usize, _: &JudgeArguments) -> bool {
        self.rounds.get(round).inspect(|question| self.replies.ask_for(**question)).is_some()
    }

    fn ask(&mut self, round: usize, judge: &JudgeArguments) -> anyhow::Result<usize> {
        if let Some(question) = self.rounds.get(round) {
            self.lost += judge.answer(*question, self.repair, &mut self.replies)?;
        }
        Ok(self.lost)
    }

    fn scored(of_file: &Scored) -> u64 {
        of_file.boards.iter().map(|board| board.counts.coverage.scored).sum()
    }

    fn tell(&self, row: &Row<'_, Answers>, of_file: &Scored) {
        for board in &of_file.boards {
            let counts = &board.counts;
            let noted = [
                (counts.aborted, "answer", "in a format that would crash the authors' script"),
                (counts.repaired, "answer", "repaired"),
                (counts.unjudged, "answer", "without a judge score"),
            ];
            let answers = row.predictions;
            told(&board.name, &counts.coverage, answers.path(), answers.faults(), &noted);
        }
    }

    fn outcome(&self, _: &[Row<'_, Answers>], scored: &[Scored]) -> anyhow::Result<Outcome> {
        if self.replies.waiting() > 0 {
            let waiting = counted(self.replies.waiting(), "question");
            say(format!("{waiting} not answered: no repair, no score"));
        }
        let boards: Vec<Board> = scored.iter().flat_map(|it| it.boards.iter().cloned()).collect();
        let steadiness: Vec<_> = scored.iter().filter_map(|it| it.steadiness.clone()).collect();
        Ok(Outcome {
            tables: tables(&boards, &steadiness),
            notes: notes(&self.options, &self.replies),
            unscored: boards.iter().map(|board| board.counts.coverage.unscored).sum(),
            ..Outcome::default()
        })
    }
}

fn options(arguments: &ScoreArguments) -> anyhow::Result<Options> {
    Ok(Options {
        profile: arguments.callnavi_profile()?,
        missing: arguments.missing(),
        locale: arguments.locale.clone(),
    })
}

fn notes(options: &Options, replies: &Replies) -> Vec<(&'static str, String)> {
    let intervals = "95 %; shares: Wilson; means: normal; macro: of three independent shares; correlations: Fisher";
    let mut notes = vec![("profile", options.profile.version().to_owned()), ("intervals", intervals.to_owned())];
    for (name, question) in [("repairs", Question::Repair), ("judgements", Question::Judge)] {
        if replies.is_asked(question) {
            notes.push((name, thousands(replies.used(question))));
        }
    }
    notes
}
