//! Recorded replies: a run is played again without a model, or a test says what a model would.

use super::journal::{Journal, JournalError};
use super::key::Key;
use super::request::{ChatError, Reply, Request};
use super::tasks::Task;
use crate::assets::Assets;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Recorded replies, found by the question, else by task, item, draw and, where the file names it, locale.
#[derive(Debug, Default)]
pub struct Script {
    by_question: BTreeMap<String, Reply>,
    by_place: BTreeMap<(Task, String, u32), Vec<Recording>>,
}

/// A reply, and the locale that it is for; for all where it has none.
type Recording = (Option<String>, Reply);

/// One line of a script.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Hash of the question, where it was recorded; written by hand, a line has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    task: Task,
    #[serde(default)]
    stage: String,
    item: String,
    #[serde(default)]
    draw: u32,
    /// The locale of the run that it was recorded in; a line without one is for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    locale: Option<String>,
    reply: Reply,
}

/// Why a script cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file is not there, or cannot be read.
    #[error("`{}` cannot be read: {error}", path.display())]
    Read {
        /// The script.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file cannot be written.
    #[error("`{}` cannot be written: {error}", path.display())]
    Write {
        /// The script.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A line is not a recorded reply.
    #[error("{}:{line}: not a recorded reply: {error}", path.display())]
    Line {
        /// The script.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The journal it is written from fails.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Script {
    /// Reads the script at `path`, or the shipped one of that name; empty lines are skipped.
    pub fn open(path: &Path, assets: Option<&Assets>) -> Result<Self, ScriptError> {
        let text = read(path, assets).map_err(|error| ScriptError::Read { path: path.to_owned(), error })?;
        let mut script = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let parsed = serde_json::from_str(line);
            let fault = |error| ScriptError::Line { path: path.to_owned(), line: number + 1, error };
            script.add(parsed.map_err(fault)?);
        }
        Ok(script)
    }

    /// The recorded reply. It is not used up, so the order of questions does not matter.
    pub(super) fn answer(&self, request: &Request) -> Result<Reply, ChatError> {
        let by_question = self.by_question.get(&Key::of_question(request).to_hex());
        let place = (request.task, request.item.to_string(), request.draw);
        let by_place = || {
            let fields = request.variables.fields();
            let locale = fields["common"]["locale"].as_str();
            let fits = |own: &Option<String>| own.is_none() || own.as_deref() == locale;
            self.by_place.get(&place)?.iter().rev().find(|(own, _)| fits(own)).map(|(_, reply)| reply)
        };
        by_question.or_else(by_place).cloned().ok_or(ChatError::Unscripted {
            task: request.task,
            item: request.item.to_string(),
            draw: request.draw,
        })
    }

    fn add(&mut self, line: Line) {
        if let Some(question) = line.question {
            self.by_question.insert(question, line.reply.clone());
        }
        self.by_place.entry((line.task, line.item, line.draw)).or_default().push((line.locale, line.reply));
    }
}

fn read(path: &Path, assets: Option<&Assets>) -> std::io::Result<String> {
    let shipped = || assets?.read(path.to_str()?);
    std::fs::read_to_string(path).or_else(|error| shipped().ok_or(error))
}

/// Writes the replies that the journal of a run in a locale holds as a script, in the order in which they came; says how many
/// there are.
pub fn write_script(journal: &Journal, path: &Path, locale: Option<&str>) -> Result<usize, ScriptError> {
    let lines = journal.read(|connection| {
        let mut select = connection
            .prepare("SELECT lower(hex(question)), task, stage, item, draw, reply FROM reply ORDER BY created")?;
        let rows = select.query_map([], |row| {
            Ok(Recorded(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    })?;
    write_lines(&lines, path, locale).map_err(|error| ScriptError::Write { path: path.to_owned(), error })?;
    Ok(lines.len())
}

/// Question, task, stage, item, draw and reply, as the journal's columns hold them.
struct Recorded(String, String, String, String, u32, String);

impl Recorded {
    fn line(&self, locale: Option<&str>) -> serde_json::Result<String> {
        serde_json::to_string(&Line {
            question: Some(self.0.clone()),
            task: serde_json::from_value(self.1.clone().into())?,
            stage: self.2.clone(),
            item: self.3.clone(),
            draw: self.4,
            locale: locale.map(str::to_owned),
            reply: serde_json::from_str(&self.5)?,
        })
    }
}

fn write_lines(lines: &[Recorded], path: &Path, locale: Option<&str>) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for recorded in lines {
        writeln!(file, "{}", recorded.line(locale)?)?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use crate::{Common, Variables, WriteVariables};
    use insta::assert_snapshot;
    use std::sync::Arc;

    fn script(text: &str) -> Result<Script, ScriptError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        std::fs::write(&path, text).unwrap();
        Script::open(&path, None)
    }

    #[test]
    fn a_line_by_hand_is_found_by_task_item_and_draw() {
        let script = script("{\"task\":\"judge_call\",\"item\":\"a\",\"reply\":{\"text\":\"True\"}}\n\n").unwrap();
        assert_eq!(script.answer(&request("a", 0)).unwrap().text, "True");
        assert_eq!(script.answer(&request("a", 0)).unwrap().text, "True", "a reply is not used up");
        assert_snapshot!(script.answer(&request("a", 1)).unwrap_err(), @"no reply is recorded for JudgeCall of `a`, draw 1");
    }

    #[test]
    fn a_place_is_that_of_its_locale() {
        let line = |locale: &str, text: &str| {
            format!("{{\"task\":\"judge_call\",\"item\":\"a\",{locale}\"reply\":{{\"text\":\"{text}\"}}}}\n")
        };
        let (mine, other) = (line("\"locale\":\"ko\",", "mine"), line("\"locale\":\"xx\",", "other"));
        let common = Common { locale: "ko".to_owned(), ..Common::default() };
        let korean = Arc::new(Variables::WriteQuery(WriteVariables { common, ..WriteVariables::default() }));
        let asked = Request { variables: korean, ..request("a", 0) };
        let text = |lines: &str| script(lines).unwrap().answer(&asked).map(|reply| reply.text);
        assert_eq!(text(&(mine.clone() + &other)).unwrap(), "mine");
        assert!(text(&other).is_err());
        assert_eq!(text(&(line("", "any") + &other)).unwrap(), "any");
    }

    #[test]
    fn the_question_goes_before_the_place() {
        let question = Key::of_question(&request("a", 0)).to_hex();
        let line = |question: &str, item: &str, text: &str| {
            format!("{{{question}\"task\":\"judge_call\",\"item\":\"{item}\",\"reply\":{{\"text\":\"{text}\"}}}}\n")
        };
        let recorded = line(&format!("\"question\":\"{question}\","), "elsewhere", "by question");
        let script = script(&(recorded + &line("", "a", "by place"))).unwrap();
        assert_eq!(script.answer(&request("a", 0)).unwrap().text, "by question");
        let reworded = Request { user: "Is a really right?".to_owned(), ..request("a", 0) };
        assert_eq!(script.answer(&reworded).unwrap().text, "by place");
    }

    #[test]
    fn a_script_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("run.db")).unwrap();
        let error = write_script(&journal, Path::new("no/such/folder.jsonl"), None).unwrap_err();
        assert_snapshot!(error, @"`no/such/folder.jsonl` cannot be written: No such file or directory (os error 2)");
    }

    #[test]
    fn a_line_that_is_no_reply_is_named() {
        let message = |text: &str| {
            let error = script(text).unwrap_err().to_string();
            error.rsplit('/').next().unwrap().to_owned()
        };
        assert_snapshot!(message("\n{\"task\":\"judge_call\",\"itme\":\"a\"}"), @"replies.jsonl:2: not a recorded reply: unknown field `itme`, expected one of `question`, `task`, `stage`, `item`, `draw`, `locale`, `reply` at line 1 column 27");
        assert_snapshot!(message("yes"), @"replies.jsonl:1: not a recorded reply: expected value at line 1 column 1");
    }

    #[test]
    fn a_journal_becomes_a_script_that_answers_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("run.db")).unwrap();
        for (item, text) in [("a", "True"), ("b", "\"거짓\"")] {
            let reply = Reply { text: text.to_owned(), ..Reply::default() };
            let asked = request(item, 0);
            journal.keep(Key::of_question(&asked), &asked, &reply).unwrap();
        }
        journal.flush().unwrap();
        let path = folder.path().join("replies.jsonl");
        assert_eq!(write_script(&journal, &path, Some("en")).unwrap(), 2);
        let script = Script::open(&path, None).unwrap();
        assert_eq!(script.answer(&request("b", 0)).unwrap().text, "\"거짓\"");
        let elsewhere = Request { item: "moved".into(), ..request("a", 0) };
        assert_eq!(script.answer(&elsewhere).unwrap().text, "True", "the question itself is enough");
    }
}
