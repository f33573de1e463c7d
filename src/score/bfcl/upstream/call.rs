//! One call against what is wanted.

use super::super::answer::{Answer, Argument};
use super::super::decode::Call;
use super::super::function::{Declared, Function, Word, find};
use super::super::kind::{Crash, ErrorKind, Fault};
use super::super::value::{PythonValue, Type, get};
use super::{dict, types, values};
use std::borrow::Cow;

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
pub(in crate::score::bfcl) fn is_name(function: &str, call: &str, underscores: bool) -> bool {
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
    if types::check(&value, accepted, wanted, items)? {
        return values::others(&value, accepted);
    }
    match (&*value, wanted) {
        (PythonValue::Dict(entries), Type::Dict) => dict::check(entries, accepted),
        (PythonValue::List(list), Type::List) if items == Some(Type::Dict) => dict::check_list(list, accepted),
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
