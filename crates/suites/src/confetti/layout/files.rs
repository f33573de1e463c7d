//! Where CONFETTI's files lie, and their lines.

use super::import::{Told, act_sample, call_sample, derived};
use crate::bfcl::layout::{Entry, EntryError};
use crate::format::lines::{FileError, first_line, lines};
use crate::format::{LayoutFile, SampleSink};
use crate::record::{BorrowedObject, BorrowedValue, SuiteId, Value};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};

/// The folder of answers in the authors' layout, and where it may lie.
const ANSWERS: [&str; 3] = ["possible_answer", "data/possible_answer", ""];
/// What the files of calls and of dialog acts are called, with the endings that occur.
const CALLS: [&str; 3] =
    ["BFCL_v2_conversationsclean.json", "BFCL_v4_conversationsclean.json", "possible_answer-conversationsclean.jsonl"];
const ACTS: [&str; 3] = ["BFCL_v2_dialogacts.json", "BFCL_v4_dialogacts.json", "possible_answer-dialogacts.jsonl"];

/// The files that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfettiFiles {
    /// Accepted calls.
    pub calls: PathBuf,
    /// Dialog acts.
    pub acts: Option<PathBuf>,
    /// Questions with the functions that are offered, of calls and of dialog acts.
    pub questions: [Option<PathBuf>; 2],
    /// The locale of its texts, which it does not say.
    pub locale: String,
}

/// A line of one of the two files of answers.
pub(super) struct Answered {
    pub id: String,
    /// Its conversation.
    pub conversation: String,
    /// Which call, or which turn of the agent, it is in its conversation.
    pub index: usize,
    pub truth: Value,
    pub content: Vec<String>,
}

/// A question with what is told of its place.
pub(super) struct Question {
    pub entry: Entry,
    pub told: Told,
}

impl ConfettiFiles {
    /// The files below a folder.
    pub fn below(folder: &Path) -> Option<Self> {
        let find = |inner: &str, names: &[&str]| {
            names.iter().map(|name| folder.join(inner).join(name)).find(|path| path.is_file())
        };
        let is_truth = |path: &PathBuf| first_line(path).is_some_and(|line| has_truth(&line));
        let inner = *ANSWERS.iter().find(|inner| find(inner, &CALLS).as_ref().is_some_and(is_truth))?;
        let beside = |name: &&str| {
            [folder.join(name), folder.join("data").join(name)]
                .into_iter()
                .find(|path| path.is_file() && !is_truth(path))
        };
        let [calls, acts] = [CALLS, ACTS].map(|names| names.iter().find_map(beside));
        Some(Self {
            calls: find(inner, &CALLS)?,
            acts: find(inner, &ACTS),
            questions: [calls, acts],
            locale: "en".to_owned(),
        })
    }

    fn questions(&self, at: usize) -> Result<IndexMap<String, Question>, FileError> {
        let mut entries = IndexMap::new();
        let Some(path) = self.questions.get(at).and_then(Option::as_ref) else { return Ok(entries) };
        for line in lines(path)? {
            let (at, line) = line?;
            let read = Entry::read(&line).and_then(|entry| Ok(Question { entry, told: Told::read(&line)? }));
            let question = read.map_err(|problem| FileError::line(path, at, problem))?;
            entries.insert(question.entry.id.clone(), question);
        }
        Ok(entries)
    }
}

impl LayoutFile for ConfettiFiles {
    const SUITE: SuiteId = SuiteId::Confetti;

    fn path(&self) -> PathBuf {
        self.calls.clone()
    }

    fn locale(&self) -> &str {
        &self.locale
    }

    fn in_locale(&self, locale: &str) -> Option<Self> {
        Some(Self { locale: locale.to_owned(), ..self.clone() })
    }

    /// Calls come in the file's order, then turns with their dialog acts.
    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError> {
        let calls = answers(&self.calls)?;
        let acts = self.acts.as_deref().map(answers).transpose()?.unwrap_or_default();
        let turns = turns(&calls, &acts);
        let functions = derived(calls.iter().filter_map(|call| call.truth.as_list()?.first()));
        let [of_calls, of_acts] = [self.questions(0)?, self.questions(1)?];
        let mut give = |path: &Path, at: usize, sample| take(Self::place(path, at + 1), Ok(sample));
        for (at, call) in calls.iter().enumerate() {
            let question = of_calls.get(&call.id);
            // A turn that was left out would shift those that are counted.
            let told = question.and_then(|question| usize::try_from(question.told.turn?.checked_sub(1)?).ok());
            let turn = told.or_else(|| turns.get(&call.id).copied());
            give(&self.calls, at, call_sample(self, call, question, &functions, turn));
        }
        for (at, turn) in acts.iter().enumerate() {
            let is_own =
                |call: &&Answered| call.conversation == turn.conversation && turns.get(&call.id) == Some(&turn.index);
            let own: Vec<&Answered> = calls.iter().filter(is_own).collect();
            let path = self.acts.as_deref().unwrap_or(&self.calls);
            give(path, at, act_sample(self, turn, of_acts.get(&turn.id), &own));
        }
        Ok(())
    }
}

