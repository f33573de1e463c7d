//! Benchmark and training files, one file for each format.

pub mod hammerbench;
