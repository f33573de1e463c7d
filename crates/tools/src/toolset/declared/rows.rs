//! Rows of a table that a file gives: CSV with a heading, or a JSON list of objects.

use fcgen_core::assets::Assets;
use fcgen_core::record::{Number, Object, Value};
use std::path::{Component, Path};

/// Reads `world/<file>`, and joins what `<locale>/<file>` says about the same keys.
pub(super) fn read(
    assets: &Assets,
    folder: &str,
    locale: &str,
    file: &str,
    key: Option<&str>,
) -> Result<Vec<Object>, String> {
    if !stays(file) {
        return Err(format!("`{file}` is outside `world/`; move it there"));
    }
    let path = format!("{folder}/world/{file}");
    let text = assets.read(&path).ok_or_else(|| format!("`{path}` is missing"))?;
    let mut rows = parse(file, &text).map_err(|message| format!("`{path}`: {message}"))?;
    let path = format!("{folder}/{locale}/{file}");
    let Some(text) = assets.read(&path) else { return Ok(rows) };
    let said = parse(file, &text).map_err(|message| format!("`{path}`: {message}"))?;
    let key = key.or_else(|| said.first()?.keys().next().map(String::as_str)).unwrap_or_default().to_owned();
    if !rows.iter().all(|row| row.contains_key(&key)) {
        // Whoever reads the table says that it has no such column.
        return Ok(rows);
    }
    for row in &mut rows {
        let words =
            said.iter().find(|words| words.get(&key).is_some_and(|it| row.get(&key).is_some_and(|own| own.equals(it))));
        let words =
            words.ok_or_else(|| format!("no entry for {key} {} in `{path}`", row.get(&key).unwrap_or(&Value::Null)))?;
        row.extend(words.clone());
    }
    Ok(rows)
}

/// Whether a name stays in the folder that it is joined to, here and where backslashes part folders.
fn stays(file: &str) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    !file.contains(['\\', ':']) && !file.is_empty() && Path::new(file).components().all(is_plain)
}

fn parse(file: &str, text: &str) -> Result<Vec<Object>, String> {
    let rows = if file.to_lowercase().ends_with(".json") { read_json(text)? } else { read_csv(text)? };
    match rows.iter().position(|row| row.len() != rows.first().map_or(0, Object::len)) {
        Some(at) => Err(format!("the columns of row {} differ from the first row", at + 1)),
        None if rows.is_empty() => Err("no rows".to_owned()),
        None => Ok(rows),
    }
}

fn read_json(text: &str) -> Result<Vec<Object>, String> {
    let value = Value::read(text).map_err(|error| format!("not JSON: {error}"))?;
    let rows = value.as_list().ok_or("expected a list of objects, such as [{\"id\": \"a\"}]")?;
    let object = |row: &Value| row.as_object().cloned().ok_or_else(|| format!("expected an object, found {row}"));
    rows.iter().map(object).collect()
}

fn read_csv(text: &str) -> Result<Vec<Object>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| error.to_string())?.clone();
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.map_err(|error| error.to_string())?;
        Ok(heading.iter().map(str::to_owned).zip(record.iter().map(cell)).collect())
    };
    reader.records().map(row).collect()
}

/// A cell's value: a number, a boolean, nothing, or a text. What begins with 0 or + is no number but a code.
fn cell(text: &str) -> Value {
    match text.trim() {
        "" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => Number::parse(text).filter(Number::is_finite).map_or_else(|| Value::from(text), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_typed_by_what_they_look_like() {
        let rows = parse("a.csv", "code,size,open,note\n007,1.5,true,\nBER,-3,false,\"a, b\"\n").unwrap();
        let texts: Vec<String> = rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
        assert_eq!(
            texts,
            [
                r#"{"code":"007","size":1.5,"open":true,"note":null}"#,
                r#"{"code":"BER","size":-3,"open":false,"note":"a, b"}"#
            ]
        );
    }

    #[test]
    fn the_rows_of_a_toolset_are_in_its_folder() {
        let told = |file: &str| read(crate::fixtures::assets(), "tests", "en", file, None).unwrap_err();
        for file in ["../a.csv", "/etc/passwd", "a/../../b.csv", "C:\\a.csv", "..\\a.csv", "c:a.csv", ""] {
            assert!(told(file).ends_with("is outside `world/`; move it there"), "{file}");
        }
        assert_eq!(told("sub/./a.csv"), "`tests/world/sub/./a.csv` is missing");
    }

    #[test]
    fn json_rows_are_objects_of_one_form() {
        assert_eq!(parse("a.json", r#"[{"id": "a"}, {"id": "b"}]"#).unwrap().len(), 2);
        assert!(parse("a.json", "{}").unwrap_err().starts_with("expected a list of objects"));
        assert_eq!(parse("a.json", "[3]").unwrap_err(), "expected an object, found 3");
        assert_eq!(
            parse("a.json", r#"[{"id": "a"}, {}]"#).unwrap_err(),
            "the columns of row 2 differ from the first row"
        );
        assert!(parse("a.json", "[").unwrap_err().starts_with("not JSON"));
        assert_eq!(parse("a.csv", "id\n").unwrap_err(), "no rows");
        assert!(parse("a.csv", "id,b\n1\n").is_err());
    }

    #[test]
    fn what_a_locale_says_is_joined_by_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let path = folder.path().to_str().unwrap();
        write("world/towns.csv", "id,size\nA,1\nB,2\n");
        assert_eq!(read(crate::fixtures::assets(), path, "en", "towns.csv", None).unwrap()[0].len(), 2);
        write("en/towns.csv", "id,name\nB,Bree\nA,Archet\n");
        let rows = read(crate::fixtures::assets(), path, "en", "towns.csv", Some("id")).unwrap();
        assert_eq!(rows[1]["name"].as_str(), Some("Bree"));
        write("en/towns.csv", "id,name\nB,Bree\n");
        assert!(
            read(crate::fixtures::assets(), path, "en", "towns.csv", None)
                .unwrap_err()
                .contains("no entry for id \"A\" in ")
        );
        assert!(read(crate::fixtures::assets(), path, "en", "none.csv", None).unwrap_err().ends_with("is missing"));
    }
}
