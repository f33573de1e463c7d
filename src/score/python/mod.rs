//! What published evaluators take from Python itself: how it cuts texts, writes values and spells calls.

mod call;
mod literal;
mod repr;
mod text;

pub use call::{CallText, read_calls, read_literal};
pub use repr::{is_text, text_of};
pub use text::{is_space, trim, words};
