//! Plays samples with a model: what it calls is answered as the sample has it, and what is wrong is told.

use crate::complexfunc::metric::{Exchange, Golden, Machine, Need, Rules, Settings, Similarity, Strict, Told};
use crate::complexfunc::{Answers, Helpers, dialogue, golden_answer, same_call, told, turn_of};
use crate::failure::RunStopped;
use crate::llm::{Prompts, Reply, Request};
use crate::predict::asking::{Asking, Learnt, Wanted, bare, call_request, check_suite, turn};
use crate::predict::locales::Locales;
use crate::predict::snapshots::Mode;
use crate::record::{Expected, FunctionCall, Message, Object, Role, Sample, Step, SuiteId, Value};
use crate::text::without_thought;
use crate::{Pending, Question, Replies};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The prompt that has the functions in its text.
const PROMPT: &str = "predict_steps";

/// Plays samples. Calls are judged by our own rules: by name and arguments, by recorded answers of the APIs, and by a judge
/// where there is one.
pub struct Episodes {
    mode: Mode,
    settings: Arc<Settings>,
    answers: Answers,
    rules: Rules,
    /// What a model is told of a call that is wrong.
    generic_error: String,
    locales: Locales,
    similarity: Similarity,
    /// Whether somebody can be asked what nobody has said yet.
    has_judge: bool,
    helpers: Mutex<Helpers>,
}

impl Episodes {
    /// A way to ask; `max_turns` is the most turns with calls.
    pub fn new(
        mode: Mode,
        settings: Settings,
        answers: Answers,
        generic_error: String,
        max_turns: usize,
        prompts: Prompts,
    ) -> Self {
        let rules = Rules::Strict(Strict { max_turns, ..Strict::default() });
        let (settings, locales, helpers) = (Arc::new(settings), Locales::new(prompts), Mutex::default());
        let (similarity, has_judge) = (Similarity::default(), false);
        Self { mode, settings, answers, rules, generic_error, locales, similarity, has_judge, helpers }
    }

    /// The same where judges have said this before, and may be asked for more.
    #[must_use]
    pub fn judged(mut self, mut replies: Replies, has_judge: bool) -> Self {
        if has_judge {
            replies.ask_for(Question::SameCall);
        }
        (self.has_judge, self.helpers) = (has_judge, Mutex::new(replies.into()));
        self
    }

    /// The same with another way to match calls that equal none.
    #[must_use]
    pub fn matched_by(self, similarity: Similarity) -> Self {
        Self { similarity, ..self }
    }

    fn golden(&self, sample: &Sample) -> Golden {
        Golden::new(steps(sample), &sample.candidates, self.settings.clone(), self.rules)
    }

    fn request(&self, sample: &Sample, run: u32, exchanged: &[Exchanged<'_>]) -> Result<Request, RunStopped> {
        let ground = self.locales.get(&sample.locale)?;
        let tools = bare(&sample.candidates);
        let mut request = call_request(sample, run, &ground, sample.query(), &tools);
        if self.mode == Mode::Prompt {
            let rendered = ground.named(PROMPT)?.render(&request.variables.fields());
            let rendered = rendered.map_err(|error| RunStopped::Input(error.to_string()))?;
            request.system = rendered.system;
            request.history = messages(&rendered.user, exchanged);
        } else {
            request.tools = tools;
            request.history = messages(&sample.query(), exchanged);
        }
        Ok(request)
    }

    /// Goes through what was said, until the model must speak, or all is over, or others must say something first.
    fn play<'g>(&'g self, sample: &Sample, golden: &'g Golden, said: &[Reply]) -> (Machine<'g>, Wanted) {
        let mut machine = Machine::new(golden, self.similarity);
        for reply in said {
            machine.tell(Told::Turn(Some(turn_of(&turn(reply), true).0)));
            if let Err(wanted) = self.advance(sample, &mut machine, golden) {
                return (machine, wanted);
            }
        }
        (machine, Wanted::default())
    }

