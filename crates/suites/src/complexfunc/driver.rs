//! Scores a benchmark: every sample with its trajectory, gone through once more.

use super::answers::{Answers, Recording, Recordings, data_of, turns_of};
use super::board::Board;
use super::helpers::Helpers;
use super::lines::{fields, steps, verdict};
use super::profile::{ArgumentTypes, Profile, generic_error};
use super::questions::{complete, correct, dialogue, same_call};
use super::script::{JudgeRule, Script};
use crate::complexfunc::layout::Trajectory;
use crate::complexfunc::metric::{Assessment, Golden, Machine, Oracle, Outcome, Settings, Turn, play};
use crate::format::Bench;
use crate::question::{Question, read_points};
use crate::record::{Expected, FunctionCall, Object, Sample, SuiteId, Value, Verdict};
use crate::{Missing, ScoreError, VerdictSink};
use std::borrow::Cow;
use std::sync::Arc;

/// How is scored.
#[derive(Debug, Default)]
pub struct Options {
    /// By which rules.
    pub profile: Profile,
    /// What is known of the APIs.
    pub settings: Arc<Settings>,
    /// What the APIs answered, and judges said, where that was recorded.
    pub answers: Answers,
    /// A stand-in for a judge of calls.
    pub judge: Option<JudgeRule>,
    /// What becomes of samples without a prediction.
    pub missing: Missing,
    /// Score this locale alone.
    pub locale: Option<String>,
    /// Whether verdicts tell what happened in each turn.
    pub traces: bool,
}

/// Scores one run of a file of predictions. Each verdict is handed out as it is found.
pub fn score(
    bench: &Bench,
    recordings: &Recordings,
    run: u32,
    board: &mut Board,
    options: &Options,
    helpers: &mut Helpers,
    sink: VerdictSink<'_>,
) -> Result<(), ScoreError> {
    let (types, generic_error) = (ArgumentTypes::shipped(helpers.assets())?, generic_error(helpers.assets())?);
    let mut scorer = Scorer { options, recordings, run, types, generic_error, helpers };
    bench.each(&mut |sample| scorer.take(&sample, board, sink))
}

struct Scorer<'s> {
    options: &'s Options,
    recordings: &'s Recordings,
    run: u32,
    types: ArgumentTypes,
    generic_error: String,
    helpers: &'s mut Helpers,
}

