//! ComplexFuncBench: its files, its evaluator, its tables.

mod lines;
mod script;
mod vectors;

pub use vectors::verdicts;
