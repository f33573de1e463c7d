//! ComplexEval: a request wants several steps of calls, and a model plays them against golden answers.

mod alike;
mod compare;
mod form;
mod gather;
mod golden;
mod machine;
mod mapping;
mod open;
mod outcome;
mod play;
mod round;
mod rules;
mod settings;
mod trigram;
mod turn;

pub use golden::{Golden, call_text};
pub use machine::{Exchange, Machine, Need, Told};
pub use outcome::{
    Assessment, Assignment, Counts, Crash, ErrorType, Errors, Fault, How, Message, Observation, Outcome, Status, Tally,
    Trace, TraceEnd,
};
pub use play::{Oracle, play};
pub use rules::{Dialect, Rules, Similarity, Strict};
pub use settings::{FreeByArgument, Settings};
pub use turn::{SaidArguments, SaidCall, Turn};
