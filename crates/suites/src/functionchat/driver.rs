//! Scores a benchmark: every sample with what was said to it, by the rule, and by the judge where the rule does not decide.

use super::board::{Board, Found, Verdict};
use super::grounds::{Ground, Grounds};
use super::lines::{Judged, verdict};
use super::profile::{Profile, load_words};
use super::questions::{about, question};
use super::review::{Review, ReviewRow};
use super::said::{Answer, Line};
use crate::format::{Bench, Predictions};
use crate::functionchat::layout::{Acceptable, EXTRACTION_FACT, Mode, Set, TypeOfOutput, gold_text};
use crate::functionchat::metric::strict::{
    Gold, GoldWords, Judgement, Outcome, Reason, Ruled, Same, Votes, judge_call, judge_words, read_reply,
};
use crate::functionchat::metric::upstream::{self, Read, Rule, Words};
use crate::functionchat::metric::{Decision, ErrorKind, Heard, Turned, kind_of};
use crate::record::{Expected, FunctionCall, Sample, SuiteId};
use crate::replies::Replies;
use crate::{Missing, ScoreError, VerdictSink};

/// Which turns the judge is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Those that the rule leaves open.
    #[default]
    Undecided,
    /// All, as in the paper; the judge's word counts then.
    All,
}

/// How is scored.
#[derive(Debug, Clone)]
pub struct Options {
    /// By which rules.
    pub profile: Profile,
    /// What becomes of samples without a prediction.
    pub missing: Missing,
    /// Score this locale alone.
    pub locale: Option<String>,
    /// Which turns the judge is asked about.
    pub scope: Scope,
    /// How often it is asked about each.
    pub votes: u32,
    /// How values are compared.
    pub same: Same,
    /// Whether no text at all stands for no arguments.
    pub takes_empty: bool,
    /// What people said.
    pub review: Review,
    /// Whether rows for people are kept.
    pub keeps_rows: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            missing: Missing::default(),
            locale: None,
            scope: Scope::default(),
            votes: 1,
            same: Same::default(),
            takes_empty: false,
            review: Review::default(),
            keeps_rows: false,
        }
    }
}

/// Scores one run of a file of predictions. Each verdict is handed out as it is found.
pub fn score(
    bench: &Bench,
    predictions: &Predictions,
    run: u32,
    board: &mut Board,
    options: &Options,
    replies: &mut Replies,
    sink: VerdictSink<'_>,
) -> Result<(), ScoreError> {
    let words = load_words(replies.prompts().assets())?;
    board.has_judge = replies.has_bare() || replies.is_asked(question(TypeOfOutput::Call));
    let mut scorer =
        Scorer { options, predictions, run, words, grounds: Grounds::new(replies.prompts().assets()), replies };
    bench.each(&mut |sample| scorer.take(&sample, board, sink))
}

/// What the strict rules say of a turn, without any judge; nothing where the sample is none of this benchmark's.
pub fn ruled(sample: &Sample, ground: &Ground, heard: &Heard) -> Option<Ruled> {
    let (kind, acceptable) = (TypeOfOutput::of(sample)?, Acceptable::of(sample));
    Some(Asked { sample, kind, acceptable, ground }.ruled(heard, &Options::default()))
}

struct Scorer<'s> {
    options: &'s Options,
    predictions: &'s Predictions,
    run: u32,
    words: Words,
    grounds: Grounds,
    replies: &'s mut Replies,
}

/// A sample that is being scored.
struct Asked<'s> {
    sample: &'s Sample,
    kind: TypeOfOutput,
    acceptable: Acceptable,
    ground: &'s Ground,
}

/// What judges said of a turn.
#[derive(Default)]
struct Heeded {
    texts: Vec<String>,
    /// Whether an answer is still to come.
    waits: bool,
}

