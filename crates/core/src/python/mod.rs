//! What published evaluators take from Python itself: how it cuts texts, reads and writes values, spells calls, and what it
//! takes for equal.

mod call;
mod character;
mod equal;
mod escape;
mod float;
mod repr;
pub mod syntax;
mod value;
mod yaml;

pub use crate::record::python::*;
pub use call::{CallText, read_calls, read_literal};
pub use equal::equals;
pub use escape::unescape;
pub use float::read_float;
pub use repr::repr;
pub use value::{Dict, PythonValue, Type, equals as values_equal, get, is_normal, normal, numbers_equal};
pub use yaml::{YamlError, read_yaml, read_yaml_texts};
