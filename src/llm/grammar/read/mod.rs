//! How the built-in model reads: by words and slots, without utterances and without the label.

mod answer;
mod assign;
mod candidates;
mod fit;
mod ideas;
mod learn;
mod nested;
mod phrase;
mod point;
mod question;
mod reader;
mod recognise;
mod request;
mod route;
mod slot;
mod strip;
mod talk;
mod text;

pub(crate) use ideas::split_name;
pub(crate) use learn::{Learned, learn};
pub(crate) use reader::{Reader, ToolReader};
pub(crate) use recognise::Recogniser;
pub(crate) use route::{RouteTool, read_calls};
pub(crate) use talk::{read_dialogue, turns_of};
