//! Live worlds: servers that answer calls, what they answered, and what stands in for them when nobody asks them again.
//!
//! `fcgen toolset import --mcp` makes a toolset of what a server lists, `fcgen toolset explore` finds out what really exists
//! there, and a run asks through [`LiveWorld`], which records every answer. Nothing is started before a call wants it.

mod caller;
mod config;
mod exploring;
mod fault;
mod folder;
mod http;
mod import;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(not(feature = "mcp"))]
mod no_mcp;
mod recording;
mod rules;
mod server;
mod target;
mod world;

pub use caller::Caller;
pub use config::WorldConfig;
pub use exploring::anchors::Anchor;
pub use exploring::explore::{Bounds, Called, Explored, explore, seems_to_read};
pub use exploring::written::{ANCHORS, RECORDED, write_explored};
pub use fault::LiveError;
pub use import::{ORIGINS, draft, read_origins, write_rules};
#[cfg(feature = "mcp")]
pub use mcp::Server;
#[cfg(not(feature = "mcp"))]
pub use no_mcp::Server;
pub use recording::{RECORDING, Recording};
pub use rules::{RULES, Rules};
pub use server::{Key, Listed, Reply};
pub use target::Target;
pub use world::LiveWorld;
