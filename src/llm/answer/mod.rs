//! Readers of replies: tolerant, one for each form of answer, and each says by which way it found what it found.
//!
//! A reply is input like any other: no text makes a reader panic, and what cannot be read is [`Unparsable`] with a reason.

mod action;
mod call;
mod draft;
mod entity;
mod fence;
mod object;
mod plain;
mod queries;
mod question;
mod rewritten;
mod route;
mod selected;
mod spoken;
mod toolkits;
mod verdict;
mod way;
mod written;

pub use action::{Action, read_action, read_played};
pub use call::{ReadAnswer, calls_of, read_call, read_native};
pub use draft::{DraftField, DraftTool, DraftToolkit, DraftTools, ToolFault};
pub use entity::read_entity;
pub use fence::{blocks, embedded, without_language, without_thought};
pub use object::{read_json, read_object};
pub use plain::{read_line, read_plain};
pub use queries::read_queries;
pub use question::read_question;
pub use rewritten::read_rewritten;
pub use route::read_route;
pub use selected::read_selected;
pub use spoken::{Spoken, read_spoken};
pub use toolkits::read_toolkit;
pub use verdict::read_verdict;
pub use way::{Unparsable, Way};
pub use written::read_written;
