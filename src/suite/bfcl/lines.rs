//! Verdicts as lines of a file, of whichever suite's calls are judged by BFCL's rules.

use super::vectors::fields;
use crate::format::bfcl::ResultLine;
use crate::record::{Mark, Object, Value, Verdict};
use crate::score::bfcl;

/// The verdict on the calls of a line. `own` is a field that stands behind those of the rules, and `fault` why they cannot
/// be read.
pub(in crate::suite) fn judged(
    line: &ResultLine<'_>,
    found: &bfcl::Verdict,
    own: (&str, Value),
    fault: Option<&str>,
) -> Verdict {
    let mut object: Object = [("id".to_owned(), Value::from(&*line.id))].into();
    object.extend(line.pid.as_deref().map(|pid| ("pid".to_owned(), pid.into())));
    object.extend(fields(found));
    object.insert(own.0.to_owned(), own.1);
    object.extend(fault.map(|fault| ("detail".to_owned(), fault.into())));
    let (error, reason) = match found {
        bfcl::Verdict::Valid => (None, ""),
        bfcl::Verdict::Wrong(kind, _) => (Some(kind.as_str()), kind.as_str()),
        bfcl::Verdict::Crash(crash) => (Some(crash.as_str()), ""),
        bfcl::Verdict::Unscorable(reason) => (None, *reason),
    };
    let right = found.is_valid();
    Verdict::new(&line.id, Some(right), object).because(error, fault.unwrap_or(reason)).marked(Mark::Valid, right)
}

/// The verdict on an item without a prediction: `field` says that it is wrong.
pub(in crate::suite) fn absent(id: &str, (field, mark): (&str, Mark), why: &'static str) -> Verdict {
    let entries = [("id", Value::from(id)), (field, Value::Bool(false)), ("error_type", Value::from(why))];
    let line = entries.map(|(name, value)| (name.to_owned(), value)).into();
    Verdict::new(id, Some(false), line).because(Some(why), why).marked(mark, false)
}
