//! What flows through fcgen: records, the languages of locales and their packs, texts of replies, Python's ways of
//! writing values, and files by name. No module here is async, and none opens a socket.

pub mod assets;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
pub mod fs;
pub mod locale;
pub mod memo;
pub mod python;
pub mod record;
pub mod text;
pub mod toml_text;
