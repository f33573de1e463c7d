//! A prediction against its item.

use super::super::answer::{Answer, Argument};
use super::super::category::{Crash, ErrorKind, Fault, Manner, Verdict};
use super::super::decode::{Call, decode_calls, decode_text, is_well_formed};
use super::super::function::{Declared, Function, Word, find};
use super::super::item::{Item, Reply};
use super::values;
use crate::python::{PythonValue, Type, get};
use std::borrow::Cow;

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

// One call against what is wanted.

/// Checks a call; the first thing that is wrong is told. `underscores` puts an underscore for every dot of the function's
/// name, which is how some servers have to be asked.
pub fn check_call(function: &Function, call: &Call<'_>, answer: &Answer, underscores: bool) -> Result<(), Fault> {
    let parameters = function.parameters.as_ref().ok_or(Fault::Crash(Crash::Key))?;
    let required = function.required.as_ref().ok_or(Fault::Crash(Crash::Key))?;
    if !is_name(&function.name, &call.name, underscores) {
        return Err(ErrorKind::FunctionName.into());
    }
    let given = call.arguments.as_dict().ok_or(Fault::Crash(Crash::Attribute))?;
    if required.iter().any(|name| get(given, name).is_none()) {
        return Err(ErrorKind::MissingRequired.into());
    }
    for (name, value) in given {
        let known = name.as_text().and_then(|name| Some((find(parameters, name)?, find(&answer.arguments, name)?)));
        let (declared, argument) = known.ok_or(ErrorKind::UnexpectedParameter)?;
        check_value(value, declared, argument)?;
    }
    let is_missing = |(name, argument): (&String, &Argument)| get(given, name).is_none() && !argument.is_optional();
    values::passes(!answer.arguments.iter().any(is_missing), ErrorKind::MissingOptional)
}

/// Whether a call's name is the function's.
pub(in crate::bfcl::metric) fn is_name(function: &str, call: &str, underscores: bool) -> bool {
    let bytes = function.bytes().map(|byte| if underscores && byte == b'.' { b'_' } else { byte });
    bytes.eq(call.bytes())
}

fn check_value(value: &PythonValue<'_>, declared: &Declared, argument: &Argument) -> Result<(), Fault> {
    let wanted = declared.word.upstream().ok_or(Fault::Crash(Crash::Key))?;
    let items = declared.word.has_items().then(|| items(declared)).transpose()?;
    if !argument.is_list {
        return Err(Fault::Crash(Crash::Type));
    }
    let value = converted(value, declared.word)?;
    let accepted = &argument.accepted;
    if values::check_type(&value, accepted, wanted, items)? {
        return values::others(&value, accepted);
    }
    match (&*value, wanted) {
        (PythonValue::Dict(entries), Type::Dict) => values::check_dict(entries, accepted),
        (PythonValue::List(list), Type::List) if items == Some(Type::Dict) => values::check_list(list, accepted),
        (PythonValue::Text(text), Type::Text) => values::text(text, accepted),
        (PythonValue::List(list), Type::List) => values::list(list, accepted),
        (value, _) => values::others(value, accepted),
    }
}

fn items(declared: &Declared) -> Result<Type, Fault> {
    declared.items.as_ref().and_then(|items| items.word.upstream()).ok_or(Fault::Crash(Crash::Key))
}

