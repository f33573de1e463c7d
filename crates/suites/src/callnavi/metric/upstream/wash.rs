//! Washing a prediction: how the authors' script makes a value of what a model said.

use crate::python::read_yaml;
use crate::record::{BorrowedValue, Value};

const FENCE: &str = "```";
const JSON_FENCE: &str = "```json";
/// What the script for YAML takes away besides fences.
const YAML_LABEL: &str = "yaml\n";

/// What models were asked to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// JSON, as Python reads it.
    #[default]
    Json,
    /// YAML 1.1.
    Yaml,
}

/// A washed prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Washed<'t> {
    /// Whether the prediction itself could be read.
    pub syntax: bool,
    /// The value that is judged: of the prediction, else of its repair, else an empty object.
    pub value: BorrowedValue<'t>,
}

/// Washes predictions one after the other, and keeps the room that it needs for it.
#[derive(Debug, Default)]
pub struct Washer {
    text: String,
    spare: String,
    yaml: Value,
}

impl Washer {
    /// Washes a prediction; a repair is looked at only where the prediction cannot be read. It is read as it is.
    pub fn wash<'t>(&'t mut self, text: &'t str, form: Form, repair: Option<&'t str>) -> Washed<'t> {
        let value = match form {
            Form::Json => BorrowedValue::read_lenient(clean_json(text, &mut self.text, &mut self.spare)).ok(),
            Form::Yaml => take_yaml(&clean_yaml(text), &mut self.yaml),
        };
        match value {
            Some(value) => Washed { syntax: true, value },
            None => Washed { syntax: false, value: repair.and_then(read).unwrap_or_else(nothing) },
        }
    }
}

fn read(repair: &str) -> Option<BorrowedValue<'_>> {
    BorrowedValue::read_lenient(repair).ok()
}

fn nothing<'t>() -> BorrowedValue<'t> {
    BorrowedValue::Object(crate::record::BorrowedObject::default())
}

/// Every `'` becomes a `"`, wherever it stands; then labelled fences go, then plain ones.
fn clean_json<'t>(text: &'t str, out: &'t mut String, spare: &mut String) -> &'t str {
    let is_fenced = text.contains('`');
    if !is_fenced && !text.contains('\'') {
        return text;
    }
    copy(text, "'", "\"", out);
    for mark in [JSON_FENCE, FENCE].into_iter().filter(|_| is_fenced) {
        copy(out, mark, "", spare);
        std::mem::swap(out, spare);
    }
    out
}

fn copy(text: &str, mark: &str, instead: &str, out: &mut String) {
    out.clear();
    out.reserve(text.len());
    let mut parts = text.split(mark);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(instead);
        out.push_str(part);
    }
}

fn clean_yaml(text: &str) -> String {
    text.replace(YAML_LABEL, "").replace(FENCE, "").replace('\'', "\"")
}

fn take_yaml<'t>(text: &str, kept: &'t mut Value) -> Option<BorrowedValue<'t>> {
    *kept = read_yaml(text).ok()?;
    Some(BorrowedValue::from(&*kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn washed(text: &str, form: Form, repair: Option<&str>) -> (bool, String) {
        let mut washer = Washer::default();
        let washed = washer.wash(text, form, repair);
        (washed.syntax, Value::from(washed.value).to_string())
    }

    fn json(text: &str) -> (bool, String) {
        washed(text, Form::Json, None)
    }

    #[test]
    fn quotes_and_fences_are_forgiven() {
        let wanted = (true, r#"{"a":"x"}"#.to_owned());
        for text in [
            "{'a': 'x'}",
            "```json\n{\"a\": \"x\"}\n```",
            "```{\"a\": 'x'}",
            " \n{\"a\": \"x\"}\t",
            "{\"a```\": \"x\"}",
            "``` ```json```\n{'a': 'x```json'}",
        ] {
            assert_eq!(json(text), wanted, "{text}");
        }
        assert_eq!(json("5"), (true, "5".to_owned()));
    }

    #[test]
    fn an_apostrophe_breaks_what_was_right() {
        for text in [
            "{\"a\": \"it's\"}",
            "```JSON\n{}```",
            "Here: {}",
            "",
            "Error",
            "{\"a\": 1,}",
            "\u{feff}{}",
            "{\"a\": True}",
        ] {
            assert_eq!(json(text), (false, "{}".to_owned()), "{text}");
        }
    }

    #[test]
    fn marks_that_come_together_when_others_go_are_taken_too() {
        assert_eq!(json("`````json`{}"), (true, "{}".to_owned()));
        assert_eq!(json("```js```jsonon{}"), (false, "{}".to_owned()));
    }

    #[test]
    fn a_repair_is_read_as_it_is_and_only_where_it_is_needed() {
        assert_eq!(washed("{", Form::Json, Some("{\"a\": 1}")), (false, "{\"a\":1}".to_owned()));
        assert_eq!(washed("{", Form::Json, Some("```json\n{\"a\": 1}\n```")), (false, "{}".to_owned()));
        assert_eq!(washed("{", Form::Json, Some("{'a': 1}")), (false, "{}".to_owned()));
        assert_eq!(washed("[]", Form::Json, Some("{\"a\": 1}")), (true, "[]".to_owned()));
    }

    #[test]
    fn yaml_is_washed_otherwise() {
        assert_eq!(washed("```yaml\na: 'x'\n```", Form::Yaml, None), (true, r#"{"a":"x"}"#.to_owned()));
        assert!(!washed("```yml\na: x\n```", Form::Yaml, None).0);
        assert_eq!(washed("Some prose", Form::Yaml, None), (true, "\"Some prose\"".to_owned()));
    }

    proptest! {
        #[test]
        fn cleaning_is_three_replacements_one_after_the_other(text in "(`|```|json|'|a|\\{|é){0,14}") {
            let wanted = text.replace('\'', "\"").replace(JSON_FENCE, "").replace(FENCE, "");
            let (mut out, mut spare) = (String::from("old"), String::from("older"));
            prop_assert_eq!(clean_json(&text, &mut out, &mut spare), wanted);
        }
    }
}
