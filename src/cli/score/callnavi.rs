//! Scoring `CallNavi`.

use super::arguments::{ScoreArguments, told};
use super::asked::Asked;
use super::baselines;
use super::items::{Items, VerdictReader};
use super::{Outcome, some_scored};
use crate::cli::exit::Complaint;
use crate::cli::talk::say;
use crate::cli::words::{counted, thousands};
use fcgen::record::{SuiteId, Verdict};
use fcgen::suite::callnavi::{Answers, Options, Question, Replies, Scored, score, tables};

/// Scores every file of predictions, and makes the tables.
pub(super) fn run(
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
    let mut replies = arguments.judge.replies(&arguments.repair, SuiteId::CallNavi)?;
    let mut lost = 0;
    // A judge looks at what was repaired, so that repairs come first.
    let questions = [(Question::Repair, arguments.repair.asks()), (Question::Judge, arguments.judge.asks())];
    for (question, _) in questions.into_iter().filter(|(_, asks)| *asks) {
        replies.ask_for(question);
        score_all(asked, &files, &options, &mut replies, None)?;
        lost += arguments.judge.answer(question, &arguments.repair, &mut replies)?;
    }
    let mut items = arguments.items(files.iter().any(|(_, answers)| answers.runs().len() > 1))?.read_by(reader);
    let scored = score_all(asked, &files, &options, &mut replies, Some(&mut items))?;
    let found = items.finish()?;
    tell(&files, &scored);
    if replies.waiting() > 0 {
        say(format!("{} without an answer: no repair, and no score", counted(replies.waiting(), "question")));
    }
    let boards: Vec<_> = scored.iter().flat_map(|it| it.boards.iter().cloned()).collect();
    some_scored(boards.iter().map(|board| board.counts.scored))?;
    let steadiness: Vec<_> = scored.into_iter().filter_map(|it| it.steadiness).collect();
    Ok(Outcome {
        tables: tables(&boards, &steadiness),
        notes: notes(&options, &replies),
        lost,
        found,
        unscored: boards.iter().map(|board| board.counts.unscored).sum(),
        ..Outcome::default()
    })
}

fn score_all(
    asked: &Asked,
    files: &[(String, Answers)],
    options: &Options,
    replies: &mut Replies,
    mut items: Option<&mut Items<'_>>,
) -> anyhow::Result<Vec<Scored>> {
    replies.again();
    let mut scored = Vec::new();
    for (name, answers) in files {
        let mut put = |it: &dyn Fn() -> Verdict| items.as_mut().map_or(Ok(()), |items| items.put(it(), name));
        let of = score(asked.bench(name), answers, name, options, replies, &mut put);
        scored.push(of.map_err(Complaint::input)?);
    }
    Ok(scored)
}

fn tell(files: &[(String, Answers)], scored: &[Scored]) {
    for ((_, answers), of) in files.iter().zip(scored) {
        for board in &of.boards {
            let counts = &board.counts;
            let noted = [
                (counts.missing, "answer", "that nobody gave"),
                (counts.transport, "answer", "whose model could not be reached"),
                (counts.unscored, "sample", "that this suite does not score"),
                (counts.aborted, "answer", "at whose shape the authors' script would break off"),
                (counts.repaired, "answer", "that was repaired"),
                (counts.unjudged, "answer", "that has no score of a judge"),
            ];
            told(&board.name, counts.scored, answers.path(), answers.faults(), &counts.unreadable, &noted);
        }
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