impl Scorer<'_> {
    fn take(&mut self, sample: &Sample, board: &mut Board, sink: VerdictSink<'_>) -> Result<(), ScoreError> {
        let steps = if let Expected::Steps(steps) = &sample.expected { Some(steps) } else { None };
        let locale = self.options.locale.as_ref();
        let is_wanted =
            board.counts.coverage.wants(sample, locale, sample.suite == SuiteId::ComplexFuncBench && steps.is_some());
        let Some(steps) = steps.filter(|_| is_wanted) else { return Ok(()) };
        let golden = Golden::new(steps, &sample.candidates, self.options.settings.clone(), self.options.profile.rules);
        let recordings = self.recordings;
        let recorded = recordings.of(sample.id.as_str(), self.run);
        if recorded.is_empty() {
            board.counts.coverage.missing += 1;
            // Whoever writes scripts need not write one for each sample.
            return if recordings.is_scripted() { Ok(()) } else { self.score(sample, &golden, None, board, sink) };
        }
        recorded.iter().try_for_each(|recorded| self.score(sample, &golden, Some(recorded), board, sink))
    }

    /// Scores one trajectory.
    fn score(
        &mut self,
        sample: &Sample,
        golden: &Golden,
        recorded: Option<&Recording<'_>>,
        board: &mut Board,
        sink: VerdictSink<'_>,
    ) -> Result<(), ScoreError> {
        let is_said = match recorded {
            Some(Recording::Said(Trajectory::Said { .. }) | Recording::Script(_)) => true,
            Some(Recording::Said(Trajectory::Failed(_))) => {
                board.counts.coverage.transport += 1;
                false
            }
            Some(Recording::Unreadable(problem)) => {
                board.counts.coverage.unreadable.push((sample.id.to_string(), problem.clone()));
                false
            }
            None => false,
        };
        if !is_said && self.options.missing == Missing::Skip {
            return Ok(());
        }
        let outcome = self.replay(sample, golden, recorded, board);
        board.add(&sample.data_type.0, &outcome);
        self.count_arguments(sample, &outcome, board);
        let script = if let Some(Recording::Script(script)) = recorded { Some(*script) } else { None };
        Ok(sink(&|| self.verdict(sample, script, golden, &outcome))?)
    }

    fn replay(
        &mut self,
        sample: &Sample,
        golden: &Golden,
        recorded: Option<&Recording<'_>>,
        board: &mut Board,
    ) -> Outcome {
        let (turns, script) = match recorded {
            Some(Recording::Said(trajectory)) => (turns_of(trajectory, golden.rules().is_strict()), None),
            Some(Recording::Script(script)) => {
                (script.turns.iter().map(|turn| (turn.clone(), None)).collect(), Some(*script))
            }
            _ => (Vec::new(), None),
        };
        for way in turns.iter().filter_map(|(_, way)| way.as_ref()) {
            *board.counts.ways.entry(way.clone()).or_default() += 1;
        }
        let turns: Vec<Turn> = turns.into_iter().map(|(turn, _)| turn).collect();
        let mut machine = Machine::new(golden, self.options.profile.similarity);
        if self.options.traces {
            machine = machine.traced();
        }
        let (options, generic_error, helpers) = (self.options, self.generic_error.as_str(), &mut *self.helpers);
        let turns = turns.into_iter();
        let mut replay = Replay { turns, script, sample, golden, options, generic_error, helpers, guessed_from: None };
        play(machine, &mut replay)
    }

    /// Counts the golden arguments by their types, and which of them were wrong.
    fn count_arguments(&self, sample: &Sample, outcome: &Outcome, board: &mut Board) {
        let Expected::Steps(steps) = &sample.expected else { return };
        let calls: Vec<&FunctionCall> = steps.iter().flat_map(|step| &step.calls).collect();
        let mut count = |call: &FunctionCall, name: &str, wrong: u64, all: u64| {
            let kind = self.type_of(sample, call, name);
            let counted = board.counts.arguments.entry(kind).or_default();
            counted.0 += wrong;
            counted.1 += all;
        };
        for call in &calls {
            call.arguments.keys().for_each(|name| count(call, name, 0, 1));
        }
        for (ordinal, name) in &outcome.tally.wrong_arguments {
            if let Some(call) = calls.get(*ordinal) {
                count(call, name, 1, 0);
            }
        }
    }

    /// The type of an argument: what its tool says it is, or else what its name says.
    fn type_of(&self, sample: &Sample, call: &FunctionCall, name: &str) -> String {
        let tool = sample.candidates.iter().find(|tool| tool.name == call.name);
        let declared = tool.and_then(|tool| tool.kinds.get(name)).map(String::as_str);
        self.types.of(name).or(declared).unwrap_or("other").to_owned()
    }

    fn verdict(&self, sample: &Sample, script: Option<&Script>, golden: &Golden, outcome: &Outcome) -> Verdict {
        let (id, profile) = (sample.id.as_str(), golden.rules().name());
        let own = script.map_or(id, |script| script.id.as_str());
        let behaviour = script.map(|script| ("behaviour", script.behaviour.as_str()));
        let names = [("id", own), ("dialect", profile), ("sample_id", id), ("data_type", &sample.data_type.0)];
        let names = names.into_iter().chain(behaviour);
        let mut line: Object = names.map(|(name, text)| (name.to_owned(), text.into())).collect();
        line.extend(fields(golden, outcome));
        if self.options.traces {
            line.insert("steps".to_owned(), steps(golden, outcome));
        }
        verdict(id, outcome, line)
    }
}

/// Says what was said, and knows what was recorded.
struct Replay<'s, 'r> {
    turns: std::vec::IntoIter<Turn>,
    script: Option<&'s Script>,
    sample: &'s Sample,
    golden: &'s Golden,
    options: &'s Options,
    generic_error: &'r str,
    helpers: &'r mut Helpers,
    /// The turn from which on it is only a guess what becomes of calls, because answers wait. Nobody is asked about guesses.
    guessed_from: Option<usize>,
}

impl<'s> Oracle<'s> for Replay<'s, '_> {
    fn turn(&mut self) -> Option<Turn> {
        self.turns.next()
    }

