//! A prediction against its item.

use super::super::answer::{Accepted, Answer, Argument};
use super::super::category::{ErrorKind, Manner, Verdict};
use super::super::decode::{Call, DecodeFault, StrictText, Wrapper, decode_calls_strictly, decode_text_strictly};
use super::super::function::{Declared, Function, Word, find};
use super::super::item::{Item, Reply};
use super::super::upstream::is_name;
use super::types::{self, alike, is_accepted};
use crate::python::{Dict, PythonValue, get};
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

// Calls with wanted calls, as many as can be at once.

/// Finds a partner among `right` for every `left`, as far as there are any; `serves` says who may go with whom.
pub(super) fn matched(left: usize, right: usize, serves: &dyn Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut taken: Vec<Option<usize>> = vec![None; right];
    for at in 0..left {
        let mut tried = vec![false; right];
        find_partner(at, serves, &mut taken, &mut tried);
    }
    let mut found = vec![None; left];
    for (partner, at) in taken.iter().enumerate().filter_map(|(partner, at)| Some((partner, (*at)?))) {
        if let Some(place) = found.get_mut(at) {
            *place = Some(partner);
        }
    }
    found
}

/// Gives one a partner; whoever has it already looks for another.
fn find_partner(
    at: usize,
    serves: &dyn Fn(usize, usize) -> bool,
    taken: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for partner in 0..taken.len() {
        if tried.get(partner).copied().unwrap_or(true) || !serves(at, partner) {
            continue;
        }
        if let Some(tried) = tried.get_mut(partner) {
            *tried = true;
        }
        let holder = taken.get(partner).copied().flatten();
        if holder.is_none_or(|holder| find_partner(holder, serves, taken, tried)) {
            if let Some(place) = taken.get_mut(partner) {
                *place = Some(at);
            }
            return true;
        }
    }
    false
}

// One call against what is wanted.

/// Checks a call; the first thing that is wrong is told, in upstream's order.
pub fn check_call(function: &Function, call: &Call<'_>, answer: &Answer, underscores: bool) -> Result<(), ErrorKind> {
    if !is_name(&function.name, &call.name, underscores) {
        return Err(ErrorKind::FunctionName);
    }
    let given = call.arguments.as_dict().ok_or(ErrorKind::WrongOutputFormat)?;
    let is_given = |name: &str| is_given(given, name, find(&answer.arguments, name));
    if function.required.iter().flatten().any(|name| !is_given(name)) {
        return Err(ErrorKind::MissingRequired);
    }
    for (name, value) in given {
        let known = name.as_text().and_then(|name| Some((function.parameter(name)?, find(&answer.arguments, name)?)));
        let (declared, argument) = known.ok_or(ErrorKind::UnexpectedParameter)?;
        if !is_omission(value, argument) {
            check_value(value, declared, argument)?;
        }
    }
    let is_missing = |(name, argument): (&String, &Argument)| !is_given(name) && !argument.is_optional();
    if answer.arguments.iter().any(is_missing) { Err(ErrorKind::MissingOptional) } else { Ok(()) }
}

fn is_given(given: &Dict<'_>, name: &str, argument: Option<&Argument>) -> bool {
    get(given, name).is_some_and(|value| !argument.is_some_and(|argument| is_omission(value, argument)))
}

/// Whether a value says that the argument is left out, where it may be.
fn is_omission(value: &PythonValue<'_>, argument: &Argument) -> bool {
    let is_nothing = value.as_text() == Some("") || value.as_list().is_some_and(<[_]>::is_empty);
    is_nothing && argument.is_optional() && !argument.values().any(|accepted| alike(value, &accepted.value))
}

fn check_value(value: &PythonValue<'_>, declared: &Declared, argument: &Argument) -> Result<(), ErrorKind> {
    let first = argument.values().next().map(|accepted| accepted.value.kind());
    let fault = types::type_fault(value, declared);
    if let Some(fault) = fault {
        // What is accepted although it is declared otherwise, such as the name of a variable, is taken to the letter.
        let is_variable = first == Some(value.kind()) && fault == ErrorKind::TypeSimple;
        let is_same = |accepted: &Accepted| match (value.as_text(), accepted.value.as_text()) {
            (Some(given), Some(accepted)) => given == accepted,
            _ => alike(value, &accepted.value),
        };
        let is_right = argument.values().any(is_same);
        return if is_right { Ok(()) } else { Err(if is_variable { ErrorKind::ValueOthers } else { fault }) };
    }
    let mut last = wrong_value(declared.word);
    for accepted in argument.values() {
        match value_fault(value, declared, accepted) {
            None => return Ok(()),
            Some(fault) => last = fault,
        }
    }
    Err(last)
}

