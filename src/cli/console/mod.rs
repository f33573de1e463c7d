//! What the program says to people: messages, exit codes, progress, closing lines.

pub(crate) mod caution;
pub(crate) mod closing;
pub(crate) mod exit;
pub(crate) mod figures;
pub(crate) mod interrupt;
pub(crate) mod misread;
pub(crate) mod next;
pub(crate) mod progress;
pub(crate) mod shown;
pub(crate) mod standing;
pub(crate) mod talk;
pub(crate) mod verdict;
pub(crate) mod words;
