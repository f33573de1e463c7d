//! Whether a path holds files that somebody trains on, and what their first rows tell.

use super::leak::{each_row, files};
use crate::export::Shape;
use crate::format::Bench;
use crate::record::{Sample, Value};
use std::path::{Path, PathBuf};

/// What the rows of a file tell before anybody looks closer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct First {
    /// The first row.
    pub text: String,
    /// The locale that it names; English where it names none.
    pub locale: String,
    /// How many rows there are.
    pub rows: usize,
}

/// The files of rows at a path, each with its first; none where it is a bench. `told` says that somebody said so.
pub fn training_files(path: &Path, told: bool) -> Vec<(PathBuf, First)> {
    if path.is_dir()
        && (path.join("samples.jsonl").is_file() || !told && has_no_part(path) && Bench::open(path).is_ok())
    {
        return Vec::new();
    }
    let mut found: Vec<(PathBuf, First)> =
        files(path).into_iter().filter_map(|file| Some((file.clone(), first(&file)?))).collect();
    found.retain(|(_, first)| told && !is_sample(&first.text) || is_row(&first.text));
    found
}

fn has_no_part(path: &Path) -> bool {
    super::parts::files(path).is_empty()
}

fn is_sample(text: &str) -> bool {
    serde_json::from_str::<Sample>(text).is_ok()
}

/// Whether a line is a row that a trainer reads: no sample, and no row of a benchmark.
fn is_row(text: &str) -> bool {
    let Ok(Value::Object(row)) = Value::read(text) else { return false };
    // ComplexFuncBench's rows have conversations with roles.
    let is_bench = row.contains_key("functions") || row.contains_key("input_messages") || row.contains_key("expected");
    !is_bench && Shape::of(&row).is_some()
}

/// The first row of a file, unless the file cannot be read or has none.
fn first(file: &Path) -> Option<First> {
    let (mut first, mut rows) = (None, 0);
    each_row(file, &mut |_, text| {
        rows += 1;
        if first.is_none() {
            first = Some(text.to_owned());
        }
    })
    .ok()?;
    let text = first?;
    let named = Value::read(&text).ok().and_then(|row| row.as_object()?.get("locale")?.as_str().map(str::to_owned));
    Some(First { text, locale: named.unwrap_or_else(|| "en".to_owned()), rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::sample;

    const ROW: &str = r#"{"messages": [{"role": "user", "content": "hi"}], "locale": "ko"}"#;

    #[test]
    fn rows_are_told_from_samples() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("train.jsonl"), format!("{ROW}\n{ROW}\n")).unwrap();
        std::fs::write(at("test.jsonl"), ROW).unwrap();
        let found = training_files(folder.path(), false);
        let told: Vec<_> = found
            .iter()
            .map(|(file, first)| (file.file_name().unwrap().to_str().unwrap(), first.rows, first.locale.as_str()))
            .collect();
        assert_eq!(told, [("test.jsonl", 1, "ko"), ("train.jsonl", 2, "ko")]);
        assert_eq!(training_files(&at("train.jsonl"), false).len(), 1);
        std::fs::write(at("samples.jsonl"), serde_json::to_string(&sample("a", "ST_Perfect")).unwrap()).unwrap();
        assert_eq!(training_files(folder.path(), false), []);
        assert_eq!(training_files(&at("samples.jsonl"), true), []);
    }

    #[test]
    fn a_strange_row_is_one_only_where_somebody_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.jsonl");
        std::fs::write(&file, "{\"a\": 1}\n").unwrap();
        assert_eq!((training_files(&file, false).len(), training_files(&file, true).len()), (0, 1));
        assert!(training_files(&folder.path().join("gone"), true).is_empty());
    }
}
