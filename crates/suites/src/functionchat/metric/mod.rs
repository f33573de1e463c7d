//! FunctionChat-Bench's scorers.

mod heard;
mod kind;
pub mod strict;
pub mod upstream;

pub use heard::{Arguments, Called, Decision, Heard, Look};
pub use kind::{ErrorKind, Turned, kind_of};
