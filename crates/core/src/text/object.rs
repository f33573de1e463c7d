//! A JSON object, whatever it holds: the answer to a user's own prompt.

use super::fence::find;
use super::{Unparsable, Way};
use crate::record::{Object, Value};

/// Reads the first object of the text.
pub fn read_object(text: &str) -> Result<(Object, Way), Unparsable> {
    find(text, |value| value.as_object().cloned())
        .ok_or_else(|| Unparsable::new("no_object", "the reply holds no JSON object"))
}

/// Reads the first object or list of the text.
pub fn read_json(text: &str) -> Result<(Value, Way), Unparsable> {
    let whole = |value: &Value| matches!(value, Value::Object(_) | Value::List(_)).then(|| value.clone());
    find(text, whole).ok_or_else(|| Unparsable::new("no_json", "the reply holds no JSON object or list"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_in_a_fence_and_in_talk() {
        assert_eq!(read_object("```json\n{\"a\": 1}\n```").unwrap().1, Way::Fenced);
        assert_eq!(read_object("Here: {\"a\": 1} as asked").unwrap().0.len(), 1);
        assert_eq!(read_object("[1]").unwrap_err().reason, "no_object");
    }

    #[test]
    fn a_list_is_as_good_where_any_json_is_wanted() {
        assert_eq!(read_json("```json\n[1, {}]\n```").unwrap().0.to_string(), "[1,{}]");
        assert_eq!(read_json("It is {\"a\": 1}.").unwrap().1, Way::Embedded);
        assert_eq!(read_json("7").unwrap_err().reason, "no_json");
    }

    #[test]
    fn numbers_and_order_come_as_they_were_written() {
        let object = read_object("<think>{\"z\": 0}</think>So: {\"b\": 1.50, \"a\": {}}").unwrap();
        assert_eq!(
            (crate::record::Value::from(object.0).to_string().as_str(), object.1),
            (r#"{"b":1.50,"a":{}}"#, Way::LeadIn)
        );
        assert_eq!(read_object("").unwrap_err().to_string(), "the reply holds no JSON object");
    }
}
