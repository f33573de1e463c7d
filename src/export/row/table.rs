//! A lesson as a row of a plain table, for CSV.

use super::{Reasoning, trl};
use crate::export::lessons::lesson::{Lesson, object};
use crate::record::{Object, Value};

/// The columns, in their order.
pub(in super::super) const COLUMNS: [&str; 14] = [
    "id",
    "suite",
    "data_type",
    "locale",
    "aim",
    "paradigm",
    "template",
    "group",
    "licence",
    "source",
    "query",
    "target",
    "messages",
    "tools",
];

/// The cells, as texts.
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning) -> Vec<String> {
    let mut fields: Object = trl::about(lesson);
    let target = lesson.taught().first().map(|turn| match (&turn.text, turn.calls.as_slice()) {
        (_, [_, ..]) => Value::List(turn.calls.iter().map(super::call_value).collect()),
        (text, _) => text.clone().unwrap_or_default().into(),
    });
    fields.extend(object([
        ("query", lesson.sample.query().into()),
        ("target", target.unwrap_or_default()),
        ("messages", trl::messages(lesson, &lesson.turns, reasoning, false)),
        ("tools", trl::tools(lesson, false)),
    ]));
    COLUMNS.iter().map(|name| fields.get(*name).map(cell).unwrap_or_default()).collect()
}

fn cell(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::lesson;
    use super::*;

    #[test]
    fn every_column_has_its_cell() {
        let row = row(&lesson("call"), Reasoning::Drop);
        assert_eq!(
            (row.len(), row[0].as_str(), row[10].as_str()),
            (COLUMNS.len(), "Rail.book/ask/0", "a train to Porto")
        );
        assert_eq!(row[11], r#"[{"name":"Rail.book","arguments":{"to":"Porto"}}]"#);
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
}
