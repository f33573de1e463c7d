//! BFCL's own files: questions, accepted answers, and results of models.

mod entry;
mod files;
mod import;
mod result;

pub use entry::{Entry, EntryError};
pub use files::{BfclFile, BfclFileError};
pub use import::{FUNCTIONS_FACT, SUITE, TRUTH_FACT};
pub use result::ResultLine;
