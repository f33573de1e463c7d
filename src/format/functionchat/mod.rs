//! FunctionChat-Bench's layout: three files of single calls, of dialogs, and of decisions whether to call.

mod acceptable;
mod export;
mod folder;
mod import;
mod message;
mod row;

pub use acceptable::{AUTHORS_FACT, Acceptable, MODE_FACT, Mode, NOTE_FACT};
pub use export::Export;
pub use folder::{ChatFile, ChatFileError, FILES, Layout};
pub use import::{EXTRACTION_FACT, Set, TypeOfOutput};
pub use message::{GOLD_TEXT_FACT, WireCall, WireFunction, WireMessage, WireTool, gold_text};
pub use row::{DecisionLine, DialogLine, DialogTurn, FunctionInfo, Numbered, RowError, SinglecallLine, ToolList};
