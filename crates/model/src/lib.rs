//! The built-in model: a real generator and reader that needs no network.
//!
//! It sees only a request's task and variables and the locale pack. It *writes* by composing patterns and *reads*
//! without utterances and without the label. What it wrote is announced as template-based wherever it goes.

// The crates below, by the names under which all modules know them.
#[cfg(test)]
pub(crate) use fcgen_core::text;
pub(crate) use fcgen_core::{locale, memo, record};
pub(crate) use fcgen_llm as llm;
#[cfg(test)]
pub(crate) use fcgen_tools::fixtures;
pub(crate) use fcgen_tools::toolset;

mod bank;
mod chat;
mod complex;
mod compose;
mod conversation;
mod defect;
mod dialogue;
mod external;
mod preview;
mod question;
mod read;
mod read_call;
mod route;
mod simulate;
mod situations;
pub(crate) mod values;
mod variants;
mod write;

pub use crate::values::arguments::draw_arguments;
pub(crate) use compose::{Speech, draw_style};
pub use defect::{Defect, DefectKind};
pub use preview::preview;

use crate::llm::{Reply, Request, Usage, Variables};
use crate::locale::{Language, Pack};
use crate::memo::Memo;
use crate::record::{Chance, FunctionCall};
use read::{Recogniser, RouteTool, ToolReader};
use std::sync::{Arc, Mutex};

/// The built-in model for one locale.
pub struct Grammar {
    pack: Arc<Pack>,
    seed: u64,
    recogniser: Recogniser,
    /// What numbers and corrections look like; absent where the locale says nothing of it.
    language: Option<Arc<Language>>,
    defect_rate: f64,
    sidecar: Mutex<Vec<Defect>>,
    speeches: Memo<Speech>,
    readers: Memo<ToolReader>,
    routes: Memo<RouteTool>,
}

impl Grammar {
    /// The model of a locale; `seed` is the run's.
    pub fn new(pack: Arc<Pack>, seed: u64) -> Self {
        let recogniser = Recogniser::new(&pack);
        let language = pack.language.clone();
        Self {
            pack,
            seed,
            recogniser,
            language,
            defect_rate: 0.0,
            sidecar: Mutex::default(),
            speeches: Memo::default(),
            readers: Memo::default(),
            routes: Memo::default(),
        }
    }

    /// The same model, which commits faults in this share of the queries that it writes (0 to 1).
    #[must_use]
    pub fn with_defects(mut self, rate: f64) -> Self {
        self.defect_rate = rate;
        self
    }

