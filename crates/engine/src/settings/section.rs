//! A table of the file becomes a typed config, and everything that is wrong with it is said at once.
//!
//! serde stops at the first fault. So unknown and missing keys are found by the config's own JSON Schema, and a value
//! that serde refuses is noted, taken out, and the rest is read again.

use super::problem::{Problem, did_you_mean, nearest};
use crate::settings::words::{Fault, fault};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// Places of a section's values by key.
pub type Places = IndexMap<String, Range<usize>>;

/// A table of the file that is still to be read.
#[derive(Debug, Clone)]
pub struct Section<'s> {
    table: DeTable<'s>,
    span: Range<usize>,
    place: String,
    common: &'static [&'static str],
}

impl<'s> Section<'s> {
    /// A table with its header's place, named in messages as `place` (``stage `ask` (imperfect_queries)``).
    pub fn new(table: DeTable<'s>, span: Range<usize>, place: impl Into<String>) -> Self {
        Self { table, span, place: place.into(), common: &[] }
    }

    /// Names keys that are read elsewhere, so that a slip in one of them is recognised.
    #[must_use]
    pub fn common(mut self, common: &'static [&'static str]) -> Self {
        self.common = common;
        self
    }

    /// Places of the values.
    pub fn places(&self) -> Places {
        self.table.iter().map(|(key, value)| (key.get_ref().to_string(), value.span())).collect()
    }

    /// Reads the config; `None` if anything is wrong.
    #[cfg(any(test, feature = "fixtures"))]
    pub fn read<T>(self, problems: &mut Vec<Problem>) -> Option<T>
    where
        T: for<'de> Deserialize<'de> + JsonSchema,
    {
        let before = problems.len();
        self.salvage(problems).filter(|_| problems.len() == before)
    }

    /// Reads what can be read, so that the sound part can be checked further: a key with a fault counts as absent.
    pub fn salvage<T>(mut self, problems: &mut Vec<Problem>) -> Option<T>
    where
        T: for<'de> Deserialize<'de> + JsonSchema,
    {
        let schema = schemars::schema_for!(T);
        let keys: Vec<&str> = names(schema.get("properties"));
        let unknown = self.take_unknown(&keys, problems);
        for missing in names(schema.get("required")).into_iter().filter(|key| !self.table.contains_key(*key)) {
            // A misspelt key that is needed is one fault, not two.
            if !unknown.iter().any(|name| nearest(name, &keys) == Some(missing)) {
                let message = format!("missing key `{missing}` in {}", self.place);
                let about =
                    schema.pointer(&format!("/properties/{missing}/description")).and_then(|about| about.as_str());
                let hint = about.map(|about| format!("`{missing}`: {}", about.trim_end_matches('.')));
                problems.push(Problem { hint, ..Problem::new(self.span.clone(), message) });
            }
        }
        self.deserialize(problems)
    }

    fn take_unknown(&mut self, keys: &[&str], problems: &mut Vec<Problem>) -> Vec<String> {
        let unknown: Vec<(String, Range<usize>)> = self
            .table
            .keys()
            .filter(|key| !keys.contains(&key.get_ref().as_ref()))
            .map(|key| (key.get_ref().to_string(), key.span()))
            .collect();
        let known: Vec<&str> = keys.iter().chain(self.common).copied().collect();
        for (key, span) in &unknown {
            self.table.remove(key.as_str());
            let message = format!("unknown key `{key}` in {}", self.place);
            problems.push(Problem::new(span.clone(), message).hint(did_you_mean(key, &known, "keys here")));
        }
        unknown.into_iter().map(|(key, _)| key).collect()
    }

    fn deserialize<T: for<'de> Deserialize<'de>>(mut self, problems: &mut Vec<Problem>) -> Option<T> {
        let before = problems.len();
        loop {
            let value = Spanned::new(self.span.clone(), DeValue::Table(self.table.clone()));
            let error = match T::deserialize(ValueDeserializer::from(value)) {
                Ok(config) => return Some(config),
                Err(error) => error,
            };
            let span = error.span().unwrap_or_else(|| self.span.clone());
            let key = if span == self.span { None } else { self.key_at(&span) };
            match (key, fault(error.message())) {
                (Some(key), fault) => {
                    self.table.remove(key.as_str());
                    problems.push(fault.problem(span, &key, &self.place));
                }
                // Missing keys were named before this, or went with the value that was wrong.
                (None, Fault::Missing(_)) => return None,
                (None, _) => {
                    let known = problems.len() > before;
                    let message = format!("{} in {}", error.message(), self.place);
                    problems.extend((!known).then(|| Problem::new(span, message)));
                    return None;
                }
            }
        }
    }

    /// The key whose value, or something within it, stands at `span`.
    fn key_at(&self, span: &Range<usize>) -> Option<String> {
        let entries = self.table.iter();
        let found = entries.filter(|(key, value)| covers(&key.span(), span) || holds(value, span));
        found.map(|(key, _)| key.get_ref().to_string()).next()
    }
}

