//! The journal: every reply that was paid for, on disk before it counts as given.

mod accounts;
mod store;
mod writer;

pub use store::{Journal, JournalError};