impl Scorer<'_> {
    fn take(&mut self, sample: &Sample, board: &mut Board, sink: VerdictSink<'_>) -> Result<(), ScoreError> {
        let (kind, locale) = (TypeOfOutput::of(sample), self.options.locale.as_ref());
        let is_wanted =
            board.counts.coverage.wants(sample, locale, sample.suite == SuiteId::FunctionChat && kind.is_some());
        let Some(kind) = kind.filter(|_| is_wanted) else { return Ok(()) };
        let said = self.said(sample, board);
        if !matches!(said.answer, Answer::Heard(_)) && self.options.missing == Missing::Skip {
            return Ok(());
        }
        let ground = self.grounds.of(&sample.locale)?;
        let asked = Asked { sample, kind, acceptable: Acceptable::of(sample), ground: &ground };
        let judged = self.judge(&asked, &said, board);
        let found = asked.found(&said, &judged, self.human(sample, &said, &board.name));
        let error = (judged.verdict == Verdict::Fail).then(|| asked.error(&said));
        self.count(&asked, &judged, &found, error, &said, board);
        board.add(&found);
        if self.options.keeps_rows {
            board.rows.push(ReviewRow::of(sample, &found, &judged, &said));
        }
        Ok(sink(&|| verdict(sample, &said, &judged, &found, error, self.options.profile))?)
    }

    fn said(&self, sample: &Sample, board: &mut Board) -> Line {
        let line = self.predictions.line(sample.id.as_str(), self.run);
        let line = line.map(|line| line.and_then(|line| Line::read(&line)));
        let said = board.counts.coverage.said(sample, line, |line| matches!(line.answer, Answer::Failed(_)));
        said.unwrap_or_else(Line::missing)
    }

    /// What a person says: on the sheet, or beside the prediction, or beside what the judge said.
    fn human(&self, sample: &Sample, said: &Line, name: &str) -> Option<bool> {
        let id = sample.id.as_str();
        let beside = || said.human.as_deref().or_else(|| self.replies.bare(id)?.human.as_deref());
        self.options.review.of(name, id).or_else(|| match beside()? {
            "pass" => Some(true),
            "fail" => Some(false),
            _ => None,
        })
    }

    fn judge(&mut self, asked: &Asked<'_>, said: &Line, board: &mut Board) -> Judged {
        let heard = match &said.answer {
            Answer::Heard(heard) => heard,
            Answer::Failed(detail) => return Judged::silent(Ruled::fail(Reason::Transport, detail)),
            Answer::Missing => return Judged::silent(Ruled::fail(Reason::NoPrediction, "there is no prediction")),
        };
        match self.options.profile {
            Profile::Strict => self.strict(asked, heard, board),
            Profile::Upstream => self.upstream(asked, heard, board),
        }
    }

    fn strict(&mut self, asked: &Asked<'_>, heard: &Heard, board: &mut Board) -> Judged {
        let ruled = asked.ruled(heard, self.options);
        let is_open = ruled.outcome == Outcome::Undecided;
        let is_asked = board.has_judge && (is_open || self.options.scope == Scope::All);
        let heeded = if is_asked { self.heed(asked, heard) } else { Heeded::default() };
        let mut votes = Votes::default();
        heeded.texts.iter().for_each(|text| votes.add(read_reply(text, &asked.ground.verdicts)));
        let verdict = match (ruled.outcome, votes.verdict()) {
            (Outcome::Undecided, None) if !is_asked || heeded.waits => Verdict::Unjudged,
            (outcome, None) if !is_asked || heeded.waits => of_rule(outcome),
            (_, None) => Verdict::Unparsed,
            (_, Some(Judgement::Pass)) => Verdict::Pass,
            (_, Some(Judgement::Fail)) => Verdict::Fail,
        };
        let by_judge = is_asked || is_open;
        note(board, asked, &heeded, votes);
        Judged { ruled, rule: None, by_judge, verdict, raw_key: None, votes, replies: heeded.texts, crash: None }
    }

    fn upstream(&mut self, asked: &Asked<'_>, heard: &Heard, board: &mut Board) -> Judged {
        let rule = match &asked.sample.expected {
            Expected::Call(call) => upstream::judge(call, &asked.acceptable.wire(), heard, &self.words),
            _ => Rule::NotApplicable,
        };
        let mut judged = Judged::of_rule(rule);
        let is_asked = board.has_judge && (rule != Rule::Pass || self.options.scope == Scope::All);
        if !is_asked || judged.crash.is_some() {
            return judged;
        }
        let heeded = self.heed(asked, heard);
        let (mut votes, mut key) = (Votes::default(), None);
        for text in &heeded.texts {
            votes.add(match self.words.read(text) {
                Read::Pass => Some(Judgement::Pass),
                Read::Fail => Some(Judgement::Fail),
                Read::Unparsed(lines) => {
                    key.get_or_insert(lines);
                    None
                }
            });
        }
        judged.verdict = match votes.verdict() {
            Some(Judgement::Pass) => Verdict::Pass,
            Some(Judgement::Fail) => Verdict::Fail,
            None if heeded.waits => Verdict::Unjudged,
            None => Verdict::Unparsed,
        };
        note(board, asked, &heeded, votes);
        let raw_key = (judged.verdict == Verdict::Unparsed).then(|| key.unwrap_or_default());
        Judged { by_judge: true, raw_key, votes, replies: heeded.texts, ..judged }
    }

    /// What judges say of a turn: by the sample's id alone, or by all that they are shown.
    fn heed(&mut self, asked: &Asked<'_>, heard: &Heard) -> Heeded {
        if let Some(bare) = self.replies.bare(asked.sample.id.as_str()) {
            return Heeded { texts: vec![bare.reply.clone()], waits: false };
        }
        let Options { profile, votes, .. } = *self.options;
        let mut heeded = Heeded::default();
        for draw in 0..votes {
            let pending = || about(asked.sample, asked.kind, heard, profile, draw, votes);
            match self.replies.ask(question(asked.kind), pending) {
                Some(reply) => heeded.texts.push(reply.to_owned()),
                None => heeded.waits = true,
            }
        }
        heeded
    }

    fn count(
        &self,
        asked: &Asked<'_>,
        judged: &Judged,
        found: &Found,
        error: Option<ErrorKind>,
        said: &Line,
        board: &mut Board,
    ) {
        let counts = &mut board.counts;
        counts.aborted += u64::from(judged.crash.is_some());
        said.way.iter().for_each(|way| *counts.ways.entry(way.clone()).or_default() += 1);
        if self.options.profile == Profile::Strict {
            *counts.reasons.entry(judged.ruled.reason.as_str().to_owned()).or_default() += 1;
        }
        if let Some(error) = error {
            let place = (asked.kind.as_str().to_owned(), error.as_str().to_owned());
            *counts.errors.entry(place).or_default() += 1;
        }
        if let Some(extraction) = asked.sample.provenance.facts.get(EXTRACTION_FACT) {
            board.add_extraction(extraction, found.verdict);
        }
    }
}

