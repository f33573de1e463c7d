//! BFCL's own files: questions, accepted answers, and results of models.

mod entry;
mod export;
mod files;
mod import;
mod message;
mod result;
mod schema;
#[cfg(test)]
pub(super) mod testing;
mod truth;

pub use entry::{Entry, EntryError};
pub use export::{Unfit, Version, answer_line, category_of, question_line};
pub use files::{BfclFile, BfclFileError};
pub use import::{FUNCTIONS_FACT, TRUTH_FACT};
pub use result::ResultLine;
pub use schema::function_of;
pub use truth::{functions_of, truth_of};
