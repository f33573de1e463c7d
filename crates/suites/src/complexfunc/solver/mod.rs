//! ComplexFuncBench's way: the model plays a sample against its golden answers, turn by turn.

mod asking;

pub use asking::Episodes;
