//! Reads what a translator answers: texts and values by their ids.

use super::words::Texts;
use crate::gate::Fault;
use crate::record::{Object, Value};
use crate::text::read_object;

/// Texts and values in the new language, by the ids under which they were shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) texts: Texts,
    pub(super) values: Texts,
}

/// Reads an answer that holds everything that was asked for; `values` are the ids of those.
pub(super) fn read_answer(text: &str, texts: &Texts, values: &Texts) -> Result<Answer, Fault> {
    let object = read_object(text).map_err(Fault::from)?.0;
    Ok(Answer { texts: part(&object, "texts", texts)?, values: part(&object, "values", values)? })
}

fn part(object: &Object, key: &str, asked: &Texts) -> Result<Texts, Fault> {
    let given = object.get(key).map(given).unwrap_or_default();
    let one = |id: &String| {
        let text = given.get(id).map(|text| text.trim()).filter(|text| !text.is_empty());
        text.map(|text| (id.clone(), text.to_owned()))
            .ok_or_else(|| Fault::new("text_missing", format!("{key} lacks `{id}`")))
    };
    asked.keys().map(one).collect()
}

/// A list of ids with texts, or the texts by their ids: models write either.
fn given(value: &Value) -> Texts {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Object(texts) => texts.iter().filter_map(|(id, it)| Some((id.clone(), text(it)?))).collect(),
        Value::List(rows) => {
            let field = |row: &Value, name: &str| text(row.as_object()?.get(name)?);
            rows.iter().filter_map(|row| Some((field(row, "id")?, field(row, "text")?))).collect()
        }
        _ => Texts::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(ids: &[&str]) -> Texts {
        ids.iter().map(|id| ((*id).to_owned(), String::new())).collect()
    }

    fn read(text: &str) -> Result<Answer, Fault> {
        read_answer(text, &asked(&["message 0"]), &asked(&["value 0"]))
    }

    #[test]
    fn a_list_of_ids_or_texts_by_their_ids_are_read() {
        let list =
            r#"{"texts": [{"id": "message 0", "text": " 안녕 "}], "values": [{"id": "value 0", "text": "부산"}]}"#;
        let named = r#"Here: {"texts": {"message 0": "안녕"}, "values": {"value 0": "부산", "value 9": "x"}}"#;
        assert_eq!(read(list).unwrap(), read(named).unwrap());
        assert_eq!(read(list).unwrap().texts["message 0"], "안녕");
    }

    #[test]
    fn what_is_missing_is_named() {
        let reason = |text: &str| read(text).map_err(|fault| (fault.reason, fault.detail)).unwrap_err();
        assert_eq!(reason("no").0, "no_object");
        assert_eq!(reason("{}"), ("text_missing", "texts lacks `message 0`".to_owned()));
        let without = r#"{"texts": {"message 0": "안녕"}, "values": {"value 0": " "}}"#;
        assert_eq!(reason(without).1, "values lacks `value 0`");
    }
}