/// Counts what judges said of a turn.
fn note(board: &mut Board, asked: &Asked<'_>, heeded: &Heeded, votes: Votes) {
    let judging = board.judging.entry(Set::of(&asked.sample.data_type)).or_default();
    judging.replies += heeded.texts.len() as u64;
    judging.split += u64::from(votes.is_split());
}

fn of_rule(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Pass => Verdict::Pass,
        Outcome::Fail => Verdict::Fail,
        Outcome::Undecided => Verdict::Unjudged,
    }
}

impl Judged {
    /// Nothing was said that could be judged.
    fn silent(ruled: Ruled) -> Self {
        let votes = Votes::default();
        Self {
            ruled,
            rule: None,
            by_judge: false,
            verdict: Verdict::Fail,
            raw_key: None,
            votes,
            replies: Vec::new(),
            crash: None,
        }
    }

    /// What the authors' rule says, as long as no judge speaks: what it does not let pass fails, and words are not read at all.
    fn of_rule(rule: Rule) -> Self {
        let (ruled, verdict) = match rule {
            Rule::Pass => (Ruled::pass(), Verdict::Pass),
            Rule::Fail => (Ruled::undecided(), Verdict::Fail),
            Rule::NotApplicable => (Ruled::undecided(), Verdict::Unparsed),
            Rule::Crash(_) => {
                (Ruled::fail(Reason::BadArguments, "the authors' program breaks off here"), Verdict::Fail)
            }
        };
        let crash = if let Rule::Crash(crash) = rule { Some(crash.as_str()) } else { None };
        Self { rule: Some(rule), verdict, crash, ..Self::silent(ruled) }
    }
}

