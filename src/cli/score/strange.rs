//! What is wrong with files of predictions themselves: lines that cannot be read, and ids that the benchmark lacks.

use super::arguments::ScoreArguments;
use super::summary::Summary;
use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, thousands};
use fcgen::format::{Bench, BenchError};
use fcgen::record::{Prediction, Value};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Most lines and ids that are shown of a file.
const SHOWN: usize = 10;

/// The fields by which a line is joined to a sample.
#[derive(Deserialize)]
struct Named {
    #[serde(alias = "key")]
    id: Option<Value>,
    #[serde(default)]
    run: u32,
    turns: Option<serde::de::IgnoredAny>,
}

/// What was found in one file.
#[derive(Debug, Default)]
struct Lines {
    ids: BTreeSet<String>,
    rows: usize,
    /// Lines that cannot be read: line, column, what is wrong.
    broken: Vec<(usize, usize, String)>,
}

/// Whether a file is one JSON array.
pub(super) fn is_array(path: &Path) -> bool {
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).read_until(b'\n', &mut first));
    read.is_ok() && first.trim_ascii_start().first() == Some(&b'[')
}

/// Says what is wrong with the files, and gives the number of lines that cannot be read.
pub(super) fn tell(bench: &Bench, arguments: &ScoreArguments, summary: &Summary) -> anyhow::Result<usize> {
    let mut broken = 0;
    for (name, path) in arguments.named() {
        let inside = path.join("predictions.jsonl");
        let path = if inside.is_file() { inside.as_path() } else { path };
        let Some(lines) = Lines::read(path) else { continue };
        for (line, column, problem) in lines.broken.iter().take(SHOWN) {
            say(format!("error: {}:{line}:{column}: {problem}", path.display()));
        }
        if lines.broken.len() > SHOWN {
            say(format!("error: {} in {}", counted(lines.broken.len() - SHOWN, "more line"), path.display()));
        }
        broken += lines.broken.len();
        // What has a verdict is known; only where some line has none is the benchmark read once more.
        if lines.rows > summary.predicted(&name) {
            strangers(bench, path, lines.ids)?;
        }
    }
    Ok(broken)
}

/// Names the ids that the benchmark lacks. That it lacks all of them is an error.
fn strangers(bench: &Bench, path: &Path, mut ids: BTreeSet<String>) -> anyhow::Result<()> {
    let all = ids.len();
    let read = bench.each::<BenchError>(&mut |sample| {
        let id = sample.id.as_str();
        ids.remove(id);
        if let Some(bare) = id.strip_prefix(&format!("{}/", sample.locale)) {
            ids.remove(bare);
        }
        Ok(())
    });
    read.map_err(Complaint::from)?;
    if ids.is_empty() {
        return Ok(());
    }
    let first: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
    let more = if ids.len() > SHOWN { ", ..." } else { "" };
    let (first, path) = (first.join(", "), path.display());
    if ids.len() == all {
        let message =
            format!("none of the {} ids of `{path}` is in the benchmark: {first}{more}", thousands(all as u64));
        return Err(Complaint::new(INPUT, message)
            .hint("check that they were predicted for this benchmark and locale")
            .into());
    }
    say(format!("warning: {} of `{path}` not in the benchmark; not scored: {first}{more}", counted(ids.len(), "id")));
    Ok(())
}

impl Lines {
    /// Reads a file of lines; nothing where it is an array or cannot be read, which is reported elsewhere.
    fn read(path: &Path) -> Option<Self> {
        if is_array(path) {
            return None;
        }
        let mut lines = Self::default();
        for (number, line) in BufReader::new(File::open(path).ok()?).split(b'\n').enumerate() {
            let line = line.ok()?;
            if !line.trim_ascii().is_empty() {
                lines.take(number + 1, &line);
            }
        }
        Some(lines)
    }

    fn take(&mut self, number: usize, line: &[u8]) {
        let Ok(text) = std::str::from_utf8(line) else {
            let column = std::str::from_utf8(line).map_or_else(|error| error.valid_up_to(), |_| 0) + 1;
            return self.broken.push((number, column, "invalid UTF-8".to_owned()));
        };
        let named = match serde_json::from_str::<Named>(text) {
            Ok(named) => named,
            // Logs of authors may hold what JSON lacks, such as NaN.
            Err(_) if Value::read_lenient(text).is_ok() => return,
            Err(error) => return self.broken.push((number, error.column(), plain(&error))),
        };
        let Some(id) = named.id.as_ref() else {
            return self.broken.push((number, 1, "expected an `id`".to_owned()));
        };
        if named.turns.is_some()
            && let Err(error) = serde_json::from_str::<Prediction>(text)
        {
            return self.broken.push((number, error.column(), plain(&error)));
        }
        self.rows +=
            usize::from(self.ids.insert(id.as_str().map_or_else(|| id.to_string(), str::to_owned)) || named.run > 0);
    }
}

/// What is wrong, without the place, which is counted within the line.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_cannot_be_read_has_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.jsonl");
        let good = r#"{"id": "a", "run": 0, "turns": [{"content": "hi"}]}"#;
        let text =
            [good, r#"{"id": "b", "turns": [}"#, "", r#"{"turns": []}"#, r#"{"id": "c", "turns": 5}"#].join("\n");
        std::fs::write(&path, [text.as_bytes(), b"\nab\xff\n"].concat()).unwrap();
        let lines = Lines::read(&path).unwrap();
        let told: Vec<String> =
            lines.broken.iter().map(|(line, column, problem)| format!("{line}:{column}: {problem}")).collect();
        insta::assert_snapshot!(told.join("\n"));
        assert_eq!(lines.ids.into_iter().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn logs_of_authors_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        std::fs::write(&path, " [{\"id\": 1}]").unwrap();
        assert!(Lines::read(&path).is_none());
        std::fs::write(&path, "{\"id\": \"a\", \"predict\": NaN}\n").unwrap();
        assert!(Lines::read(&path).unwrap().broken.is_empty());
    }
}
