//! Conversations of CONFETTI: what happens in them, planned ahead; and how they are played.

mod aim;
mod episode;
mod free;
mod model_plan;
mod options;
mod person_facts;
mod planner;
mod play;
mod proof;
mod reading;
mod small_talk;
mod sources;
mod state;
mod whole;

pub(crate) use aim::Aim;
pub(crate) use free::is_free;
pub(crate) use model_plan::{plan_by_model, traced_anew};
pub(crate) use person_facts::PersonFacts;
pub(crate) use planner::scenarios;
pub(crate) use play::{Play, Played};
pub(crate) use proof::{READ, proved, told_and_changed};
pub(crate) use reading::read_whole;
pub(crate) use whole::write_whole;
