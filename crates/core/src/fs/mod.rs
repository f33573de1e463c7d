//! Files that appear whole or not at all, and folders that one process works in at a time.

mod atomic;
mod lock;

pub use atomic::{AtomicFile, at, make_folder};
pub use lock::{Lock, LockError};
