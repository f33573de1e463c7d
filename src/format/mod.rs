//! Benchmark and training files, one file for each format.

mod bench;
pub mod hammerbench;
mod predictions;
mod said;

pub use bench::{Bench, BenchError, SAMPLES};
pub use predictions::{Predictions, PredictionsError};
pub use said::Said;
