//! Values that a writer took from the example of its prompt.

use super::Fault;
use crate::record::{Object, Tool, Value};

/// Rejects a text value that is copied from an example of the prompt (`is_example`) and is not named by the tool.
pub fn check_copied(tool: &Tool, arguments: &Object, is_example: impl Fn(&str) -> bool) -> Result<(), Fault> {
    let told = serde_json::to_string(tool).unwrap_or_default();
    let is_copied = |text: &str| is_example(text) && !told.contains(text);
    match arguments.iter().find(|(_, value)| any_text(value, &is_copied)) {
        Some((name, value)) => {
            let detail = format!("the value {value} of `{name}` is that of the example; choose one of your own");
            Err(Fault::new("copied_example", detail).naming([&value.to_string(), name]))
        }
        None => Ok(()),
    }
}

fn any_text(value: &Value, wanted: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => wanted(text),
        Value::List(items) => items.iter().any(|item| any_text(item, wanted)),
        Value::Object(fields) => fields.values().any(|field| any_text(field, wanted)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(arguments: &str, description: &str) -> Option<&'static str> {
        let tool = Tool { description: description.to_owned(), ..Tool::default() };
        let is_example = |text: &str| text == "Blue Lantern";
        check_copied(&tool, &serde_json::from_str(arguments).unwrap(), is_example).err().map(|fault| fault.reason)
    }

    #[test]
    fn a_value_of_the_example_is_refused_at_any_depth() {
        for copied in [
            r#"{"place": "Blue Lantern"}"#,
            r#"{"places": ["Old Mill", "Blue Lantern"]}"#,
            r#"{"table": {"place": {"name": "Blue Lantern"}}}"#,
        ] {
            assert_eq!(fault(copied, "Books a table"), Some("copied_example"), "{copied}");
        }
        assert_eq!(fault(r#"{"place": "Blue Lantern Street", "guests": 4, "quiet": true}"#, "Books a table"), None);
    }

    #[test]
    fn what_the_tool_names_is_no_example() {
        assert_eq!(fault(r#"{"place": "Blue Lantern"}"#, "Books a table at the Blue Lantern"), None);
    }
}
