//! The journal: every reply that was paid for, on disk before it counts as given.

mod accounts;
mod error;
mod known;
mod store;
mod writer;

pub use error::JournalError;
pub use store::Journal;
