//! Whether a value has the declared type, at every depth.

use super::super::function::{Declared, Word};
use super::super::kind::ErrorKind;
use super::super::value::{PythonValue, Type};

/// Whether a value has the declared type, at every depth.
pub fn has_type(value: &PythonValue<'_>, declared: &Declared) -> bool {
    fault(value, declared).is_none()
}

/// What is wrong with a value's type, if anything.
pub(super) fn fault(value: &PythonValue<'_>, declared: &Declared) -> Option<ErrorKind> {
    if !fits(value, declared.word) {
        return Some(ErrorKind::TypeSimple);
    }
    let (PythonValue::List(list) | PythonValue::Tuple(list)) = value else { return None };
    let items = declared.items.as_deref().filter(|_| declared.word.has_items())?;
    list.iter().any(|element| fault(element, items).is_some()).then_some(ErrorKind::TypeNested)
}

/// A whole number serves where any number does; what is declared by no known word may be anything.
fn fits(value: &PythonValue<'_>, word: Word) -> bool {
    let kind = value.kind();
    match word {
        Word::Text => kind == Type::Text,
        Word::Int => kind == Type::Int,
        Word::Float | Word::Number => matches!(kind, Type::Int | Type::Float),
        Word::Bool => kind == Type::Bool,
        Word::Array => kind == Type::List,
        Word::Tuple => matches!(kind, Type::List | Type::Tuple),
        Word::Dict | Word::Object => kind == Type::Dict,
        Word::Any | Word::Unknown => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::function::tests::function;
    use super::super::super::value::tests::json;
    use super::*;

    fn of(value: &str, declared: &str) -> Option<ErrorKind> {
        let function = function(&format!(r#""properties": {{"a": {declared}}}"#));
        fault(&json(value), function.parameter("a").unwrap())
    }

    #[test]
    fn whole_numbers_serve_for_doubles_at_every_depth() {
        let floats = r#"{"type": "array", "items": {"type": "array", "items": {"type": "float"}}}"#;
        assert_eq!(of("[[1, 2.5]]", floats), None);
        assert_eq!(of("[[true]]", floats), Some(ErrorKind::TypeNested));
        assert_eq!(of("5.0", r#"{"type": "integer"}"#), Some(ErrorKind::TypeSimple));
        assert_eq!(of("5", r#"{"type": "number"}"#), None);
    }

    #[test]
    fn truths_are_no_numbers_and_anything_is_anything() {
        assert_eq!(of("true", r#"{"type": "integer"}"#), Some(ErrorKind::TypeSimple));
        assert_eq!(
            (of("true", r#"{"type": "any"}"#), of("[1]", "{}"), of("{}", r#"{"type": "object"}"#)),
            (None, None, None)
        );
        let tuple = PythonValue::Tuple(vec![PythonValue::Int(1)]);
        let declared = |word| Declared { word, items: None };
        assert_eq!(fault(&tuple, &declared(Word::Tuple)), None);
        assert_eq!(fault(&tuple, &declared(Word::Array)), Some(ErrorKind::TypeSimple));
    }
}
