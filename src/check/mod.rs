//! Looks a bench over: what is wrong in it, and whether its figures are those of data worth having.

pub mod audit;
mod authors;
mod bench;
mod calls;
mod canary;
mod chats;
mod dialect;
mod domains;
mod entry;
mod finding;
mod ground;
mod hash;
mod leak;
mod lint;
mod parts;
mod replay;
mod report;
mod rows;
#[cfg(test)]
mod testing;
mod training;

pub use audit::picked;
pub use bench::{Bench, BenchError, Seen};
pub use canary::{canaries_of, hold_canaries};
pub use dialect::{Loader, loads};
pub use entry::{Called, Entry, Place};
pub use finding::{Finding, Findings, Severity, Tally};
pub use ground::{Ground, GroundError};
pub use leak::{
    Known, KnownError, Likeness, Other, Pool, Print, Side, SourceError, ToolPrint, Words, each_row, known_in, leaks,
    write_known,
};
pub use lint::{Lint, LintReport, lint};
pub use parts::shared;
pub use replay::Replay;
pub use report::{Report, Row, RuleReport, Value};
pub use training::{First, training_files};
