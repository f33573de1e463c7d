//! The typed things that flow through a pipeline. No module here does I/O.

mod call;
mod canary;
mod item;
mod message;
mod paradigm;
mod provenance;
pub mod python;
mod request;
mod sample;
mod schema;
mod seed;
mod shared;
mod suite;
mod tool;
mod value;
mod verdict;

pub use call::{Argument, ArgumentNotes, FunctionCall, Origin, SaidWords};
pub use canary::{CANARY, canaries, canary};
pub use item::{Item, ItemId, Mended, Query, Record, RecordKind, Reject, Row, Selection};
pub use message::{Message, Role};
pub use paradigm::Paradigm;
pub use provenance::{Draw, Provenance, Review, Tier};
pub use request::complex_query::ComplexQuery;
pub use request::complexity::Complexity;
pub use request::constraint::Constraint;
pub use request::conversation::{AgentTurn, Conversation, MadeCall};
pub use request::dialogue::{
    Dialogue, FINAL_ANSWER_FACT, GOLD_TEXT_FACT, REFUSAL_FACT, Turn, TurnAct, TurnPlan, history,
};
pub use request::graph::{Consumer, Graph};
pub use request::plan::{Feed, Fork, Plan, PlanCall, PlanSlot, SaidValue};
pub use request::question::{ApiPhrases, Catalogue, PLACEHOLDER, PlannedCall, Question, ReferPhrases, Saying};
pub use request::sayings::{QualityWords, Sayings, TallyWords, Wordings};
pub use request::scenario::{Episode, Scenario};
pub use request::user_turn::UserTurn;
pub use sample::{DataType, Difficulty, Expected, Prediction, PredictionTurn, Routing, Sample, Shared, Snapshot, Step};
pub use schema::Violation;
pub use seed::Chance;
pub use shared::SharedSnapshots;
pub use suite::{MULTI_TURN, SuiteId, SuiteName, data_type_label};
pub use tool::{Followup, Listing, Parameter, Parameters, Phrases, SlotPhrases, Source, Telling, Tool, Yield};
pub use value::{
    BorrowedObject, BorrowedValue, Leniency, LeniencyKind, Number, Object, Place, Problem, Quoted, Value, ValueError,
    elements,
};
pub use verdict::{Mark, Marks, Outcome, Verdict};
