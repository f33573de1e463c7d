//! A prediction against its item.

use super::super::category::Manner;
use super::super::decode::{Call, decode_calls, decode_text, is_well_formed};
use super::super::item::{Item, Reply};
use super::super::kind::{Crash, ErrorKind, Fault, Verdict};
use super::check_call;

/// Judges what a model gave.
pub fn judge(item: &Item, reply: Reply<'_, '_>) -> Verdict {
    let decoded = match (reply.native, reply.given.as_str()) {
        (true, _) => decode_calls(reply.given).ok(),
        (false, Some(text)) => decode_text(text).ok(),
        (false, None) => None,
    };
    check_calls(item, decoded.as_deref(), reply.underscores)
}

/// Judges calls that are read already; nothing where they could not be.
pub fn check_calls(item: &Item, calls: Option<&[Call<'_>]>, underscores: bool) -> Verdict {
    let manner = item.category.manner();
    let has_call = calls.is_some_and(|calls| is_well_formed(calls) && !calls.is_empty());
    match (manner, calls) {
        (Manner::Elsewhere, _) => Verdict::Unscorable("not judged here"),
        (Manner::Irrelevance, _) => of(!has_call, ErrorKind::IrrelevanceDecoded),
        (Manner::Relevance, _) => of(has_call, ErrorKind::RelevanceFailed),
        (_, None) => of(false, ErrorKind::DecoderFailed),
        (_, Some(calls)) if !is_well_formed(calls) => of(false, ErrorKind::WrongOutputFormat),
        (Manner::Simple, Some([call])) => simple(item, call, underscores),
        (Manner::Simple, _) => of(false, ErrorKind::SimpleCount),
        (Manner::Multiple, Some(calls)) if calls.len() == item.answers.len() => multiple(item, calls, underscores),
        (Manner::Multiple, _) => of(false, ErrorKind::MultipleCount),
        (Manner::Parallel, Some(calls)) if calls.len() == item.answers.len() => parallel(item, calls, underscores),
        (Manner::Parallel, _) => of(false, ErrorKind::ParallelCount),
    }
}

fn of(is_right: bool, kind: ErrorKind) -> Verdict {
    if is_right { Verdict::Valid } else { Verdict::Wrong(kind, Vec::new()) }
}

fn simple(item: &Item, call: &Call<'_>, underscores: bool) -> Verdict {
    let (Some(function), Some(answer)) = (item.functions.first(), item.answers.first()) else {
        return Verdict::Crash(Crash::Key);
    };
    check_call(function, call, answer, underscores).map_or_else(Verdict::from, |()| Verdict::Valid)
}

fn multiple(item: &Item, calls: &[Call<'_>], underscores: bool) -> Verdict {
    let (Some(call), Some(answer)) = (calls.first(), item.answers.first()) else { return Verdict::Crash(Crash::Key) };
    let Some(function) = item.function(&answer.name) else { return Verdict::Crash(Crash::Type) };
    check_call(function, call, answer, underscores).map_or_else(Verdict::from, |()| Verdict::Valid)
}

/// Every wanted call takes the first call that serves and is left; what it took stays taken.
fn parallel(item: &Item, calls: &[Call<'_>], underscores: bool) -> Verdict {
    let mut left: Vec<&Call<'_>> = calls.iter().collect();
    for answer in &item.answers {
        let Some(function) = item.function(&answer.name) else { return Verdict::Crash(Crash::Type) };
        let mut errors = Vec::new();
        let mut found = None;
        for (at, call) in left.iter().enumerate() {
            match check_call(function, call, answer, underscores) {
                Ok(()) => {
                    found = Some(at);
                    break;
                }
                Err(Fault::Wrong(kind)) => errors.push(kind),
                Err(Fault::Crash(crash)) => return Verdict::Crash(crash),
            }
        }
        match found {
            Some(at) => drop(left.remove(at)),
            None => return Verdict::Wrong(ErrorKind::NoMatch, errors),
        }
    }
    Verdict::Valid
}

#[cfg(test)]
mod tests {
    use super::super::super::item::tests::item;
    use super::*;
    use crate::record::BorrowedValue;

    fn judged(category: &str, text: &str) -> Verdict {
        let given = BorrowedValue::String(text.into());
        judge(&item(category), Reply { given: &given, native: false, underscores: false })
    }

    fn wrong(kind: ErrorKind) -> Verdict {
        Verdict::Wrong(kind, Vec::new())
    }

    #[test]
    fn one_call_is_wanted_of_simple_and_multiple() {
        assert_eq!(judged("simple_python", "f(a=1)"), Verdict::Valid);
        assert_eq!(judged("simple_python", "f(a=1), f(a=1)"), wrong(ErrorKind::SimpleCount));
        assert_eq!(judged("simple_python", ""), wrong(ErrorKind::SimpleCount));
        assert_eq!(judged("simple_python", "no"), wrong(ErrorKind::DecoderFailed));
        assert_eq!(judged("multiple", "f(a=1)"), wrong(ErrorKind::MultipleCount));
        assert_eq!(judged("simple_java", "f(a=1)"), Verdict::Unscorable("not judged here"));
    }

    #[test]
    fn parallel_takes_the_first_that_serves_and_never_goes_back() {
        assert_eq!(judged("parallel", "g(a=2), f(a=1)"), Verdict::Valid);
        assert_eq!(judged("parallel", "f(a=1)"), wrong(ErrorKind::ParallelCount));
        let errors = vec![ErrorKind::FunctionName, ErrorKind::ValueOthers];
        assert_eq!(judged("parallel", "h(a=1), f(a=3)"), Verdict::Wrong(ErrorKind::NoMatch, errors));
        // `f` accepts 1 and 2, so that it takes the only call that `g` would have been content with.
        assert_eq!(
            judged("parallel", "f(a=2), g(a=9)"),
            Verdict::Wrong(ErrorKind::NoMatch, vec![ErrorKind::ValueOthers])
        );
    }

    #[test]
    fn irrelevance_wants_no_call_and_relevance_any() {
        assert_eq!(judged("irrelevance", "I cannot"), Verdict::Valid);
        assert_eq!(judged("irrelevance", "[]"), Verdict::Valid);
        assert_eq!(judged("live_irrelevance", "[f(a=1)]"), wrong(ErrorKind::IrrelevanceDecoded));
        assert_eq!(judged("live_relevance", "[h()]"), Verdict::Valid);
        assert_eq!(judged("live_relevance", "[h()"), Verdict::Valid);
        assert_eq!(judged("live_relevance", "I cannot"), wrong(ErrorKind::RelevanceFailed));
    }

    #[test]
    fn native_calls_must_have_named_arguments() {
        let judged = |json: &str| {
            let given = BorrowedValue::read_lenient(json).unwrap();
            judge(&item("simple_python"), Reply { given: &given, native: true, underscores: false })
        };
        assert_eq!(judged(r#"[{"f": "{\"a\": 1}"}]"#), Verdict::Valid);
        assert_eq!(judged(r#"[{"f": "null"}]"#), wrong(ErrorKind::WrongOutputFormat));
        assert_eq!(judged(r#""text""#), wrong(ErrorKind::DecoderFailed));
    }
}
