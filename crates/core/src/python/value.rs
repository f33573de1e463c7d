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

// `one == other`, as Python has it.

/// Whether Python takes two values for equal: numbers by what they amount to, however they are typed; `NaN` is equal to
/// nothing; a tuple is no list.
pub fn equals(one: &PythonValue<'_>, other: &PythonValue<'_>) -> bool {
    match (one, other) {
        (PythonValue::Text(one), PythonValue::Text(other)) => one == other,
        (PythonValue::None, PythonValue::None) => true,
        (PythonValue::Bytes(one), PythonValue::Bytes(other)) => one == other,
        (PythonValue::List(one), PythonValue::List(other)) | (PythonValue::Tuple(one), PythonValue::Tuple(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equals(one, other))
        }
        (PythonValue::Dict(one), PythonValue::Dict(other)) => {
            let has = |(key, value): &(PythonValue<'_>, PythonValue<'_>)| {
                other.iter().any(|(name, it)| equals(key, name) && equals(value, it))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => numbers_equal(one, other),
    }
}

/// Whether both are numbers, truths counted as 1 and 0, and amount to the same.
pub fn numbers_equal(one: &PythonValue<'_>, other: &PythonValue<'_>) -> bool {
    match (simple(one), simple(other)) {
        (PythonValue::Int(one), PythonValue::Int(other)) => one == other,
        (PythonValue::Big(one), PythonValue::Big(other)) => one == other,
        (PythonValue::Float(one), PythonValue::Float(other)) => is_same(one, other),
        (PythonValue::Int(whole), PythonValue::Float(double))
        | (PythonValue::Float(double), PythonValue::Int(whole)) => is_whole(double, whole),
        (PythonValue::Big(digits), PythonValue::Float(double))
        | (PythonValue::Float(double), PythonValue::Big(digits)) => is_digits(double, &digits),
        (PythonValue::Complex(one, first), PythonValue::Complex(other, second)) => {
            is_same(one, other) && is_same(first, second)
        }
        _ => false,
    }
}

/// A number without what does not change it: truths are whole, and an imaginary part of nought is none.
fn simple<'t>(value: &PythonValue<'t>) -> PythonValue<'t> {
    match value {
        PythonValue::Bool(bool) => PythonValue::Int(i64::from(*bool)),
        PythonValue::Complex(real, imaginary) if is_same(*imaginary, 0.0) => PythonValue::Float(*real),
        PythonValue::Int(_) | PythonValue::Float(_) | PythonValue::Big(_) | PythonValue::Complex(..) => value.clone(),
        _ => PythonValue::None,
    }
}

#[expect(clippy::float_cmp, reason = "Python compares doubles to the bit")]
fn is_same(one: f64, other: f64) -> bool {
    one == other
}

/// Without rounding: beyond 2^53 not every whole number is a double.
#[expect(clippy::cast_possible_truncation, reason = "within the bounds a double without fraction is a whole number")]
fn is_whole(double: f64, whole: i64) -> bool {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    (-BOUND..BOUND).contains(&double) && double.fract() == 0.0 && double as i64 == whole
}

fn is_digits(double: f64, digits: &str) -> bool {
    double.is_finite() && double.fract() == 0.0 && format!("{double:.0}") == digits
}

// What is left of a string when spelling does not count.

/// Deletes the space and `,./-_*^`, writes small letters, and turns `'` into `"`.
pub fn normal(text: &str) -> String {
    let kept: String = text.chars().filter(|letter| !is_ignored(*letter)).collect();
    kept.to_lowercase().replace('\'', "\"")
}

/// Whether what is left of a text is `other`, which is such a rest already.
pub fn is_normal(text: &str, other: &str) -> bool {
    if !text.is_ascii() {
        return normal(text) == other;
    }
    let left = text.bytes().filter(|byte| !is_ignored(char::from(*byte))).map(|byte| match byte {
        b'\'' => b'"',
        byte => byte.to_ascii_lowercase(),
    });
    left.eq(other.bytes())
}

fn is_ignored(letter: char) -> bool {
    matches!(letter, ' ' | ',' | '.' | '/' | '-' | '_' | '*' | '^')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{any_python, json};
    use proptest::prelude::*;

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

#[cfg(test)]
mod equal_tests {
    use super::*;
    use crate::fixtures::{any_python, json};
    use proptest::prelude::*;

    fn equal(one: &str, other: &str) -> bool {
        assert_eq!(equals(&json(one), &json(other)), equals(&json(other), &json(one)));
        equals(&json(one), &json(other))
    }

    #[test]
    fn numbers_are_equal_by_what_they_amount_to() {
        for (one, other) in [
            ("1", "1.0"),
            ("true", "1"),
            ("false", "0.0"),
            ("0", "-0.0"),
            ("10000000000000000000000", "1e22"),
            ("{\"a\": [1, {}]}", "{\"a\": [1.0, {}]}"),
            ("9007199254740992", "9007199254740993.0"),
        ] {
            assert!(equal(one, other), "{one} {other}");
        }
        assert!(equals(&PythonValue::Complex(2.0, 0.0), &PythonValue::Int(2)));
        assert!(equals(&PythonValue::Complex(2.0, 1.0), &PythonValue::Complex(2.0, 1.0)));
    }

    #[test]
    fn what_looks_alike_is_not_equal() {
        for (one, other) in [
            ("9007199254740993", "9007199254740992.0"),
            ("9223372036854775807", "9223372036854775808.0"),
            ("100000000000000000000000", "1e23"),
            ("NaN", "NaN"),
            ("null", "0"),
            ("\"1\"", "1"),
            ("[]", "{}"),
            ("[1]", "[1, 2]"),
            ("{\"a\": 1}", "{\"b\": 1}"),
            ("\"a\"", "\"A\""),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
        let (list, tuple) = (PythonValue::List(Vec::new()), PythonValue::Tuple(Vec::new()));
        assert!(!equals(&list, &tuple) && equals(&tuple, &tuple.clone()));
        assert!(!equals(&PythonValue::Bytes(b"x".to_vec()), &PythonValue::Text("x".into())));
    }

    proptest! {
        #[test]
        fn equality_goes_both_ways(one in any_python(), other in any_python()) {
            prop_assert_eq!(equals(&one, &other), equals(&other, &one));
            prop_assert!(!equals(&PythonValue::List(vec![one.clone()]), &PythonValue::List(vec![one, other])));
        }
    }
}

#[cfg(test)]
mod normal_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn some_punctuation_and_the_size_of_letters_do_not_count() {
        assert_eq!(normal("San Francisco, CA"), "sanfranciscoca");
        assert_eq!(normal("it's 2024-04/01 *^_"), "it\"s20240401");
        assert_eq!(normal("a\tb\n(c):d"), "a\tb\n(c):d");
        assert_eq!(normal(" -.,"), "");
    }

    #[test]
    fn letters_of_all_scripts_become_small_as_python_makes_them() {
        assert_eq!(normal("\u{130}"), "i\u{307}");
        assert_eq!(normal("\u{3a3}\u{391}\u{3a3}"), "\u{3c3}\u{3b1}\u{3c2}");
    }

    proptest! {
        #[test]
        fn comparing_is_the_same_as_writing(one in any::<String>(), other in "[a-cA-C ,'\"é]{0,4}", same in "[a-cA-C ,'\"é]{0,4}") {
            prop_assert!(is_normal(&one, &normal(&one)) && is_normal(&other, &normal(&other)));
            prop_assert_eq!(is_normal(&other, &normal(&same)), normal(&other) == normal(&same));
        }
    }
}