impl Asked<'_> {
    fn ruled(&self, heard: &Heard, options: &Options) -> Ruled {
        match &self.sample.expected {
            Expected::Call(call) => judge_call(self.gold(call, options), heard),
            _ => judge_words(
                GoldWords { text: gold_text(self.sample), is_own: &|letter| self.ground.is_own(letter) },
                heard,
            ),
        }
    }

    fn gold<'g>(&'g self, call: &'g FunctionCall, options: &Options) -> Gold<'g> {
        let tool = self.sample.candidates.iter().find(|tool| tool.name == call.name).map(|tool| &**tool);
        let (same, takes_empty) = (options.same, options.takes_empty);
        let is_only = self.acceptable.mode == Some(Mode::OnlyGold);
        Gold { call, acceptable: &self.acceptable.values, is_only, tool, same, takes_empty }
    }

    fn wanted(&self) -> Decision {
        match self.kind {
            TypeOfOutput::Call => Decision::Call,
            TypeOfOutput::Completion => Decision::Tell,
            TypeOfOutput::Slot => Decision::Ask,
            TypeOfOutput::Relevance => Decision::Decline,
        }
    }

    fn found(&self, said: &Line, judged: &Judged, human: Option<bool>) -> Found {
        let wanted = self.wanted();
        let is_right = judged.verdict == Verdict::Pass;
        let done = match &said.answer {
            Answer::Heard(heard) => self.ground.look.decision(heard, wanted, is_right),
            Answer::Failed(_) | Answer::Missing => Decision::Nothing,
        };
        Found {
            set: Set::of(&self.sample.data_type),
            data_type: self.sample.data_type.0.clone(),
            output: self.kind,
            rule: judged.ruled.outcome,
            judged: judged.by_judge,
            verdict: judged.verdict,
            decisions: (wanted, done),
            human,
        }
    }

    fn error(&self, said: &Line) -> ErrorKind {
        let Answer::Heard(heard) = &said.answer else { return ErrorKind::NoAnswer };
        let text = heard.content.as_deref().unwrap_or_default();
        let gold = if let Expected::Call(call) = &self.sample.expected { Some(call) } else { None };
        let Sample { candidates: tools, messages, .. } = self.sample;
        let is_foreign = !text.chars().any(|letter| self.ground.is_own(letter));
        let (wanted, acceptable) = (self.wanted(), &self.acceptable.values);
        kind_of(Turned { wanted, gold, acceptable, tools, messages, heard, is_foreign }, &self.ground.look)
    }
}

#[cfg(test)]
mod tests {
    use super::super::questions::tests::{call, sample};
    use super::*;
    use crate::record::Value;
    use crate::record::Verdict;
    use serde_json::json;

    fn samples() -> Vec<Sample> {
        let dated = json!({"extraction_type": "dated"});
        let words = json!({"gold_text": "Which pier?"});
        let mut free = sample("b", "exact", &call(), &json!({"acceptable_mode": "only_ground_truth"}));
        free.acceptable.insert("seats".to_owned(), vec![3_i64.into()]);
        vec![
            sample("a", "4_close", &call(), &dated),
            free,
            sample("c", "slot", &json!({"question": ["pier"]}), &words),
            sample("d", "REJECT", &json!("refusal"), &json!({})),
            sample("e", "completion", &json!({"answer": "At noon."}), &json!({})),
            Sample { suite: "hammerbench".into(), ..sample("f", "x", &call(), &json!({})) },
        ]
    }