fn value_fault(value: &PythonValue<'_>, declared: &Declared, accepted: &Accepted) -> Option<ErrorKind> {
    let is_plain = declared.word == Word::Any;
    match (value, &accepted.value) {
        (PythonValue::Dict(given), PythonValue::Dict(accepted)) if !is_plain => types::dict_fault(given, accepted),
        (PythonValue::List(given), PythonValue::List(accepted)) if !is_plain && has_dicts(declared) => {
            types::list_fault(given, accepted)
        }
        (PythonValue::Tuple(list), accepted) if declared.word == Word::Tuple => {
            let list = PythonValue::List(list.clone());
            (!alike(&list, accepted)).then_some(ErrorKind::ValueList)
        }
        (value, _) => (!is_accepted(value, accepted)).then_some(wrong_value(declared.word)),
    }
}

fn has_dicts(declared: &Declared) -> bool {
    declared.items.as_ref().is_some_and(|items| matches!(items.word, Word::Dict | Word::Object))
}

fn wrong_value(word: Word) -> ErrorKind {
    match word {
        Word::Text => ErrorKind::ValueString,
        Word::Array | Word::Tuple => ErrorKind::ValueList,
        Word::Dict | Word::Object => ErrorKind::ValueDictValue,
        _ => ErrorKind::ValueOthers,
    }
}

// Texts that mean to call something, whether or not a call can be read out of them.

/// Marks that models are trained to write before a call.
const MARKS: [&str; 6] = ["<tool_call>", "<TOOLCALL>", "[TOOL_CALLS]", "<function=", "<|python_tag|>", "<|tool_call"];

/// Whether a text means to call an offered function: its name with an opening bracket behind it, JSON that names it, or a mark.
pub fn is_attempt(text: &str, functions: &[Function]) -> bool {
    MARKS.iter().any(|mark| text.contains(mark)) || functions.iter().any(|function| names(text, &function.name))
}

fn names(text: &str, name: &str) -> bool {
    let is_called = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + name.len()..).unwrap_or_default().trim_start_matches(' ');
            after.starts_with('(')
                && !before.is_some_and(|letter| letter == '_' || letter == '.' || letter.is_alphanumeric())
        })
    };
    let plain = name.replace('.', "_");
    !name.is_empty() && (is_called(name) || is_called(&plain) || is_named(text, name) || is_named(text, &plain))
}

/// Whether JSON with the name stands there.
fn is_named(text: &str, name: &str) -> bool {
    text.split("\"name\"").skip(1).any(|rest| {
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start).and_then(|rest| rest.strip_prefix('"'));
        value.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('"'))
    })
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

