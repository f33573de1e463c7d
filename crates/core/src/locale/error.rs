//! What can be wrong with a locale.

use super::language::LanguageError;
use super::pattern::PatternError;

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
    /// The language's facts cannot be used.
    #[error(transparent)]
    Language(#[from] LanguageError),
}
