//! Scores a benchmark: every sample with what was said to it, in each run.

use super::answers::{Answers, Key, Task};
use super::board::{Board, Counts, Found, Steadiness};
use super::lines::{Judged, Routed, difficulty, domain, truth, verdict, written};
use super::profile::Profile;
use super::questions::{about, repair_of};
use crate::callnavi::metric::strict::{self, ErrorClass, Given, Gold, read_score};
use crate::callnavi::metric::upstream::{Abort, Form, Route, Triple, Washer, judge, judge_score};
use crate::format::{Bench, Said};
use crate::hammerbench::LocaleRules;
use crate::hammerbench::metric::strict::{Answer, Rules, Wanted};
use crate::question::Question;
use crate::record::{BorrowedValue, Object, PredictionTurn, Sample, SuiteId, Value};
use crate::replies::Replies;
use crate::score::{missing_of, topics};
use crate::{Missing, ScoreError, VerdictSink};
use std::collections::BTreeMap;

/// How is scored.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// By which rules.
    pub profile: Profile,
    /// What becomes of samples without a prediction.
    pub missing: Missing,
    /// Score this locale alone.
    pub locale: Option<String>,
}

/// What came of a file of predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// What was found in each run.
    pub boards: Vec<Board>,
    /// How much the runs agree, where there are several.
    pub steadiness: Option<Steadiness>,
}

/// Scores all runs of a file of predictions. Each verdict is handed out as it is found.
pub fn score(
    bench: &Bench,
    answers: &Answers,
    name: &str,
    options: &Options,
    replies: &mut Replies,
    sink: VerdictSink<'_>,
) -> Result<Scored, ScoreError> {
    let runs = answers.runs();
    let is_one = runs.len() < 2;
    let named = |run: &u32| if is_one { name.to_owned() } else { format!("{name} #{run}") };
    let boards = runs.iter().map(|run| Board::new(&named(run), options.profile)).collect();
    let steadiness = Steadiness::new(name);
    let mut scorer = Scorer {
        options,
        answers,
        rules: LocaleRules::new(replies.prompts().assets()),
        replies,
        runs,
        boards,
        steadiness,
        washer: Washer::default(),
        places: BTreeMap::new(),
    };
    bench.each(&mut |sample| scorer.take(&sample, sink))?;
    let steadiness = (!is_one && scorer.steadiness.runs > 1).then_some(scorer.steadiness);
    Ok(Scored { boards: scorer.boards, steadiness })
}

struct Scorer<'s> {
    options: &'s Options,
    answers: &'s Answers,
    replies: &'s mut Replies,
    runs: Vec<u32>,
    boards: Vec<Board>,
    steadiness: Steadiness,
    washer: Washer,
    rules: LocaleRules,
    /// How many questions of each domain came already.
    places: BTreeMap<String, usize>,
}

/// A sample that is being scored.
struct Asked<'s> {
    sample: &'s Sample,
    gold: Gold<'s>,
    truth: Value,
    domain: &'s str,
    difficulty: Option<usize>,
}

/// What was said to a task.
#[derive(Default)]
struct Heard {
    turn: Option<PredictionTurn>,
    /// What the transport said, where nothing else was.
    failed: Option<String>,
    form: Form,
}

