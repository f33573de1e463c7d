//! BFCL: the calls that answer a question of one turn.

mod asking;

pub use asking::Questions;
