//! The stub's files and batches: what was put, what was made of it, and how far that is.

use super::fault::{FaultPlan, StubFault};
use crate::interrupt::Interrupt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts of files and batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BatchStats {
    /// Files that were to be put.
    pub uploads: u64,
    /// Batches that were to be made.
    pub creations: u64,
    /// Batches that were made.
    pub batches: u64,
    /// Looks at batches.
    pub looks: u64,
    /// Files that were to be got.
    pub downloads: u64,
}

/// Everything that was put and made.
#[derive(Default)]
pub(super) struct Batches {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    stats: BatchStats,
    files: Vec<String>,
    batches: Vec<Made>,
}

struct Made {
    input: String,
    metadata: Value,
    looks: u64,
    results: Option<Results>,
}

/// Where the results of a batch lie, and how many were answered.
struct Results {
    answered: usize,
    output: Option<String>,
    errors: Option<String>,
}

/// The results of some lines: those that were answered, and those that were not.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) output: Vec<String>,
    pub(super) errors: Vec<String>,
}

impl Batches {
    pub(super) fn stats(&self) -> BatchStats {
        self.lock().stats
    }

    /// Counts something that is wanted, and gives its ordinal.
    pub(super) fn count(&self, which: impl FnOnce(&mut BatchStats) -> &mut u64) -> u64 {
        let mut inner = self.lock();
        let count = which(&mut inner.stats);
        *count += 1;
        *count - 1
    }

    /// Keeps the file in a form.
    pub(super) fn put(&self, content_type: &str, form: &[u8]) -> Option<Value> {
        let text = file_in(content_type, &String::from_utf8_lossy(form))?;
        let bytes = text.len();
        let id = self.lock().keep(text);
        Some(json!({ "id": id, "object": "file", "bytes": bytes, "purpose": "batch", "status": "processed" }))
    }

    /// Makes a batch of a file that is there.
    pub(super) fn make(&self, wish: &Value, plan: &BatchPlan) -> Option<Value> {
        let mut inner = self.lock();
        let input = wish.get("input_file_id")?.as_str()?.to_owned();
        inner.file(&input)?;
        let metadata = wish.get("metadata").cloned().unwrap_or_default();
        inner.stats.batches += 1;
        inner.batches.push(Made { input, metadata, looks: 0, results: None });
        let last = inner.batches.len() - 1;
        inner.shown(last, plan)
    }

    /// Looks at a batch. When its time has come, `answer` is given its lines.
    pub(super) fn look(&self, id: &str, plan: &BatchPlan, answer: impl Fn(&str) -> Answers) -> Option<Value> {
        let mut inner = self.lock();
        let at = inner.position(id)?;
        inner.batches[at].looks += 1;
        let is_held = plan.hold.as_ref().is_some_and(|hold| !hold.is_triggered());
        if !is_held && inner.batches[at].looks > plan.looks && inner.batches[at].results.is_none() {
            inner.finish(at, plan, answer)?;
        }
        inner.shown(at, plan)
    }

    pub(super) fn list(&self, plan: &BatchPlan) -> Value {
        let inner = self.lock();
        let all: Vec<Value> = (0..inner.batches.len()).rev().filter_map(|at| inner.shown(at, plan)).collect();
        json!({ "object": "list", "data": all, "has_more": false })
    }

