//! Benchmark and training files, one file for each format.

mod array;
mod bench;
pub mod bfcl;
pub mod callnavi;
pub mod complexfunc;
pub mod confetti;
pub mod functionchat;
pub mod hammerbench;
mod lines;
mod predictions;
mod said;

pub(crate) use array::each_element;
pub use bench::{Bench, BenchError, SAMPLES};
pub use lines::{FileError, lines};
pub use predictions::{PredictionMeta, Predictions, PredictionsError, PromptSource};
pub use said::Said;
