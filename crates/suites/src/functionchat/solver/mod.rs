//! FunctionChat-Bench: every turn is asked for by itself, with the right history before it.

mod asking;

pub use asking::{Chats, System};
