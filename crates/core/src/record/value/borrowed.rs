//! JSON that borrows from its text: for scorers, which read millions of calls and keep none.

use super::Number;
use super::Object;
use super::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A JSON value whose strings and numbers are parts of the text wherever they can be.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum BorrowedValue<'t> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number's text, or one of Python's three constants.
    Number(&'t str),
    /// A string.
    String(Cow<'t, str>),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(BorrowedObject<'t>),
}

/// An ordered object without repeated keys. Arguments are few, so that it is searched from front to back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BorrowedObject<'t>(Vec<(Cow<'t, str>, BorrowedValue<'t>)>);

impl<'t> BorrowedValue<'t> {
    /// The string inside, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The object inside, if it is one.
    pub fn as_object(&self) -> Option<&BorrowedObject<'t>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object itself, if it is one.
    pub fn into_object(self) -> Option<BorrowedObject<'t>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Whether a text stands in one of its strings or keys.
    pub fn any_text(&self, holds: &mut impl FnMut(&str) -> bool) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => false,
            Self::String(text) => holds(text),
            Self::List(list) => list.iter().any(|value| value.any_text(holds)),
            Self::Object(object) => object.any_text(holds),
        }
    }
}

impl<'t> BorrowedObject<'t> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&BorrowedValue<'t>> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Takes a value out. What is left keeps no order.
    pub fn take(&mut self, key: &str) -> Option<BorrowedValue<'t>> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.swap_remove(at).1)
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BorrowedValue<'t>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// The entries themselves, in order.
    pub fn into_entries(self) -> impl Iterator<Item = (Cow<'t, str>, BorrowedValue<'t>)> {
        self.0.into_iter()
    }

    /// Keeps the entries whose values are wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(&BorrowedValue<'t>) -> bool) {
        self.0.retain(|(_, value)| wanted(value));
    }

    /// Whether a text stands in one of its keys, or in a string of its values.
    pub fn any_text(&self, holds: &mut impl FnMut(&str) -> bool) -> bool {
        self.0.iter().any(|(name, value)| holds(name) || value.any_text(holds))
    }

    /// Takes entries as they were read; of repeated keys the last value stands in the first one's place. The second part
    /// says whether there were any.
    pub(super) fn of(entries: Vec<(Cow<'t, str>, BorrowedValue<'t>)>) -> (Self, bool) {
        if !repeats(&entries) {
            return (Self(entries), false);
        }
        let mut places: BTreeMap<Cow<'t, str>, usize> = BTreeMap::new();
        let mut kept: Vec<(Cow<'t, str>, BorrowedValue<'t>)> = Vec::with_capacity(entries.len());
        for (name, value) in entries {
            if let Some(earlier) = places.get(&name).and_then(|place| kept.get_mut(*place)) {
                earlier.1 = value;
                continue;
            }
            places.insert(name.clone(), kept.len());
            kept.push((name, value));
        }
        (Self(kept), true)
    }
}

/// Whether a key stands there twice. Few keys are compared each with each; many are sorted, or a hostile text would take
/// the square of its length.
fn repeats(entries: &[(Cow<'_, str>, BorrowedValue<'_>)]) -> bool {
    if entries.len() <= 16 {
        return entries
            .iter()
            .enumerate()
            .any(|(at, (name, _))| entries.iter().take(at).any(|(other, _)| other == name));
    }
    let mut names: Vec<&str> = entries.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.last())
}

impl<'t> FromIterator<(Cow<'t, str>, BorrowedValue<'t>)> for BorrowedObject<'t> {
    fn from_iter<I: IntoIterator<Item = (Cow<'t, str>, BorrowedValue<'t>)>>(entries: I) -> Self {
        Self::of(entries.into_iter().collect()).0
    }
}

impl From<BorrowedValue<'_>> for Value {
    fn from(value: BorrowedValue<'_>) -> Self {
        match value {
            BorrowedValue::Null => Self::Null,
            BorrowedValue::Bool(bool) => Self::Bool(bool),
            BorrowedValue::Number(text) => Self::Number(Number::from_checked(text)),
            BorrowedValue::String(text) => Self::String(text.into_owned()),
            BorrowedValue::List(list) => Self::List(list.into_iter().map(Self::from).collect()),
            BorrowedValue::Object(object) => Self::Object(object.into()),
        }
    }
}

