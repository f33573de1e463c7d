//! FunctionChat-Bench's scorers.

mod heard;
mod kind;
mod look;
pub mod strict;
pub mod upstream;

pub use heard::{Arguments, Called, Heard};
pub use kind::{ErrorKind, Turned, kind_of};
pub use look::{Decision, Look};
