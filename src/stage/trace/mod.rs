//! Requests that a model serves with calls: the talk with it, where the arguments of its calls come from, and the steps
//! that follow from that.

mod desk;
mod form;
mod held;
mod known;
mod leaves;
mod origin;
mod settle;
mod steps;
mod talk;

pub(super) use desk::Desk;
pub(super) use form::check_form;
pub(super) use held::Answered;
pub(super) use known::today;
pub(super) use leaves::{is_telling, leaves};
pub(super) use origin::Tracer;
pub(super) use settle::settle;
pub(super) use steps::{Made, arrange, earlier, made_of, without_defaults};
pub(super) use talk::Manner;
pub(super) use talk::{Talk, offered};

#[cfg(test)]
pub(super) mod testing;
