//! What Arrow makes of rows: one type for each key, so that mixed types fail or become nulls.

use super::{Faults, Loader};
use crate::record::{Object, Value};
use std::collections::BTreeMap;

/// The types by what has them, over all rows: argument names, and the keys of rows.
#[derive(Debug, Default)]
pub(super) struct Types {
    arguments: BTreeMap<String, &'static str>,
    keys: BTreeMap<String, &'static str>,
    count: Option<usize>,
}

impl Types {
    /// Holds a row to the types of the rows before.
    pub(super) fn check(&mut self, loader: Loader, row: &Object, faults: &mut Faults<'_>) {
        if loader == Loader::TrlArrow {
            return self.keys(row, faults);
        }
        let list = row.get("messages").and_then(Value::as_list).unwrap_or_default();
        let calls = list.iter().filter_map(|message| message.as_object()?.get("tool_calls")?.as_list()).flatten();
        for arguments in calls.filter_map(arguments) {
            for (name, value) in arguments {
                let (kind, known) = (value.type_name(), mixed(&mut self.arguments, name, value));
                if let Some(known) = known {
                    let what = format!(
                        "`{name}` is {kind} here and {known} before: `datasets` needs its JSON type for that, or arguments as texts"
                    );
                    faults.warning("mixed_types", "arguments", &what);
                }
            }
        }
    }

    fn keys(&mut self, row: &Object, faults: &mut Faults<'_>) {
        for (key, value) in row {
            if let Some(known) = mixed(&mut self.keys, key, value) {
                faults.error("mixed_types", key, &format!("it is {} here and {known} before", value.type_name()));
            }
        }
        let known = *self.count.get_or_insert(row.len());
        if known != row.len() {
            faults.error("absent_key", "row", &format!("it has {} keys, and the rows before have {known}", row.len()));
        }
    }
}

/// The type that a name had before, if it is another one. Null goes with every type.
fn mixed(types: &mut BTreeMap<String, &'static str>, name: &str, value: &Value) -> Option<&'static str> {
    let kind = value.type_name();
    match types.get(name) {
        _ if value.is_null() => None,
        Some(known) if *known != kind => Some(known),
        Some(_) => None,
        None => {
            types.insert(name.to_owned(), kind);
            None
        }
    }
}

fn arguments(call: &Value) -> Option<&Object> {
    let call = call.as_object()?;
    call.get("function").and_then(Value::as_object).unwrap_or(call).get("arguments")?.as_object()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    fn row(value: &str) -> String {
        format!(
            r#"{{"messages": [{{"role": "user", "content": "hi"}}, {{"role": "assistant", "tool_calls": [{{"function": {{"name": "f", "arguments": {{"n": {value}}}}}}}]}}], "tools": [{{"name": "f"}}]}}"#
        )
    }

    #[test]
    fn an_argument_of_two_types_is_told_where_it_changes() {
        let rows = [row("1"), row("null"), row("\"one\"")];
        let told = found(Loader::Trl, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("mixed_types arguments: `n` is"), "{told:?}");
    }

    #[test]
    fn rows_for_arrow_have_the_same_keys_of_the_same_types() {
        let row = |more: &str| {
            format!(
                r#"{{"messages": [{{"role": "assistant", "content": "x", "tool_calls": [], "tool_call_id": null, "name": null}}], "tools": "[]", {more}}}"#
            )
        };
        let rows = [row(r#""id": "a""#), row(r#""id": 7"#), row(r#""id": "c", "more": 1"#)];
        let told = found(Loader::TrlArrow, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(
            told[0].starts_with("mixed_types id: it is") && told[1].starts_with("absent_key row: it has 4 keys"),
            "{told:?}"
        );
    }
}
