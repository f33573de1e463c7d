//! How the built-in model reads: by words and slots, without utterances and without the label.

mod ideas;
mod open;
mod recognise;
mod slots;
mod words;

pub(crate) use ideas::{Fit, RequestIdeas, ToolIdeas};
pub(crate) use recognise::{Recogniser, Text};
pub(crate) use slots::{Learned, Slot, learn, read_slots, tells};
