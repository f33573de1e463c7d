//! The rules of trainers' loaders: what they drop, refuse, or read as something else. One file for each family.

mod arrow;
mod calls;
mod hermes;
mod messages;
mod sharegpt;
mod xlam;

use super::entry::Place;
use super::finding::{Finding, Findings, Severity};
use super::leak::{SourceError, each_row, place};
use crate::export::Shape;
use crate::record::{Object, Value};
use arrow::Types;
use std::path::{Path, PathBuf};

/// Whose loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loader {
    /// Of files for OpenAI.
    Openai,
    /// Of messages with objects as arguments.
    Trl,
    /// Of messages with texts as arguments and tools.
    TrlArrow,
    /// Of conversations in `from` and `value`.
    Llamafactory,
    /// Of messages as LLaMA-Factory reads them.
    LlamafactoryOpenai,
    /// Of calls between tags.
    Hermes,
    /// Of a query and its answers.
    Xlam,
}

/// What is found in one row.
struct Faults<'f> {
    findings: &'f mut Findings,
    place: Place,
    id: String,
}

impl Loader {
    /// The loader that a row is most likely written for.
    pub fn of(line: &str) -> Option<Self> {
        let row = Value::read(line).ok()?;
        let row = row.as_object()?;
        Some(match Shape::of(row)? {
            Shape::Llamafactory => Self::Llamafactory,
            Shape::Hermes => Self::Hermes,
            Shape::Xlam => Self::Xlam,
            Shape::Toolace => return None,
            Shape::Messages if row.get("tools").is_some_and(|it| it.as_str().is_some()) => Self::TrlArrow,
            Shape::Messages if holds_texts(row).unwrap_or(!row.contains_key("id")) => Self::Openai,
            Shape::Messages => Self::Trl,
        })
    }

    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Openai,
        Self::Trl,
        Self::TrlArrow,
        Self::Llamafactory,
        Self::LlamafactoryOpenai,
        Self::Hermes,
        Self::Xlam,
    ];

    /// The loader of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|loader| loader.as_str() == name)
    }

    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Trl => "trl",
            Self::TrlArrow => "trl-arrow",
            Self::Llamafactory => "llamafactory",
            Self::LlamafactoryOpenai => "llamafactory-openai",
            Self::Hermes => "hermes",
            Self::Xlam => "xlam",
        }
    }

    /// Who reads it.
    pub fn reader(self) -> &'static str {
        match self {
            Self::Openai => "OpenAI's and Azure's fine-tuning",
            Self::Trl => "TRL, axolotl, chat templates",
            Self::TrlArrow => "The same through Arrow or Parquet",
            Self::Llamafactory => "LLaMA-Factory's `sharegpt`",
            Self::LlamafactoryOpenai => "LLaMA-Factory's `openai`",
            Self::Hermes => "Hermes' tags",
            Self::Xlam => "xLAM's lists",
        }
    }
}

/// Whether the arguments of a first call are a text; nothing where nothing is called.
fn holds_texts(row: &Object) -> Option<bool> {
    let list = row.get("messages").and_then(Value::as_list).unwrap_or_default();
    let mut calls = list.iter().filter_map(|message| message.as_object()?.get("tool_calls")?.as_list()).flatten();
    let function =
        |call: &Value| call.as_object()?.get("function")?.as_object()?.get("arguments").map(|it| it.as_str().is_some());
    calls.find_map(function)
}

/// Holds every row of some files to a loader's rules. Of the rows, only the types of their arguments are remembered.
pub fn loads(loader: Loader, files: &[PathBuf]) -> Result<Findings, SourceError> {
    let (mut findings, mut types) = (Findings::default(), Types::default());
    for file in files {
        each_row(file, &mut |line, text| row(loader, file, line, text, &mut types, &mut findings))?;
    }
    Ok(findings)
}