    fn advance<'g>(&'g self, sample: &Sample, machine: &mut Machine<'g>, golden: &'g Golden) -> Result<(), Wanted> {
        loop {
            let told = match machine.need() {
                Need::Turn | Need::Nothing => return Ok(()),
                Need::Answer(call) => {
                    let recorded = self.answers.answer(call).map(Cow::Borrowed);
                    Told::Answer(recorded.or_else(|| golden_answer(golden, call)))
                }
                Need::Judgement(predicted, wanted) => {
                    let made = || dialogue(golden, machine.exchanges(), &self.generic_error);
                    Told::Judgement(self.is_equal(|| same_call(sample, made(), predicted, wanted))?)
                }
                Need::Similarity(predicted, wanted) => Told::Similarity(self.alike(&predicted, &wanted)?),
                Need::Assessment(_) => Told::Assessment(None),
            };
            machine.tell(told);
        }
    }

    /// What a judge says of two calls; where none can be asked, what was not said before is a no.
    fn is_equal(&self, pending: impl FnOnce() -> Pending) -> Result<bool, Wanted> {
        let mut helpers = self.helpers();
        match helpers.is_equal(pending) {
            Some(is_equal) => Ok(is_equal),
            None if self.has_judge => {
                Err(Wanted { questions: helpers.replies.take_open(Question::SameCall), ..Wanted::default() })
            }
            None => Ok(false),
        }
    }

    fn alike(&self, predicted: &[&FunctionCall], golden: &[&FunctionCall]) -> Result<Vec<f64>, Wanted> {
        let mut helpers = self.helpers();
        let alike = helpers.embedded.similarity(predicted, golden);
        alike.ok_or_else(|| Wanted { texts: helpers.embedded.take_open(), ..Wanted::default() })
    }

    fn helpers(&self) -> MutexGuard<'_, Helpers> {
        self.helpers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking for Episodes {
    fn variant(&self) -> &'static str {
        if self.mode == Mode::Prompt { "prompt" } else { "tools" }
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        check_suite(sample, SuiteId::ComplexFuncBench)?;
        if steps(sample).is_empty() {
            return Err("no steps of calls are expected".to_owned());
        }
        if self.mode == Mode::BuiltIn {
            return Err("the built-in reader does not support steps of calls; choose a model with `--model`".to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        ground.named(PROMPT).map(drop).map_err(|fault| fault.to_string())
    }

    fn wanted(&self, sample: &Sample, said: &[Reply]) -> Wanted {
        if !self.has_judge && self.similarity != Similarity::Embedding {
            return Wanted::default();
        }
        self.play(sample, &self.golden(sample), said).1
    }

    fn learn(&self, learnt: Learnt) {
        let mut helpers = self.helpers();
        learnt.replies.iter().for_each(|recorded| helpers.replies.add(recorded));
        learnt.vectors.into_iter().for_each(|(text, vector)| helpers.embedded.add(text, vector));
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        let golden = self.golden(sample);
        let (machine, _) = self.play(sample, &golden, said);
        if machine.need() != Need::Turn {
            return Ok(None);
        }
        let exchanges = said.iter().zip(machine.exchanges());
        let exchanged: Vec<Exchanged<'_>> = exchanges
            .map(|(reply, exchange)| Exchanged { reply, exchange, golden: &golden, generic_error: &self.generic_error })
            .collect();
        self.request(sample, run, &exchanged).map(Some)
    }
}

fn steps(sample: &Sample) -> &[Step] {
    if let Expected::Steps(steps) = &sample.expected { steps } else { &[] }
}

// What was said and answered so far, as messages.

/// A turn of the model, and what came of its calls.
pub(super) struct Exchanged<'e> {
    /// What it said.
    pub reply: &'e Reply,
    /// What came of it.
    pub exchange: &'e Exchange,
    /// The sample.
    pub golden: &'e Golden,
    /// What is told of a wrong call.
    pub generic_error: &'e str,
}

