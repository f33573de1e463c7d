//! FunctionChat-Bench: every turn is asked for by itself, with the right history before it.

mod asking;
mod system;

pub use asking::Chats;
pub use system::System;
