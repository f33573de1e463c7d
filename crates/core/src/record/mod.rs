//! The typed things that flow through a pipeline. No module here does I/O.

mod call;
mod canary;
mod complex_query;
mod complexity;
mod constraint;
mod conversation;
mod dialogue;
mod graph;
mod item;
mod message;
mod paradigm;
mod plan;
mod provenance;
pub mod python;
mod question;
mod sample;
mod sayings;
mod scenario;
mod schema;
mod seed;
mod shared;
mod suite;
mod tool;
mod user_turn;
mod value;
mod verdict;

pub use call::{Argument, ArgumentNotes, FunctionCall, Origin, SaidWords};
pub use canary::{CANARY, canaries, canary};
pub use complex_query::ComplexQuery;
pub use complexity::Complexity;
pub use constraint::Constraint;
pub use conversation::{AgentTurn, Conversation, MadeCall};
pub use dialogue::{Dialogue, REFUSAL_FACT, Turn, TurnAct, TurnPlan, history};
pub use graph::{Consumer, Graph};
pub use item::{Item, ItemId, Mended, Query, Record, RecordKind, Reject, Row, Selection};
pub use message::{Message, Role};
pub use paradigm::Paradigm;
pub use plan::{Feed, Fork, Plan, PlanCall, PlanSlot, SaidValue};
pub use provenance::{Draw, Provenance, Review, Tier};
pub use question::{ApiPhrases, Catalogue, PLACEHOLDER, PlannedCall, Question, ReferPhrases, Saying};
pub use sample::{DataType, Difficulty, Expected, Prediction, PredictionTurn, Routing, Sample, Shared, Snapshot, Step};
pub use sayings::{QualityWords, Sayings, TallyWords, Wordings};
pub use scenario::{Episode, Scenario};
pub use schema::Violation;
pub use seed::Chance;
pub use shared::SharedSnapshots;
pub use suite::{SuiteId, SuiteName};
pub use tool::{Followup, Listing, Parameter, Parameters, Phrases, SlotPhrases, Source, Telling, Tool, Yield};
pub use user_turn::UserTurn;
pub use value::{
    BorrowedObject, BorrowedValue, Leniency, LeniencyKind, Number, Object, Place, Problem, Quoted, Value, ValueError,
    elements,
};
pub use verdict::{Mark, Marks, Outcome, Verdict};
