//! Does what a reader found agree with the label?

use crate::locale::RougeL;
use crate::record::{FunctionCall, Number, Object, Parameter, Value};

/// How far two calls agree.
#[derive(Debug, Clone, PartialEq)]
pub enum Agreement {
    /// The same tool, the same parameters, every value equal or alike enough.
    Agree,
    /// The same tool and parameters, but a value differs by more than the threshold: a judge may still see one meaning.
    ValuesDiffer {
        /// The parameter whose values are least alike.
        parameter: String,
        /// Their Rouge-L.
        rouge_l: f64,
    },
    /// Another tool, or parameters missing or added.
    Disagree(String),
}

/// Compares a label with what a reader found (HammerBench 4.1.1); values agree from `threshold` on (0 to 1).
pub fn compare_calls(label: &FunctionCall, read: &FunctionCall, rouge: &RougeL, threshold: f64) -> Agreement {
    if label.name != read.name {
        return Agreement::Disagree(format!("read as a call of `{}`", read.name));
    }
    if let Some(name) = label.arguments.keys().find(|name| !read.arguments.contains_key(*name)) {
        return Agreement::Disagree(format!("`{name}` was not found in the request"));
    }
    // Small models write the word null where nothing is said.
    let is_said = |value: &Value| value.as_str() != Some("null");
    let mut besides =
        read.arguments.iter().filter(|(name, value)| !label.arguments.contains_key(*name) && is_said(value));
    if let Some((name, value)) = besides.next() {
        let value = serde_json::to_string(value).unwrap_or_default();
        return Agreement::Disagree(format!("the request also seems to say {name} = {value}"));
    }
    least_alike(&label.arguments, &read.arguments, rouge)
        .filter(|(_, rouge_l)| *rouge_l < threshold)
        .map_or(Agreement::Agree, |(parameter, rouge_l)| Agreement::ValuesDiffer { parameter, rouge_l })
}

fn least_alike(label: &Object, read: &Object, rouge: &RougeL) -> Option<(String, f64)> {
    label
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), alike(value, read.get(name)?, rouge))))
        .min_by(|one, other| one.1.total_cmp(&other.1))
}

/// Texts by Rouge-L; everything else is equal or not.
fn alike(one: &Value, other: &Value, rouge: &RougeL) -> f64 {
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => rouge.score(one, other),
        _ if one.equals(other) => 1.0,
        _ => 0.0,
    }
}

// The other forms of a value that a request says in its own way: none of them is less right than the gold one.

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

    fn compare(label: &str, read: &str) -> Agreement {
        let call = |json: &str| serde_json::from_str::<FunctionCall>(json).unwrap();
        compare_calls(&call(label), &call(read), &RougeL::for_locale("en"), 0.7)
    }

    #[test]
    fn form_may_differ_and_values_may_not() {
        let label = r#"{"name": "f", "arguments": {"at": "the Harbor Mall", "n": 5}}"#;
        assert_eq!(compare(label, r#"{"name": "f", "arguments": {"n": 5.0, "at": "Harbor Mall"}}"#), Agreement::Agree);
        let other = compare(label, r#"{"name": "f", "arguments": {"at": "the zoo", "n": 5}}"#);
        assert!(matches!(other, Agreement::ValuesDiffer { parameter, .. } if parameter == "at"));
    }

    #[test]
    fn tools_and_parameters_must_be_the_same() {
        let label = r#"{"name": "f", "arguments": {"a": "x"}}"#;
        let reason = |read: &str| match compare(label, read) {
            Agreement::Disagree(reason) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(r#"{"name": "g", "arguments": {"a": "x"}}"#), "read as a call of `g`");
        assert_eq!(reason(r#"{"name": "f", "arguments": {}}"#), "`a` was not found in the request");
        assert_eq!(reason(r#"{"name": "f", "arguments": {"a": "x", "b": 1}}"#), "the request also seems to say b = 1");
        assert_eq!(compare(label, r#"{"name": "f", "arguments": {"a": "x", "b": "null"}}"#), Agreement::Agree);
    }

    #[test]
    fn the_least_alike_value_is_named() {
        let label = r#"{"name": "f", "arguments": {"a": "one two three", "b": "four five", "c": 1}}"#;
        let read = r#"{"name": "f", "arguments": {"a": "one two three", "b": "four", "c": 1}}"#;
        assert_eq!(compare(label, read), Agreement::ValuesDiffer { parameter: "b".to_owned(), rouge_l: 2.0 / 3.0 });
        let other = compare(label, &read.replace("\"c\": 1", "\"c\": 2"));
        assert_eq!(other, Agreement::ValuesDiffer { parameter: "c".to_owned(), rouge_l: 0.0 });
    }

    #[test]
    fn a_number_is_no_text_and_a_list_is_compared_whole() {
        let call = |value: &str| format!(r#"{{"name": "f", "arguments": {{"a": {value}}}}}"#);
        let agrees = |label: &str, read: &str| compare(&call(label), &call(read)) == Agreement::Agree;
        assert!(agrees("5", "5.0") && agrees("true", "true") && agrees("[1, 2]", "[1, 2]"));
        assert!(!agrees("5", "\"5\"") && !agrees("true", "false") && !agrees("[1, 2]", "[2, 1]"));
        assert_eq!(compare(&call("\"x\""), &call("\"X\"")), Agreement::Agree);
    }

    #[test]
    fn calls_without_arguments_agree() {
        assert_eq!(compare(r#"{"name": "f", "arguments": {}}"#, r#"{"name": "f", "arguments": {}}"#), Agreement::Agree);
    }
}

#[cfg(test)]
mod forms_tests {
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
