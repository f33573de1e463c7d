//! Scoring ComplexFuncBench.

use crate::cli::console::exit::Complaint;
use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, thousands};
use crate::cli::flags::judge::JudgeArguments;
use crate::cli::flags::model_flags::MappingArguments;
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use crate::cli::score::likeness::Embedder;
use clap::{Args, ValueEnum};
use fcgen::format::Bench;
use fcgen::llm::ModelConfig;
use fcgen::record::SuiteId;
use fcgen::suite::complexfunc::metric::{Settings, Similarity, Strict};
use fcgen::suite::complexfunc::{
    Answers, Board, Helpers, JudgeRule, Options, Recordings, SettingsError, own_settings, read_settings, score,
    settings_of, tables,
};
use fcgen::suite::{Question, Replies, ScoreError, VerdictSink};
use std::path::{Path, PathBuf};

/// What judges are asked.
const QUESTIONS: [Question; 3] = [Question::SameCall, Question::Complete, Question::Correct];
/// A judgement may show what else is to be judged; so often at most.
const ROUNDS: usize = 80;

/// Where vectors are kept unless somebody says otherwise.
const KEPT: &str = "embeddings.db";

/// Flags of ComplexFuncBench.
#[derive(Debug, Args)]
pub(crate) struct TrajectoryArguments {
    #[command(flatten)]
    mapping: MappingArguments,
    /// File that caches embeddings, so that the same command needs no server; default: embeddings.db
    #[arg(help_heading = "Embeddings", long, value_name = "FILE", requires = "embedding_model")]
    embeddings: Option<PathBuf>,
    /// API settings, such as lookups; default: toolset.json beside the benchmark
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Recorded API responses, and judgements of calls
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    api: Option<PathBuf>,
    /// Maximum turns with calls in the strict profile
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "N", default_value = "30", value_parser = clap::value_parser!(u16).range(1..))]
    max_turns: u16,
    /// Behaviour of the strict profile after a turn with nothing but wrong values
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "WHAT", default_value = "go-on")]
    on_all_wrong: AllWrongFlag,
    /// Include a trace of each turn in the verdicts
    #[arg(help_heading = "ComplexFuncBench", long)]
    trace: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AllWrongFlag {
    /// Let the model correct itself
    GoOn,
    /// End the sample, as the authors do
    End,
}

impl TrajectoryArguments {
    pub(in crate::cli::score) fn similarity(&self) -> Similarity {
        self.mapping.similarity()
    }

    /// The model that makes vectors, where they are wanted.
    pub(in crate::cli::score) fn embedder(&self) -> anyhow::Result<Option<Embedder>> {
        let model = self.mapping.model(&ModelConfig::default())?;
        model.map(|model| Embedder::open(&model, self.kept())).transpose()
    }

    /// The same for the option `wanted`, which cannot do without.
    pub(in crate::cli::score) fn embedder_for(&self, wanted: &str) -> anyhow::Result<Embedder> {
        Embedder::open(&self.mapping.named(wanted, &ModelConfig::default())?, self.kept())
    }

    fn kept(&self) -> &Path {
        self.embeddings.as_deref().unwrap_or_else(|| Path::new(KEPT))
    }

    pub(in crate::cli::score) fn strict(&self) -> Strict {
        let ends_when_all_wrong = self.on_all_wrong == AllWrongFlag::End;
        Strict { max_turns: usize::from(self.max_turns), ends_when_all_wrong }
    }

    pub(in crate::cli::score) fn traces(&self) -> bool {
        self.trace
    }

    /// What is known of the APIs of a benchmark in this folder.
    pub(in crate::cli::score) fn settings(&self, folder: &Path) -> anyhow::Result<Settings> {
        let settings = self.settings.as_deref().map_or_else(|| settings_of(fcgen::assets(), folder), read_settings);
        Ok(settings.map_err(Complaint::from)?)
    }

    /// A rule that stands in for a judge, where the settings have one.
    pub(in crate::cli::score) fn judge(&self, folder: &Path) -> Option<JudgeRule> {
        let path = self.settings.clone().or_else(|| own_settings(folder))?;
        JudgeRule::beside(&path)
    }

    /// What was recorded.
    pub(in crate::cli::score) fn answers(&self) -> anyhow::Result<Answers> {
        let read = |path: &PathBuf| Answers::read(path).map_err(Complaint::input);
        Ok(self.api.as_ref().map(read).transpose()?.unwrap_or_default())
    }
}

impl From<SettingsError> for Complaint {
    fn from(error: SettingsError) -> Self {
        Self::input(error)
    }
}

