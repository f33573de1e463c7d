//! ComplexFuncBench's way: the model plays a sample against its golden answers, turn by turn.

mod asking;
mod history;

pub use asking::Episodes;