#[cfg(test)]
mod matching_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whoever_has_another_choice_makes_room() {
        let serves = |left: usize, right: usize| [[true, true], [true, false]][left][right];
        assert_eq!(matched(2, 2, &serves), [Some(1), Some(0)]);
        assert_eq!(matched(2, 1, &|_, _| true), [Some(0), None]);
        assert_eq!(matched(0, 3, &|_, _| true), []);
    }

    /// The most pairs, by trying everything.
    fn most(at: usize, edges: &[Vec<bool>], taken: &mut Vec<bool>) -> usize {
        let Some(row) = edges.get(at) else { return 0 };
        let mut best = most(at + 1, edges, taken);
        for partner in 0..row.len() {
            if row[partner] && !taken[partner] {
                taken[partner] = true;
                best = best.max(1 + most(at + 1, edges, taken));
                taken[partner] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_matching_has_more_pairs(edges in prop::collection::vec(prop::collection::vec(any::<bool>(), 4), 0..5)) {
            let found = matched(edges.len(), 4, &|left, right| edges[left][right]);
            let pairs: Vec<(usize, usize)> = found.iter().enumerate().filter_map(|(left, right)| Some((left, (*right)?))).collect();
            prop_assert!(pairs.iter().all(|(left, right)| edges[*left][*right]));
            prop_assert_eq!(pairs.len(), most(0, &edges, &mut vec![false; 4]));
        }
    }
}

#[cfg(test)]
mod call_tests {
    use super::super::super::answer::tests::answer;
    use super::super::super::decode::decode_text_strictly;
    use super::super::super::function::tests::function;
    use super::*;

    const PARAMETERS: &str = r#""properties": {"s": {"type": "string"}, "n": {"type": "float"}, "t": {"type": "tuple", "items": {"type": "float"}},
        "l": {"type": "array", "items": {"type": "dict"}}, "d": {"type": "dict"}, "o": {"type": "object"}, "a": {"type": "any"},
        "f": {"type": "array", "items": {"type": "float"}}}, "required": ["s"]"#;

    fn checked(text: &str, arguments: &str) -> Result<(), ErrorKind> {
        let found = decode_text_strictly(text).unwrap();
        check_call(&function(PARAMETERS), &found.calls[0], &answer(arguments), false)
    }

    #[test]
    fn the_first_fault_is_told_in_upstreams_order() {
        let wanted = r#"{"s": ["x"], "n": [1.5, ""], "a": [1]}"#;
        assert_eq!(checked("f(s='x')", wanted), Err(ErrorKind::FunctionName));
        assert_eq!(checked("a.f(q=1)", wanted), Err(ErrorKind::MissingRequired));
        assert_eq!(checked("a.f(s='y', q=1)", wanted), Err(ErrorKind::ValueString));
        assert_eq!(checked("a.f(q=1, s='x')", wanted), Err(ErrorKind::UnexpectedParameter));
        assert_eq!(checked("a.f(s='x', n='1')", wanted), Err(ErrorKind::TypeSimple));
        assert_eq!(checked("a.f(s='x')", wanted), Err(ErrorKind::MissingOptional));
        assert_eq!(checked("a.f(s='X', a=1.0)", wanted), Ok(()));
        assert_eq!(checked("a.f(s='X', a=True)", wanted), Err(ErrorKind::ValueOthers));
    }

    #[test]
    fn the_marker_means_nothing_but_that_an_argument_may_be_left_out() {
        let wanted = r#"{"s": ["x"], "f": [[1.5], ""]}"#;
        assert_eq!((checked("a.f(s='x', f=[])", wanted), checked("a.f(s='x', f='')", wanted)), (Ok(()), Ok(())));
        assert_eq!(checked("a.f(s=' - ')", r#"{"s": ["x", ""]}"#), Err(ErrorKind::ValueString));
        assert_eq!(checked("a.f(s='')", r#"{"s": ["x", ""]}"#), Err(ErrorKind::MissingRequired));
    }

    #[test]
    fn types_count_at_every_depth() {
        let wanted = r#"{"s": ["x"], "f": [[1.0, 2.0], ""], "t": [[1.0], ""], "d": [{"k": [1]}, ""], "l": [[{"k": ["A"]}], ""]}"#;
        assert_eq!(checked("a.f(s='x', f=[1, 2.0], t=(1,), d={'k': 1.0}, l=[{'k': 'a'}])", wanted), Ok(()));
        assert_eq!(checked("a.f(s='x', f=[True, 2.0])", wanted), Err(ErrorKind::TypeNested));
        assert_eq!(checked("a.f(s='x', d={'k': True})", wanted), Err(ErrorKind::ValueDictValue));
        assert_eq!(checked("a.f(s='x', f=[2, 1])", wanted), Err(ErrorKind::ValueList));
    }

    #[test]
    fn a_value_of_another_type_may_be_accepted_to_the_letter() {
        assert_eq!(checked("a.f(s='x', n='var')", r#"{"s": ["x"], "n": ["var"]}"#), Ok(()));
        assert_eq!(checked("a.f(s='x', n='Var')", r#"{"s": ["x"], "n": ["var"]}"#), Err(ErrorKind::ValueOthers));
        assert_eq!(checked("a.f(s='x', o={'k': 1})", r#"{"s": ["x"], "o": [{"k": [1]}]}"#), Ok(()));
        assert_eq!(checked("a.f(s='x', n=None)", r#"{"s": ["x"], "n": [null]}"#), Ok(()));
    }
}

#[cfg(test)]
mod attempt_tests {
    use super::*;

    fn attempts(text: &str) -> bool {
        let function = Function { name: "geo.area".to_owned(), parameters: None, required: None };
        is_attempt(text, &[function])
    }

    #[test]
    fn a_name_with_a_bracket_json_with_the_name_and_marks_are_attempts() {
        for text in [
            "```python\ngeo.area(x)\n```",
            "geo.area (1",
            "I call geo_area(5).",
            "{\"name\" : \"geo.area\", \"arguments\": {}}",
            "<tool_call>{}</tool_call>",
            "[TOOL_CALLS] x",
            "say <TOOLCALL>",
        ] {
            assert!(attempts(text), "{text}");
        }
    }

    #[test]
    fn plain_talk_is_none() {
        for text in [
            "",
            "I cannot use geo.area for that.",
            "my_geo.area(x)",
            "x.geo.area(x)",
            "{\"name\": \"geo.areas\"}",
            "{\"name\": 5}",
            "area(5)",
        ] {
            assert!(!attempts(text), "{text}");
        }
        assert!(!is_attempt("(", &[Function { name: String::new(), parameters: None, required: None }]));
    }
}
