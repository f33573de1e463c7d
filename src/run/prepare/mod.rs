//! What a run needs before its first item: settings, what it stands on, models, tables, live worlds.

pub(crate) mod ground;
pub(crate) mod live;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod table;
pub(crate) mod unfinished;