struct ComplexFunc<'a> {
    asked: &'a Asked,
    options: Options,
    helpers: Helpers,
    /// The model that makes vectors.
    embedder: Option<Embedder>,
    /// Questions without an answer, and whether asking again would change nothing.
    lost: usize,
    is_done: bool,
}

/// Scores every file of predictions, and makes the tables.
pub(crate) fn run(
    bench: &Bench,
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(bench, arguments)?;
    let files = arguments.open(Recordings::open)?;
    let rows = rows(&files, Recordings::runs);
    let embedder = arguments.trajectories.embedder()?;
    let mut helpers = Helpers::from(arguments.judge.replies(&arguments.repair, SuiteId::ComplexFuncBench)?);
    for question in QUESTIONS.into_iter().filter(|_| arguments.judge.asks()) {
        helpers.replies.ask_for(question);
    }
    let scorer = ComplexFunc { asked, options, helpers, embedder, lost: 0, is_done: false };
    drive(scorer, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for ComplexFunc<'_> {
    type Said = Recordings;
    type Board = Board;

    fn score(&mut self, row: &Row<'_, Recordings>, sink: VerdictSink<'_>) -> Result<Board, ScoreError> {
        let mut board = Board::new(&row.name, self.options.profile);
        let bench = self.asked.bench(row.file);
        score(bench, row.predictions, row.run, &mut board, &self.options, &mut self.helpers, sink)?;
        Ok(board)
    }

    fn replies(&mut self) -> Option<&mut Replies> {
        Some(&mut self.helpers.replies)
    }

    fn begin(&mut self) {
        self.helpers.again();
    }

    fn has_round(&mut self, round: usize, judge: &JudgeArguments) -> bool {
        round < ROUNDS && !self.is_done && (judge.asks() || self.embedder.is_some())
    }

    /// Asks the judge, and the model that makes vectors, until nothing waits: what is said of a call decides what comes
    /// next, and so what is asked.
    fn ask(&mut self, _: usize, judge: &JudgeArguments) -> anyhow::Result<usize> {
        // What waits while calls are not alike is asked by a guess, and may never be needed: vectors go first.
        if self.embedder.as_ref().map_or(Ok(false), |embedder| embedder.embed(&mut self.helpers.embedded))? {
            return Ok(self.lost);
        }
        let waiting = if judge.asks() { self.helpers.replies.waiting() } else { 0 };
        self.lost = judge.answer_all(&mut self.helpers.replies)?;
        self.is_done = self.lost == waiting;
        Ok(self.lost)
    }

    fn scored(board: &Board) -> u64 {
        board.counts.coverage.scored
    }

    fn tell(&self, row: &Row<'_, Recordings>, board: &Board) {
        let counts = &board.counts;
        let noted = [
            (counts.not_recorded, "sample", "for which the authors' evaluator writes no result"),
            (counts.crashed, "sample", "that would crash the authors' evaluator"),
            (counts.unjudged, "answer", "without a usable judgement"),
        ];
        let predictions = row.predictions;
        told(&board.name, &counts.coverage, predictions.path(), predictions.faults(), &noted);
    }

    fn outcome(&self, _: &[Row<'_, Recordings>], boards: &[Board]) -> anyhow::Result<Outcome> {
        if self.helpers.waiting() > 0 {
            let waiting = counted(self.helpers.waiting(), "question");
            say(format!("{waiting} not answered: counted as different, no points"));
        }
        Ok(Outcome {
            tables: tables(boards),
            notes: notes(&self.options, &self.helpers.replies),
            unscored: boards.iter().map(|board| board.counts.coverage.unscored).sum(),
            ..Outcome::default()
        })
    }
}

fn options(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<Options> {
    Ok(Options {
        profile: arguments.complexfunc_profile()?,
        settings: arguments.trajectories.settings(&bench.folder())?.into(),
        answers: arguments.trajectories.answers()?,
        judge: arguments.trajectories.judge(&bench.folder()),
        missing: arguments.missing(),
        locale: arguments.locale.clone(),
        traces: arguments.trajectories.traces(),
    })
}

fn notes(options: &Options, replies: &Replies) -> Vec<(&'static str, String)> {
    let intervals = "95 %; shares: Wilson, as if calls and turns were independent; means: normal";
    let mut notes = vec![("profile", options.profile.version()), ("intervals", intervals.to_owned())];
    for (name, question) in [("judgements of calls", Question::SameCall), ("judgements of answers", Question::Correct)]
    {
        if replies.is_asked(question) {
            notes.push((name, thousands(replies.used(question))));
        }
    }
    notes
}
