//! The machine: its state, and what each thing that it is told sets going.

mod moves;
mod state;

pub use state::{Exchange, Machine, Need, Told};