    fn calls(id: &str, arguments: &str) -> String {
        json!({"id": id, "turns": [{"tool_calls": [["find_boat", arguments]]}]}).to_string()
    }

    fn says(id: &str, text: &str) -> String {
        json!({"id": id, "turns": [{"content": text}]}).to_string()
    }

    fn predicted() -> Vec<String> {
        vec![
            calls("a", r#"{"pier": "the hill", "seats": 2}"#),
            calls("b", r#"{"pier": "hill", "seats": 3}"#),
            says("c", "Which pier?"),
            says("d", "Sure, where from?"),
            "{\"id\": \"e\", \"turns\": [], \"error\": \"HTTP 500\"}".to_owned(),
        ]
    }

    /// What a judge answers about a sample in a draw.
    type Judge<'j> = &'j dyn Fn(&str, u32) -> String;

    /// Scores what was predicted; `judge` says what a judge answers to a question, `None` where none is asked.
    fn scored(lines: &[String], options: &Options, judge: Option<Judge<'_>>) -> (Board, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let [bench, said] = ["samples.jsonl", "said.jsonl"].map(|name| folder.path().join(name));
        let samples: Vec<String> = samples().iter().map(|it| serde_json::to_string(it).unwrap()).collect();
        std::fs::write(&bench, samples.join("\n")).unwrap();
        std::fs::write(&said, lines.join("\n")).unwrap();
        let (bench, predictions) = (Bench::open(&bench).unwrap(), Predictions::open(&said).unwrap());
        let mut replies = Replies::new(crate::fixtures::prompts());
        let run = |replies: &mut Replies| {
            let (mut board, mut verdicts) = (Board::new("m", options.profile), Vec::new());
            replies.again();
            let mut give = |verdict: &dyn Fn() -> Verdict| {
                let line = verdict().line;
                let text = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or("-").to_owned();
                verdicts.push(["id", "rule", "verdict", "reason", "error"].map(text).join(" "));
                Ok(())
            };
            score(&bench, &predictions, 0, &mut board, options, replies, &mut give).unwrap();
            (board, verdicts)
        };
        let Some(judge) = judge else { return run(&mut replies) };
        for question in super::super::QUESTIONS {
            replies.ask_for(question);
        }
        run(&mut replies);
        for pending in replies.take_all() {
            replies.add(&pending.answered(judge(&pending.id, pending.draw), "j"));
        }
        run(&mut replies)
    }

    #[test]
    fn without_a_judge_what_is_open_stays_open() {
        let (board, verdicts) = scored(&predicted(), &Options::default(), None);
        assert_eq!(
            verdicts,
            [
                "a undecided unjudged judge -",
                "b pass pass equal -",
                "c pass pass equal -",
                "d undecided unjudged judge -",
                "e fail fail transport no_answer"
            ]
        );
        let counts = &board.counts;
        assert_eq!(
            (counts.coverage.scored, counts.coverage.transport, counts.coverage.unscored, board.has_judge),
            (5, 1, 1, false)
        );
        assert_eq!((board.extractions["dated"].unparsed, board.unjudged.len()), (1, 2));
    }

    #[test]
    fn a_judge_is_asked_about_what_is_open_alone() {
        let judge = |id: &str, _: u32| {
            assert!(["a", "d"].contains(&id), "{id}");
            if id == "a" { "{\"verdict\": \"pass\"}" } else { "It fails." }.to_owned()
        };
        let (board, verdicts) = scored(&predicted(), &Options::default(), Some(&judge));
        assert_eq!(
            (verdicts[0].as_str(), verdicts[3].as_str()),
            ("a undecided pass judge -", "d undecided fail judge asked_beyond_tools")
        );
        let judging = board.judged();
        assert_eq!((judging.judged, judging.replies, judging.judge_pass), (2, 2, 1));
        assert_eq!(board.decisions[&(Set::CallDecision, Decision::Decline, Decision::Ask)], 1);
    }

    #[test]
    fn where_all_are_judged_the_judge_has_the_last_word() {
        let options = Options { scope: Scope::All, ..Options::default() };
        let judge = |id: &str, _: u32| if id == "b" { "[[fail]]" } else { "hm" }.to_owned();
        let (board, verdicts) = scored(&predicted(), &options, Some(&judge));
        assert_eq!(
            (verdicts[1].as_str(), verdicts[2].as_str()),
            ("b pass fail equal spacing", "c pass unparsed equal -")
        );
        assert_eq!((board.judged().at_odds, board.judged().unparsed, board.judged().judged), (1, 3, 4));
    }

    #[test]
    fn most_votes_win_and_a_draw_cannot_be_read() {
        let options = Options { votes: 2, ..Options::default() };
        let judge = |id: &str, draw: u32| if id == "a" || draw == 0 { "pass" } else { "fail" }.to_owned();
        let (board, verdicts) = scored(&predicted(), &options, Some(&judge));
        assert_eq!(
            (verdicts[0].as_str(), verdicts[3].as_str()),
            ("a undecided pass judge -", "d undecided unparsed judge -")
        );
        assert_eq!((board.judged().replies, board.judged().split), (4, 1));
    }

    #[test]
    fn the_authors_rule_alone_fails_what_it_does_not_pass_and_reads_no_words() {
        let options = Options { profile: Profile::Upstream, ..Options::default() };
        let (board, verdicts) = scored(&predicted(), &options, None);
        assert_eq!(
            verdicts,
            [
                "a fail fail - wrong_value",
                "b pass pass - -",
                "c not_applicable unparsed - -",
                "d not_applicable unparsed - -",
                "e fail fail - no_answer"
            ]
        );
        assert_eq!(board.judged().judged, 0);
        let judge = |_: &str, _: u32| "This does not pass.\nfail".to_owned();
        let (board, verdicts) = scored(&predicted(), &options, Some(&judge));
        assert_eq!((verdicts[0].as_str(), verdicts[3].as_str()), ("a fail pass - -", "d not_applicable pass - -"));
        assert_eq!(board.judged().judged, 3);
    }

    #[test]
    fn where_the_authors_program_breaks_off_ours_goes_on() {
        let options = Options { profile: Profile::Upstream, ..Options::default() };
        let (board, verdicts) = scored(&[calls("a", "[]"), calls("b", "{}")], &options, None);
        assert_eq!(
            (verdicts[0].as_str(), board.counts.aborted, board.counts.coverage.missing),
            ("a fail fail - incomplete_call", 1, 3)
        );
    }

    #[test]
    fn what_nobody_said_is_wrong_or_left_out() {
        let lines = ["{\"id\": \"a\", \"turns\": 5}".to_owned()];
        let (board, verdicts) = scored(&lines, &Options::default(), None);
        assert_eq!(
            (verdicts.len(), verdicts[0].as_str(), board.counts.coverage.missing),
            (5, "a fail fail no_prediction no_answer", 4)
        );
        assert_eq!(board.counts.coverage.unreadable[0].0, "a");
        let skip = Options { missing: Missing::Skip, ..Options::default() };
        assert_eq!(scored(&lines, &skip, None).0.counts.coverage.scored, 0);
        let elsewhere = Options { locale: Some("ko".to_owned()), ..Options::default() };
        assert_eq!(scored(&predicted(), &elsewhere, None).0.counts.coverage.unscored, 0);
    }

    #[test]
    fn people_may_speak_beside_predictions() {
        let mut lines = predicted();
        lines[1] = lines[1].replacen('{', "{\"human\": \"fail\", \"kind\": \"made up\", ", 1);
        let options = Options { keeps_rows: true, ..Options::default() };
        let (board, _) = scored(&lines, &options, None);
        let it = board.reviewed[&Set::Singlecall];
        assert_eq!((it.total, it.reviewed, it.fp, it.fp_from_rule, board.rows.len()), (2, 1, 1, 1, 5));
    }
}
