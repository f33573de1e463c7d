//! ComplexEval: a request wants several steps of calls, and a model plays them against golden answers.

mod compare;
mod golden;
mod machine;
mod mapping;
mod open;
mod outcome;
mod round;
mod rules;
mod turn;

pub use golden::{Golden, call_text};
pub use machine::{Exchange, Machine, Need, Told};
pub use outcome::{
    Assessment, Assignment, Counts, Crash, ErrorType, Errors, Fault, How, Message, Observation, Outcome, Status, Tally,
    Trace, TraceEnd,
};
pub use rules::{Dialect, FreeByArgument, Rules, Settings, Similarity, Strict};
pub use turn::{Oracle, SaidArguments, SaidCall, Turn, play};
