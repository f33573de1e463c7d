//! Whether a value is among those that are accepted.

use super::super::answer::Accepted;
use super::super::equal::equals;
use super::super::kind::{Crash, ErrorKind, Fault};
use super::super::normal::{is_normal, normal};
use super::super::value::PythonValue;

/// By Python's equality, to the letter.
pub(super) fn others(value: &PythonValue<'_>, accepted: &[Accepted]) -> Result<(), Fault> {
    passes(accepted.iter().any(|it| equals(value, &it.value)), ErrorKind::ValueOthers)
}

/// A string, whatever its spelling. The marker is a string too.
pub(super) fn text(value: &str, accepted: &[Accepted]) -> Result<(), Fault> {
    let is_same = |it: &Accepted| {
        it.value.as_text() == Some(value) || it.normal.as_deref().is_some_and(|normal| is_normal(value, normal))
    };
    passes(accepted.iter().any(is_same), ErrorKind::ValueString)
}

/// A list, its strings whatever their spelling, those within its elements to the letter.
pub(super) fn list(value: &[PythonValue<'_>], accepted: &[Accepted]) -> Result<(), Fault> {
    for it in accepted {
        let is_same = match &it.value {
            PythonValue::List(list) => is_same_list(value, list, &it.elements),
            // Upstream takes a string for the list of its letters, and the marker for an empty list.
            PythonValue::Text(text) => is_same_letters(value, text),
            PythonValue::Dict(entries) if entries.is_empty() => value.is_empty(),
            PythonValue::Dict(_) => return Err(Fault::Crash(Crash::Key)),
            _ => return Err(Fault::Crash(Crash::Type)),
        };
        if is_same {
            return after(accepted, it);
        }
    }
    Err(ErrorKind::ValueList.into())
}

/// Upstream looks at all accepted values before it compares any.
fn after(accepted: &[Accepted], found: &Accepted) -> Result<(), Fault> {
    let rest = accepted.iter().skip_while(|it| !std::ptr::eq(*it, found));
    for it in rest {
        match &it.value {
            PythonValue::List(_) | PythonValue::Text(_) => {}
            PythonValue::Dict(entries) if entries.is_empty() => {}
            PythonValue::Dict(_) => return Err(Fault::Crash(Crash::Key)),
            _ => return Err(Fault::Crash(Crash::Type)),
        }
    }
    Ok(())
}

fn is_same_list(value: &[PythonValue<'_>], accepted: &[PythonValue<'_>], normals: &[Option<String>]) -> bool {
    let is_same =
        |((one, other), normal): ((&PythonValue<'_>, &PythonValue<'_>), &Option<String>)| match (one.as_text(), normal)
        {
            (Some(text), Some(normal)) => is_normal(text, normal),
            _ => equals(one, other),
        };
    value.len() == accepted.len() && value.iter().zip(accepted).zip(normals).all(is_same)
}

fn is_same_letters(value: &[PythonValue<'_>], accepted: &str) -> bool {
    let letters = accepted.chars().map(|letter| normal(&letter.to_string()));
    let texts: Option<Vec<String>> = value.iter().map(|it| it.as_text().map(normal)).collect();
    texts.is_some_and(|texts| letters.eq(texts))
}

pub(super) fn passes(is_right: bool, kind: ErrorKind) -> Result<(), Fault> {
    if is_right { Ok(()) } else { Err(kind.into()) }
}

#[cfg(test)]
mod tests {
    use super::super::super::value::tests::json;
    use super::*;

    fn accepted(text: &str) -> Vec<Accepted> {
        json(text).as_list().unwrap().iter().map(|it| Accepted::new(it.clone().into_owned())).collect()
    }

    fn lists(value: &str, of: &str) -> Result<(), Fault> {
        list(json(value).as_list().unwrap(), &accepted(of))
    }

    #[test]
    fn strings_are_compared_by_what_is_left_of_them() {
        assert_eq!(text("new-york", &accepted("[5, \"New York\"]")), Ok(()));
        assert_eq!(text(" - ", &accepted("[\"x\", \"\"]")), Ok(()));
        assert_eq!(text("y", &accepted("[\"x\", \"\"]")), Err(ErrorKind::ValueString.into()));
    }

    #[test]
    fn lists_are_compared_in_order_and_deeper_strings_to_the_letter() {
        assert_eq!(lists("[\"A b\", 1]", "[[\"ab\", 1.0]]"), Ok(()));
        assert_eq!(lists("[[\"A\"]]", "[[[\"a\"]]]"), Err(ErrorKind::ValueList.into()));
        assert_eq!(lists("[1, 2]", "[[2, 1]]"), Err(ErrorKind::ValueList.into()));
        assert_eq!(lists("[]", "[[1], \"\"]"), Ok(()));
        assert_eq!(lists("[\"A\", \"b\"]", "[\"ab\"]"), Ok(()));
    }

    #[test]
    fn upstream_breaks_off_at_what_has_no_elements() {
        assert_eq!(lists("[1]", "[5]"), Err(Fault::Crash(Crash::Type)));
        assert_eq!(lists("[1]", "[[1], 5]"), Err(Fault::Crash(Crash::Type)));
        assert_eq!(lists("[1]", "[{\"a\": 1}]"), Err(Fault::Crash(Crash::Key)));
        assert_eq!(lists("[1]", "[[1], {}]"), Ok(()));
    }

    #[test]
    fn everything_else_is_equal_to_the_letter() {
        assert_eq!(others(&json("1"), &accepted("[true]")), Ok(()));
        assert_eq!(others(&json("\"A\""), &accepted("[\"a\"]")), Err(ErrorKind::ValueOthers.into()));
        assert_eq!(others(&json("NaN"), &accepted("[NaN]")), Err(ErrorKind::ValueOthers.into()));
    }
}
