//! What is accepted as an answer: for each argument of a call a list of values, of which `""` means that it may be left out.

use crate::python::{PythonValue, normal};
use crate::record::BorrowedValue;
use indexmap::IndexMap;

/// A value that is accepted, and what is left of its strings when spelling does not count.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The value.
    pub value: PythonValue<'static>,
    /// What is left of it, if it is a string.
    pub normal: Option<String>,
    /// What is left of its elements, if it is a list: of each that is a string.
    pub elements: Vec<Option<String>>,
}

impl Accepted {
    /// Takes a value.
    pub fn new(value: PythonValue<'static>) -> Self {
        let text = |value: &PythonValue<'_>| value.as_text().map(normal);
        let elements = value.as_list().map(|list| list.iter().map(text).collect()).unwrap_or_default();
        Self { normal: text(&value), elements, value }
    }

    /// Whether it says that the argument may be left out.
    pub fn is_marker(&self) -> bool {
        self.value.as_text() == Some("")
    }
}

/// What is accepted for an argument.
#[derive(Debug, Clone)]
pub struct Argument {
    /// The accepted values.
    pub accepted: Vec<Accepted>,
    /// Whether they were given as a list at all; upstream breaks off where they were not.
    pub is_list: bool,
}

impl Argument {
    /// Takes a list of values, or one value for a list of one.
    pub fn new(value: PythonValue<'static>) -> Self {
        match value {
            PythonValue::List(list) => Self { accepted: list.into_iter().map(Accepted::new).collect(), is_list: true },
            only => Self { accepted: vec![Accepted::new(only)], is_list: false },
        }
    }

    /// Whether it may be left out.
    pub fn is_optional(&self) -> bool {
        self.accepted.iter().any(Accepted::is_marker)
    }

    /// The accepted values but for the marker.
    pub fn values(&self) -> impl Iterator<Item = &Accepted> {
        self.accepted.iter().filter(|accepted| !accepted.is_marker())
    }
}

/// A call that is wanted.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The function.
    pub name: String,
    /// What is accepted for each argument.
    pub arguments: IndexMap<String, Argument>,
}

impl Answer {
    /// Reads an object of one function with its arguments.
    pub fn read(value: BorrowedValue<'_>) -> Option<Self> {
        let (name, arguments) = value.into_object().filter(|object| object.len() == 1)?.into_entries().next()?;
        let entries = arguments.into_object()?.into_entries();
        let read = |(name, value): (std::borrow::Cow<'_, str>, BorrowedValue<'_>)| {
            (name.into_owned(), Argument::new(PythonValue::from(value).into_owned()))
        };
        Some(Self { name: name.into_owned(), arguments: entries.map(read).collect() })
    }

    /// Reads a list of answers, or one in place of a list.
    pub fn read_all(value: BorrowedValue<'_>) -> Option<Vec<Self>> {
        match value {
            BorrowedValue::List(list) => list.into_iter().map(Self::read).collect(),
            only => Some(vec![Self::read(only)?]),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use fcgen_core::fixtures::json;

    pub(in crate::bfcl::metric) fn answer(arguments: &str) -> Answer {
        let text = format!(r#"{{"a.f": {arguments}}}"#);
        Answer::read(BorrowedValue::read_lenient(&text).unwrap()).unwrap()
    }

    #[test]
    fn values_the_marker_and_what_is_left_of_strings_are_told_apart() {
        let answer = answer(r#"{"a": ["New York", ""], "b": [["A b", 1]], "c": 5}"#);
        let a = &answer.arguments["a"];
        assert!(a.is_optional() && a.is_list && a.values().count() == 1);
        assert_eq!(a.accepted[0].normal.as_deref(), Some("newyork"));
        assert_eq!(answer.arguments["b"].accepted[0].elements, [Some("ab".to_owned()), None]);
        assert!(!answer.arguments["c"].is_list && !answer.arguments["c"].is_optional());
        assert_eq!(answer.arguments["c"].accepted[0].value, json("5"));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let read = |text: &str| Answer::read_all(BorrowedValue::read_lenient(text).unwrap()).map(|all| all.len());
        assert_eq!(
            (read(r#"{"f": {}}"#), read(r#"[{"f": {}}, {"g": {"a": [1]}}]"#), read("[]")),
            (Some(1), Some(2), Some(0))
        );
        for text in [r#"{"f": {}, "g": {}}"#, "{}", r#"{"f": []}"#, "5", "[5]"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
