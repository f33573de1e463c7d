//! FunctionChat-Bench's layout: three files of single calls, of dialogs, and of decisions whether to call.

mod acceptable;
mod export;
mod folder;
mod import;
mod row;

pub use acceptable::{AUTHORS_FACT, Acceptable, MODE_FACT, Mode, NOTE_FACT};
pub use export::Export;
pub use folder::{ChatFile, FILES, Layout};
pub use import::{EXTRACTION_FACT, Set, TypeOfOutput};
pub use row::{
    DecisionLine, DialogLine, DialogTurn, FunctionInfo, Numbered, RowError, SinglecallLine, ToolList, WireCall,
    WireFunction, WireMessage, WireTool, gold_text,
};