impl Scorer<'_> {
    fn take(&mut self, sample: &Sample, sink: VerdictSink<'_>) -> Result<(), ScoreError> {
        let (gold, locale) = (Gold::of(sample), self.options.locale.as_ref());
        let coverages = self.boards.iter_mut().map(|board| &mut board.counts.coverage);
        let wants = coverages
            .map(|coverage| coverage.wants(sample, locale, sample.suite == SuiteId::CallNavi && gold.is_some()));
        let is_wanted = wants.fold(false, |_, is_wanted| is_wanted);
        let Some(gold) = gold.filter(|_| is_wanted) else { return Ok(()) };
        let truth = truth(sample, &gold);
        let asked = Asked { sample, gold, truth, domain: domain(sample), difficulty: difficulty(sample) };
        let place = self.places.entry(asked.domain.to_owned()).or_default();
        let ordinal = *place;
        *place += 1;
        let mut outputs = [Vec::new(), Vec::new()];
        for at in 0..self.runs.len() {
            let heard = [Task::Parameters, Task::Routing].map(|task| self.heard(task, at, &asked, ordinal));
            for (outputs, heard) in outputs.iter_mut().zip(&heard) {
                outputs.extend(heard.as_ref().and_then(|heard| heard.turn.as_ref()).map(text));
            }
            let [parameters, routing] = heard;
            let judged = parameters.map(|heard| self.parameters(&asked, &heard, at));
            let routed = routing.map(|heard| self.routing(&asked, &heard, at));
            if judged.is_none() && routed.is_none() {
                continue;
            }
            let Some(board) = self.boards.get_mut(at) else { continue };
            board.counts.coverage.scored += 1;
            let run = (self.runs.len() > 1).then(|| self.runs.get(at).copied()).flatten();
            sink(&|| verdict(sample, run, asked.domain, judged.as_ref(), routed.as_ref()))?;
        }
        self.steady(&asked, &outputs);
        Ok(())
    }

    /// How much the runs agree: on calls with parameters, or on names where nothing else was asked for.
    fn steady(&mut self, asked: &Asked<'_>, outputs: &[Vec<String>; 2]) {
        let has_parameters = self.runs.iter().any(|run| self.answers.has(Task::Parameters, *run));
        let [parameters, routing] = outputs;
        let outputs: Vec<&str> = if has_parameters { parameters } else { routing }.iter().map(String::as_str).collect();
        self.steadiness.add(asked.difficulty, &outputs);
    }

    /// What was said to a task in a run; nothing where the task was not asked, or the sample is to be left out.
    fn heard(&mut self, task: Task, at: usize, asked: &Asked<'_>, ordinal: usize) -> Option<Heard> {
        let run = *self.runs.get(at)?;
        if !self.answers.has(task, run) {
            return None;
        }
        let names: Vec<&str> = asked.gold.names().collect();
        let key = Key { id: asked.sample.id.as_str(), domain: asked.domain, ordinal, names: &names };
        let found = self.answers.find(task, run, key);
        let has_failed = |(said, _): &(Said, Form)| matches!(said, Said::Failed(_));
        let heard = match self.boards.get_mut(at)?.counts.coverage.said(asked.sample, found, has_failed) {
            Some((Said::Failed(detail), form)) => Heard { failed: Some(detail), form, ..Heard::default() },
            Some((said, form)) => Heard { turn: said.turn(), form, ..Heard::default() },
            None => Heard::default(),
        };
        let is_kept = heard.turn.is_some() || self.options.missing == Missing::Fail;
        is_kept.then_some(heard)
    }

    fn parameters(&mut self, asked: &Asked<'_>, heard: &Heard, at: usize) -> Judged {
        let mut judged = match self.options.profile {
            Profile::Strict => self.strict(asked, heard),
            Profile::Upstream | Profile::UpstreamPaper => self.upstream(asked, heard),
        };
        let is_unjudged = self.ask_judge(asked, heard, &mut judged);
        if let Some(board) = self.boards.get_mut(at) {
            board.add(asked.domain, asked.difficulty, judged.found, judged.score);
            board.counts.unjudged += u64::from(is_unjudged);
            count(&mut board.counts, &judged);
        }
        judged
    }

    fn strict(&mut self, asked: &Asked<'_>, heard: &Heard) -> Judged {
        let given = heard.given();
        let verdict = asked.gold.judge(given, heard.form, None);
        let unreadable = heard.turn.as_ref().filter(|_| verdict.errors == [ErrorClass::Unparsable]);
        if unreadable.is_some_and(|turn| self.asks(asked.sample, turn)) {
            return strict::Verdict::question().into();
        }
        let text = unreadable.map(text);
        match text.and_then(|text| self.repair(asked, &text)) {
            Some(repair) => asked.gold.judge(given, heard.form, Some(&repair)).into(),
            None => verdict.into(),
        }
    }

    /// Whether a reply asks for a value that the question does not give and its call requires.
    fn asks(&mut self, sample: &Sample, turn: &PredictionTurn) -> bool {
        let missing = missing_of(sample, &sample.candidates);
        let topics = topics(&sample.candidates, &missing);
        let none = Rules::default();
        let rules = self.rules.of(&sample.locale).unwrap_or(&none);
        !missing.is_empty() && rules.judge(Wanted::Question(&topics), Answer::Said(turn)).right
    }

    fn upstream(&mut self, asked: &Asked<'_>, heard: &Heard) -> Judged {
        let said = heard.turn.as_ref().map(text);
        let Some(said) = said else { return Judged { washed: Value::Object(Object::new()), ..Judged::default() } };
        let is_readable = self.washer.wash(&said, heard.form, None).syntax;
        let repair = if is_readable { None } else { self.repair(asked, &said) };
        let washed = self.washer.wash(&said, heard.form, repair.as_deref());
        let verdict = judge(&washed.value, &BorrowedValue::from(&asked.truth));
        let Triple { order, structure, ast } = verdict.unwrap_or_default();
        let repaired = repair.as_deref().is_some_and(|repair| BorrowedValue::read_lenient(repair).is_ok());
        let (syntax, mended) = (washed.syntax, washed.syntax || repaired);
        let found = Found { syntax, mended, order, structure, ast };
        let abort = verdict.err().map(Abort::as_str);
        Judged { found, washed: washed.value.into(), repaired, abort, ..Judged::default() }
    }

    /// What a model makes of a text that cannot be read, where one is asked.
    fn repair(&mut self, asked: &Asked<'_>, text: &str) -> Option<String> {
        self.replies.ask(Question::Repair, || repair_of(asked.sample, &asked.gold, text)).map(str::to_owned)
    }

    /// Has an answer judged; says whether nothing usable came of it. What was never said is worth nothing.
    fn ask_judge(&mut self, asked: &Asked<'_>, heard: &Heard, judged: &mut Judged) -> bool {
        if !self.replies.is_asked(Question::Judge) {
            return false;
        }
        if heard.turn.is_none() {
            judged.score = Some(0.0);
            return false;
        }
        let reply = self.replies.ask(Question::Judge, || about(asked.sample, &asked.truth, &judged.washed));
        judged.score = reply.and_then(if self.options.profile == Profile::Strict { read_score } else { judge_score });
        judged.score.is_none()
    }

    fn routing(&mut self, asked: &Asked<'_>, heard: &Heard, at: usize) -> Routed {
        let routed = match self.options.profile {
            Profile::Strict => asked.gold.judge_route(heard.given()).into(),
            Profile::Upstream | Profile::UpstreamPaper => {
                let names: Vec<&str> = asked.gold.names().collect();
                let said = heard.turn.as_ref().map(text_of_names);
                let right = said.is_some_and(|text| Route::from(names.as_slice()).matches(&text));
                Routed { right, ..Routed::default() }
            }
        };
        if let Some(board) = self.boards.get_mut(at) {
            board.add_route(asked.domain, asked.difficulty, routed.right);
            let counts = &mut board.counts;
            routed.way.iter().for_each(|way| *counts.route_ways.entry(way.clone()).or_default() += 1);
            routed
                .errors
                .iter()
                .take(1)
                .for_each(|it| *counts.route_errors.entry(it.as_str().to_owned()).or_default() += 1);
        }
        routed
    }
}

