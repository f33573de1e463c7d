//! Undoing what YAML made of letters without quotes: where a text is wanted, the letters are it.

use crate::record::{Object, Value};

/// Puts letters in the place of what was read from them, wherever a text is wanted.
pub(super) fn retype(said: &mut Object, letters: &Object, wanted: &Object) {
    for (name, wanted) in wanted {
        if let (Some(said), Some(letters)) = (said.get_mut(name), letters.get(name)) {
            retype_value(said, letters, wanted);
        }
    }
}

fn retype_value(said: &mut Value, letters: &Value, wanted: &Value) {
    match (said, letters, wanted) {
        (Value::Object(said), Value::Object(letters), Value::Object(wanted)) => retype(said, letters, wanted),
        (Value::List(said), Value::List(letters), Value::List(wanted)) => {
            for ((said, letters), wanted) in said.iter_mut().zip(letters).zip(wanted) {
                retype_value(said, letters, wanted);
            }
        }
        (said, Value::String(letters), Value::String(_)) => *said = Value::String(letters.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retyped(said: &str, letters: &str, wanted: &str) -> String {
        let read = |text| Value::read(text).unwrap().as_object().unwrap().clone();
        let mut said = read(said);
        retype(&mut said, &read(letters), &read(wanted));
        Value::Object(said).to_string()
    }

    #[test]
    fn letters_count_where_a_text_is_wanted_alone() {
        let (said, letters) =
            (r#"{"a":83,"n":5,"o":{"l":[true,1]},"x":7}"#, r#"{"a":"0123","n":"5","o":{"l":["yes","1"]},"x":"7"}"#);
        let wanted = r#"{"a": "1", "n": 5, "o": {"l": ["no", 1]}, "y": ""}"#;
        assert_eq!(retyped(said, letters, wanted), r#"{"a":"0123","n":5,"o":{"l":["yes",1]},"x":7}"#);
    }

    #[test]
    fn forms_that_differ_stay() {
        assert_eq!(retyped(r#"{"a":[1]}"#, r#"{"a":["1"]}"#, r#"{"a": "1"}"#), r#"{"a":[1]}"#);
        assert_eq!(retyped(r#"{"a":1}"#, "{}", r#"{"a": "1"}"#), r#"{"a":1}"#);
    }
}
