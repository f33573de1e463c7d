//! A prediction against its item.

use super::super::answer::Answer;
use super::super::category::Manner;
use super::super::decode::{Call, DecodeFault, StrictText, Wrapper, decode_calls_strictly, decode_text_strictly};
use super::super::function::Function;
use super::super::item::{Item, Reply};
use super::super::kind::{ErrorKind, Verdict};
use super::attempt::is_attempt;
use super::check_call;
use super::matching::matched;
use crate::record::BorrowedValue;

/// What is found of a prediction, and how it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What is found.
    pub verdict: Verdict,
    /// What was taken away to find calls.
    pub wrappers: Vec<Wrapper>,
    /// Why no calls were found.
    pub fault: Option<DecodeFault>,
}

/// Judges what a model gave.
pub fn judge(item: &Item, reply: Reply<'_, '_>) -> Judged {
    let read = match reply.given {
        // A model with tools that answers in words calls nothing.
        BorrowedValue::String(_) if reply.native => Ok(StrictText { calls: Vec::new(), wrappers: Vec::new() }),
        BorrowedValue::String(text) => decode_text_strictly(text),
        given => decode_calls_strictly(given).map(|calls| StrictText { calls, wrappers: Vec::new() }),
    };
    // Only where no call is wanted does it matter whether one was meant.
    let is_attempt = match reply.given {
        _ if item.category.manner() != Manner::Irrelevance => false,
        BorrowedValue::String(text) => is_attempt(text, &item.functions),
        BorrowedValue::List(list) => !list.is_empty(),
        BorrowedValue::Null => false,
        _ => true,
    };
    match read {
        Ok(found) => Judged {
            verdict: verdict(item, Some(&found.calls), is_attempt, reply.underscores),
            wrappers: found.wrappers,
            fault: None,
        },
        Err(fault) => Judged {
            verdict: verdict(item, None, is_attempt, reply.underscores),
            wrappers: Vec::new(),
            fault: Some(fault),
        },
    }
}

