//! Live worlds: servers that answer calls, what they answered, and what stands in for them when nobody asks them again.
//!
//! `fcgen toolset import --mcp` makes a toolset of what a server lists, `fcgen toolset explore` finds out what really exists
//! there, and a run asks through [`LiveWorld`], which records every answer. Nothing is started before a call wants it.

mod anchors;
mod caller;
mod config;
mod explore;
mod fault;
mod folder;
mod guess;
mod http;
mod import;
mod leaves;
mod phrases;
mod recording;
mod rules;
mod server;
mod spoken;
mod target;
mod world;
mod written;

pub use anchors::Anchor;
pub use caller::Caller;
pub use config::WorldConfig;
pub use explore::{Bounds, Called, Explored, explore, seems_to_read};
pub use fault::LiveError;
pub use import::{ORIGINS, draft, read_origins, write_rules};
pub use recording::{RECORDING, Recording};
pub use rules::{RULES, Rules};
pub use server::{Key, Listed, Reply, Server};
pub use target::Target;
pub use world::LiveWorld;
pub use written::{ANCHORS, RECORDED, write_explored};