/// A tuple is a list where a tuple is wanted, and a whole number a double where a double is.
fn converted<'v, 't>(value: &'v PythonValue<'t>, word: Word) -> Result<Cow<'v, PythonValue<'t>>, Fault> {
    Ok(match (value, word) {
        (PythonValue::Tuple(list), Word::Tuple) => Cow::Owned(PythonValue::List(list.clone())),
        (PythonValue::Int(number), Word::Float) => {
            #[expect(clippy::cast_precision_loss, reason = "Python rounds to the nearest double as well")]
            let number = *number as f64;
            Cow::Owned(PythonValue::Float(number))
        }
        (PythonValue::Big(digits), Word::Float) => {
            let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
            Cow::Owned(PythonValue::Float(number.ok_or(Fault::Crash(Crash::Overflow))?))
        }
        _ => Cow::Borrowed(value),
    })
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

#[cfg(test)]
mod call_tests {
    use super::super::super::answer::tests::answer;
    use super::super::super::decode::decode_text;
    use super::super::super::function::tests::function;
    use super::*;

    const PARAMETERS: &str = r#""properties": {"s": {"type": "string"}, "n": {"type": "float"}, "t": {"type": "tuple", "items": {"type": "integer"}},
        "l": {"type": "array", "items": {"type": "dict"}}, "d": {"type": "dict"}, "o": {"type": "object"}, "a": {"type": "any"}}, "required": ["s"]"#;

    fn checked(text: &str, arguments: &str) -> Result<(), Fault> {
        let calls = decode_text(text).unwrap();
        check_call(&function(PARAMETERS), &calls[0], &answer(arguments), false)
    }

    fn wrong(kind: ErrorKind) -> Result<(), Fault> {
        Err(kind.into())
    }

    #[test]
    fn the_first_fault_is_told_in_upstreams_order() {
        let wanted = r#"{"s": ["x"], "n": [1.5, ""], "a": [1]}"#;
        assert_eq!(checked("f(s='x')", wanted), wrong(ErrorKind::FunctionName));
        assert_eq!(checked("a.f(q=1)", wanted), wrong(ErrorKind::MissingRequired));
        assert_eq!(checked("a.f(q=1, s='y')", wanted), wrong(ErrorKind::UnexpectedParameter));
        assert_eq!(checked("a.f(s='y', q=1)", wanted), wrong(ErrorKind::ValueString));
        assert_eq!(checked("a.f(s='x', d={})", wanted), wrong(ErrorKind::UnexpectedParameter));
        assert_eq!(checked("a.f(s='x', **d)", wanted), wrong(ErrorKind::UnexpectedParameter));
        assert_eq!(checked("a.f(s='x', n='1')", wanted), wrong(ErrorKind::TypeSimple));
        assert_eq!(checked("a.f(s='x')", wanted), wrong(ErrorKind::MissingOptional));
        assert_eq!(checked("a.f(s='X', a=1)", wanted), Ok(()));
    }

    #[test]
    fn tuples_and_whole_numbers_are_converted_where_they_are_wanted() {
        assert_eq!(checked("a.f(s='x', t=(1, 2), n=2)", r#"{"s": ["x"], "t": [[1, 2]], "n": [2.0]}"#), Ok(()));
        assert_eq!(checked("a.f(s='x', n=99999999999999999999)", r#"{"s": ["x"], "n": [1e20]}"#), Ok(()));
        let digits = "9".repeat(400);
        assert_eq!(
            checked(&format!("a.f(s='x', n={digits})"), r#"{"s": ["x"], "n": [1e20]}"#),
            Err(Fault::Crash(Crash::Overflow))
        );
    }

    #[test]
    fn dictionaries_and_lists_of_them_have_rules_of_their_own() {
        assert_eq!(
            checked(
                "a.f(s='x', l=[{'k': 1}], d={'k': 'A'})",
                r#"{"s": ["x"], "l": [[{"k": [1]}]], "d": [{"k": ["a"]}]}"#
            ),
            Ok(())
        );
        assert_eq!(checked("a.f(s='x', d=5)", r#"{"s": ["x"], "d": [5]}"#), Ok(()));
        assert_eq!(checked("a.f(s='x', o=5)", r#"{"s": ["x"], "o": [5]}"#), Err(Fault::Crash(Crash::Key)));
        assert_eq!(checked("a.f(s='x')", r#"{"s": "x"}"#), Err(Fault::Crash(Crash::Type)));
    }

    #[test]
    fn dots_may_be_underscores() {
        assert!(is_name("a.b_c", "a_b_c", true) && !is_name("a.b", "a_b", false) && !is_name("a.b", "a.b", true));
        assert!(is_name("a.b", "a.b", false) && !is_name("a.b", "a.bc", false));
    }
}