    /// The faults committed so far. Gates never see this.
    pub fn defects(&self) -> Vec<Defect> {
        self.sidecar.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Answers a request, always in the same way.
    pub fn reply(&self, request: &Request) -> Reply {
        let text = self.answer_text(request);
        // A token is about four characters; nothing is charged for it.
        let usage = Usage { prompt: 0, completion: (text.chars().count() as u64).div_ceil(4) };
        Reply { text, usage, ..Reply::default() }
    }

    fn answer_text(&self, request: &Request) -> String {
        let mut chance = Chance::of(&[
            &self.seed.to_le_bytes(),
            request.task.seed_word().as_bytes(),
            request.stage.as_bytes(),
            request.item.as_bytes(),
            &request.draw.to_le_bytes(),
        ]);
        match &*request.variables {
            Variables::WriteQuery(variables) if !variables.requests.is_empty() => {
                self.requests_text(variables, &mut chance)
            }
            Variables::WriteDialogue(variables) => self.dialogue_text(variables, &mut chance),
            Variables::WriteVariants(variables) => self.variants_text(variables, &mut chance),
            Variables::ReadDialogues(variables) => self.calls_of_dialogues(variables),
            Variables::FillBank(variables) => self.bank_text(variables, &mut chance),
            Variables::WriteQuery(variables) => {
                let written = self.write_query(variables, &mut chance);
                self.written_text(request, variables, written, &mut chance)
            }
            Variables::SelectParameters(variables) => {
                format!("```{}```", Self::select_parameters(variables, &mut chance).join(", "))
            }
            Variables::Call(variables) => {
                self.read_call(variables).map_or_else(|| variables.refusal.clone(), |it| call_text(&it))
            }
            Variables::Route(variables) => self.route_text(variables),
            Variables::RouteCalls(variables) => self.calls_text(variables),
            Variables::JudgeCall(variables) => verdict_text(self.judge_call(variables)),
            Variables::CanServe(variables) => verdict_text(self.can_serve(variables)),
            Variables::ExternalEntity(variables) => self
                .external_entity(variables, &mut chance)
                .map_or_else(|| "none".to_owned(), |(name, entity)| format!("{name}: {entity}")),
            Variables::ExternalPointer(variables) => self.external_pointer(variables, &mut chance),
            Variables::ExternalMessage(variables) => self.external_message(variables, &mut chance),
            Variables::ExternalQuery(variables) => self.external_query(variables),
            Variables::SlotQuestion(variables) => self.slot_question(variables, &mut chance),
            Variables::SlotAnswer(variables) => {
                let written = self.slot_answer(variables, &mut chance);
                defect::numbered(&defect::label(&written), &written.query)
            }
            Variables::WriteQuestion(variables) => self.question_text(request, variables, &mut chance),
            Variables::WriteComplexQuery(variables) => self.complex_query_text(request, variables, &mut chance),
            Variables::JudgeQuestion(variables) => verdict_text(self.judge_question(variables)),
            Variables::WriteApis(variables) => self.write_apis(variables),
            Variables::Toolkits(variables) => crate::values::invent::write(variables),
            Variables::AskMissing(variables) => self.ask_missing(variables, &mut chance),
            Variables::TellAnswer(variables) => self.tell_answer(variables, &mut chance),
            Variables::Decline(it) => self.decline(it, &mut chance),
            Variables::Exchange(variables) => self.exchange(variables, &mut chance),
            Variables::Say(variables) => self.say(variables, &mut chance),
            Variables::WriteSituations(variables) => situations::write(variables),
            Variables::WriteScenario(variables) => self.write_scenario(variables),
            Variables::ReviewScenario(variables) => verdict_text(Self::review_scenario(variables)),
            Variables::JudgeComplexity(variables) => verdict_text(self.judge_complexity(variables)),
            Variables::ClassifyDialogActs(variables) => self.classify_acts(variables),
            Variables::Simulate(variables) => self.simulate_text(variables, &mut chance),
            Variables::Generate(fields) => self.row_text(fields, request.schema.as_deref(), &mut chance),
            // Requests that want calls in steps are planned before it writes them; of itself it makes and reads none. It
            // does not translate either, and of tools without phrases it knows nothing to say.
            _ => self.pack.refusal.clone(),
        }
    }
}

fn call_text(call: &FunctionCall) -> String {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    let name = serde_json::to_string(&call.name).unwrap_or_default();
    format!("```json{{\"name\": {name}, \"parameters\": {arguments}}}```")
}

fn verdict_text(verdict: bool) -> String {
    if verdict { "True" } else { "False" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::llm::tasks::{read_entity, read_selected};
    use crate::llm::{CallVariables, Common, EntityVariables, SelectVariables, ServeVariables, Task};
    use crate::record::{Object, Tool};
    use crate::text::{ReadAnswer, read_call, read_verdict};

    fn tool() -> Arc<Tool> {
        let json = r#"{"name": "Travel.Trains.book", "description": "Book a train.", "kinds": {"to": "city"},
            "parameters": {"properties": {"to": {"type": "string"}, "day": {"type": "string"}}, "required": ["to"]}}"#;
        Arc::new(serde_json::from_str(json).unwrap())
    }

    fn reply(task: Task, variables: Variables, draw: u32) -> Reply {
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let variables = Arc::new(variables);
        let asked = Request::new(task, "judge", "a", draw, variables);
        let reply = grammar.reply(&asked);
        assert_eq!(reply, grammar.reply(&asked), "it answers always in the same way");
        assert_eq!(reply.usage.completion, (reply.text.chars().count() as u64).div_ceil(4));
        reply
    }

    #[test]
    fn what_it_answers_is_what_the_readers_of_answers_read() {
        let (common, refusal) = (Common::default(), "Sorry, no tool fits.".to_owned());
        for draw in 0..8 {
            let select = SelectVariables { common: common.clone(), tool: tool(), count: 1 };
            let selected =
                read_selected(&reply(Task::SelectParameters, Variables::SelectParameters(select), draw).text);
            assert!(tool().parameters.properties.contains_key(&selected.unwrap().0.parameters[0]));
            let serve = ServeVariables { common: common.clone(), query: "book a train".to_owned(), tool: tool() };
            assert!(read_verdict(&reply(Task::CanServe, Variables::CanServe(serve), draw).text).is_some());
        }
        let entities = vec!["place".to_owned()];
        for (label, parameter) in [(r#"{"to": "Porto"}"#, Some("to")), ("{}", None)] {
            let label: Object = serde_json::from_str(label).unwrap();
            let entity = EntityVariables { common: common.clone(), tool: tool(), label, entities: entities.clone() };
            let found = read_entity(&reply(Task::ExternalEntity, Variables::ExternalEntity(entity), 0).text).unwrap().0;
            assert_eq!(found.map(|found| found.parameter).as_deref(), parameter);
        }
        let (query, tools) = ("how deep is the ocean".to_owned(), vec![tool()]);
        let call =
            CallVariables { common, query, tools, example: None, refusal: refusal.clone(), reference_time: None };
        let text = reply(Task::Call, Variables::Call(call), 0).text;
        assert_eq!(read_call(&text, &refusal).unwrap().0, ReadAnswer::Refusal);
    }

    #[test]
    fn a_call_is_written_as_the_prompt_wants_it() {
        let call: FunctionCall =
            serde_json::from_str(r#"{"name": "A.\"b\"", "arguments": {"to": "\"Porto\"", "n": 1.50}}"#).unwrap();
        assert_eq!(read_call(&call_text(&call), "").unwrap().0, ReadAnswer::Call(call));
    }
}
