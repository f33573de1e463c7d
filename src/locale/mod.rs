//! Locale packs as code: patterns, value kinds, particles.

mod external;
mod kind;
mod pack;
mod particle;
mod pattern;
mod reading;

pub use external::External;
pub use kind::{Drawn, Kind, KindText, Numbers};
pub use pack::{Pack, Side, Strays, Style};
pub(crate) use pack::{parse_all, read_toml};
pub use particle::Particles;
pub use pattern::{Fill, Part, Pattern, PatternError};
pub use reading::{Meaning, Reading};

/// Why a locale could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LocaleError {
    /// A file of the pack is not there.
    #[error("`{path}` is missing")]
    Missing {
        /// Which file.
        path: String,
    },
    /// A file is not what it should be.
    #[error("{path}: {message}")]
    Toml {
        /// Which file.
        path: String,
        /// What the reader says.
        message: String,
    },
    /// A pattern cannot be read.
    #[error("{place}: `{text}`: {error}")]
    Pattern {
        /// File and key.
        place: String,
        /// The pattern.
        text: String,
        /// What is wrong.
        error: PatternError,
    },
    /// A kind is used that no pack declares.
    #[error("{place}: no value kind `{kind}`")]
    UnknownKind {
        /// File and key.
        place: String,
        /// The kind.
        kind: String,
    },
}
