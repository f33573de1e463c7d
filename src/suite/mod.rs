//! Suites: a benchmark's files, its scorer and its figures put together.

mod ask;
pub mod bfcl;
pub mod callnavi;
pub mod complexfunc;
pub mod confetti;
pub mod functionchat;
pub mod hammerbench;
mod replies;
mod speakable;
mod vectors;

pub use vectors::{VectorError, verdicts};
