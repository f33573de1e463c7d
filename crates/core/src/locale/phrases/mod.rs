//! The phrases of a locale: the files of a pack.

pub(super) mod apis;
pub(super) mod chat;
pub(super) mod cues;
pub(super) mod derived;
pub(super) mod dialogue;
pub(super) mod external;
pub(super) mod functions;
pub(super) mod question;
pub(super) mod request;
pub(super) mod resources;
pub(super) mod slot;
pub(super) mod talk;
