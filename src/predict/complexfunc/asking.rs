//! Plays samples with a model: what it calls is answered as the sample has it, and what is wrong is told.

use super::super::asking::Asking;
use super::super::locales::Locales;
use super::super::snapshots::Mode;
use super::history::{Exchanged, messages};
use crate::format::complexfunc::SUITE;
use crate::llm::{CallVariables, Reply, Request, Task, Variables};
use crate::predict::asking::turn;
use crate::record::{Expected, Sample, Step, Tool};
use crate::score::complexfunc::{Golden, Machine, Need, Rules, Settings, Similarity, Strict, Told};
use crate::stage::Stop;
use crate::suite::complexfunc::{Answers, golden_answer, turn_of};
use std::borrow::Cow;
use std::sync::Arc;

/// The prompt that has the functions in its text.
const PROMPT: &str = "predict_steps";

/// Plays samples. Calls are judged by our own rules: by name and arguments, and by recorded answers of the APIs; no judge is
/// asked meanwhile.
pub struct Episodes {
    mode: Mode,
    settings: Arc<Settings>,
    answers: Answers,
    rules: Rules,
    /// What a model is told of a call that is wrong.
    generic_error: String,
    locales: Locales,
}

impl Episodes {
    /// A way to ask; `max_turns` is the most turns with calls.
    pub fn new(mode: Mode, settings: Settings, answers: Answers, generic_error: String, max_turns: usize) -> Self {
        let rules = Rules::Strict(Strict { max_turns, ..Strict::default() });
        Self { mode, settings: Arc::new(settings), answers, rules, generic_error, locales: Locales::default() }
    }

    fn request(&self, sample: &Sample, run: u32, exchanged: &[Exchanged<'_>]) -> Result<Request, Stop> {
        let ground = self.locales.get(&sample.locale)?;
        let tools: Vec<Arc<Tool>> = sample.candidates.iter().map(|tool| Arc::new(bare(tool))).collect();
        let variables = Variables::Call(CallVariables {
            common: ground.common.clone(),
            query: sample.query(),
            tools: tools.clone(),
            example: None,
            refusal: ground.refusal.clone(),
        });
        let mut request = Request {
            task: Task::Call,
            stage: Arc::from("predict"),
            item: Arc::from(sample.id.as_str()),
            draw: run,
            system: None,
            history: Vec::new(),
            user: String::new(),
            variables: Arc::new(variables),
            schema: None,
            tools: Vec::new(),
            temperature: None,
        };
        if self.mode == Mode::Prompt {
            let rendered = ground.named(PROMPT)?.render(&request.variables.fields());
            let rendered = rendered.map_err(|error| Stop::Input(error.to_string()))?;
            request.system = rendered.system;
            request.history = messages(&rendered.user, exchanged);
        } else {
            request.tools = tools;
            request.history = messages(&sample.query(), exchanged);
        }
        Ok(request)
    }

    /// Goes on until the model must speak, or all is over.
    fn advance<'g>(&'g self, machine: &mut Machine<'g>, golden: &'g Golden) {
        loop {
            let told = match machine.need() {
                Need::Turn | Need::Nothing => return,
                Need::Answer(call) => {
                    let recorded = self.answers.answer(call).map(Cow::Borrowed);
                    Told::Answer(recorded.or_else(|| golden_answer(golden, call)))
                }
                Need::Judgement(..) => Told::Judgement(false),
                Need::Similarity(predicted, wanted) => Told::Similarity(vec![0.0; predicted.len() * wanted.len()]),
                Need::Assessment(_) => Told::Assessment(None),
            };
            machine.tell(told);
        }
    }
}

impl Asking for Episodes {
    fn variant(&self) -> &'static str {
        if self.mode == Mode::Prompt { "prompt" } else { "tools" }
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        if sample.suite != SUITE {
            return Err(format!("it is of `{}`, and those before it are of `{SUITE}`", sample.suite));
        }
        if steps(sample).is_empty() {
            return Err("no step of calls is right to it".to_owned());
        }
        if self.mode == Mode::BuiltIn {
            return Err("the built-in reader plays no steps of calls; name a model with `--model`".to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        ground.named(PROMPT).map(drop).map_err(|fault| fault.to_string())
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, Stop> {
        let golden = Golden::new(steps(sample), &sample.candidates, self.settings.clone(), self.rules);
        let mut machine = Machine::new(&golden, Similarity::Structured);
        for reply in said {
            machine.tell(Told::Turn(Some(turn_of(&turn(reply), true).0)));
            self.advance(&mut machine, &golden);
        }
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

/// What a model may know of a tool: value kinds and wordings are not that.
fn bare(tool: &Tool) -> Tool {
    let Tool { name, description, parameters, .. } = tool.clone();
    Tool { name, description, parameters, ..Tool::default() }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::steps_sample;
    use super::*;
    use crate::llm::ToolCallText;
    use crate::record::Role;
    use crate::suite::complexfunc::ArgumentTypes;

    fn episodes(mode: Mode) -> Episodes {
        Episodes::new(mode, Settings::default(), Answers::default(), "Look again.".to_owned(), 3)
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
        assert!(check(&sample, Mode::BuiltIn).unwrap_err().starts_with("the built-in reader plays no steps"));
        sample.expected = Expected::Refusal;
        assert_eq!(check(&sample, Mode::Tools).unwrap_err(), "no step of calls is right to it");
        sample.suite = "callnavi".to_owned();
        assert_eq!(
            check(&sample, Mode::Tools).unwrap_err(),
            "it is of `callnavi`, and those before it are of `complexfuncbench`"
        );
        assert_eq!((episodes(Mode::Tools).variant(), episodes(Mode::Prompt).variant()), ("tools", "prompt"));
        assert!(ArgumentTypes::shipped().is_ok());
    }
}