    pub(super) fn content(&self, id: &str) -> Option<String> {
        self.lock().file(id).map(str::to_owned)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn keep(&mut self, text: String) -> String {
        self.files.push(text);
        format!("file-{}", self.files.len() - 1)
    }

    fn file(&self, id: &str) -> Option<&str> {
        let at: usize = id.strip_prefix("file-")?.parse().ok()?;
        self.files.get(at).map(String::as_str)
    }

    fn position(&self, id: &str) -> Option<usize> {
        id.strip_prefix("batch-")?.parse().ok().filter(|at| *at < self.batches.len())
    }

    fn finish(&mut self, at: usize, plan: &BatchPlan, answer: impl Fn(&str) -> Answers) -> Option<()> {
        let input = self.file(&self.batches[at].input)?.to_owned();
        let lines: Vec<&str> = input.lines().collect();
        let end = end_of(plan, at);
        let mut answers = answer(&lines.iter().take(end.served(lines.len())).copied().collect::<Vec<_>>().join("\n"));
        if *end == BatchEnd::ExpiredHalfway {
            answers.errors.extend(lines.iter().skip(end.served(lines.len())).filter_map(|line| expired(line)));
        }
        let answered = answers.output.len();
        let [output, errors] = [answers.output, answers.errors].map(|lines| shuffled(lines, plan.doubled));
        let mut keep = |text: String| (!text.is_empty()).then(|| self.keep(text));
        let (output, errors) = (keep(output), keep(errors));
        self.batches[at].results = Some(Results { answered, output, errors });
        Some(())
    }

    fn shown(&self, at: usize, plan: &BatchPlan) -> Option<Value> {
        let batch = &self.batches[at];
        let end = end_of(plan, at);
        let status = match (&batch.results, batch.looks) {
            (Some(_), _) => end.word(),
            (None, 0) => "validating",
            (None, _) => "in_progress",
        };
        let errors = match end {
            BatchEnd::Failed { code, line } if batch.results.is_some() => {
                json!({ "object": "list", "data": [{ "code": code, "line": line, "message": format!("stub says {code}") }] })
            }
            _ => Value::Null,
        };
        let total = self.file(&batch.input)?.lines().count();
        let results = batch.results.as_ref();
        let completed = results.map_or(0, |results| results.answered);
        Some(json!({
            "id": format!("batch-{at}"), "object": "batch", "endpoint": "/v1/chat/completions",
            "input_file_id": batch.input, "status": status, "errors": errors, "metadata": batch.metadata,
            "output_file_id": results.and_then(|it| it.output.clone()),
            "error_file_id": results.and_then(|it| it.errors.clone()),
            "request_counts": { "total": total, "completed": completed, "failed": 0 },
        }))
    }
}

fn end_of(plan: &BatchPlan, at: usize) -> &BatchEnd {
    plan.ends.get(at).unwrap_or(&BatchEnd::Completed)
}

fn expired(line: &str) -> Option<String> {
    let id = serde_json::from_str::<Value>(line).ok()?.get("custom_id")?.clone();
    let error = json!({ "code": "batch_expired", "message": "the window of time was over" });
    Some(json!({ "id": "late", "custom_id": id, "response": null, "error": error }).to_string())
}

/// The lines in an order of their own, as servers give them back.
fn shuffled(mut lines: Vec<String>, doubled: bool) -> String {
    if doubled {
        lines.extend(lines.clone());
    }
    lines.sort_by_cached_key(|line| *blake3::hash(line.as_bytes()).as_bytes());
    // Each line has its end, and no line is no file.
    lines.into_iter().flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// The file in a form, by the form's boundary.
fn file_in(content_type: &str, form: &str) -> Option<String> {
    let boundary = content_type.split_once("boundary=")?.1;
    let part = form.split(&format!("--{boundary}")).find(|part| part.contains("name=\"file\""))?;
    let text = part.split_once("\r\n\r\n")?.1;
    Some(text.strip_suffix("\r\n").unwrap_or(text).to_owned())
}

// How the stub's batches end, and what goes wrong on the way.

/// How batches go. By default each is done at the first look, with its lines in another order.
#[derive(Debug, Clone, Default)]
pub struct BatchPlan {
    /// So many looks find it at work.
    pub looks: u64,
    /// No batch ends before this is thrown.
    pub hold: Option<Interrupt>,
    /// How the first batches end; the others are completed.
    pub ends: Vec<BatchEnd>,
    /// Each line of the results comes twice.
    pub doubled: bool,
    /// Which files are not taken.
    pub uploads: FaultPlan,
    /// Which batches are not made.
    pub creations: FaultPlan,
    /// Which looks fail.
    pub look_faults: FaultPlan,
    /// Which downloads fail.
    pub downloads: FaultPlan,
}

/// How a batch ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BatchEnd {
    /// Every line has its answer.
    #[default]
    Completed,
    /// It was not accepted.
    Failed {
        /// Why, for machines.
        code: String,
        /// The line that is at fault, from 1.
        line: Option<u32>,
    },
    /// The time was over after the first half.
    ExpiredHalfway,
    /// Somebody ended it after the first half.
    CancelledHalfway,
    /// It says that it is complete, and the second half is nowhere.
    Halved,
}

impl BatchEnd {
    /// The word for it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Completed | Self::Halved => "completed",
            Self::Failed { .. } => "failed",
            Self::ExpiredHalfway => "expired",
            Self::CancelledHalfway => "cancelled",
        }
    }

    /// Of so many lines, those that have their turn.
    pub(super) fn served(&self, lines: usize) -> usize {
        match self {
            Self::Completed => lines,
            Self::Failed { .. } => 0,
            Self::ExpiredHalfway | Self::CancelledHalfway | Self::Halved => lines / 2,
        }
    }
}