    fn answer(&mut self, call: &FunctionCall) -> Option<Cow<'s, Value>> {
        let recorded = self.options.answers.answer(call).map(Cow::Borrowed);
        // Whoever writes scripts writes down all that the APIs answer.
        recorded.or_else(|| if self.script.is_some() { None } else { golden_answer(self.golden, call) })
    }

    fn is_equal(&mut self, machine: &Machine<'s>, predicted: &FunctionCall, golden: &FunctionCall) -> bool {
        let by_rule = || self.options.judge.as_ref().map(|rule| rule.is_equal(predicted, golden));
        if let Some(known) = self.options.answers.judgement(predicted, golden).or_else(by_rule) {
            return known;
        }
        if self.guessed_from.is_some_and(|turn| turn <= machine.exchanges().len()) {
            return false;
        }
        let made = || dialogue(self.golden, machine.exchanges(), self.generic_error);
        let said = self.helpers.is_equal(|| same_call(self.sample, made(), predicted, golden));
        if said.is_none() {
            // Other calls of this turn are as they are; what comes after it hangs on the answer.
            self.guessed_from = Some(machine.exchanges().len() + 1);
        }
        said.unwrap_or(false)
    }

    fn similarity(&mut self, machine: &Machine<'s>, predicted: &[&FunctionCall], golden: &[&FunctionCall]) -> Vec<f64> {
        let alike = self.helpers.embedded.similarity(predicted, golden);
        if alike.is_none() {
            let turn = machine.exchanges().len();
            self.guessed_from = Some(self.guessed_from.map_or(turn, |earlier| earlier.min(turn)));
        }
        alike.unwrap_or_else(|| vec![0.0; predicted.len() * golden.len()])
    }

    fn assess(&mut self, answer: &str) -> Option<Assessment> {
        if let Some(script) = self.script {
            return script.assessment;
        }
        let mut points = |question, pending: &dyn Fn() -> _| {
            self.helpers.replies.ask(question, pending).map(|reply| read_points(reply).unwrap_or(-1))
        };
        let completeness = points(Question::Complete, &|| complete(self.sample, answer));
        let correctness = points(Question::Correct, &|| correct(self.sample, answer));
        Some(Assessment { complete: completeness?, correct: correctness? })
    }
}

