//! How the built-in model reads: by words and slots, without utterances and without the label.

mod about;
mod assign;
mod candidates;
mod fit;
mod flag;
mod form;
mod ideas;
mod learn;
mod leftover;
mod names;
mod noun;
mod phrase;
mod placed;
mod recognise;
mod request;
mod slot;
mod text;
mod words;

pub(crate) use assign::read_slots;
pub(crate) use fit::Fit;
pub(crate) use ideas::{ToolIdeas, split_name};
pub(crate) use learn::{Learned, learn};
pub(crate) use recognise::Recogniser;
pub(crate) use request::RequestIdeas;
pub(crate) use slot::{Slot, tells};
pub(crate) use text::Text;
