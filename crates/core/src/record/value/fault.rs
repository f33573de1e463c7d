//! What can be wrong with a text that should be JSON, and where.

use std::fmt;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub byte: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// What Python takes and strict JSON refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LeniencyKind {
    /// `NaN`, `Infinity` or `-Infinity`.
    #[error("`NaN` or `Infinity` is not a JSON number")]
    Constant,
    /// A number that no double is near, such as `1e400`; its text is kept.
    #[error("number out of range")]
    OutOfRange,
    /// Half of a surrogate pair; it became U+FFFD, for no Rust string holds it.
    #[error("lone surrogate in a string")]
    LoneSurrogate,
    /// A key that stood in the object before; the last one won.
    #[error("duplicate key")]
    DuplicateKey,
}

/// Something that strict JSON would have refused, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leniency {
    /// What it is.
    pub kind: LeniencyKind,
    /// Where it stands.
    pub place: Place,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text ended within a value.
    #[error("the text ends too early")]
    Ended,
    /// Something other than what the grammar wants here.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A control character that stands in a string unescaped.
    #[error("a control character must be escaped")]
    Control,
    /// A backslash followed by something unknown.
    #[error("no such escape")]
    Escape,
    /// Nested deeper than 1,000 levels.
    #[error("nested deeper than 1,000 levels")]
    TooDeep,
    /// Python would take it; strict JSON does not.
    #[error(transparent)]
    Lenient(LeniencyKind),
}

/// Why a text is not a value, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not JSON: {problem} at {place}")]
pub struct ValueError {
    /// What is wrong.
    pub problem: Problem,
    /// Where.
    pub place: Place,
}

impl Place {
    pub(super) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { byte, line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {} (byte {})", self.line, self.column, self.byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_start_at_one() {
        assert_eq!(Place::of("한글\n값", 7), Place { byte: 7, line: 2, column: 1 });
        assert_eq!(Place::of("한글", 3).to_string(), "line 1, column 2 (byte 3)");
    }

    #[test]
    fn an_error_reads_as_one_line() {
        let error = ValueError { problem: Problem::Lenient(LeniencyKind::DuplicateKey), place: Place::of("", 0) };
        assert_eq!(error.to_string(), "not JSON: duplicate key at line 1, column 1 (byte 0)");
    }
}