/// What the API answered to a golden call that is equal to this one.
pub fn golden_answer<'g>(golden: &'g Golden, call: &FunctionCall) -> Option<Cow<'g, Value>> {
    let ordinal = golden.find(call)?;
    data_of(golden.answer(ordinal)).map(Cow::Owned)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::complexfunc::layout::Row;
    use crate::complexfunc::metric::{Dialect, Rules};
    use crate::complexfunc::settings_of;
    use std::path::Path;

    /// A port is to be found, and then a boat: two steps, one call each.
    const ROW: &str = r#"{"id": "ID", "conversations": [{"role": "user", "content": "When does a boat for two leave Hill?"},
        {"role": "assistant", "function_call": [{"name": "Find_Port", "arguments": {"query": "Hill"}}]},
        {"role": "observation", "content": [{"status": true, "data": {"id": "H1"}}]},
        {"role": "assistant", "function_call": [{"name": "Get_Boat", "arguments": {"port": "H1", "seats": 2}}]},
        {"role": "observation", "content": [{"status": true, "data": {"leaves": "12:00"}}]},
        {"role": "assistant", "content": "At noon."}], "functions": [
        {"name": "Find_Port", "parameters": {"properties": {"query": {"type": "string"}}, "required": ["query"]}},
        {"name": "Get_Boat", "parameters": {"properties": {"port": {"type": "string"}, "seats": {"type": "number"}, "arrival_date": {"type": "string"}}, "required": ["port"]}}]}"#;

    pub(crate) fn sample(id: &str) -> Sample {
        Row::read(&ROW.replace("\"ID\"", &format!("\"{id}\""))).unwrap().into_sample("en").unwrap()
    }

    fn helpers() -> Helpers {
        Helpers::from(crate::Replies::new(crate::fixtures::prompts()))
    }

    fn calls(calls: &[(&str, &str)]) -> String {
        let calls: Vec<_> = calls.iter().map(|(name, arguments)| serde_json::json!([name, arguments])).collect();
        serde_json::json!({"tool_calls": calls}).to_string()
    }

    fn words(text: &str) -> String {
        serde_json::json!({"content": text}).to_string()
    }

    fn line(id: &str, turns: &[String]) -> String {
        format!("{{\"id\": \"{id}\", \"turns\": [{}]}}\n", turns.join(", "))
    }

    const FIND: (&str, &str) = ("Find_Port", r#"{"query": "Hill"}"#);
    const BOAT: (&str, &str) = ("Get_Boat", r#"{"seats": 2.0, "port": "H1"}"#);

    /// What comes of these predictions for `Boats-0`, `Boats-1` and `Cross-0`.
    fn scored(said: &str, options: &Options, helpers: &mut Helpers) -> (Board, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let rows = ["Boats-0", "Boats-1", "Cross-0"]
            .map(|id| ROW.replace("\"ID\"", &format!("\"{id}\"")).replace('\n', " ") + "\n");
        std::fs::write(folder.path().join("ComplexFuncBench.jsonl"), rows.concat()).unwrap();
        let path = folder.path().join("said.jsonl");
        std::fs::write(&path, said).unwrap();
        let (bench, predictions) = (Bench::open(folder.path()).unwrap(), Recordings::open(&path).unwrap());
        let (mut board, mut lines) = (Board::new("m", options.profile), Vec::new());
        let mut give = |verdict: &dyn Fn() -> Verdict| {
            lines.push(Value::from(verdict().line).to_string());
            Ok(())
        };
        score(&bench, &predictions, 0, &mut board, options, helpers, &mut give).unwrap();
        (board, lines)
    }

    fn options(profile: Profile) -> Options {
        Options {
            profile,
            settings: Arc::new(settings_of(crate::fixtures::assets(), Path::new("/no/such")).unwrap()),
            ..Options::default()
        }
    }

    #[test]
    fn a_trajectory_is_gone_through_and_every_sample_has_its_line() {
        let said = [
            line("Boats-0", &[calls(&[FIND]), calls(&[BOAT]), words("At noon.")]),
            line("Cross-0", &[calls(&[FIND]), words("Which boat?")]),
        ];
        let (board, lines) = scored(&said.concat(), &options(Profile::default()), &mut helpers());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"id":"Boats-0","dialect":"strict","sample_id":"Boats-0","data_type":"Boats","status":"recorded","success":true,"message":"Success.","counts":{"success_turn_num":2,"total_turn_num":2,"correct_call_num":2,"total_call_num":2,"real_turn_num":2},"response_eval":null,"observations":[["golden"],["golden"]],"redundant_calls":0,"extra_calls":0}
        {"id":"Boats-1","dialect":"strict","sample_id":"Boats-1","data_type":"Boats","status":"recorded","success":false,"message":{"error_type":"unknown_error","content":"The model said nothing."},"counts":{"success_turn_num":0,"total_turn_num":2,"correct_call_num":0,"total_call_num":2,"real_turn_num":0},"response_eval":null,"observations":[],"redundant_calls":0,"extra_calls":0}
        {"id":"Cross-0","dialect":"strict","sample_id":"Cross-0","data_type":"Cross","status":"recorded","success":false,"message":{"error_type":"stop_early","content":"Stop early."},"counts":{"success_turn_num":1,"total_turn_num":2,"correct_call_num":1,"total_call_num":2,"real_turn_num":1},"response_eval":null,"observations":[["golden"]],"redundant_calls":0,"extra_calls":0}
        "#);
        assert_eq!(
            (board.counts.coverage.scored, board.counts.coverage.missing, board.counts.ways["native"]),
            (3, 1, 3)
        );
        assert_eq!(board.counts.arguments["location"], (0, 6), "ports and queries are places");
    }

    #[test]
    fn who_is_missing_may_be_skipped_and_a_lost_connection_is_counted() {
        let said =
            "{\"id\": \"Boats-0\", \"turns\": [], \"error\": \"HTTP 500\"}\n{\"id\": \"Boats-1\", \"turns\": 5}\n";
        let all = scored(said, &options(Profile::default()), &mut helpers()).0.counts;
        assert_eq!(
            (all.coverage.scored, all.coverage.transport, all.coverage.missing, all.coverage.unreadable.len()),
            (3, 1, 1, 1)
        );
        let skip = Options { missing: Missing::Skip, ..options(Profile::default()) };
        assert_eq!(scored(said, &skip, &mut helpers()).0.counts.coverage.scored, 0);
        let other = Options { locale: Some("ko".to_owned()), ..options(Profile::default()) };
        assert_eq!(scored(said, &other, &mut helpers()).1.len(), 0);
    }

    #[test]
    fn a_judge_is_asked_about_calls_and_answers_and_what_it_says_counts() {
        let far = ("Find_Port", r#"{"query": "Hill, Northland"}"#);
        let said = line("Boats-0", &[calls(&[far]), calls(&[BOAT]), words("At noon.")]);
        let mut helpers = helpers();
        let asked = [Question::SameCall, Question::Complete, Question::Correct];
        for question in asked {
            helpers.replies.ask_for(question);
        }
        let skip = Options { missing: Missing::Skip, ..options(Profile::default()) };
        let (board, _) = scored(&said, &skip, &mut helpers);
        assert_eq!(board.all().successes, 0);
        let open = helpers.replies.take_all();
        assert_eq!(open.iter().map(|pending| pending.question).collect::<Vec<_>>(), asked);
        let said_of = |question| match question {
            Question::SameCall => r#"{"is_equal": true}"#,
            Question::Complete => r#"{"score": 2}"#,
            _ => "well",
        };
        for pending in &open {
            helpers.replies.add(&pending.answered(said_of(pending.question).to_owned(), "j"));
        }
        let (board, lines) = scored(&said, &skip, &mut helpers);
        assert_eq!((board.all().successes, board.counts.unjudged), (1, 1));
        assert!(lines[0].contains(r#""response_eval":{"complete":2,"correct":-1}"#), "{}", lines[0]);
    }

    #[test]
    fn the_authors_rules_and_traces_may_be_asked_for() {
        let said = line("Boats-0", &[calls(&[FIND]), calls(&[("Get_Boat", "{\"port\": \"H2\"}")]), words("At noon.")]);
        let options = Options { traces: true, missing: Missing::Skip, ..options(Profile::upstream(Dialect::Qwen)) };
        let (board, lines) = scored(&said, &options, &mut helpers());
        assert_eq!((board.counts.crashed, lines.len()), (1, 1), "no list of exact values is known");
        assert!(
            lines[0].contains(r#""dialect":"qwen""#)
                && lines[0].contains(r#""status":"crash","detail":"KeyError","steps":["#)
        );
    }

    #[test]
    fn an_answer_of_the_api_is_the_golden_one_or_a_recorded_one() {
        let sample = sample("Boats-0");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        let golden = Golden::new(steps, &sample.candidates, Arc::default(), Rules::default());
        let answer = golden_answer(&golden, golden.call(1)).unwrap();
        assert_eq!(answer.to_string(), r#"{"leaves":"12:00"}"#);
        let other = FunctionCall { name: "Get_Boat".to_owned(), arguments: Object::new() };
        assert_eq!(golden_answer(&golden, &other), None);
    }

    #[test]
    fn scripts_are_gone_through_each_by_itself_with_what_stands_in_them() {
        let script = |id: &str, query: &str| {
            let call =
                format!(r#"{{"function_call": [{{"name": "Find_Port", "arguments": {{"query": "{query}"}}}}]}}"#);
            format!(
                r#"{{"id": "{id}", "sample_id": "Boats-0", "behaviour": "x", "turns": [{call}, {{"content": "Which boat?"}}], "response_judge": {{"complete": 1, "correct": 0}}}}"#
            ) + "\n"
        };
        let said = [script("Boats-0#1", "Hill"), script("Boats-0#2", "Hill, Northland")].concat();
        let judge = serde_json::from_str(r#"{"query_suffix_ignored": ", Northland"}"#).unwrap();
        let options = Options { judge: Some(judge), ..options(Profile::default()) };
        let (board, lines) = scored(&said, &options, &mut helpers());
        assert_eq!((board.counts.coverage.scored, board.counts.coverage.missing, board.all().correct), (2, 2, 2));
        assert!(
            lines[1].starts_with(
                r#"{"id":"Boats-0#2","dialect":"strict","sample_id":"Boats-0","data_type":"Boats","behaviour":"x","#
            ),
            "{}",
            lines[1]
        );
        assert!(lines[1].contains(r#""response_eval":{"complete":1,"correct":0}"#));
    }

    #[test]
    fn samples_of_other_suites_are_not_scored() {
        let folder = tempfile::tempdir().unwrap();
        let mut other = sample("Boats-0");
        other.suite = "callnavi".into();
        let mut refusal = sample("Boats-1");
        refusal.expected = Expected::Refusal;
        let lines = [other, refusal].map(|sample| serde_json::to_string(&sample).unwrap() + "\n").concat();
        std::fs::write(folder.path().join("samples.jsonl"), lines).unwrap();
        std::fs::write(folder.path().join("said.jsonl"), "").unwrap();
        let predictions = Recordings::open(&folder.path().join("said.jsonl")).unwrap();
        let (bench, mut board) = (Bench::open(folder.path()).unwrap(), Board::new("m", Profile::default()));
        let options = options(Profile::default());
        score(&bench, &predictions, 0, &mut board, &options, &mut helpers(), &mut |_| Ok(())).unwrap();
        assert_eq!((board.counts.coverage.unscored, board.counts.coverage.scored), (2, 0));
    }
}
