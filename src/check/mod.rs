//! Looks a bench over: what is wrong in it, and whether its figures are those of data worth having.

mod array;
mod authors;
mod bench;
mod entry;
mod finding;
mod said;
#[cfg(test)]
mod testing;

pub use bench::{Bench, BenchError, Seen};
pub use entry::{Entry, Place};
pub use finding::{Finding, Findings, Severity};
pub use said::Said;
