//! How the built-in model reads: by words and slots, without utterances and without the label.

mod about;
mod answer;
mod assign;
mod candidates;
mod dialogue;
mod fit;
mod flag;
mod form;
mod ideas;
mod learn;
mod leftover;
mod names;
mod nested;
mod noun;
mod phrase;
mod placed;
mod point;
mod question;
mod reader;
mod recognise;
mod request;
mod route;
mod segment;
mod shift;
mod slot;
mod strip;
mod talk;
mod text;
mod words;

pub(crate) use dialogue::{read_dialogue, turns_of};
pub(crate) use ideas::split_name;
pub(crate) use learn::{Learned, learn};
pub(crate) use reader::{Reader, ToolReader};
pub(crate) use recognise::Recogniser;
pub(crate) use route::{RouteTool, read_calls};
