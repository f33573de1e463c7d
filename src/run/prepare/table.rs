//! Tables that stages name: CSV, JSON lines or TOML.

use crate::record::{Object, Value};
use indexmap::IndexMap;

/// The rows of a CSV, JSON lines or TOML file; a TOML file's rows are those of its lists of tables, or else its top-level
/// tables by name.
pub(crate) fn read_table(path: &str, text: &str) -> Result<Vec<Object>, String> {
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
            let table: toml::Table = crate::toml_text::from_toml(text).map_err(|error| error.to_string())?;
            let is_list =
                |value: &toml::Value| value.as_array().is_some_and(|rows| rows.iter().any(toml::Value::is_table));
            let listed = table.values().any(is_list);
            let rows = table.into_iter().filter(|(_, value)| !listed || is_list(value));
            Ok(rows.flat_map(|(name, value)| toml_rows(&name, value)).collect())
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

fn toml_rows(name: &str, value: toml::Value) -> Vec<Object> {
    match plain(value) {
        Value::List(rows) => rows.into_iter().filter_map(|row| row.as_object().cloned()).collect(),
        Value::Object(mut row) => {
            row.entry("name".to_owned()).or_insert_with(|| Value::from(name));
            vec![row]
        }
        _ => Vec::new(),
    }
}

/// A value as JSON has it; a date is the text that was written.
fn plain(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(bool) => bool.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(list) => Value::List(list.into_iter().map(plain).collect()),
        toml::Value::Table(table) => Value::Object(table.into_iter().map(|(name, it)| (name, plain(it))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

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

    #[test]
    fn a_date_is_the_text_that_was_written() {
        let rows =
            read_table("a.toml", "[[row]]\nday = 2026-01-02\nat = 10:30:00\nwhen = [2026-01-02T10:30:00Z]\n").unwrap();
        let text = Value::from(rows[0].clone()).to_string();
        assert_eq!(text, r#"{"day":"2026-01-02","at":"10:30:00","when":["2026-01-02T10:30:00Z"]}"#);
    }

    #[test]
    fn beside_lists_of_rows_a_table_is_no_row() {
        let text = "title = \"Cities\"\n[about]\nby = \"me\"\n[[row]]\ncity = \"Seoul\"\n[[more]]\ncity = \"Porto\"\n";
        let rows = read_table("a.toml", text).unwrap();
        assert_eq!(rows.iter().map(|row| row["city"].as_str().unwrap()).collect::<Vec<_>>(), ["Seoul", "Porto"]);
    }

    #[test]
    fn quotes_marks_and_empty_fields_of_a_sheet_are_kept() {
        let rows = read_table("a.csv", "\u{feff}who,said\n\"Kim, Anna\",\"a \"\"b\"\"\nc\"\n,\n").unwrap();
        let texts: Vec<Vec<&str>> =
            rows.iter().map(|row| row.values().map(|it| it.as_str().unwrap()).collect()).collect();
        assert_eq!(texts, [vec!["Kim, Anna", "a \"b\"\nc"], vec!["", ""]]);
        assert_eq!(rows[0].keys().collect::<Vec<_>>(), ["who", "said"]);
    }

    proptest! {
        #[test]
        fn any_objects_come_back_line_by_line(rows in prop::collection::vec(prop::collection::vec((".{0,4}", any_value(false)), 0..4), 0..4)) {
            let rows: Vec<Object> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
            let text: String = rows.iter().map(|row| Value::from(row.clone()).to_string() + "\n").collect();
            prop_assert_eq!(read_table("a.jsonl", &text), Ok(rows));
        }
    }

    #[test]
    fn each_shipped_table_has_eighty_people_who_speak_in_styles_of_their_locale() {
        for locale in ["en", "ko", "zh", "ja"] {
            let text = crate::fixtures::assets().read(&format!("locales/{locale}/people.toml")).unwrap();
            let (people, pack) = (read_table("people.toml", &text).unwrap(), crate::fixtures::pack(locale));
            let works: std::collections::BTreeSet<_> =
                people.iter().filter_map(|it| it.get("work")?.as_str()).collect();
            assert_eq!((people.len(), works.len()), (80, 80), "{locale}");
            let register = |it: &Object| it["register"].as_str().unwrap().to_owned();
            let is_style = |name: &String| pack.styles.iter().any(|style| style.name == *name);
            assert!(people.iter().map(register).all(|name| is_style(&name)), "{locale}");
        }
    }
}
