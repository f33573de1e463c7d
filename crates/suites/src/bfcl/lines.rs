//! Verdicts as lines of a file, of whichever suite's calls are judged by BFCL's rules.

use super::vectors::fields;
use crate::bfcl::layout::ResultLine;
use crate::bfcl::metric as bfcl;
use crate::record::{Mark, Object, Value, Verdict};

/// The verdict on the calls of a line. `own` is a field that stands behind those of the rules, and `fault` why they cannot
/// be read.
pub(crate) fn judged(line: &ResultLine<'_>, found: &bfcl::Verdict, own: (&str, Value), fault: Option<&str>) -> Verdict {
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
pub(crate) fn absent(id: &str, (field, mark): (&str, Mark), why: &'static str) -> Verdict {
    let entries = [("id", Value::from(id)), (field, Value::Bool(false)), ("error_type", Value::from(why))];
    let line = entries.map(|(name, value)| (name.to_owned(), value)).into();
    Verdict::new(id, Some(false), line).because(Some(why), why).marked(mark, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfcl::metric::{Crash, ErrorKind};

    #[test]
    fn each_fault_has_its_class_and_its_reason() {
        let text = r#"{"id": "simple_0", "result": "f("}"#;
        let line = ResultLine::read(text).unwrap().unwrap();
        let of = |found: &bfcl::Verdict, fault| {
            let it = judged(&line, found, ("category", "simple".into()), fault);
            (it.outcome.is_right(), it.marks.get(Mark::Valid), it.error, it.reason)
        };
        let kind = ErrorKind::SimpleCount;
        let wrong = |error, reason: &str| (Some(false), Some(false), error, reason.to_owned());
        assert_eq!(of(&bfcl::Verdict::Valid, None), (Some(true), Some(true), None, String::new()));
        assert_eq!(of(&bfcl::Verdict::Wrong(kind, Vec::new()), None), wrong(Some(kind.as_str()), kind.as_str()));
        assert_eq!(of(&bfcl::Verdict::Wrong(kind, Vec::new()), Some("at 3")), wrong(Some(kind.as_str()), "at 3"));
        assert_eq!(of(&bfcl::Verdict::Crash(Crash::Attribute), None), wrong(Some(Crash::Attribute.as_str()), ""));
        assert_eq!(of(&bfcl::Verdict::Unscorable("no answers"), None), wrong(None, "no answers"));
        let absent = absent("a", ("match", Mark::Acts), "missing");
        assert_eq!(
            Value::Object(absent.line).to_string() + absent.error.unwrap() + &absent.reason,
            r#"{"id":"a","match":false,"error_type":"missing"}missingmissing"#
        );
    }
}
