//! The rules of trainers' loaders: what they drop, refuse, or read as something else. One file for each family.

mod loaders;
mod messages;

use super::leak::{SourceError, each_row, place};
use crate::export::{Shape, read_as};
use crate::format::Place;
use crate::gate::unsourced;
use crate::lint::finding::{Finding, Findings, Severity};
use crate::record::{Object, Value};
use loaders::Types;
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

    /// The shape of its rows.
    fn shape(self) -> Shape {
        match self {
            Self::Openai | Self::Trl | Self::TrlArrow | Self::LlamafactoryOpenai => Shape::Messages,
            Self::Llamafactory => Shape::Llamafactory,
            Self::Hermes => Shape::Hermes,
            Self::Xlam => Shape::Xlam,
        }
    }

    /// Who reads it.
    pub fn reader(self) -> &'static str {
        match self {
            Self::Openai => "OpenAI and Azure fine-tuning",
            Self::Trl => "TRL, axolotl, chat templates",
            Self::TrlArrow => "TRL rows loaded through Arrow or Parquet",
            Self::Llamafactory => "LLaMA-Factory, sharegpt format",
            Self::LlamafactoryOpenai => "LLaMA-Factory, openai format",
            Self::Hermes => "Hermes tags",
            Self::Xlam => "xLAM lists",
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
        Err(error) => faults.error("readable", "row", &format!("not JSON: {error}")),
        Ok(Value::Object(row)) => {
            faults.id = row
                .get("id")
                .map_or_else(|| place(file, line), |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            match loader {
                Loader::Llamafactory => loaders::check_sharegpt(&row, &mut faults),
                Loader::Hermes => loaders::check_hermes(&row, &mut faults),
                Loader::Xlam => loaders::check_xlam(&row, &mut faults),
                Loader::TrlArrow | Loader::Trl => {
                    messages::check(loader, &row, &mut faults);
                    types.check(loader, &row, &mut faults);
                }
                Loader::Openai | Loader::LlamafactoryOpenai => messages::check(loader, &row, &mut faults),
            }
        }
        Ok(_) => faults.error("readable", "row", "not an object"),
    }
    let is_sound = findings.count(Severity::Error) == before;
    findings.tally("rows are kept by the loader", is_sound);
    sources(loader, file, line, text, findings);
}

/// Whatever the loader: a row teaches no identifier that stands nowhere before its call.
fn sources(loader: Loader, file: &Path, line: usize, text: &str, findings: &mut Findings) {
    let Ok((sample, _)) = read_as(loader.shape(), &whole(text), &place(file, line)) else { return };
    let found = unsourced(&sample);
    findings.tally("identifiers stand before the call that uses them", found.is_empty());
    for value in found {
        let (place, id) = (Place::of(file, line), sample.id.as_str());
        let message = format!("{value} does not appear before the call");
        findings.add(Finding::new("source", Severity::Error, &place, id, message));
    }
}

/// A row of a pair as the row of its right answer alone; any other as it is.
fn whole(text: &str) -> String {
    let pair = |row: &Object| {
        let input = row.get("input").and_then(Value::as_object);
        let (prompt, key) = match input {
            Some(input) => (input.get("messages")?, "preferred_output"),
            None => (row.get("prompt").or_else(|| row.get("conversations"))?, "chosen"),
        };
        let chosen = row.get(key)?;
        let chosen = chosen.as_list().map_or_else(|| vec![chosen.clone()], <[_]>::to_vec);
        let name = if row.contains_key("conversations") { "conversations" } else { "messages" };
        let turns = Value::List(prompt.as_list()?.iter().cloned().chain(chosen).collect());
        let mut row: Object = input.unwrap_or(row).iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        row.insert(name.to_owned(), turns);
        Some(Value::Object(row).to_string())
    };
    let row = Value::read(text).ok();
    row.as_ref().and_then(Value::as_object).and_then(pair).unwrap_or_else(|| text.to_owned())
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
        assert_eq!(found(Loader::Trl, &["[]"]), ["readable row: not an object"]);
        assert!(found(Loader::Xlam, &["{"])[0].starts_with("readable row: not JSON"));
    }

    #[test]
    fn a_row_that_teaches_an_invented_identifier_is_an_error_for_every_loader() {
        let rows = |said: &str| {
            let arguments = r#"{"to":"PRT-77"}"#;
            let call = serde_json::json!({"name": "book", "arguments": {"to": "PRT-77"}});
            let tools = serde_json::json!([{"type": "function", "function": {"name": "book", "description": "",
                "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": []}}}]);
            let bare = serde_json::json!([tools[0]["function"]]).to_string();
            let messages = |arguments: serde_json::Value| {
                serde_json::json!([{"role": "user", "content": said}, {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "call00000", "type": "function", "function": {"name": "book", "arguments": arguments}}]}])
            };
            let turn = |from: &str, value: &str| serde_json::json!({"from": from, "value": value});
            let tagged = format!("<tool_call>\n{call}\n</tool_call>");
            [
                (Loader::Openai, serde_json::json!({"messages": messages(arguments.into()), "tools": tools})),
                (Loader::Trl, serde_json::json!({"messages": messages(call["arguments"].clone()), "tools": tools})),
                (
                    Loader::TrlArrow,
                    serde_json::json!({"messages": messages(arguments.into()), "tools": tools.to_string()}),
                ),
                (
                    Loader::LlamafactoryOpenai,
                    serde_json::json!({"messages": messages(arguments.into()), "tools": tools.to_string()}),
                ),
                (
                    Loader::Llamafactory,
                    serde_json::json!({"conversations": [turn("human", said), turn("function_call", &call.to_string())], "tools": bare}),
                ),
                (
                    Loader::Hermes,
                    serde_json::json!({"conversations": [turn("system", &format!("<tools>{}</tools>", tools[0])), turn("human", said), turn("gpt", &tagged)]}),
                ),
                (Loader::Xlam, serde_json::json!({"query": said, "answers": format!("[{call}]"), "tools": bare})),
                (
                    Loader::Trl,
                    serde_json::json!({"prompt": [{"role": "user", "content": said}], "chosen": [messages(call["arguments"].clone())[1]], "rejected": [], "tools": tools}),
                ),
            ]
        };
        let count = |said: &str| -> Vec<usize> {
            let told = rows(said).map(|(loader, row)| found(loader, &[&row.to_string()]));
            told.iter().map(|told| told.iter().filter(|it| it.starts_with("source ")).count()).collect()
        };
        assert_eq!(count("a train"), [1; 8]);
        assert_eq!(count("a train to prt 77"), [0; 8]);
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
