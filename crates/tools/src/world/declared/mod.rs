//! Worlds of declared tables and functions.

mod answer;
mod arguments;
mod change;
mod dice;
mod find;
mod generate;
mod layer;
mod run;
mod samples;
mod seal;
mod select;
mod session;
#[cfg(test)]
pub(crate) mod testing;
mod world;

pub(super) use arguments::mismatch;
pub use samples::{Sample, Sampler};

pub use session::DeclaredSession;
pub use world::DeclaredWorld;