fn covers(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn holds(value: &Spanned<DeValue<'_>>, span: &Range<usize>) -> bool {
    covers(&value.span(), span)
        || match value.get_ref() {
            DeValue::Array(items) => items.iter().any(|item| holds(item, span)),
            DeValue::Table(table) => table.iter().any(|(key, value)| covers(&key.span(), span) || holds(value, span)),
            _ => false,
        }
}

/// The names in a schema's `properties` (an object) or `required` (a list).
fn names(value: Option<&serde_json::Value>) -> Vec<&str> {
    match value {
        Some(serde_json::Value::Object(object)) => object.keys().map(String::as_str).collect(),
        Some(serde_json::Value::Array(list)) => list.iter().filter_map(serde_json::Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Reads a config from a text of its own; the messages if anything is wrong.
#[cfg(any(test, feature = "fixtures"))]
pub fn read_text<T>(text: &str) -> Result<T, Vec<String>>
where
    T: for<'de> Deserialize<'de> + JsonSchema,
{
    let table = DeTable::parse(text).map_err(|error| vec![error.to_string()])?;
    let mut problems = Vec::new();
    let config = Section::new(table.get_ref().clone(), table.span(), "the test").read(&mut problems);
    config.ok_or_else(|| problems.into_iter().map(|problem| problem.message).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::number::{Amount, Count};

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        prompt: String,
        count: Count,
        #[serde(default)]
        near: Amount,
        #[serde(default)]
        price: Option<Price>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Price {
        input: f64,
    }

    #[test]
    fn a_sound_table_is_read() {
        let sample: Sample = read_text("prompt = \"a\"\ncount = 2\nprice = { input = 0.5 }").unwrap();
        assert_eq!((sample.prompt.as_str(), sample.count.get(), sample.near.get()), ("a", 2, 0));
        assert!((sample.price.unwrap().input - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn every_fault_is_said_at_once() {
        let messages = read_text::<Sample>("count = 0\nnear = \"x\"\nodd = 1").unwrap_err();
        assert_eq!(
            messages,
            [
                "unknown key `odd` in the test",
                "missing key `prompt` in the test",
                "`count` in the test: expected a whole number from 1, such as 3, found the number `0`",
                "`near` in the test: expected a whole number from 0, such as 2, found the string \"x\"",
            ]
        );
    }

    #[test]
    fn what_is_sound_is_kept_beside_what_is_not() {
        let table = DeTable::parse("prompt = \"a\"\ncount = 2\nnear = -1").unwrap();
        let mut problems = Vec::new();
        let sample: Option<Sample> = Section::new(table.get_ref().clone(), table.span(), "it").salvage(&mut problems);
        assert_eq!((sample.unwrap().prompt.as_str(), problems.len()), ("a", 1));
    }

    #[test]
    fn a_misspelt_key_that_is_needed_is_said_once() {
        let messages = read_text::<Sample>("promt = \"a\"\ncount = 1").unwrap_err();
        assert_eq!(messages, ["unknown key `promt` in the test"]);
    }

    #[test]
    fn a_fault_within_a_value_names_both() {
        let start = "prompt = \"a\"\ncount = 1\n";
        let messages = read_text::<Sample>(&format!("{start}price = {{ inptu = 1.0 }}")).unwrap_err();
        assert_eq!(messages, ["unknown key `inptu` in `price` of the test"]);
        let messages = read_text::<Sample>(&format!("{start}[price]")).unwrap_err();
        assert_eq!(messages, ["missing key `input` in `price` of the test"]);
    }
}
