//! Scoring `HammerBench`.

use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, thousands};
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ParserFlag, ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use fcgen::format::Predictions;
use fcgen::record::{Paradigm, SuiteId};
use fcgen::suite::hammerbench::metric::upstream::Parser;
use fcgen::suite::hammerbench::{Board, Options, Profile, score, tables};
use fcgen::suite::{Question, Replies, ScoreError, VerdictSink};

struct HammerBench<'a> {
    asked: &'a Asked,
    options: Options,
    replies: Replies,
}

/// Scores every file of predictions, and makes the tables.
pub(crate) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments, asked.paradigm)?;
    let files = arguments.open(Predictions::open)?;
    let rows = rows(&files, Predictions::runs);
    let mut replies = arguments.judge.replies(&arguments.repair, SuiteId::HammerBench)?;
    if arguments.judge.judges() {
        replies.ask_for(Question::SameArguments);
    }
    let scorer = HammerBench { asked, options, replies };
    drive(scorer, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for HammerBench<'_> {
    type Said = Predictions;
    type Board = Board;

    fn score(&mut self, row: &Row<'_, Predictions>, sink: VerdictSink<'_>) -> Result<Board, ScoreError> {
        let mut board = Board::new(&row.name, self.options.profile);
        let bench = self.asked.bench(row.file);
        score(bench, row.predictions, row.run, &mut board, &self.options, &mut self.replies, sink)?;
        Ok(board)
    }

    fn replies(&mut self) -> Option<&mut Replies> {
        Some(&mut self.replies)
    }

    fn scored(board: &Board) -> u64 {
        board.counts.coverage.scored
    }

    fn tell(&self, row: &Row<'_, Predictions>, board: &Board) {
        let counts = &board.counts;
        let noted = [(counts.undecided, "sample", "undecided without a judge (`--judge-model`, `--judgements`)")];
        let predictions = row.predictions;
        told(&board.name, &counts.coverage, predictions.path(), predictions.faults(), &noted);
    }

    fn outcome(&self, _: &[Row<'_, Predictions>], boards: &[Board]) -> anyhow::Result<Outcome> {
        let waiting = self.replies.waiting();
        if waiting > 0 {
            say(format!("{} without a judgement, counted as wrong", counted(waiting, "pair")));
        }
        Ok(Outcome {
            tables: tables(boards),
            notes: notes(&self.options, &self.replies),
            unscored: boards.iter().map(|board| board.counts.coverage.unscored).sum(),
            ..Outcome::default()
        })
    }
}

fn options(arguments: &ScoreArguments, paradigm: Paradigm) -> anyhow::Result<Options> {
    Ok(Options {
        paradigm,
        profile: arguments.hammerbench_profile()?,
        parser: match arguments.parser {
            ParserFlag::Default => Parser::Default,
            ParserFlag::Ministral => Parser::Ministral,
            ParserFlag::Xlam => Parser::Xlam,
            ParserFlag::Toolace => Parser::Toolace,
        },
        missing: arguments.missing(),
        locale: arguments.locale.clone(),
        chinese_metric: arguments.zh_metric,
    })
}

fn notes(options: &Options, replies: &Replies) -> Vec<(&'static str, String)> {
    let intervals =
        "95 %; shares: Wilson; PR: normal; changes of PR, PHR, PMR: normal, paired; of success: Agresti-Min, paired";
    let mut notes = vec![("profile", options.profile.version().to_owned()), ("intervals", intervals.to_owned())];
    if options.profile == Profile::Strict {
        notes.insert(1, ("paradigm", options.paradigm.as_str().to_owned()));
    }
    if replies.is_asked(Question::SameArguments) {
        notes.push(("judgements", thousands(replies.used(Question::SameArguments))));
    }
    notes
}
