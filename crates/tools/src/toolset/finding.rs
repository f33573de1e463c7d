//! What the lint finds: how bad it is, where it stands and what would repair it.

use std::fmt;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A run cannot use it.
    Error,
    /// A run uses it, and what comes out will be poor.
    Warning,
    /// It could be better.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// Which files of a toolset folder a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What tools take: `tools/`, `world/`, `resources/`.
    Structure,
    /// What is said of them: `<locale>/`.
    Text,
}

/// Something that ought to be repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The tool, and the parameter where one is concerned.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// In which files it is repaired.
    pub side: Side,
    /// An example of the repair.
    pub fix: Option<String>,
}

impl Finding {
    /// A finding that no run can use, in the text.
    pub fn error(place: impl Into<String>, message: impl Into<String>) -> Self {
        let (place, message) = (place.into(), message.into());
        Self { severity: Severity::Error, place, message, side: Side::Text, fix: None }
    }

    /// A finding that makes what comes out poor, in the text.
    pub fn warning(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(place, message) }
    }

    /// A finding of what could be better, in the text.
    pub fn note(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(place, message) }
    }

    /// The same in the structure.
    #[must_use]
    pub fn in_structure(self) -> Self {
        Self { side: Side::Structure, ..self }
    }

    /// The same with an example of the repair.
    #[must_use]
    pub fn fixed_by(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_comes_first() {
        let mut findings = [Finding::note("c", "x"), Finding::error("b", "x"), Finding::warning("a", "x")];
        findings.sort_by_key(|it| it.severity);
        assert_eq!(findings.map(|it| it.severity.to_string()), ["error", "warning", "note"]);
        let finding = Finding::error("a, b", "x").in_structure().fixed_by("b = {}");
        assert_eq!((finding.side, finding.fix.as_deref()), (Side::Structure, Some("b = {}")));
    }
}
