//! The other forms of a value that a request says in its own way: none of them is less right than the gold one.

use crate::record::{Number, Parameter, Value};

/// The forms beside a value that are as right: a number with or without a point, a text in the words that were said. None
/// where the parameter leaves one form alone, since it lists its values or fixes their format, or takes no plain value.
pub fn other_forms(parameter: &Parameter, value: &Value, words: Option<&str>) -> Option<Vec<Value>> {
    match value {
        Value::Number(number) => Some(with_zero(number).into_iter().map(Value::from).collect()),
        Value::String(text) => {
            let is_closed = parameter.values.is_some() || parameter.more.contains_key("format");
            let words = words.filter(|words| words != text && !words.is_empty());
            (!is_closed).then(|| words.into_iter().map(Value::from).collect())
        }
        _ => None,
    }
}

/// The same number with a zero more behind its point, or without the point.
fn with_zero(number: &Number) -> Option<Number> {
    let text = number.to_string();
    match text.strip_suffix(".0") {
        Some(whole) => Number::parse(whole),
        None if number.is_integer_text() => Number::parse(&format!("{text}.0")),
        None if text.contains('.') && !text.contains(['e', 'E']) => Number::parse(&format!("{text}0")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(schema: &str, value: &str, words: &str) -> Option<String> {
        let parameter: Parameter = serde_json::from_str(schema).unwrap();
        let forms = other_forms(&parameter, &Value::read(value).unwrap(), Some(words))?;
        Some(forms.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn numbers_and_open_texts_have_other_forms() {
        let number = |value: &str| forms(r#"{"type": "integer"}"#, value, "two").unwrap();
        assert_eq!(["2", "2.0", "12.5"].map(number), ["2.0", "2", "12.50"]);
        assert_eq!(forms(r#"{"type": "string"}"#, "\"rock\"", "Rock").as_deref(), Some("\"Rock\""));
        assert_eq!(forms(r#"{"type": "string"}"#, "\"rock\"", "rock").as_deref(), Some(""));
    }

    #[test]
    fn lists_and_formats_leave_one_form() {
        assert_eq!(forms(r#"{"type": "string", "enum": ["fan", "light"]}"#, "\"fan\"", "fans"), None);
        assert_eq!(forms(r#"{"type": "string", "format": "date"}"#, "\"2026-01-05\"", "January 5"), None);
        assert_eq!(forms(r#"{"type": "array"}"#, "[1]", "one"), None);
    }
}
