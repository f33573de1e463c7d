//! By which rules predictions are scored.

use super::board::Level;

/// The authors' numbers of questions by difficulty, as their script has them: one of the data's hard questions is medium there.
const PAPER: [u64; 3] = [456, 188, 85];
/// The same of all.
const PAPER_ALL: u64 = 729;

/// By which rules predictions are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Ours: typed values, free places at every depth, nothing added, every fault named.
    #[default]
    Strict,
    /// The authors' verdicts, over as many questions as there are.
    Upstream,
    /// The authors' verdicts over the paper's numbers of questions, so that figures compare with its tables.
    UpstreamPaper,
}

impl Profile {
    /// Its name and version, as reports give them.
    pub fn version(self) -> &'static str {
        match self {
            Self::Strict => "callnavi strict, version 1",
            Self::Upstream => "callnavi upstream (verdicts as commit 520e280), version 1",
            Self::UpstreamPaper => "callnavi upstream-paper (verdicts as commit 520e280, over 456/188/85), version 1",
        }
    }

    /// Over how many questions a share is taken, if not over those that are there. The authors' script for routing counts
    /// what is there.
    pub(super) fn denominator(self, level: Level) -> Option<u64> {
        match (self, level) {
            (Self::UpstreamPaper, Level::Difficulty(at)) => PAPER.get(at).copied(),
            (Self::UpstreamPaper, Level::All) => Some(PAPER_ALL),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_papers_profile_has_numbers_of_its_own() {
        let of = |profile: Profile| Level::EACH.map(|level| profile.denominator(level));
        assert_eq!(of(Profile::UpstreamPaper), [Some(456), Some(188), Some(85), Some(729)]);
        assert_eq!((of(Profile::Strict), of(Profile::Upstream)), ([None; 4], [None; 4]));
    }

    #[test]
    fn every_profile_has_a_name_of_its_own() {
        let names = [Profile::Strict, Profile::Upstream, Profile::UpstreamPaper].map(Profile::version);
        assert!(names.iter().all(|name| names.iter().filter(|other| other == &name).count() == 1));
    }
}