/// The dialogue: what the person says, and then turn by turn. Native calls are answered one by one, and calls in a text by a
/// list.
pub(super) fn messages(query: &str, exchanged: &[Exchanged<'_>]) -> Vec<Message> {
    let mut messages = vec![Message::user(query)];
    let mut ordinal = 0;
    for it in exchanged {
        let observations =
            it.exchange.observations.iter().map(|observation| told(it.golden, observation, it.generic_error));
        if it.reply.tool_calls.is_empty() {
            messages.push(Message::new(Role::Assistant, without_thought(&it.reply.text).trim()));
            messages.push(Message::user(Value::List(observations.collect()).to_string()));
            continue;
        }
        messages.push(it.calling());
        for observation in observations {
            messages.push(Message { answers: Some(ordinal), ..Message::new(Role::Tool, observation.to_string()) });
            ordinal += 1;
        }
    }
    messages
}

impl Exchanged<'_> {
    /// The model's turn with its native calls, arguments in the order in which it wrote them.
    fn calling(&self) -> Message {
        let call = |text: &crate::llm::ToolCallText| {
            let arguments = Value::read_lenient(&text.arguments).map_or(Value::Null, |(value, _)| value);
            let arguments = if let Value::Object(object) = arguments { object } else { Object::new() };
            FunctionCall { name: text.name.clone(), arguments }
        };
        Message {
            content: (!self.reply.text.is_empty()).then(|| self.reply.text.clone()),
            tool_calls: self.reply.tool_calls.iter().map(call).collect(),
            ..Message::new(Role::Assistant, "")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::ArgumentTypes;
    use crate::llm::ToolCallText;
    use crate::predict::testing::steps_sample;
    use crate::record::Role;

    fn episodes(mode: Mode) -> Episodes {
        Episodes::new(
            mode,
            Settings::default(),
            Answers::default(),
            "Look again.".to_owned(),
            3,
            crate::fixtures::prompts(),
        )
    }

    fn calls(calls: &[(&str, &str)]) -> Reply {
        let call = |(name, arguments): &(&str, &str)| ToolCallText {
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        };
        Reply { tool_calls: calls.iter().map(call).collect(), ..Reply::default() }
    }

    fn words(text: &str) -> Reply {
        Reply { text: text.to_owned(), ..Reply::default() }
    }

    fn shown(request: &Request) -> String {
        let line = |message: &crate::record::Message| {
            let calls: Vec<&str> = message.tool_calls.iter().map(|call| call.name.as_str()).collect();
            let content = message.content.as_deref().unwrap_or("-");
            format!("{:?} {content} {calls:?} {:?}", message.role, message.answers)
        };
        request.history.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    const FIND: (&str, &str) = ("Find_Port", r#"{"query": "Hill"}"#);

    #[test]
    fn a_model_is_told_answers_faults_of_form_and_that_something_is_wrong() {
        let said = [calls(&[FIND, ("Get_Boat", "{}"), ("Get_Boat", r#"{"port": "X"}"#)])];
        let request = episodes(Mode::Tools).next(&steps_sample("a"), 2, &said).unwrap().unwrap();
        insta::assert_snapshot!(shown(&request), @r#"
        User When does a boat leave Hill? [] None
        Assistant - ["Find_Port", "Get_Boat", "Get_Boat"] None
        Tool {"status":true,"data":{"id":"H1"}} [] Some(0)
        Tool {"api_status":true,"content":"Look again."} [] Some(1)
        Tool {"api_status":true,"content":"Look again."} [] Some(2)
        "#);
        assert_eq!((request.tools.len(), request.draw, request.user.as_str(), request.system), (2, 2, "", None));
        let said = [calls(&[FIND]), calls(&[("Get_Boat", "{}")])];
        let request = episodes(Mode::Tools).next(&steps_sample("a"), 0, &said).unwrap().unwrap();
        assert!(shown(&request).ends_with(r#"Tool {"error":"Function Get_Boat requires parameters ['port'], but [] do not provide {'port'}"} [] Some(1)"#));
    }

    #[test]
    fn a_text_with_calls_is_answered_by_a_list() {
        let said = [words("```json\n[{\"name\": \"Find_Port\", \"arguments\": {\"query\": \"Hill\"}}]\n```")];
        let request = episodes(Mode::Prompt).next(&steps_sample("a"), 0, &said).unwrap().unwrap();
        assert!(request.system.as_ref().unwrap().contains("\"name\":\"Find_Port\"") && request.tools.is_empty());
        let last = request.history.last().unwrap();
        assert_eq!((last.role, last.content.as_deref()), (Role::User, Some(r#"[{"status":true,"data":{"id":"H1"}}]"#)));
        assert_eq!(request.history[0].content.as_deref(), Some("When does a boat leave Hill?"));
    }

    #[test]
    fn it_ends_with_an_answer_with_what_cannot_be_read_with_nothing_and_with_too_many_turns() {
        let next = |said: &[Reply]| episodes(Mode::Tools).next(&steps_sample("a"), 0, said).unwrap().is_some();
        assert!(next(&[]) && next(&[calls(&[FIND])]));
        assert!(!next(&[words("At noon.")]) && !next(&[calls(&[("Find_Port", "{")])]) && !next(&[Reply::default()]));
        let wrong = || calls(&[("Find_Port", "{}")]);
        assert!(next(&[wrong(), wrong(), wrong()]) && !next(&[wrong(), wrong(), wrong(), wrong()]));
    }

    #[test]
    fn what_a_judge_must_say_is_wanted_first_and_then_known() {
        let said = [calls(&[("Find_Port", r#"{"query": "the hill"}"#)])];
        let (sample, alone) = (steps_sample("a"), episodes(Mode::Tools));
        assert!(alone.wanted(&sample, &said).is_empty(), "who has no judge asks none");
        let judged = episodes(Mode::Tools).judged(Replies::new(crate::fixtures::prompts()), true);
        assert!(judged.wanted(&sample, &[calls(&[FIND])]).is_empty());
        let wanted = judged.wanted(&sample, &said);
        assert_eq!((wanted.questions.len(), judged.wanted(&sample, &said)), (1, wanted.clone()));
        assert_eq!(
            wanted.questions[0].variables["output"].to_string(),
            r#"{"name":"Find_Port","arguments":{"query":"the hill"}}"#
        );
        let told = |episodes: &Episodes| shown(&episodes.next(&sample, 0, &said).unwrap().unwrap());
        let replies = vec![wanted.questions[0].answered("{\"is_equal\": true}".to_owned(), "j")];
        judged.learn(Learnt { replies: replies.clone(), ..Learnt::default() });
        assert!(judged.wanted(&sample, &said).is_empty());
        assert!(told(&judged).contains(r#"{"id":"H1"}"#) && told(&alone).contains("Look again."));
        let mut recorded = Replies::new(crate::fixtures::prompts());
        recorded.ask_for(Question::SameCall);
        recorded.add(&replies[0]);
        assert_eq!(told(&episodes(Mode::Tools).judged(recorded, false)), told(&judged), "what was recorded is known");
    }

    #[test]
    fn vectors_are_wanted_where_calls_are_matched_by_them() {
        let episodes = episodes(Mode::Tools).matched_by(Similarity::Embedding);
        let said = [calls(&[("Get_Boat", r#"{"port": "x"}"#), ("Find_Port", r#"{"query": "Hil"}"#)])];
        let wanted = episodes.wanted(&steps_sample("a"), &said);
        assert_eq!((wanted.texts.len(), wanted.questions.len(), wanted.is_empty()), (3, 0, false));
        let vectors = wanted.texts.into_iter().map(|text| (text, crate::llm::Vector::new(vec![1.0, 2.0])));
        episodes.learn(Learnt { vectors: vectors.collect(), ..Learnt::default() });
        assert!(episodes.wanted(&steps_sample("a"), &said).is_empty());
        assert!(episodes.next(&steps_sample("a"), 0, &said).unwrap().is_some());
    }

    #[test]
    fn whoever_goes_on_after_the_last_call_is_asked_no_more() {
        let boat = ("Get_Boat", r#"{"port": "H1"}"#);
        let next = |said: &[Reply]| episodes(Mode::Tools).next(&steps_sample("a"), 0, said).unwrap().is_some();
        assert!(next(&[calls(&[FIND]), calls(&[boat])]) && !next(&[calls(&[FIND]), calls(&[boat]), calls(&[boat])]));
    }

    #[test]
    fn what_cannot_be_played_is_told_before() {
        let check = |sample: &Sample, mode| episodes(mode).check(sample);
        let mut sample = steps_sample("a");
        assert_eq!((check(&sample, Mode::Tools), check(&sample, Mode::Prompt)), (Ok(()), Ok(())));
        assert!(check(&sample, Mode::BuiltIn).unwrap_err().starts_with("the built-in reader does not support steps"));
        sample.expected = Expected::Refusal;
        assert_eq!(check(&sample, Mode::Tools).unwrap_err(), "no steps of calls are expected");
        sample.suite = "callnavi".into();
        assert_eq!(
            check(&sample, Mode::Tools).unwrap_err(),
            "its suite is `callnavi`, but the samples before it are of `complexfuncbench`"
        );
        assert_eq!((episodes(Mode::Tools).variant(), episodes(Mode::Prompt).variant()), ("tools", "prompt"));
        assert!(ArgumentTypes::shipped(crate::fixtures::assets()).is_ok());
    }
}

#[cfg(test)]
mod history_tests {
    use super::*;
    use crate::complexfunc::metric::{Observation, Rules};
    use crate::llm::ToolCallText;
    use crate::predict::testing::steps_sample;
    use crate::record::Expected;

    fn golden() -> Golden {
        let sample = steps_sample("a");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        Golden::new(steps, &sample.candidates, std::sync::Arc::default(), Rules::default())
    }

    #[test]
    fn each_call_is_answered_by_its_ordinal_in_the_dialogue() {
        let golden = golden();
        let call = |arguments: &str| ToolCallText { name: "f".to_owned(), arguments: arguments.to_owned() };
        let reply = Reply {
            text: "So".to_owned(),
            tool_calls: vec![call(r#"{"b": 1, "a": 2}"#), call("")],
            ..Reply::default()
        };
        let observations = vec![Observation::Golden(1), Observation::GenericError];
        let exchange = Exchange { calls: Vec::new(), observations };
        let one = || Exchanged { reply: &reply, exchange: &exchange, golden: &golden, generic_error: "no" };
        let said = messages("hi", &[one(), one()]);
        assert_eq!(
            said.iter().map(|message| message.answers).collect::<Vec<_>>(),
            [None, None, Some(0), Some(1), None, Some(2), Some(3)]
        );
        assert_eq!(said[1].tool_calls[0].arguments.keys().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!((said[1].content.as_deref(), said[1].tool_calls[1].arguments.len()), (Some("So"), 0));
        assert_eq!(said[2].content.as_deref(), Some(r#"{"status":true,"data":{"leaves":"12:00"}}"#));
    }

    #[test]
    fn a_thought_is_not_sent_back() {
        let golden = golden();
        let reply = Reply { text: "<think>hm</think> [f()]".to_owned(), ..Reply::default() };
        let exchange = Exchange { calls: Vec::new(), observations: vec![Observation::FormatError("x".to_owned())] };
        let said =
            messages("hi", &[Exchanged { reply: &reply, exchange: &exchange, golden: &golden, generic_error: "" }]);
        assert_eq!(
            (said[1].content.as_deref(), said[2].content.as_deref()),
            (Some("[f()]"), Some(r#"[{"error":"x"}]"#))
        );
    }
}
