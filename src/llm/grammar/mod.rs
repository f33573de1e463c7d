//! The built-in model: a real generator and reader that needs no network.
//!
//! It sees only a request's task and variables and the locale pack. It *writes* by composing patterns and *reads*
//! without utterances and without the label. What it wrote is announced as template-based wherever it goes.

mod arguments;
mod compose;
mod preview;

pub(crate) use arguments::draw_arguments;
pub(crate) use compose::{Said, Speech, draw_style};
pub use preview::preview;
