//! Requests that a model serves with calls: the talk with it, where the arguments of its calls come from, and the steps
//! that follow from that.

mod desk;
mod held;
mod origin;
mod steps;
mod talk;

pub(crate) use desk::Desk;
pub(crate) use held::{Answered, today};
pub(crate) use origin::Tracer;
pub(crate) use steps::{Made, arrange, check_form, earlier, is_telling, leaves, made_of, settle, without_defaults};
pub(crate) use talk::{Manner, Talk, offered};

#[cfg(test)]
pub(crate) mod testing;
