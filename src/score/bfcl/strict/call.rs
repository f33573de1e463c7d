//! One call against what is wanted.

use super::super::answer::{Accepted, Answer, Argument};
use super::super::decode::Call;
use super::super::function::{Declared, Function, Word, find};
use super::super::kind::ErrorKind;
use super::super::upstream::is_name;
use super::super::value::{Dict, PythonValue, get};
use super::alike::{alike, is_accepted};
use super::{dict, types};

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
    let fault = types::fault(value, declared);
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
    let mut last = wrong(declared.word);
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
        (PythonValue::Dict(given), PythonValue::Dict(accepted)) if !is_plain => dict::fault(given, accepted),
        (PythonValue::List(given), PythonValue::List(accepted)) if !is_plain && has_dicts(declared) => {
            dict::list_fault(given, accepted)
        }
        (PythonValue::Tuple(list), accepted) if declared.word == Word::Tuple => {
            let list = PythonValue::List(list.clone());
            (!alike(&list, accepted)).then_some(ErrorKind::ValueList)
        }
        (value, _) => (!is_accepted(value, accepted)).then_some(wrong(declared.word)),
    }
}

fn has_dicts(declared: &Declared) -> bool {
    declared.items.as_ref().is_some_and(|items| matches!(items.word, Word::Dict | Word::Object))
}

fn wrong(word: Word) -> ErrorKind {
    match word {
        Word::Text => ErrorKind::ValueString,
        Word::Array | Word::Tuple => ErrorKind::ValueList,
        Word::Dict | Word::Object => ErrorKind::ValueDictValue,
        _ => ErrorKind::ValueOthers,
    }
}

#[cfg(test)]
mod tests {
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