/// Which turn of the agent, from 0, each call belongs to: the calls of a conversation are those of its turns in order.
fn turns(calls: &[Answered], acts: &[Answered]) -> IndexMap<String, usize> {
    let mut by_conversation: IndexMap<&str, Vec<&Answered>> = IndexMap::new();
    for turn in acts {
        by_conversation.entry(&turn.conversation).or_default().push(turn);
    }
    let mut places: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (conversation, mut turns) in by_conversation {
        turns.sort_by_key(|turn| turn.index);
        // The last part of a turn is what it says, and every part before it a call.
        let of_turn = |turn: &&Answered| vec![turn.index; turn.content.len().saturating_sub(1)];
        places.insert(conversation, turns.iter().flat_map(of_turn).collect());
    }
    let place = |call: &Answered| places.get(call.conversation.as_str())?.get(call.index).copied();
    calls.iter().filter_map(|call| Some((call.id.clone(), place(call)?))).collect()
}

fn answers(path: &Path) -> Result<Vec<Answered>, FileError> {
    let read = |line: Result<(usize, String), FileError>| {
        let (at, line) = line?;
        answered(&line).map_err(|problem| FileError::line(path, at, problem))
    };
    lines(path)?.map(read).collect()
}

fn answered(line: &str) -> Result<Answered, EntryError> {
    let mut fields = BorrowedObject::read_fields(line, &["id", "dialog_id", "ground_truth", "ground_truth_content"])?;
    let text = |name: &'static str| fields.get(name).and_then(BorrowedValue::as_str).ok_or(EntryError::Field(name));
    let (id, dialog) = (text("id")?.to_owned(), text("dialog_id")?.to_owned());
    let (conversation, index) = dialog.rsplit_once('_').ok_or(EntryError::Field("dialog_id"))?;
    let truth = fields.take("ground_truth").ok_or(EntryError::Field("ground_truth"))?;
    let content = match fields.take("ground_truth_content") {
        Some(BorrowedValue::List(list)) => list.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    let index = index.parse().map_err(|_| EntryError::Field("dialog_id"))?;
    Ok(Answered { id, conversation: conversation.to_owned(), index, truth: truth.into(), content })
}

fn has_truth(line: &str) -> bool {
    let fields = BorrowedObject::read_fields(line, &["dialog_id", "ground_truth"]);
    fields.is_ok_and(|fields| fields.get("dialog_id").is_some() && fields.get("ground_truth").is_some())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::fs;

    /// A conversation of two turns, the first with two calls.
    pub(in crate::confetti::layout) fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let answers = folder.path().join("data/possible_answer");
        fs::create_dir_all(&answers).unwrap();
        let calls = r#"{"id": "conversationsclean_0", "dialog_id": "u-1_0", "ground_truth": [{"A_find": {"name": ["x"]}}]}
{"id": "conversationsclean_1", "dialog_id": "u-1_1", "ground_truth": [{"A_get": {"stars": [4, 5]}}]}"#;
        fs::write(answers.join(CALLS[0]), calls).unwrap();
        let acts = r#"{"id": "dialogacts_0", "dialog_id": "u-1_0", "ground_truth": ["agent_seek_information"], "ground_truth_content": ["Which?"]}
{"id": "dialogacts_1", "dialog_id": "u-1_1", "ground_truth": ["agent_function_calling", "agent_inform_user"], "ground_truth_content": ["A.find(name=['x'])", "A.get(stars=[4, 5])", "Done."]}"#;
        fs::write(answers.join(ACTS[0]), acts).unwrap();
        folder
    }

    #[test]
    fn calls_belong_to_the_turns_that_have_them() {
        let folder = folder();
        let files = ConfettiFiles::below(folder.path()).unwrap();
        assert!(files.acts.is_some() && files.questions == [None, None]);
        let (calls, acts) = (answers(&files.calls).unwrap(), answers(files.acts.as_ref().unwrap()).unwrap());
        assert_eq!(turns(&calls, &acts).into_values().collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn other_folders_are_none_of_ours_and_a_faulty_line_has_its_place() {
        assert_eq!(ConfettiFiles::below(tempfile::tempdir().unwrap().path()), None);
        let folder = folder();
        let files = ConfettiFiles::below(folder.path()).unwrap();
        fs::write(&files.calls, "{\"id\": \"a\", \"dialog_id\": \"u\", \"ground_truth\": []}").unwrap();
        let told = crate::format::samples_of(vec![files]).unwrap_err().to_string();
        assert!(told.ends_with("line 1: `dialog_id` is missing or invalid"), "{told}");
    }
}
