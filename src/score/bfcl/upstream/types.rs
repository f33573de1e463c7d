//! Whether a value has the type that is wanted.

use super::super::answer::Accepted;
use super::super::kind::{ErrorKind, Fault};
use super::super::value::{PythonValue, Type};

/// Checks a value's type. Says whether the value is a variable: one that is accepted although the description wants another
/// type.
pub(super) fn check(
    value: &PythonValue<'_>,
    accepted: &[Accepted],
    wanted: Type,
    items: Option<Type>,
) -> Result<bool, Fault> {
    let answers = first(accepted.iter().map(|it| &it.value));
    let is_variable = answers.is_some_and(|kind| kind != wanted);
    let kind = value.kind();
    if kind == wanted {
        let Some(items) = items else { return Ok(is_variable) };
        if accepted.iter().any(|it| elements_fit(value, &it.value, items)) {
            return Ok(is_variable);
        }
        // What is of the answers' type keeps the error of its elements.
        let is_nested = answers == Some(kind);
        return Err(if is_nested { ErrorKind::TypeNested } else { ErrorKind::TypeSimple }.into());
    }
    if answers == Some(kind) { Ok(true) } else { Err(ErrorKind::TypeSimple.into()) }
}

/// The type of the first value that is no marker.
fn first<'v>(mut values: impl Iterator<Item = &'v PythonValue<'static>>) -> Option<Type> {
    values.find(|value| value.as_text() != Some("")).map(PythonValue::kind)
}

/// An accepted value that is no list is not looked at, and passes.
fn elements_fit(value: &PythonValue<'_>, accepted: &PythonValue<'static>, items: Type) -> bool {
    let Some(accepted) = accepted.as_list() else { return true };
    let answers = first(accepted.iter());
    let fits = |element: &PythonValue<'_>| element.kind() == items || answers == Some(element.kind());
    value.as_list().is_some_and(|list| list.iter().all(fits))
}

#[cfg(test)]
mod tests {
    use super::super::super::value::tests::json;
    use super::*;

    fn checked(value: &str, accepted: &str, wanted: Type, items: Option<Type>) -> Result<bool, Fault> {
        let accepted: Vec<Accepted> =
            json(accepted).as_list().unwrap().iter().map(|it| Accepted::new(it.clone().into_owned())).collect();
        check(&json(value), &accepted, wanted, items)
    }

    #[test]
    fn a_value_of_another_type_is_a_variable_if_the_answer_is_one_too() {
        assert_eq!(checked("5", "[5]", Type::Int, None), Ok(false));
        assert_eq!(checked("\"x\"", "[\"\", \"x\"]", Type::Int, None), Ok(true));
        assert_eq!(checked("5", "[\"x\"]", Type::Int, None), Ok(true));
        assert_eq!(checked("true", "[5]", Type::Int, None), Err(ErrorKind::TypeSimple.into()));
        assert_eq!(checked("null", "[null]", Type::Int, None), Ok(true));
        assert_eq!(checked("null", "[\"\"]", Type::Int, None), Err(ErrorKind::TypeSimple.into()));
    }

    #[test]
    fn elements_are_checked_one_level_deep_against_some_accepted_list() {
        let list = |value: &str, accepted: &str| checked(value, accepted, Type::List, Some(Type::Float));
        assert_eq!(list("[1.5]", "[[1.5]]"), Ok(false));
        assert_eq!(list("[1]", "[[1.5]]"), Err(ErrorKind::TypeNested.into()));
        assert_eq!(list("[1]", "[[1, 2.5]]"), Ok(false));
        assert_eq!(list("[1]", "[[1.5], \"\"]"), Ok(false));
        assert_eq!(list("[null]", "[[null]]"), Ok(false));
        assert_eq!(list("[]", "[]"), Err(ErrorKind::TypeSimple.into()));
        assert_eq!(list("[\"x\"]", "[5]"), Ok(true));
    }
}
