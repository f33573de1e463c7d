//! What one example teaches: the words that announce each of its values.

use super::text::{Text, find_words};
use crate::locale::Reading;
use crate::record::FunctionCall;
use indexmap::IndexMap;

/// Words that were seen to announce a parameter's value, by parameter.
pub(crate) type Learned = IndexMap<String, Vec<String>>;

/// The last one and the last two words before each value of an example.
pub(crate) fn learn(text: &Text, call: &FunctionCall, reading: &Reading) -> Learned {
    let mut learned = Learned::new();
    for (name, value) in &call.arguments {
        let words = value.as_str().map_or_else(|| serde_json::to_string(value).unwrap_or_default(), str::to_owned);
        let Some(span) = find_words(text, &words.to_lowercase()).into_iter().next() else { continue };
        if reading.postpositions {
            let after = text.after(span.end);
            learned.extend(after.split_whitespace().next().map(|next| (name.clone(), vec![next.to_owned()])));
            continue;
        }
        let before = text.before(span.start);
        let words = reading.words(&before);
        let last: Vec<&str> = words.iter().rev().take(2).copied().collect();
        if let Some(one) = last.first() {
            let two = last.get(1).map(|two| format!("{two} {one}"));
            learned.insert(name.clone(), two.into_iter().chain([(*one).to_owned()]).collect());
        }
    }
    learned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Object, Value};

    fn learned(query: &str, name: &str, value: &str) -> Learned {
        let arguments = Object::from_iter([(name.to_owned(), Value::from(value))]);
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        learn(&Text::new(query, true), &FunctionCall { name: "f".to_owned(), arguments }, &reading)
    }

    #[test]
    fn an_example_teaches_the_words_before_a_value() {
        assert_eq!(learned("drop a line to Anna now", "who", "Anna")["who"], ["line to", "to"]);
    }

    #[test]
    fn a_value_that_is_not_said_or_comes_first_teaches_nothing() {
        assert!(learned("drop a line to Anna now", "who", "Ben").is_empty());
        assert!(learned("Anna is waiting", "who", "Anna").is_empty());
    }
}
