//! Decontamination: which items of a bench stand in other data as well, as they are or under other names and values.

mod known;
mod pool;
mod print;
mod search;
mod source;
mod tool;
mod words;

pub use known::{Known, KnownError, write as write_known};
pub use pool::{Likeness, Pool, Side};
pub use print::Print;
pub use search::{known_in, leaks};
pub use source::{Other, SourceError, each_row};
pub(crate) use source::{files, place};
pub use tool::ToolPrint;
pub(crate) use tool::likeness;
pub use words::Words;
