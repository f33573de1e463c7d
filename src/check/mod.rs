//! Looks a bench over: what is wrong in it, and whether its figures are those of data worth having.

mod against;
pub mod audit;
mod authors;
mod bench;
mod calls;
mod chats;
mod domains;
mod entry;
mod finding;
mod ground;
mod hash;
mod lint;
mod replay;
mod report;
mod rows;
mod said;
mod sketch;
#[cfg(test)]
mod testing;

pub use against::Other;
pub use audit::picked;
pub use bench::{Bench, BenchError, Seen};
pub use entry::{Called, Entry, Place};
pub use finding::{Finding, Findings, Severity, Tally};
pub use ground::{Ground, GroundError};
pub use lint::{Lint, LintReport, lint};
pub use replay::Replay;
pub use report::{Report, Row, RuleReport, Value};
pub use said::Said;
