//! The single values of an answer, with their places.

use crate::record::Value;

/// A text or number that is shorter may stand in an answer by chance.
const TELLING: usize = 3;

/// The texts, numbers and booleans of a value, each with its JSON pointer, in their order.
pub(in crate::stage) fn leaves(value: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    collect(value, String::new(), &mut found);
    found
}

fn collect<'v>(value: &'v Value, at: String, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Null => {}
        Value::List(list) => {
            list.iter().enumerate().for_each(|(place, item)| collect(item, format!("{at}/{place}"), found));
        }
        Value::Object(object) => object.iter().for_each(|(key, item)| collect(item, format!("{at}/{key}"), found)),
        leaf => found.push((at, leaf)),
    }
}

/// Whether a value says something by itself: it stands in two places for one reason.
pub(in crate::stage) fn is_telling(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().count() >= TELLING,
        Value::Number(number) => number.as_str().chars().filter(char::is_ascii_digit).count() > TELLING,
        _ => false,
    }
}

/// A place as declarations write it: the first element of a list stands for each.
pub(super) fn pattern(pointer: &str) -> String {
    let is_index = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').map(|step| if is_index(step) { "0" } else { step }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::pointed;

    fn value(json: &str) -> Value {
        Value::read(json).unwrap()
    }

    #[test]
    fn every_leaf_has_the_place_at_which_it_stands() {
        let answer = value(r#"{"data": [{"id": "T1", "n": null}, {"id": 5, "at": [true]}]}"#);
        let found = leaves(&answer);
        assert_eq!(
            found.iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>(),
            ["/data/0/id", "/data/1/id", "/data/1/at/0"]
        );
        assert!(found.iter().all(|(at, leaf)| pointed(&answer, at) == Some(*leaf)));
        assert_eq!(leaves(&value("7"))[0].0, "");
    }

    #[test]
    fn a_place_becomes_that_of_any_element() {
        assert_eq!(pattern("/data/hotels/13/id"), "/data/hotels/0/id");
        assert_eq!((pattern(""), pattern("/4a/2")), (String::new(), "/4a/0".to_owned()));
    }

    #[test]
    fn short_words_small_numbers_and_flags_tell_nothing() {
        assert!(["\"Rio\"", "4821", "38.751"].iter().all(|json| is_telling(&value(json))));
        assert!(["\"ab\"", "482", "true", "null", "[4821]"].iter().all(|json| !is_telling(&value(json))));
    }
}
