//! What is right while required arguments are missing.

use serde::{Deserialize, Serialize};

/// What is right while required arguments are missing: the same word in predictions, scores and training rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paradigm {
    /// The question for them; the call comes when they are there.
    #[default]
    Ask,
    /// The call with what is there so far: `HammerBench`'s snapshots.
    Snapshot,
}

impl Paradigm {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Snapshot => "snapshot",
        }
    }

    /// The paradigm of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ask, Self::Snapshot].into_iter().find(|paradigm| paradigm.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paradigm_is_written_and_read_by_its_name() {
        for paradigm in [Paradigm::Ask, Paradigm::Snapshot] {
            assert_eq!(serde_json::to_value(paradigm).unwrap(), paradigm.as_str());
            assert_eq!(Paradigm::named(paradigm.as_str()), Some(paradigm));
        }
        assert_eq!(Paradigm::named("other"), None);
    }
}
