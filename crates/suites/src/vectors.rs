//! Verdicts on test vectors: what our scorers say where the authors' own evaluators were asked as well.
//!
//! A folder of vectors holds, for each suite, inputs by set (`predictions-A.jsonl`, `parse-A.jsonl` ...) and beside them
//! `expected-A.json`, which is never opened here.

use super::{bfcl, callnavi, complexfunc, confetti, functionchat, hammerbench};
use crate::assets::Assets;
use crate::format::FileError;
use crate::record::{Object, SuiteId};
use std::fmt::Display;
use std::path::Path;

/// Why vectors cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// Nobody knows the suite.
    #[error("unknown suite `{name}`; expected one of {}", SuiteId::ALL.map(|suite| format!("`{suite}`")).join(", "))]
    Suite {
        /// Its name.
        name: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A profile that ships with fcgen is broken.
    #[error(transparent)]
    Profile(#[from] super::ProfileError),
}

impl VectorError {
    /// The error of a line with this problem.
    pub(super) fn line(path: &Path, line: usize, problem: impl Display) -> Self {
        FileError::line(path, line, problem).into()
    }
}

/// Judges a set of a suite's vectors below `folder`. Each object that is given out is one line of the answer and begins
/// with the key that it is to be joined by.
pub fn verdicts(
    assets: &Assets,
    suite: &str,
    folder: &Path,
    set: &str,
    give: &mut dyn FnMut(Object),
) -> Result<(), VectorError> {
    let known = SuiteId::named(suite).ok_or_else(|| VectorError::Suite { name: suite.to_owned() })?;
    let folder = folder.join(suite);
    match known {
        SuiteId::HammerBench => hammerbench::verdicts(assets, &folder, set, give),
        SuiteId::CallNavi => callnavi::verdicts(&folder, set, give),
        SuiteId::ComplexFuncBench => complexfunc::verdicts(&folder, set, give),
        SuiteId::FunctionChat => functionchat::verdicts(assets, &folder, set, give),
        SuiteId::Bfcl => bfcl::verdicts(&folder, set, give),
        SuiteId::Confetti => confetti::verdicts(assets, &folder, set, give),
    }
}

/// A file of vectors, whole.
pub(super) fn read(path: &Path) -> Result<String, VectorError> {
    Ok(std::fs::read_to_string(path).map_err(FileError::io(path))?)
}

/// A file's lines, each handed to a reader; the first that it refuses ends it.
pub(super) fn each_line<'t, P: Display>(
    path: &Path,
    text: &'t str,
    mut take: impl FnMut(&'t str) -> Result<(), P>,
) -> Result<(), VectorError> {
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        take(line).map_err(|error| FileError::line(path, at + 1, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_suite_and_a_missing_file_are_told() {
        let mut give = |_: Object| {};
        let error = verdicts(crate::fixtures::assets(), "hamerbench", Path::new("."), "A", &mut give).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown suite `hamerbench`; expected one of `hammerbench`, `callnavi`, `complexfuncbench`, `functionchat`, `bfcl`, `confetti`"
        );
        let error =
            verdicts(crate::fixtures::assets(), "hammerbench", Path::new("/no/such"), "A", &mut give).unwrap_err();
        assert_eq!(error.to_string(), "cannot read `/no/such/hammerbench/cases.jsonl`");
    }

    #[test]
    fn a_faulty_line_is_told_with_its_place() {
        let text = "{}\n\n{\n";
        let error =
            each_line(Path::new("x.jsonl"), text, |line| crate::record::BorrowedValue::read_lenient(line).map(|_| ()));
        assert_eq!(
            error.unwrap_err().to_string(),
            "`x.jsonl`, line 3: not JSON: the text ends too early at line 1, column 2 (byte 1)"
        );
    }

    #[test]
    fn lines_come_in_order_without_the_empty_ones_and_reading_ends_at_the_first_fault() {
        let mut taken = Vec::new();
        let mut take = |line| {
            taken.push(line);
            crate::record::BorrowedValue::read_lenient(line).map(|_| ())
        };
        assert!(each_line(Path::new("x"), "1\n \n\t\n2\r\n3", &mut take).is_ok());
        assert!(each_line(Path::new("x"), "4\noops\n5", &mut take).is_err());
        assert_eq!(taken, ["1", "2", "3", "4", "oops"]);
    }

    #[test]
    fn every_suite_that_is_named_is_known() {
        for suite in SuiteId::ALL {
            let error = verdicts(crate::fixtures::assets(), suite.as_str(), Path::new("/no/such"), "A", &mut |_| {})
                .unwrap_err();
            assert!(matches!(error, VectorError::File(_)), "{error}");
        }
    }
}