/// Judges calls that are read already.
pub fn check_calls(item: &Item, calls: &[Call<'_>], underscores: bool) -> Verdict {
    verdict(item, Some(calls), !calls.is_empty(), underscores)
}

fn verdict(item: &Item, calls: Option<&[Call<'_>]>, is_attempt: bool, underscores: bool) -> Verdict {
    let manner = item.category.manner();
    let has_call = calls.is_some_and(|calls| !calls.is_empty());
    if manner == Manner::Irrelevance {
        return match (has_call, is_attempt) {
            (true, _) => wrong(ErrorKind::IrrelevanceDecoded),
            (false, true) => wrong(ErrorKind::IrrelevanceAttempt),
            (false, false) => Verdict::Valid,
        };
    }
    match (manner, calls) {
        (Manner::Elsewhere, _) => Verdict::Unscorable("not judged here"),
        (Manner::Relevance, _) => {
            if has_call {
                Verdict::Valid
            } else {
                wrong(ErrorKind::RelevanceFailed)
            }
        }
        (_, None) => wrong(ErrorKind::DecoderFailed),
        (_, Some(calls)) => called(item, manner, calls, underscores),
    }
}

fn wrong(kind: ErrorKind) -> Verdict {
    Verdict::Wrong(kind, Vec::new())
}

fn called(item: &Item, manner: Manner, calls: &[Call<'_>], underscores: bool) -> Verdict {
    let pairs: Option<Vec<(&Function, &Answer)>> =
        item.answers.iter().map(|answer| Some((item.function(&answer.name)?, answer))).collect();
    let Some(pairs) = pairs.filter(|pairs| !pairs.is_empty()) else {
        return Verdict::Unscorable("no description of what is wanted");
    };
    if calls.len() != pairs.len() {
        return wrong(match manner {
            Manner::Simple => ErrorKind::SimpleCount,
            Manner::Multiple => ErrorKind::MultipleCount,
            _ => ErrorKind::ParallelCount,
        });
    }
    match (pairs.as_slice(), calls) {
        ([(function, answer)], [call]) if manner != Manner::Parallel => {
            check_call(function, call, answer, underscores).map_or_else(wrong, |()| Verdict::Valid)
        }
        (pairs, calls) => parallel(pairs, calls, underscores),
    }
}

/// Every wanted call has a call of its own, if that can be.
fn parallel(pairs: &[(&Function, &Answer)], calls: &[Call<'_>], underscores: bool) -> Verdict {
    let row = |(function, answer): &(&Function, &Answer)| -> Vec<Result<(), ErrorKind>> {
        calls.iter().map(|call| check_call(function, call, answer, underscores)).collect()
    };
    let table: Vec<Vec<Result<(), ErrorKind>>> = pairs.iter().map(row).collect();
    let cell = |wanted: usize, call: usize| table.get(wanted).and_then(|row| row.get(call)).copied();
    let found = matched(pairs.len(), calls.len(), &|wanted, call| cell(wanted, call) == Some(Ok(())));
    let Some(without) = found.iter().position(Option::is_none) else { return Verdict::Valid };
    let left = (0..calls.len()).filter(|call| !found.contains(&Some(*call)));
    Verdict::Wrong(ErrorKind::NoMatch, left.filter_map(|call| cell(without, call)?.err()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::super::item::tests::item;
    use super::*;

    fn judged(category: &str, text: &str) -> Judged {
        let given = BorrowedValue::String(text.into());
        judge(&item(category), Reply { given: &given, native: false, underscores: false })
    }

    fn native(category: &str, json: &str) -> Verdict {
        let given = BorrowedValue::read_lenient(json).unwrap();
        judge(&item(category), Reply { given: &given, native: true, underscores: false }).verdict
    }

    #[test]
    fn the_best_matching_counts_and_not_the_first() {
        // The first wanted call accepts 1 and 2, and the second 2 alone: they are of different functions here, so that only
        // the order could be in the way.
        assert_eq!(judged("parallel", "g(a=2), f(a=2)").verdict, Verdict::Valid);
        assert_eq!(
            judged("parallel", "f(a=2), g(a=9)").verdict,
            Verdict::Wrong(ErrorKind::NoMatch, vec![ErrorKind::ValueOthers])
        );
        assert_eq!(judged("parallel", "f(a=2)").verdict, wrong(ErrorKind::ParallelCount));
    }

    #[test]
    fn a_greedy_choice_does_not_fail_a_set_that_fits() {
        let functions =
            r#"[{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}}]"#;
        let answers = r#"[{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}]"#;
        let read = |text| BorrowedValue::read_lenient(text).unwrap();
        let item = Item::read(super::super::super::Category::Parallel, &read(functions), Some(read(answers))).unwrap();
        let given = BorrowedValue::String("f(a=1), f(a=2)".into());
        let reply = Reply { given: &given, native: false, underscores: false };
        assert_eq!(judge(&item, reply).verdict, Verdict::Valid);
        assert!(!super::super::super::upstream::judge(&item, reply).is_valid());
    }

    #[test]
    fn what_was_taken_away_and_what_was_wrong_is_told() {
        let found = judged("simple_python", "Sure: [f(a=1)]");
        assert_eq!((found.verdict, found.wrappers), (wrong(ErrorKind::SimpleCount), vec![Wrapper::Prose]));
        let found = judged("parallel", "[f(1)]");
        assert_eq!(
            (found.verdict, found.fault.unwrap().to_string().as_str()),
            (wrong(ErrorKind::DecoderFailed), "an argument of `f` without a name")
        );
    }

    #[test]
    fn an_attempt_that_cannot_be_read_is_no_abstention() {
        assert_eq!(judged("irrelevance", "I cannot do that.").verdict, Verdict::Valid);
        assert_eq!(judged("irrelevance", "```\nf(1, 2\n```").verdict, wrong(ErrorKind::IrrelevanceAttempt));
        assert_eq!(judged("irrelevance", "[f(a=1)]").verdict, wrong(ErrorKind::IrrelevanceDecoded));
        assert_eq!(native("irrelevance", r#"[{"f": "{"}]"#), wrong(ErrorKind::IrrelevanceAttempt));
        assert_eq!(native("irrelevance", "\"I cannot\""), Verdict::Valid);
        assert_eq!(native("live_relevance", r#"[{"h": {}}]"#), Verdict::Valid);
        assert_eq!(native("live_relevance", "\"no\""), wrong(ErrorKind::RelevanceFailed));
    }

    #[test]
    fn an_item_that_no_call_fits_is_said_to_be_one() {
        let mut item = item("parallel");
        item.functions.clear();
        assert!(matches!(check_calls(&item, &[], false), Verdict::Unscorable(_)));
    }
}