fn row(loader: Loader, file: &Path, line: usize, text: &str, types: &mut Types, findings: &mut Findings) {
    let before = findings.count(Severity::Error);
    let mut faults = Faults { findings, place: Place::of(file, line), id: String::new() };
    match Value::read(text) {
        Err(error) => faults.error("readable", "row", &format!("it is no JSON: {error}")),
        Ok(Value::Object(row)) => {
            faults.id = row
                .get("id")
                .map_or_else(|| place(file, line), |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            match loader {
                Loader::Llamafactory => sharegpt::check(&row, &mut faults),
                Loader::Hermes => hermes::check(&row, &mut faults),
                Loader::Xlam => xlam::check(&row, &mut faults),
                Loader::TrlArrow | Loader::Trl => {
                    messages::check(loader, &row, &mut faults);
                    types.check(loader, &row, &mut faults);
                }
                Loader::Openai | Loader::LlamafactoryOpenai => messages::check(loader, &row, &mut faults),
            }
        }
        Ok(_) => faults.error("readable", "row", "it is no object"),
    }
    let is_sound = findings.count(Severity::Error) == before;
    findings.tally("rows are kept by the loader", is_sound);
}

impl Faults<'_> {
    /// What the loader refuses or drops.
    fn error(&mut self, rule: &'static str, at: &str, what: &str) {
        self.findings.add(Finding::new(rule, Severity::Error, &self.place, &self.id, format!("{at}: {what}")));
    }

    /// What it takes, and reads as something else.
    fn warning(&mut self, rule: &'static str, at: &str, what: &str) {
        self.findings.add(Finding::new(rule, Severity::Warning, &self.place, &self.id, format!("{at}: {what}")));
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    /// The rules that find something in rows, each with its message.
    pub(super) fn found(loader: Loader, rows: &[&str]) -> Vec<String> {
        let (mut findings, mut types) = (Findings::default(), Types::default());
        for (at, text) in rows.iter().enumerate() {
            row(loader, Path::new("train.jsonl"), at + 1, text, &mut types, &mut findings);
        }
        findings
            .rules()
            .flat_map(|(rule, _, _, first)| first.iter().map(move |it| format!("{rule} {}", it.message)))
            .collect()
    }

    /// The rules alone.
    pub(super) fn rules(loader: Loader, row: &str) -> Vec<String> {
        found(loader, &[row]).iter().map(|it| it.split(' ').next().unwrap_or_default().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::found;
    use super::*;

    #[test]
    fn what_is_no_row_is_told_with_its_line() {
        assert_eq!(found(Loader::Trl, &["[]"]), ["readable row: it is no object"]);
        assert!(found(Loader::Xlam, &["{"])[0].starts_with("readable row: it is no JSON"));
    }

    #[test]
    fn a_row_tells_whose_it_is() {
        let of = |line: &str| Loader::of(line).map(Loader::as_str);
        assert_eq!(of(r#"{"messages": [], "tools": "[]"}"#), Some("trl-arrow"));
        assert_eq!(of(r#"{"messages": [], "tools": [], "id": "a"}"#), Some("trl"));
        assert_eq!(
            of(r#"{"messages": [{"tool_calls": [{"function": {"arguments": "{}"}}]}], "id": 1}"#),
            Some("openai")
        );
        assert_eq!(of(r#"{"conversations": [{"from": "human", "value": ""}], "tools": "[]"}"#), Some("llamafactory"));
        assert_eq!(of(r#"{"query": "", "answers": "[]"}"#), Some("xlam"));
        assert_eq!(of("[]"), None);
    }

    #[test]
    fn files_are_read_row_by_row() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("train.jsonl");
        std::fs::write(&file, "{\"id\": 3}\n\n{}\n").unwrap();
        let findings = loads(Loader::Openai, &[file]).unwrap();
        let (_, _, count, first) = findings.rules().next().unwrap();
        assert_eq!(
            (count, first[0].id.as_str(), first[1].id.as_str(), first[1].place.line),
            (2, "3", "train.jsonl:3", 3)
        );
        assert_eq!(findings.tallies().next().unwrap().1.right, 0);
    }
}
