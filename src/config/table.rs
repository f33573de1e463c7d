//! The columns of an input table, known before a run so that a prompt's variables can be checked.

use crate::toml_text::{deep_key, too_deep};
use toml::de::{DeTable, DeValue};

/// Most JSON lines that are looked at: the columns of a table are those of its beginning.
const LOOKED_AT: usize = 100;

/// Names of a table's columns; what is wrong with it otherwise.
pub(crate) fn columns(path: &str, text: &str) -> Result<Vec<String>, String> {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("csv") => csv_columns(text),
        Some("jsonl") => jsonl_columns(text),
        Some("toml") => toml_columns(text),
        _ => Err("a table ends in `.csv`, `.jsonl` or `.toml`".to_owned()),
    }
}

fn csv_columns(text: &str) -> Result<Vec<String>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| error.to_string())?;
    not_empty(names.iter().map(str::to_owned).collect())
}

fn jsonl_columns(text: &str) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines.take(LOOKED_AT) {
        let row: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|_| format!("line {number} is no JSON object"))?;
        names.extend(row.into_iter().map(|(name, _)| name));
    }
    not_empty(names)
}

/// The rows of a TOML table are the entries of its lists of tables, whatever those are called.
fn toml_columns(text: &str) -> Result<Vec<String>, String> {
    if deep_key(text).is_some() {
        return Err(too_deep());
    }
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    let lists = table.get_ref().values().filter_map(|value| value.get_ref().as_array());
    let rows = lists.flat_map(|list| list.iter()).filter_map(|row| match row.get_ref() {
        DeValue::Table(row) => Some(row),
        _ => None,
    });
    not_empty(rows.flat_map(|row| row.keys().map(|key| key.get_ref().to_string())).collect())
}

fn not_empty(mut names: Vec<String>) -> Result<Vec<String>, String> {
    names.sort();
    names.dedup();
    if names.is_empty() { Err("it holds no rows".to_owned()) } else { Ok(names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_table_names_its_columns() {
        assert_eq!(columns("a.csv", "name,city\nx,y\n").unwrap(), ["city", "name"]);
        assert_eq!(columns("a.jsonl", "{\"name\": 1}\n\n{\"city\": 2}\n").unwrap(), ["city", "name"]);
        assert_eq!(columns("a.toml", "[[row]]\nname = 1\n[[row]]\ncity = 2\n").unwrap(), ["city", "name"]);
    }

    #[test]
    fn what_is_no_table_says_why() {
        assert_eq!(columns("a.xlsx", "").unwrap_err(), "a table ends in `.csv`, `.jsonl` or `.toml`");
        assert_eq!(columns("a.jsonl", "{}\n[1]").unwrap_err(), "line 2 is no JSON object");
        assert_eq!(columns("a.csv", "").unwrap_err(), "it holds no rows");
        assert_eq!(columns("a.toml", "a = 1").unwrap_err(), "it holds no rows");
        assert!(columns("a.toml", "a = ").is_err());
    }
}
