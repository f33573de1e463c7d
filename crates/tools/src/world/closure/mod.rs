//! Which calls can be made with what is known, and the proof that no shorter path of them reaches a request's goals.

mod answers;
mod bind;
mod cover;
mod functions;
mod golden;
mod grow;
mod harvest;
mod idle;
mod known;
mod needs;
mod offered;
mod proof;
#[cfg(test)]
mod testing;
mod types;

pub use offered::offered;
pub use proof::{Flaw, Limits, Path, Proof, Prover};
