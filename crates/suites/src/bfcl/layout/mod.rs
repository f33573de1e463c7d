//! BFCL's own files: questions, accepted answers, and results of models.

mod entry;
mod export;
mod files;
mod import;
#[cfg(test)]
pub(crate) mod testing;
mod truth;

pub use entry::{Entry, EntryError, ResultLine};
pub use export::{Unfit, Version, answer_line, category_of, function_of, question_line};
pub use files::BfclFile;
pub use import::{FUNCTIONS_FACT, TRUTH_FACT};
pub use truth::{functions_of, truth_of};
