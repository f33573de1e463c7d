//! Requests that a model serves with calls: the talk with it, where the arguments of its calls come from, and the steps
//! that follow from that.

mod desk;
mod held;
mod origin;
mod steps;
mod talk;

pub(super) use desk::Desk;
pub(super) use held::{Answered, today};
pub(super) use origin::Tracer;
pub(super) use steps::{Made, arrange, check_form, earlier, is_telling, leaves, made_of, settle, without_defaults};
pub(super) use talk::{Manner, Talk, offered};

#[cfg(test)]
pub(super) mod testing;
