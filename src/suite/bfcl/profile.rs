//! By which rules predictions are judged.

/// By which rules predictions are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// The sound ones.
    #[default]
    Strict,
    /// BFCL's own.
    Upstream,
}

impl Profile {
    /// Its name and version, as reports give them.
    pub fn version(self) -> String {
        match self {
            Self::Strict => "bfcl strict, version 1".to_owned(),
            Self::Upstream => "bfcl upstream (as bfcl-eval 2026.3.23), version 1".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_have_their_versions() {
        assert_eq!(Profile::default().version(), "bfcl strict, version 1");
        assert_eq!(Profile::Upstream.version(), "bfcl upstream (as bfcl-eval 2026.3.23), version 1");
    }
}
