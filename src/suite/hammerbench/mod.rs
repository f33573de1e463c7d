//! HammerBench: its files, its scorers, its tables.

mod profile;
mod vector_figures;
mod vectors;

pub use profile::{ProfileError, label_of, load_words, said_of};
pub use vectors::verdicts;
