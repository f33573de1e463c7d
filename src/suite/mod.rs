//! Suites: a benchmark's files, its scorer and its figures put together.

mod ask;
pub mod callnavi;
pub mod complexfunc;
pub mod hammerbench;
mod replies;
mod speakable;
mod vectors;

pub use vectors::{SUITES, VectorError, verdicts};
