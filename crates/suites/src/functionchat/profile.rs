//! By which rules predictions are scored, and the words of the authors' evaluator.

use crate::assets::Assets;
use crate::functionchat::metric::upstream::Words;
use crate::{ProfileError, shipped};

/// Where the evaluator's words stand.
const WORDS: &str = "profiles/functionchat-upstream.toml";

/// By which rules predictions are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Ours: a rule that passes, fails, or leaves it to the judge, with a reason.
    #[default]
    Strict,
    /// The authors' evaluator, v2.0.0.
    Upstream,
}

impl Profile {
    /// Its name and version, as reports give them.
    pub fn version(self) -> &'static str {
        match self {
            Self::Strict => "functionchat strict, version 1",
            Self::Upstream => "functionchat upstream (v2.0.0, as commit cb32af3), version 1",
        }
    }
}

/// The words that the released evaluator looks for.
pub fn load_words(assets: &Assets) -> Result<Words, ProfileError> {
    shipped(assets, WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functionchat::layout::Mode;

    #[test]
    fn the_notes_of_the_evaluator_are_those_of_the_files() {
        let words = load_words(crate::fixtures::assets()).unwrap();
        assert_eq!(words.notes.len(), 3);
        assert!(words.notes.iter().all(|note| Mode::of_sentence(note).is_some()));
    }

    #[test]
    fn a_profile_says_its_version() {
        assert!(Profile::default().version().starts_with("functionchat strict"));
        assert!(Profile::Upstream.version().contains("cb32af3"));
    }
}