impl Heard {
    fn given(&self) -> Given<'_> {
        match (&self.turn, &self.failed) {
            (Some(turn), _) => Given::Said(turn),
            (None, Some(detail)) => Given::Failed(detail),
            (None, None) => Given::Missing,
        }
    }
}

/// What was said as a text; calls that the server gave are written out.
fn text(turn: &PredictionTurn) -> String {
    if turn.tool_calls.is_empty() { turn.content.clone().unwrap_or_default() } else { written(&turn.tool_calls) }
}

fn text_of_names(turn: &PredictionTurn) -> String {
    let names: Vec<&str> = turn.tool_calls.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { turn.content.clone().unwrap_or_default() } else { names.join(", ") }
}

fn count(counts: &mut Counts, judged: &Judged) {
    counts.aborted += u64::from(judged.abort.is_some());
    counts.repaired += u64::from(judged.repaired);
    judged.way.iter().for_each(|way| *counts.ways.entry(way.clone()).or_default() += 1);
    judged.errors.iter().take(1).for_each(|it| *counts.errors.entry(it.as_str().to_owned()).or_default() += 1);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Pending;
    use crate::callnavi::Level;
    use crate::record::Verdict;
    use crate::record::{Expected, FunctionCall, ItemId, Message, Role, Step};
    use serde_json::json;
    use std::path::Path;

    /// A sample that wants these calls; its candidates `getX` and `getY` have a text `a` and a number `n`.
    pub(crate) fn sample(id: &str, calls: &[(&str, &str)]) -> Sample {
        let properties = json!({"a": {"type": "string"}, "n": {"type": "number"}});
        let tool = |name: &str| json!({"name": name, "parameters": {"properties": properties}});
        let candidates = [tool("getX"), tool("getY")];
        let bare: Sample = serde_json::from_value(json!({
            "id": "q", "suite": SuiteId::CallNavi.as_str(), "data_type": "easy", "locale": "en", "messages": [], "candidates": candidates,
            "expected": "refusal", "difficulty": "easy", "group": "bank", "licence": "", "source": "",
            "provenance": crate::record::Provenance::default(),
        }))
        .unwrap();
        let step = |(name, arguments): &(&str, &str)| {
            let arguments = Value::read(arguments).unwrap().as_object().unwrap().clone();
            let call = FunctionCall { name: (*name).to_owned(), arguments };
            Step { calls: vec![call], answers: Vec::new(), notes: Vec::new() }
        };
        let expected = Expected::Steps(calls.iter().map(step).collect());
        Sample { id: ItemId::root(id), messages: vec![Message::new(Role::User, "how much?")], expected, ..bare }
    }

    const RIGHT: &str = r#"{\"API\": [\"getX\"], \"parameters\": [{\"a\": \"1\"}]}"#;

    /// Two questions, both of which want `getX(a="1")`.
    fn bench(folder: &Path) -> Bench {
        let samples = ["q1", "q2"].map(|id| sample(id, &[("getX", r#"{"a": "1"}"#)]));
        let other = Sample { suite: "hammerbench".into(), ..samples[0].clone() };
        let lines: Vec<String> = samples.iter().chain([&other]).map(|it| serde_json::to_string(it).unwrap()).collect();
        std::fs::write(folder.join("samples.jsonl"), lines.join("\n")).unwrap();
        Bench::open(folder).unwrap()
    }

    fn scored(lines: &str, options: &Options, replies: &mut Replies) -> (Scored, Vec<Object>) {
        let folder = tempfile::tempdir().unwrap();
        let bench = bench(folder.path());
        std::fs::write(folder.path().join("predictions.jsonl"), lines).unwrap();
        let answers = Answers::open(&folder.path().join("predictions.jsonl")).unwrap();
        let mut items = Vec::new();
        let mut give = |verdict: &dyn Fn() -> Verdict| {
            items.push(verdict().line);
            Ok(())
        };
        (score(&bench, &answers, "m", options, replies, &mut give).unwrap(), items)
    }

    fn said(id: &str, run: u32, task: &str, text: &str) -> String {
        format!(r#"{{"id": "{id}", "run": {run}, "task": "{task}", "turns": [{{"content": "{text}"}}]}}{}"#, '\n')
    }

    fn with(profile: Profile) -> Options {
        Options { profile, ..Options::default() }
    }

    #[test]
    fn what_is_missing_stays_in_the_denominator_unless_it_is_left_out() {
        let lines = said("q1", 0, "parameters", RIGHT);
        let ast = |options: &Options| {
            let (scored, _) = scored(&lines, options, &mut Replies::new(crate::fixtures::prompts()));
            let board = &scored.boards[0];
            (
                board.ast.counts(Level::All),
                board.counts.coverage.missing,
                board.counts.coverage.unscored,
                board.routing.counts(Level::All),
            )
        };
        for profile in [Profile::Strict, Profile::Upstream] {
            assert_eq!(ast(&with(profile)), ((1, 2), 1, 1, (0, 0)));
            assert_eq!(ast(&Options { missing: Missing::Skip, ..with(profile) }), ((1, 1), 1, 1, (0, 0)));
        }
    }

    #[test]
    fn a_question_for_what_nobody_said_is_as_right_as_a_placeholder() {
        let with_note = |origin: &str| {
            let mut sample = serde_json::to_value(sample("q1", &[("getX", r#"{"a": "$$$"}"#)])).unwrap();
            sample["expected"]["steps"][0]["notes"] = json!([{"a": {"origin": origin}}]);
            sample["candidates"][0]["parameters"]["required"] = json!(["a"]);
            sample
        };
        let ast = |sample: &serde_json::Value, text: &str, profile| {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            std::fs::write(at("samples.jsonl"), sample.to_string()).unwrap();
            std::fs::write(at("predictions.jsonl"), said("q1", 0, "parameters", text)).unwrap();
            let answers = Answers::open(&at("predictions.jsonl")).unwrap();
            let bench = Bench::open(folder.path()).unwrap();
            let mut give = |_: &dyn Fn() -> Verdict| Ok(());
            let scored =
                score(&bench, &answers, "m", &with(profile), &mut Replies::new(crate::fixtures::prompts()), &mut give)
                    .unwrap();
            scored.boards[0].ast.counts(Level::All)
        };
        let (missing, open) = (with_note("missing"), with_note("open"));
        assert_eq!(ast(&missing, "Which one?", Profile::Strict), (1, 1));
        assert_eq!(ast(&missing, &RIGHT.replace('1', "$$$"), Profile::Strict), (1, 1));
        assert_eq!(ast(&missing, "Done.", Profile::Strict), (0, 1));
        assert_eq!(ast(&open, "Which one?", Profile::Strict), (0, 1), "the question says it in its own words");
        assert_eq!(ast(&missing, "Which one?", Profile::Upstream), (0, 1));
    }

    #[test]
    fn both_tasks_of_a_run_stand_in_one_line() {
        let lines = said("q1", 0, "parameters", RIGHT)
            + &said("q1", 0, "routing", "GETX")
            + &said("q2", 0, "routing", "[getX]");
        let (scored_strictly, items) =
            scored(&lines, &with(Profile::Strict), &mut Replies::new(crate::fixtures::prompts()));
        assert_eq!(scored_strictly.boards[0].routing.counts(Level::All), (1, 2));
        assert_eq!((items.len(), &items[0]["ast"], &items[0]["routing"]), (2, &true.into(), &false.into()));
        assert_eq!(items[1]["reason"].as_str(), Some("there is no prediction"));
        assert_eq!(scored_strictly.boards[0].counts.route_errors["invented_api"], 1);
        let (upstream, _) = scored(&lines, &with(Profile::Upstream), &mut Replies::new(crate::fixtures::prompts()));
        assert_eq!(upstream.boards[0].routing.counts(Level::All), (2, 2), "capitals are of no account to the authors");
    }

    #[test]
    fn several_runs_have_a_board_each_and_are_compared() {
        let lines = said("q1", 0, "parameters", RIGHT)
            + &said("q1", 1, "parameters", RIGHT)
            + &said("q1", 2, "parameters", "no");
        let (scored, items) = scored(&lines, &Options::default(), &mut Replies::new(crate::fixtures::prompts()));
        assert_eq!(scored.boards.iter().map(|board| board.name.as_str()).collect::<Vec<_>>(), ["m #0", "m #1", "m #2"]);
        let steady = scored.steadiness.unwrap();
        assert_eq!((steady.runs, steady.left_out), (3, 1));
        assert!((steady.means(Level::All)[0].unwrap().value - 0.5).abs() < 1e-12);
        assert_eq!((items.len(), &items[0]["run"]), (6, &0.into()));
    }

    #[test]
    fn a_shape_that_breaks_the_authors_script_is_wrong_and_told() {
        let lines = said("q1", 0, "parameters", r#"{\"API\": [\"getX\"], \"parameters\": null}"#);
        let (of, items) = scored(&lines, &with(Profile::Upstream), &mut Replies::new(crate::fixtures::prompts()));
        assert_eq!((items[0]["error"].as_str(), of.boards[0].counts.aborted), (Some("TypeError"), 1));
        let (of, items) = scored(&lines, &with(Profile::Strict), &mut Replies::new(crate::fixtures::prompts()));
        assert_eq!((items[0]["error"].clone(), of.boards[0].counts.errors["format"]), (Value::Null, 1));
    }

    #[test]
    fn a_repair_is_asked_for_and_counts_apart() {
        for profile in [Profile::Strict, Profile::Upstream] {
            let lines = said("q1", 0, "parameters", "getX(a=1)");
            let mut replies = Replies::new(crate::fixtures::prompts());
            replies.ask_for(Question::Repair);
            let (first, _) = scored(&lines, &with(profile), &mut replies);
            assert_eq!(first.boards[0].ast.counts(Level::All), (0, 2));
            let open: Vec<Pending> = replies.take_open(Question::Repair);
            assert_eq!(open.len(), 1);
            replies.add(&open[0].answered(RIGHT.replace('\\', ""), "r"));
            let (second, items) = scored(&lines, &with(profile), &mut replies);
            let board = &second.boards[0];
            assert_eq!((board.syntax.counts(Level::All), board.mended.counts(Level::All)), ((0, 2), (1, 2)));
            assert_eq!((board.ast.counts(Level::All), board.counts.repaired), ((1, 2), 1));
            assert_eq!(items[0]["repaired"], true.into());
        }
    }

    #[test]
    fn a_judges_number_is_read_by_the_profile_and_what_was_never_said_is_worth_nothing() {
        let lines = said("q1", 0, "parameters", RIGHT);
        for (profile, reply, wanted, unjudged) in [
            (Profile::Strict, "Score: [[0.5]]", Some(0.25), 0),
            (Profile::Strict, "[[1.5]]", Some(0.0), 1),
            (Profile::Upstream, "Score: [[0.5]]", Some(0.0), 1),
            (Profile::Upstream, "[[1.5]]", Some(0.75), 0),
        ] {
            let mut replies = Replies::new(crate::fixtures::prompts());
            replies.ask_for(Question::Judge);
            scored(&lines, &with(profile), &mut replies);
            let open = replies.take_open(Question::Judge);
            replies.add(&open[0].answered(reply.to_owned(), "j"));
            let (of, _) = scored(&lines, &with(profile), &mut replies);
            let board = &of.boards[0];
            assert_eq!(board.judge.estimate().map(|it| it.value), wanted, "{profile:?} {reply}");
            assert_eq!((board.counts.unjudged, open.len()), (unjudged, 1));
        }
    }

    #[test]
    fn native_calls_count_in_every_profile_and_a_lost_answer_in_none() {
        let lines = r#"{"id": "q1", "turns": [{"tool_calls": [["getX", "{\"a\": \"1\"}"]]}]}
{"id": "q2", "turns": [], "error": "HTTP 500"}
{"id": "q1", "task": "routing", "turns": [{"tool_calls": [["getX", ""]]}]}
"#;
        for profile in [Profile::Strict, Profile::Upstream] {
            let (of, _) = scored(lines, &with(profile), &mut Replies::new(crate::fixtures::prompts()));
            let board = &of.boards[0];
            assert_eq!((board.ast.counts(Level::All), board.counts.coverage.transport), ((1, 2), 1));
            assert_eq!((board.routing.counts(Level::All), board.counts.coverage.missing), ((1, 2), 1));
        }
    }

    #[test]
    fn a_locale_may_be_scored_alone() {
        let options = Options { locale: Some("ko".to_owned()), ..Options::default() };
        let (of, items) =
            scored(&said("q1", 0, "parameters", RIGHT), &options, &mut Replies::new(crate::fixtures::prompts()));
        assert_eq!((of.boards[0].counts.coverage.scored, items.len()), (0, 0));
    }
}
