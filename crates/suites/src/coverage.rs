//! How much of a benchmark was scored, counted in one way for all suites.

use crate::record::Sample;

/// What was scored of a benchmark, and why the rest was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Samples that were scored.
    pub scored: u64,
    /// Samples without a prediction.
    pub missing: u64,
    /// Samples whose model could not be reached.
    pub transport: u64,
    /// Predictions that could not be read, each with its sample and what is wrong.
    pub unreadable: Vec<(String, String)>,
    /// Samples of other suites, or of a kind that this suite does not know.
    pub unscored: u64,
}

impl Coverage {
    /// Whether a sample is of the locale that is scored, and `is_own`: of the suite and a kind that it knows. Of the others,
    /// those of the locale are counted.
    pub(super) fn wants(&mut self, sample: &Sample, locale: Option<&String>, is_own: bool) -> bool {
        if locale.is_some_and(|locale| *locale != sample.locale) {
            return false;
        }
        self.unscored += u64::from(!is_own);
        is_own
    }

    /// What was said to a sample; what is missing, cannot be read, or is no more than a failure of the transport is
    /// counted.
    pub(super) fn said<T>(
        &mut self,
        sample: &Sample,
        found: Option<Result<T, String>>,
        has_failed: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        match found {
            Some(Ok(said)) => {
                self.transport += u64::from(has_failed(&said));
                return Some(said);
            }
            Some(Err(problem)) => self.unreadable.push((sample.id.to_string(), problem)),
            None => self.missing += 1,
        }
        None
    }
}
