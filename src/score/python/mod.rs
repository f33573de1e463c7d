//! What published evaluators take from Python itself: how it cuts texts, reads and writes values, spells calls, and what it
//! takes for equal.

mod call;
mod character;
mod dump;
mod equal;
mod escape;
mod float;
mod literal;
mod repr;
mod text;
mod yaml;

pub use call::{CallText, read_calls, read_literal};
pub use dump::{dump, dump_object};
pub use equal::equals;
pub use escape::unescape;
pub use float::read_float;
pub use repr::{float as float_text, is_text, quoted, text_of};
pub use text::{is_space, trim, words};
pub use yaml::{YamlError, read_yaml, read_yaml_texts};
