//! The built-in model: a real generator and reader that needs no network.
//!
//! It sees only a request's task and variables and the locale pack. It *writes* by composing patterns and *reads*
//! without utterances and without the label. What it wrote is announced as template-based wherever it goes.

mod arguments;
mod compose;
mod defect;
mod dialogue;
mod external;
mod memo;
mod preview;
mod read;
mod read_call;
mod rows;
mod toolkits;
mod write;

pub(crate) use arguments::draw_arguments;
pub(crate) use compose::{Speech, draw_style};
pub use defect::{Defect, DefectKind};
pub use preview::preview;

use super::{Reply, Request, Usage, Variables};
use crate::locale::{Language, Pack};
use crate::record::{Chance, FunctionCall};
use memo::Memo;
use read::{Recogniser, ToolReader};
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
}

impl Grammar {
    /// The model of a locale; `seed` is the run's.
    pub fn new(pack: Arc<Pack>, seed: u64) -> Self {
        let recogniser = Recogniser::new(&pack);
        let language = Language::load(&pack.code).ok().map(Arc::new);
        Self {
            pack,
            seed,
            recogniser,
            language,
            defect_rate: 0.0,
            sidecar: Mutex::default(),
            speeches: Memo::default(),
            readers: Memo::default(),
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
            format!("{:?}", request.task).as_bytes(),
            request.stage.as_bytes(),
            request.item.as_bytes(),
            &request.draw.to_le_bytes(),
        ]);
        match &*request.variables {
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
            Variables::Toolkits(variables) => toolkits::write(variables),
            Variables::Generate(fields) => self.row_text(fields, request.schema.as_deref(), &mut chance),
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
