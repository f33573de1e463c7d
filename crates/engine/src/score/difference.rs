//! What is different between the arguments that are right and those that were said.

use super::value::ValueWords;
use crate::record::{Object, Value};
use indexmap::IndexMap;

/// The right arguments, with whatever else is as right.
#[derive(Debug, Clone, Copy)]
pub struct Gold<'g> {
    /// The arguments.
    pub arguments: &'g Object,
    /// Further values that are as right, by parameter.
    pub acceptable: &'g IndexMap<String, Vec<Value>>,
    /// Values that were right earlier in the conversation, by parameter.
    pub earlier: &'g IndexMap<String, Vec<Value>>,
}

/// A value that is not the right one.
#[derive(Debug, Clone, PartialEq)]
pub struct WrongValue {
    /// The parameter.
    pub parameter: String,
    /// The right value.
    pub gold: Value,
    /// The value that was said.
    pub said: Value,
    /// Whether it was right earlier.
    pub is_stale: bool,
}

/// Everything that is different.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    /// Parameters that were not said.
    pub missing: Vec<String>,
    /// Parameters that nobody asked for.
    pub invented: Vec<String>,
    /// Values that are not right.
    pub wrong: Vec<WrongValue>,
}

impl Differences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.invented.is_empty() && self.wrong.is_empty()
    }

    /// Compares. An argument of `""` or `null` was not given, on either side.
    pub fn between(gold: Gold<'_>, said: &Object, words: &ValueWords) -> Self {
        let names = |of: &Object, other: &Object| -> Vec<String> {
            given(of).filter(|(name, _)| value(other, name).is_none()).map(|(name, _)| name.clone()).collect()
        };
        let wrong = given(gold.arguments).filter_map(|(name, right)| {
            let said = value(said, name).filter(|said| !gold.takes(name, right, said, words))?;
            let earlier = gold.earlier.get(name).is_some_and(|values| values.iter().any(|it| words.same(it, said)));
            Some(WrongValue { parameter: name.clone(), gold: right.clone(), said: said.clone(), is_stale: earlier })
        });
        Self { missing: names(gold.arguments, said), invented: names(said, gold.arguments), wrong: wrong.collect() }
    }
}

impl Gold<'_> {
    fn takes(&self, name: &str, right: &Value, said: &Value, words: &ValueWords) -> bool {
        let others = self.acceptable.get(name).map(Vec::as_slice).unwrap_or_default();
        std::iter::once(right).chain(others).any(|value| words.same(value, said))
    }
}

fn given(arguments: &Object) -> impl Iterator<Item = (&String, &Value)> {
    arguments.iter().filter(|(_, value)| is_given(value))
}

fn value<'o>(arguments: &'o Object, name: &str) -> Option<&'o Value> {
    arguments.get(name).filter(|value| is_given(value))
}

fn is_given(value: &Value) -> bool {
    !value.is_null() && value.as_str() != Some("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn object(json: &str) -> Object {
        Value::read(json).unwrap().as_object().unwrap().clone()
    }

    fn between(gold: &str, said: &str) -> Differences {
        let acceptable = [("to".to_owned(), vec!["Oporto".into()])].into();
        let earlier = [("to".to_owned(), vec!["Lisbon".into()])].into();
        let gold = Gold { arguments: &object(gold), acceptable: &acceptable, earlier: &earlier };
        Differences::between(gold, &object(said), &ValueWords::default())
    }

    #[test]
    fn equal_arguments_differ_in_nothing() {
        assert!(between(r#"{"to": "Porto", "n": 2, "x": ""}"#, r#"{"n": "2", "to": "porto", "y": null}"#).is_empty());
        assert!(between(r#"{"to": "Porto"}"#, r#"{"to": "oporto"}"#).is_empty());
        assert!(between("{}", "{}").is_empty());
    }

    #[test]
    fn each_difference_has_its_place() {
        let found = between(r#"{"to": "Porto", "n": 2, "day": "Friday"}"#, r#"{"to": "Lisbon", "n": 3, "by": "bus"}"#);
        assert_eq!((found.missing, found.invented), (vec!["day".to_owned()], vec!["by".to_owned()]));
        let wrong: Vec<(&str, bool)> = found.wrong.iter().map(|it| (it.parameter.as_str(), it.is_stale)).collect();
        assert_eq!(wrong, [("to", true), ("n", false)]);
    }

    #[test]
    fn an_alternative_belongs_to_its_parameter() {
        assert_eq!(between(r#"{"from": "Porto"}"#, r#"{"from": "Oporto"}"#).wrong.len(), 1);
    }

    proptest! {
        #[test]
        fn what_one_side_lacks_the_other_has_too_many(
            one in prop::collection::vec(("[a-d]", 0..3_i64), 0..5), other in prop::collection::vec(("[a-d]", 0..3_i64), 0..5),
        ) {
            let object = |entries: Vec<(String, i64)>| entries.into_iter().map(|(name, it)| (name, it.into())).collect::<Object>();
            let (one, other, nothing) = (object(one), object(other), IndexMap::new());
            let between = |gold: &Object, said: &Object| {
                Differences::between(Gold { arguments: gold, acceptable: &nothing, earlier: &nothing }, said, &ValueWords::default())
            };
            let (there, back) = (between(&one, &other), between(&other, &one));
            prop_assert_eq!((&there.missing, &there.invented), (&back.invented, &back.missing));
            prop_assert_eq!(there.wrong.len(), back.wrong.len());
            prop_assert_eq!(there.is_empty(), one.len() == other.len() && one.iter().all(|(name, it)| other.get(name) == Some(it)));
            prop_assert!(there.missing.iter().all(|name| one.contains_key(name) && !other.contains_key(name)));
            prop_assert!(between(&one, &one).is_empty());
        }
    }
}