/// A line of the results, or a part of one, for one way to fail. What cannot befall a line changes nothing.
pub(super) fn spoilt(fault: &StubFault, whole: &str) -> Option<String> {
    match fault {
        StubFault::DropBeforeHeaders => None,
        StubFault::DropAfterHeaders | StubFault::TruncatedBody | StubFault::HalfJson => {
            Some(whole.chars().take(whole.chars().count() / 2).collect())
        }
        _ => Some(whole.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "--b\r\nc: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
                        --b\r\nc: form-data; name=\"file\"\r\n\r\n{\"custom_id\":\"a\"}\n{\"custom_id\":\"b\"}\n\r\n--b--\r\n";

    fn made(plan: &BatchPlan) -> Batches {
        let batches = Batches::default();
        let file = batches.put("multipart/form-data; boundary=b", FORM.as_bytes()).unwrap();
        batches.make(&json!({ "input_file_id": file["id"] }), plan).unwrap();
        batches
    }

    fn echo(text: &str) -> Answers {
        Answers { output: text.lines().map(str::to_owned).collect(), ..Answers::default() }
    }

    #[test]
    fn a_batch_is_at_work_for_so_many_looks_and_then_done() {
        let plan = BatchPlan { looks: 1, ..BatchPlan::default() };
        let batches = made(&plan);
        let look = || batches.look("batch-0", &plan, echo).unwrap();
        assert_eq!(look()["status"], "in_progress");
        let done = look();
        assert_eq!((&done["status"], &done["request_counts"]["completed"]), (&json!("completed"), &json!(2)));
        let text = batches.content(done["output_file_id"].as_str().unwrap()).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert_eq!(batches.list(&plan)["data"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn what_had_no_turn_is_in_the_other_file() {
        let plan = BatchPlan { ends: vec![BatchEnd::ExpiredHalfway], doubled: true, ..BatchPlan::default() };
        let done = made(&plan).look("batch-0", &plan, echo).unwrap();
        assert_eq!((&done["status"], &done["request_counts"]["completed"]), (&json!("expired"), &json!(1)));
        assert!(done["output_file_id"].is_string() && done["error_file_id"].is_string());
    }

    #[test]
    fn a_batch_that_failed_says_why() {
        let failed = BatchEnd::Failed { code: "empty_file".to_owned(), line: Some(2) };
        let plan = BatchPlan { ends: vec![failed], ..BatchPlan::default() };
        let done = made(&plan).look("batch-0", &plan, echo).unwrap();
        assert_eq!((&done["errors"]["data"][0]["line"], &done["output_file_id"]), (&json!(2), &Value::Null));
    }

    #[test]
    fn what_is_held_ends_when_it_is_let_go() {
        let hold = crate::interrupt::Interrupt::new();
        let plan = BatchPlan { hold: Some(hold.clone()), ..BatchPlan::default() };
        let batches = made(&plan);
        assert_eq!(batches.look("batch-0", &plan, echo).unwrap()["status"], "in_progress");
        hold.trigger();
        assert_eq!(batches.look("batch-0", &plan, echo).unwrap()["status"], "completed");
    }

    #[test]
    fn nobody_finds_what_is_not_there() {
        let plan = BatchPlan::default();
        let batches = made(&plan);
        assert!(batches.look("batch-1", &plan, echo).is_none() && batches.content("file-9").is_none());
        assert!(batches.make(&json!({ "input_file_id": "file-9" }), &plan).is_none());
        assert!(batches.put("text/plain", b"").is_none());
        assert_eq!((batches.count(|stats| &mut stats.looks), batches.count(|stats| &mut stats.looks)), (0, 1));
    }
}

#[cfg(test)]
mod batch_plan_tests {
    use super::*;

    #[test]
    fn an_end_has_its_word_and_its_share() {
        let failed = BatchEnd::Failed { code: "x".to_owned(), line: None };
        let ends =
            [BatchEnd::Completed, failed, BatchEnd::ExpiredHalfway, BatchEnd::CancelledHalfway, BatchEnd::Halved];
        let told: Vec<(&str, usize)> = ends.iter().map(|end| (end.word(), end.served(5))).collect();
        assert_eq!(told, [("completed", 5), ("failed", 0), ("expired", 2), ("cancelled", 2), ("completed", 2)]);
    }

    #[test]
    fn a_line_is_gone_cut_or_whole() {
        assert_eq!(spoilt(&StubFault::DropBeforeHeaders, "abcd"), None);
        assert_eq!(spoilt(&StubFault::HalfJson, "abcd").as_deref(), Some("ab"));
        assert_eq!(spoilt(&StubFault::EmptyChoices, "abcd").as_deref(), Some("abcd"));
    }
}
