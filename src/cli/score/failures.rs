//! `--failures`: each failed item with everything that one needs to understand it.

use crate::cli::console::exit::{Complaint, INPUT};
use fcgen::format::{Bench, BenchError, Predictions};
use fcgen::fs::AtomicFile;
use fcgen::record::{Expected, FunctionCall, Message, Outcome, Role, Sample, Tool, Verdict};
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Failed items, until the benchmark is read once more to say what each was about.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    by_id: BTreeMap<String, Vec<Failed>>,
}

/// A failure of one model.
#[derive(Debug)]
struct Failed {
    file: String,
    model: String,
    run: u32,
    error: &'static str,
    reason: String,
}

/// A line of the file.
#[derive(Serialize)]
struct Line<'l> {
    id: &'l str,
    model: &'l str,
    data_type: &'l str,
    error: &'l str,
    reason: &'l str,
    request: Vec<String>,
    tools: Vec<String>,
    expected: Json,
    predicted: Json,
}

impl Failures {
    /// Takes in a verdict.
    pub(super) fn see(&mut self, verdict: &Verdict) {
        if verdict.outcome == Outcome::Wrong {
            let failed = Failed {
                file: verdict.predictions.clone(),
                model: verdict.model(),
                run: verdict.run.unwrap_or_default(),
                error: verdict.error.unwrap_or_default(),
                reason: verdict.reason.clone(),
            };
            self.by_id.entry(verdict.sample.clone()).or_default().push(failed);
        }
    }

    /// Writes the file; `files` are the files of predictions by the names that models have.
    pub(super) fn write(&self, path: &Path, bench: &Bench, files: &[(String, &Path)]) -> anyhow::Result<()> {
        let mut out = AtomicFile::create(path)?;
        let said: Vec<(&str, Predictions)> =
            files.iter().filter_map(|(name, path)| Some((name.as_str(), Predictions::open(path).ok()?))).collect();
        let read = bench.each::<WriteError>(&mut |sample| {
            let id = sample.id.as_str();
            let bare = id.strip_prefix(&format!("{}/", sample.locale));
            for failed in self.by_id.get(id).or_else(|| self.by_id.get(bare?)).into_iter().flatten() {
                let found = said.iter().find(|(file, _)| *file == failed.file);
                let line =
                    found.and_then(|(_, said)| said.line(id, failed.run).or_else(|| said.line(bare?, failed.run)));
                serde_json::to_writer(&mut out, &of(&sample, failed, line.and_then(Result::ok)))
                    .map_err(std::io::Error::from)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        });
        match read {
            Err(WriteError::Io(error)) => return Err(error.into()),
            // What is broken was reported while it was scored.
            Err(WriteError::Bench(_)) | Ok(()) => {}
        }
        Ok(out
            .finish()
            .map_err(|error| Complaint::new(INPUT, format!("cannot write `{}`: {error}", path.display())))?)
    }
}

/// Why the file was not written to its end.
enum WriteError {
    Io(std::io::Error),
    Bench(#[expect(dead_code, reason = "was reported before")] BenchError),
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<BenchError> for WriteError {
    fn from(error: BenchError) -> Self {
        Self::Bench(error)
    }
}

fn of<'l>(sample: &'l Sample, failed: &'l Failed, said: Option<String>) -> Line<'l> {
    Line {
        id: sample.id.as_str(),
        model: &failed.model,
        data_type: &sample.data_type.0,
        error: failed.error,
        reason: &failed.reason,
        request: sample.messages.iter().map(message).collect(),
        tools: sample.candidates.iter().map(|tool| signature(tool)).collect(),
        expected: expected(&sample.expected),
        predicted: said.and_then(|line| serde_json::from_str(&line).ok()).map_or(Json::Null, predicted),
    }
}

/// A message as one reads it: who, and what.
fn message(message: &Message) -> String {
    let calls: Vec<String> = message.tool_calls.iter().map(shown).collect();
    let words = message.content.clone().unwrap_or_default();
    let parts: Vec<String> = std::iter::once(words).chain(calls).filter(|part| !part.is_empty()).collect();
    format!("{}: {}", role(message.role), parts.join(" "))
}

/// The word for who speaks.
fn role(role: Role) -> String {
    serde_json::to_value(role).ok().and_then(|role| role.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A call as one reads it.
fn shown(call: &FunctionCall) -> String {
    let arguments = call.arguments.iter().map(|(name, value)| format!("{name} = {value}"));
    format!("{}({})", call.name, arguments.collect::<Vec<_>>().join(", "))
}

/// A tool in one line: its parameters with their types, those that may be left out with a question mark, and what it does.
fn signature(tool: &Tool) -> String {
    let parameter = |(name, parameter): (&String, &fcgen::record::Parameter)| {
        let mark = if tool.parameters.required.contains(name) { "" } else { "?" };
        format!("{name}{mark}: {}", parameter.type_name())
    };
    let parameters: Vec<String> = tool.parameters.properties.iter().map(parameter).collect();
    format!("{}({}): {}", tool.name, parameters.join(", "), tool.description)
}

fn expected(expected: &Expected) -> Json {
    match expected {
        Expected::Call(call) => shown(call).into(),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// What the model said: the words and calls of its turns, without what surrounds them.
fn predicted(line: Json) -> Json {
    match line.get("turns") {
        Some(turns) => turns.clone(),
        None => line,
    }
}
