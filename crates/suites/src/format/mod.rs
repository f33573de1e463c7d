//! Benchmark and training files, one file for each format.

pub(crate) mod array;
pub(crate) mod bench;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod predictions;
pub(crate) mod said;

pub use array::{each_element, each_item};
#[cfg(test)]
pub(crate) use bench::samples_of;
pub use bench::{Bench, BenchError};
pub use layout::{Layout, LayoutFile, Place, SAMPLES, SampleSink, SamplesFile};
pub use lines::{FileError, lines};
pub use predictions::{PredictionMeta, Predictions, PredictionsError, PromptSource};
pub use said::Said;
