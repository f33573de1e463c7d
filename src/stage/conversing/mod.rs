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

pub(super) use aim::Aim;
pub(super) use free::is_free;
pub(super) use model_plan::{plan_by_model, traced_anew};
pub(super) use person_facts::PersonFacts;
pub(super) use planner::scenarios;
pub(super) use play::{Play, Played};
pub(super) use proof::{READ, proved, told_and_changed};
pub(super) use reading::read_whole;
pub(super) use whole::write_whole;
