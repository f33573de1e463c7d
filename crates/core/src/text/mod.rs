//! Readers of replies that any task can use: tolerant, and each says by which way it found what it found.
//!
//! A reply is input like any other: no text makes a reader panic, and what cannot be read is [`Unparsable`] with a reason.

mod call;
mod found;
mod plain;

pub use call::{ReadAnswer, ToolCallText, calls_of, read_call, read_native};
pub use found::{
    Unparsable, Way, blocks, embedded, find, read_json, read_object, read_verdict, without_language, without_thought,
};
pub use plain::{read_labels, read_line, read_plain};
