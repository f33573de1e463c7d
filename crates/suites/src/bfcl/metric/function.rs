//! What functions are offered: their parameters, and which of them are required.

use crate::python::Type;
use crate::record::{BorrowedObject, BorrowedValue};
use indexmap::IndexMap;

/// A word for a type, of BFCL's or of JSON Schema's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// `string`
    Text,
    /// `integer`
    Int,
    /// `float`
    Float,
    /// `boolean`
    Bool,
    /// `array`
    Array,
    /// `tuple`
    Tuple,
    /// `dict`
    Dict,
    /// `any`
    Any,
    /// JSON Schema's `number`, which upstream does not know.
    Number,
    /// JSON Schema's `object`, which upstream does not know.
    Object,
    /// Anything else, or nothing.
    Unknown,
}

impl Word {
    fn of(word: Option<&str>) -> Self {
        match word {
            Some("string") => Self::Text,
            Some("integer") => Self::Int,
            Some("float") => Self::Float,
            Some("boolean") => Self::Bool,
            Some("array") => Self::Array,
            Some("tuple") => Self::Tuple,
            Some("dict") => Self::Dict,
            Some("any") => Self::Any,
            Some("number") => Self::Number,
            Some("object") => Self::Object,
            _ => Self::Unknown,
        }
    }

    /// The type of Python's that upstream takes it for, if it knows the word.
    pub fn upstream(self) -> Option<Type> {
        match self {
            Self::Text | Self::Any => Some(Type::Text),
            Self::Int => Some(Type::Int),
            Self::Float => Some(Type::Float),
            Self::Bool => Some(Type::Bool),
            Self::Array | Self::Tuple => Some(Type::List),
            Self::Dict => Some(Type::Dict),
            Self::Number | Self::Object | Self::Unknown => None,
        }
    }

    /// Whether its elements have a type of their own.
    pub fn has_items(self) -> bool {
        matches!(self, Self::Array | Self::Tuple)
    }
}

/// What is said of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Its type.
    pub word: Word,
    /// What is said of its elements.
    pub items: Option<Box<Self>>,
}

impl Declared {
    fn read(value: &BorrowedValue<'_>) -> Self {
        let field = |name: &str| value.as_object().and_then(|object| object.get(name));
        let word = Word::of(field("type").and_then(BorrowedValue::as_str));
        Self { word, items: field("items").map(|items| Box::new(Self::read(items))) }
    }
}

/// A function that is offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters; none where the description says nothing of them, at which upstream breaks off.
    pub parameters: Option<IndexMap<String, Declared>>,
    /// Those that a call must have, likewise.
    pub required: Option<Vec<String>>,
}

impl Function {
    /// Reads a function's description. One without a name is none.
    pub fn read(value: &BorrowedValue<'_>) -> Option<Self> {
        let object = value.as_object()?;
        let name = object.get("name")?.as_str()?.to_owned();
        let parameters = object.get("parameters").and_then(BorrowedValue::as_object);
        let properties = parameters.and_then(|it| it.get("properties")).and_then(BorrowedValue::as_object);
        Some(Self { name, parameters: properties.map(declared), required: parameters.and_then(required) })
    }

    /// Reads one description, or a list of them.
    pub fn read_all(value: &BorrowedValue<'_>) -> Option<Vec<Self>> {
        match value {
            BorrowedValue::List(list) => list.iter().map(Self::read).collect(),
            only => Some(vec![Self::read(only)?]),
        }
    }

    /// What is said of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&Declared> {
        self.parameters.as_ref().and_then(|parameters| find(parameters, name))
    }

    /// Whether a call must have a parameter.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().flatten().any(|required| required == name)
    }
}

/// The entry of a name. Parameters are few, and comparing a few names takes less time than hashing one.
pub(super) fn find<'m, T>(map: &'m IndexMap<String, T>, name: &str) -> Option<&'m T> {
    const FEW: usize = 12;
    if map.len() > FEW {
        return map.get(name);
    }
    map.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| value)
}

fn declared(properties: &BorrowedObject<'_>) -> IndexMap<String, Declared> {
    properties.iter().map(|(name, value)| (name.to_owned(), Declared::read(value))).collect()
}

fn required(parameters: &BorrowedObject<'_>) -> Option<Vec<String>> {
    let BorrowedValue::List(list) = parameters.get("required")? else { return None };
    list.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::bfcl::metric) fn function(parameters: &str) -> Function {
        let text = format!(r#"{{"name": "a.f", "parameters": {{"type": "dict", {parameters}}}}}"#);
        Function::read(&BorrowedValue::read_lenient(&text).unwrap()).unwrap()
    }

    #[test]
    fn a_description_says_types_elements_and_what_is_required() {
        let function = function(
            r#""properties": {"a": {"type": "array", "items": {"type": "dict"}}, "b": {"type": "number"}, "c": {}}, "required": ["a"]"#,
        );
        let list = function.parameter("a").unwrap();
        assert_eq!((list.word, list.items.as_ref().unwrap().word), (Word::Array, Word::Dict));
        assert_eq!(function.parameter("b").unwrap().word.upstream(), None);
        assert_eq!(function.parameter("c").unwrap().word, Word::Unknown);
        assert!(function.requires("a") && !function.requires("b") && function.parameter("d").is_none());
    }

    #[test]
    fn one_description_may_stand_for_a_list() {
        let read = |text: &str| Function::read_all(&BorrowedValue::read_lenient(text).unwrap()).map(|all| all.len());
        assert_eq!(read(r#"{"name": "f"}"#), Some(1));
        assert_eq!(read(r#"[{"name": "f"}, {"name": "g", "parameters": {}}]"#), Some(2));
        assert_eq!((read("[{}]"), read("5"), read(r#"{"name": 5}"#)), (None, None, None));
    }

    #[test]
    fn every_word_of_upstreams_has_a_type() {
        for (word, kind) in [
            ("string", Type::Text),
            ("integer", Type::Int),
            ("float", Type::Float),
            ("boolean", Type::Bool),
            ("array", Type::List),
            ("tuple", Type::List),
            ("dict", Type::Dict),
            ("any", Type::Text),
        ] {
            assert_eq!(Word::of(Some(word)).upstream(), Some(kind));
        }
        assert!(Word::of(Some("tuple")).has_items() && !Word::of(None).has_items());
    }
}
