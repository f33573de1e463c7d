//! Suites: a benchmark's files, its scorer and its figures put together.

mod ask;
pub mod bfcl;
pub mod callnavi;
pub mod complexfunc;
pub mod confetti;
pub mod functionchat;
pub mod hammerbench;
mod replies;
mod vectors;

use crate::record::Verdict;

pub use vectors::{VectorError, verdicts};

/// Where verdicts go. It is handed what makes one, so that none is made where nobody reads them; it may fail.
pub type VerdictSink<'s> = &'s mut dyn FnMut(&dyn Fn() -> Verdict) -> std::io::Result<()>;
