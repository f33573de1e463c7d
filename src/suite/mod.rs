//! Suites: a benchmark's files, its scorer and its figures put together.

pub mod hammerbench;
mod vectors;

pub use vectors::{SUITES, VectorError, verdicts};
