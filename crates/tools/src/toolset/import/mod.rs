//! Imports tools that were described elsewhere: APIs by `OpenAPI`, and lists of tools in the forms that people have.

mod choose;
mod describe;
mod draft;
mod left_out;
mod lines;
mod listed;
mod lists;
mod losses;
mod name;
mod named;
mod openapi;
mod origins;
#[cfg(test)]
mod testing;
mod write;

pub use choose::Choice;
pub use draft::{Draft, DraftedTool, ImportError};
pub use left_out::{Extra, LeftOut};
pub(super) use lines::list_lines;
pub use listed::{Drafter, Listed};
pub use lists::read_tools;
pub use losses::Loss;
pub use named::NameFrom;
pub use openapi::read::read_openapi;
pub(super) use openapi::typed::plain_schema;
pub use openapi::values::pattern_of;
pub use origins::{Destination, Operation, Origin, Origins, Place, Scheme, Source};
pub use write::ImportReport;
pub(super) use write::{lines, parameter};
