//! xLAM's rows: a request and its calls. They have no words of an assistant.

use super::super::back;
use super::types::tool_of;
use super::{Parts, assistant};
use crate::export::lessons::lesson::Turn;
use crate::record::{Object, Role, Value};

/// Reads a row.
pub(super) fn parts(row: &Object) -> Result<Parts, String> {
    let query = row.get("query").and_then(Value::as_str).ok_or("`query` is missing or not a string")?;
    let mut lost = Vec::new();
    let list = |key: &str| match row.get(key) {
        Some(Value::String(text)) => match Value::read(text) {
            Ok(Value::List(list)) => Ok(list),
            _ => Err(format!("`{key}` is not a JSON list")),
        },
        Some(Value::List(list)) => Ok(list.clone()),
        _ => Err(format!("missing `{key}`")),
    };
    let calls = list("answers")?
        .iter()
        .map(|call| back::read_call(call).ok_or("an answer has no name or no arguments"))
        .collect::<Result<Vec<_>, _>>()?;
    let tools = list("tools")?.iter().map(|tool| tool_of(tool, &mut lost)).collect::<Result<Vec<_>, _>>()?;
    Ok(Parts { turns: vec![Turn::said(Role::User, query), assistant("", calls, None)], tools, lost })
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, read_as};
    use crate::record::Expected;

    #[test]
    fn a_request_has_its_calls_and_its_tools() {
        let row = r#"{"id": 7, "query": "split it", "answers": "[{\"name\": \"split\", \"arguments\": {\"n\": 4}}]", "tools": "[{\"name\": \"split\", \"description\": \"S\", \"parameters\": {\"n\": {\"description\": \"N\", \"type\": \"int\"}}}]"}"#;
        let (sample, losses) = read_as(Shape::Xlam, row, "train/1").unwrap();
        assert!(matches!(&sample.expected, Expected::Call(call) if call.arguments["n"].to_string() == "4"));
        assert_eq!(
            (sample.candidates[0].parameters.required.as_slice(), losses.len()),
            (["n".to_owned()].as_slice(), 0)
        );
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (row, told) in [
            (r#"{"answers": "[]"}"#, "`query`"),
            (r#"{"query": "x", "answers": "{", "tools": "[]"}"#, "`answers` is not a JSON list"),
            (r#"{"query": "x", "answers": "[1]", "tools": "[]"}"#, "no name"),
            (r#"{"query": "x", "answers": "[]"}"#, "missing `tools`"),
        ] {
            assert!(read_as(Shape::Xlam, row, "x").unwrap_err().contains(told), "{row}");
        }
    }
}
