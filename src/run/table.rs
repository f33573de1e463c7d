//! Tables that stages name: CSV, JSON lines or TOML.

use crate::record::{Object, Value};
use indexmap::IndexMap;

/// The rows of a CSV, JSON lines or TOML file; a TOML file's rows are its `row` tables, or its top-level tables by name.
pub(super) fn read_table(path: &str, text: &str) -> Result<Vec<Object>, String> {
    match path.rsplit('.').next() {
        Some("csv") => csv::Reader::from_reader(text.as_bytes())
            .deserialize::<IndexMap<String, String>>()
            .map(|row| {
                Ok(row
                    .map_err(|error| error.to_string())?
                    .into_iter()
                    .map(|(key, it)| (key, Value::from(it.as_str())))
                    .collect())
            })
            .collect(),
        Some("toml") => {
            let table: IndexMap<String, serde_json::Value> = toml::from_str(text).map_err(|error| error.to_string())?;
            Ok(table.into_iter().flat_map(|(name, value)| toml_rows(&name, value)).collect())
        }
        _ => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| {
                let value = Value::read(line).map_err(|error| format!("line {}: {error}", index + 1))?;
                value.as_object().cloned().ok_or_else(|| format!("line {}: expected a JSON object", index + 1))
            })
            .collect(),
    }
}

fn toml_rows(name: &str, value: serde_json::Value) -> Vec<Object> {
    match Value::from(value) {
        Value::List(rows) => rows.into_iter().filter_map(|row| row.as_object().cloned()).collect(),
        Value::Object(mut row) => {
            row.entry("name".to_owned()).or_insert_with(|| Value::from(name));
            vec![row]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_from_three_formats() {
        let rows = |path: &str, text: &str| read_table(path, text).map(|rows| serde_json::to_string(&rows).unwrap());
        assert_eq!(rows("a.csv", "who,age\nAnna,7\n").unwrap(), r#"[{"who":"Anna","age":"7"}]"#);
        assert_eq!(rows("a.jsonl", "{\"a\": 1.0}\n\n").unwrap(), r#"[{"a":1.0}]"#);
        assert_eq!(rows("a.toml", "[[row]]\na = 1\n[[row]]\na = 2\n").unwrap(), r#"[{"a":1},{"a":2}]"#);
        assert_eq!(rows("a.toml", "[maps]\ntitle = \"Maps\"\n").unwrap(), r#"[{"title":"Maps","name":"maps"}]"#);
        assert_eq!(rows("a.jsonl", "[1]").unwrap_err(), "line 1: expected a JSON object");
    }

    #[test]
    fn what_is_no_table_is_said_with_its_place() {
        let fault = |path: &str, text: &str| read_table(path, text).unwrap_err();
        assert!(fault("a.jsonl", "{}\n{\"a\": }").starts_with("line 2: "));
        assert!(fault("a.csv", "who,age\nAnna\n").contains("record 1"), "{}", fault("a.csv", "who,age\nAnna\n"));
        assert!(fault("a.toml", "row = ").contains("TOML parse error at line 1"));
    }

    #[test]
    fn a_row_keeps_its_own_name() {
        let rows = read_table("a.toml", "[maps]\nname = \"Atlas\"\n[plain]\n").unwrap();
        let names: Vec<&str> = rows.iter().filter_map(|row| row.get("name")?.as_str()).collect();
        assert_eq!(names, ["Atlas", "plain"]);
        assert!(read_table("a.toml", "alone = 1").unwrap().is_empty());
    }
}