impl From<BorrowedObject<'_>> for Object {
    fn from(object: BorrowedObject<'_>) -> Self {
        object.0.into_iter().map(|(name, value)| (name.into_owned(), value.into())).collect()
    }
}

impl<'t> From<&'t Value> for BorrowedValue<'t> {
    fn from(value: &'t Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => Self::Number(number.as_str()),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::List(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(object) => Self::Object(object.into()),
        }
    }
}

impl<'t> From<&'t Object> for BorrowedObject<'t> {
    fn from(object: &'t Object) -> Self {
        Self(object.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    fn read(text: &str) -> BorrowedValue<'_> {
        BorrowedValue::read_lenient(text).unwrap()
    }

    #[test]
    fn what_needs_no_unescaping_is_borrowed() {
        let BorrowedValue::List(list) = read(r#"["plain", "un\"escaped", 1.50]"#) else { panic!("a list") };
        assert!(matches!(&list[0], BorrowedValue::String(Cow::Borrowed("plain"))));
        assert!(matches!(&list[1], BorrowedValue::String(Cow::Owned(text)) if text == "un\"escaped"));
        assert_eq!(list[2], BorrowedValue::Number("1.50"));
    }

    #[test]
    fn the_last_of_two_equal_keys_wins_among_few_and_many() {
        let few = read(r#"{"a": 1, "b": 2, "a": 3}"#).into_object().unwrap();
        assert_eq!(few.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(few.get("a"), Some(&BorrowedValue::Number("3")));
        let many: Vec<String> = (0..40).map(|number| format!("\"{}\": {number}", number % 30)).collect();
        let text = format!("{{{}}}", many.join(","));
        let many = read(&text).into_object().unwrap();
        assert_eq!((many.len(), many.get("5")), (30, Some(&BorrowedValue::Number("35"))));
    }

    #[test]
    fn texts_are_looked_for_in_keys_and_values() {
        let value = read(r#"{"a": [{"key": "deep"}], "n": 5}"#);
        let finds = |wanted: &str| value.any_text(&mut |text| text == wanted);
        assert!(finds("key") && finds("deep") && finds("n") && !finds("5"));
    }

    #[test]
    fn entries_are_taken_and_dropped() {
        let mut object = read(r#"{"a": "", "b": 2, "c": ""}"#).into_object().unwrap();
        object.retain(|value| value.as_str() != Some(""));
        assert_eq!((object.len(), object.take("b"), object.is_empty()), (1, Some(BorrowedValue::Number("2")), true));
    }

    proptest! {
        #[test]
        fn a_value_is_the_same_after_being_lent(value in any_value(true)) {
            prop_assert_eq!(Value::from(BorrowedValue::from(&value)), value);
        }
    }

    proptest! {
        #[test]
        fn repeated_keys_are_settled_as_a_map_settles_them(keys in prop::collection::vec("[a-e]{1,2}", 0..40)) {
            let entries = || keys.iter().zip(0_i64..).map(|(key, at)| (key.clone(), Value::from(at)));
            let wanted: Object = entries().collect();
            let kept: Vec<(String, Value)> = entries().collect();
            let lent: BorrowedObject<'_> =
                kept.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), BorrowedValue::from(value))).collect();
            prop_assert_eq!(Value::Object(lent.into()).to_string(), Value::Object(wanted).to_string());
        }

        #[test]
        fn wanted_fields_are_the_fields_of_the_whole(object in prop::collection::vec(("[a-d]", any_value(true)), 0..6)) {
            let text = Value::Object(object.into_iter().collect()).to_string();
            let whole = read(&text).into_object().unwrap();
            let some = BorrowedObject::read_fields(&text, &["a", "c"]).unwrap();
            let names: Vec<&str> = whole.iter().map(|(name, _)| name).filter(|name| ["a", "c"].contains(name)).collect();
            prop_assert_eq!(some.iter().map(|(name, _)| name).collect::<Vec<_>>(), names.clone());
            prop_assert!(names.iter().all(|name| some.get(name) == whole.get(name)));
        }
    }
}
