//! Calls out of what a model gave: a text in Python's syntax, or calls with arguments in JSON.

mod arithmetic;
mod plain;
mod resolve;
mod strict;
mod text;

pub use resolve::{DecodeFault, decode_calls, decode_calls_strictly};
pub use strict::{StrictText, decode_text_strictly};
pub use text::{Wrapper, decode_text};

use crate::python::PythonValue;
use std::borrow::Cow;

/// A call that was found. By upstream's rules its arguments need not be a dictionary, nor their names strings.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'t> {
    /// The function's name, with its dots.
    pub name: Cow<'t, str>,
    /// Its arguments.
    pub arguments: PythonValue<'t>,
}

/// Whether upstream takes what was found for calls: all arguments have names.
pub fn is_well_formed(calls: &[Call<'_>]) -> bool {
    calls.iter().all(|call| matches!(call.arguments, PythonValue::Dict(_)))
}

/// The calls as one value of Python's.
pub fn as_value<'t>(calls: &[Call<'t>]) -> PythonValue<'t> {
    let call =
        |call: &Call<'t>| PythonValue::Dict(vec![(PythonValue::Text(call.name.clone()), call.arguments.clone())]);
    PythonValue::List(calls.iter().map(call).collect())
}
