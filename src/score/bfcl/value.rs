//! What a call's argument is in Python, which is more than JSON can hold.

use crate::record::BorrowedValue;
use std::borrow::Cow;

/// Entries of a dictionary in their order, without two equal keys.
pub type Dict<'t> = Vec<(PythonValue<'t>, PythonValue<'t>)>;

/// A value of Python's: whole numbers and doubles, lists and tuples are different things.
#[derive(Debug, Clone, PartialEq)]
pub enum PythonValue<'t> {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond 64 bits, by its decimal digits.
    Big(String),
    /// A double.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
    /// A string.
    Text(Cow<'t, str>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Self>),
    /// A tuple.
    Tuple(Vec<Self>),
    /// A dictionary; its keys need not be strings.
    Dict(Dict<'t>),
}

/// The types of Python's that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The type of `None`.
    None,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `complex`.
    Complex,
    /// `str`.
    Text,
    /// `bytes`.
    Bytes,
    /// `list`.
    List,
    /// `tuple`.
    Tuple,
    /// `dict`.
    Dict,
}

impl<'t> PythonValue<'t> {
    /// Its type.
    pub fn kind(&self) -> Type {
        match self {
            Self::None => Type::None,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) | Self::Big(_) => Type::Int,
            Self::Float(_) => Type::Float,
            Self::Complex(..) => Type::Complex,
            Self::Text(_) => Type::Text,
            Self::Bytes(_) => Type::Bytes,
            Self::List(_) => Type::List,
            Self::Tuple(_) => Type::Tuple,
            Self::Dict(_) => Type::Dict,
        }
    }

    /// The string inside, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The list inside, if it is one.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The entries inside, if it is a dictionary.
    pub fn as_dict(&self) -> Option<&Dict<'t>> {
        match self {
            Self::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// Reads a whole number's decimal digits, with a sign where it has one.
    pub fn whole(digits: &str) -> Self {
        digits.parse().map_or_else(|_| Self::Big(digits.to_owned()), Self::Int)
    }

    /// The same value, which borrows from nothing.
    pub fn into_owned(self) -> PythonValue<'static> {
        let all = |list: Vec<Self>| list.into_iter().map(Self::into_owned).collect();
        match self {
            Self::None => PythonValue::None,
            Self::Bool(bool) => PythonValue::Bool(bool),
            Self::Int(number) => PythonValue::Int(number),
            Self::Big(digits) => PythonValue::Big(digits),
            Self::Float(number) => PythonValue::Float(number),
            Self::Complex(real, imaginary) => PythonValue::Complex(real, imaginary),
            Self::Text(text) => PythonValue::Text(Cow::Owned(text.into_owned())),
            Self::Bytes(bytes) => PythonValue::Bytes(bytes),
            Self::List(list) => PythonValue::List(all(list)),
            Self::Tuple(list) => PythonValue::Tuple(all(list)),
            Self::Dict(entries) => PythonValue::Dict(
                entries.into_iter().map(|(key, value)| (key.into_owned(), value.into_owned())).collect(),
            ),
        }
    }
}

/// The value of a key that is a string.
pub fn get<'d, 't>(entries: &'d [(PythonValue<'t>, PythonValue<'t>)], key: &str) -> Option<&'d PythonValue<'t>> {
    entries.iter().find(|(name, _)| name.as_text() == Some(key)).map(|(_, value)| value)
}

impl<'t> From<BorrowedValue<'t>> for PythonValue<'t> {
    /// What `json.loads` makes of it.
    fn from(value: BorrowedValue<'t>) -> Self {
        match value {
            BorrowedValue::Null => Self::None,
            BorrowedValue::Bool(bool) => Self::Bool(bool),
            BorrowedValue::Number(text) => number(text),
            BorrowedValue::String(text) => Self::Text(text),
            BorrowedValue::List(list) => Self::List(list.into_iter().map(Self::from).collect()),
            BorrowedValue::Object(object) => {
                Self::Dict(object.into_entries().map(|(key, value)| (Self::Text(key), value.into())).collect())
            }
        }
    }
}

fn number(text: &str) -> PythonValue<'static> {
    match text {
        "NaN" => PythonValue::Float(f64::NAN),
        "Infinity" => PythonValue::Float(f64::INFINITY),
        "-Infinity" => PythonValue::Float(f64::NEG_INFINITY),
        _ if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => PythonValue::whole(text),
        _ => PythonValue::Float(text.parse().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What `json.loads` makes of a text.
    pub(in crate::score::bfcl) fn json(text: &str) -> PythonValue<'_> {
        BorrowedValue::read_lenient(text).unwrap().into()
    }

    /// Any value that a call could hold.
    pub(in crate::score::bfcl) fn any_python() -> impl Strategy<Value = PythonValue<'static>> {
        let text = || prop_oneof!["[a-z ,./'-]{0,6}", any::<String>()].prop_map(|text| PythonValue::Text(text.into()));
        let leaf = prop_oneof![
            Just(PythonValue::None),
            any::<bool>().prop_map(PythonValue::Bool),
            prop_oneof![any::<i64>(), -2..3_i64].prop_map(PythonValue::Int),
            "[1-9][0-9]{19,30}".prop_map(|digits| PythonValue::whole(&digits)),
            prop_oneof![any::<f64>(), Just(1.0), Just(f64::NAN)].prop_map(PythonValue::Float),
            text(),
        ];
        leaf.prop_recursive(3, 16, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(PythonValue::List),
                prop::collection::vec(inner.clone(), 0..4).prop_map(PythonValue::Tuple),
                prop::collection::btree_map("[a-c]{1,2}", inner, 0..4).prop_map(|entries| {
                    let text = |(key, value): (String, _)| (PythonValue::Text(key.into()), value);
                    PythonValue::Dict(entries.into_iter().map(text).collect())
                }),
            ]
        })
    }

    #[test]
    fn numbers_are_whole_or_doubles_by_how_they_are_written() {
        assert_eq!(json("5"), PythonValue::Int(5));
        assert_eq!(json("-0"), PythonValue::Int(0));
        assert_eq!(json("5.0"), PythonValue::Float(5.0));
        assert_eq!(json("1e400"), PythonValue::Float(f64::INFINITY));
        assert_eq!(json("9223372036854775808"), PythonValue::Big("9223372036854775808".to_owned()));
        assert!(matches!(json("NaN"), PythonValue::Float(number) if number.is_nan()));
    }

    #[test]
    fn each_accessor_takes_its_own_kind_alone() {
        let value = json(r#"{"a": ["x", null, true]}"#);
        let list = get(value.as_dict().unwrap(), "a").unwrap();
        assert_eq!(list.as_list().unwrap()[0].as_text(), Some("x"));
        assert_eq!((list.as_text(), list.as_dict(), value.as_list()), (None, None, None));
        let kinds: Vec<Type> = list.as_list().unwrap().iter().map(PythonValue::kind).collect();
        assert_eq!(kinds, [Type::Text, Type::None, Type::Bool]);
        assert_eq!(get(value.as_dict().unwrap(), "b"), None);
    }

    proptest! {
        #[test]
        fn what_is_owned_is_the_same(value in any_python()) {
            prop_assert_eq!(format!("{:?}", value.clone().into_owned()), format!("{value:?}"));
        }
    }
}
