//! How the built-in model reads: by words and slots, without utterances and without the label.

mod answer;
mod assign;
mod fit;
mod ideas;
mod learn;
mod question;
mod reader;
mod request;
mod route;
mod slot;
mod talk;
mod text;
pub(crate) mod values;

pub(crate) use crate::read::values::point::pertinent;
pub(crate) use crate::read::values::recognise::Recogniser;
pub(crate) use ideas::split_name;
pub(crate) use learn::{Learned, learn};
pub(crate) use reader::{Reader, ToolReader};
pub(crate) use route::{RouteTool, read_calls};
pub(crate) use talk::{read_dialogue, turns_of};
