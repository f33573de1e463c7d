//! Questions by files: whoever asks what no file answers has it written down, and the run stops until somebody answers.

use super::Answer;
use super::folder::{Folder, Place, Survey};
use super::gather::{Asked, Gatherer, Limits};
use crate::config::ModelConfig;
use crate::key::Key;
use crate::request::ChatError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A folder by which an engine is asked.
pub(crate) struct Offline {
    folder: Folder,
    /// What stands in files of results and answers nothing.
    strays: Vec<String>,
    model: String,
    retries: u32,
    places: Mutex<BTreeMap<Key, Place>>,
    sender: UnboundedSender<Asked>,
    waves: Arc<AtomicU64>,
    gatherer: Mutex<Option<Gatherer>>,
    task: Mutex<Option<JoinHandle<()>>>,
    end: Arc<watch::Sender<Option<ChatError>>>,
}

/// So many commands are written out; the others are counted.
const SHOWN: usize = 3;

impl Offline {
    /// Looks at what the folder holds.
    pub(super) fn open(path: &Path, config: &ModelConfig) -> Result<Self, ChatError> {
        let unusable = |error: io::Error| ChatError::Endpoint {
            detail: format!("cannot use `{}`: {error}", path.display()),
            hint: "`batch_dir` must be a folder for request and result files".to_owned(),
        };
        let folder = Folder::open(path).map_err(unusable)?;
        let Survey { places, strays } = folder.survey().map_err(unusable)?;
        let places = Mutex::new(places);
        let (sender, receiver) = unbounded_channel();
        let gatherer = Gatherer::new(receiver, Limits::new(config));
        let (waves, gatherer) = (gatherer.waves(), Mutex::new(Some(gatherer)));
        let (model, retries) = (config.model.clone(), config.retries);
        let end = Arc::new(watch::Sender::new(None));
        Ok(Self { folder, strays, model, retries, places, sender, waves, gatherer, task: Mutex::default(), end })
    }

    /// Waves of questions that are complete.
    pub(super) fn waves(&self) -> u64 {
        self.waves.load(Ordering::Relaxed)
    }

    /// What people should know of the files.
    pub(super) fn notes(&self) -> Vec<String> {
        self.strays.clone()
    }

    /// The answer, if there is one; else it is asked for, and all who wait are told how to get it.
    pub(super) async fn ask(&self, key: Key, line: impl Fn() -> String) -> Answer {
        self.begin();
        if let Some(answer) = self.known(&key)? {
            return Ok(answer);
        }
        let is_new = !self.places().contains_key(&key);
        if is_new {
            self.places().insert(key, Place { times: 1, answer: None });
        }
        let mut end = self.end.subscribe();
        if self.sender.send(Asked { key, line: is_new.then(line) }).is_err() {
            return Err(ChatError::Interrupted);
        }
        match end.wait_for(Option::is_some).await.map(|end| end.clone()) {
            Ok(Some(error)) => Err(error),
            _ => Err(ChatError::Interrupted),
        }
    }

    /// What a file says. A question that failed is forgotten, so that it can be asked again, but not for ever.
    fn known(&self, key: &Key) -> Result<Option<Result<serde_json::Value, crate::fault::Fault>>, ChatError> {
        let Some(Place { times, answer: Some(spot) }) = self.places().get(key).cloned() else { return Ok(None) };
        let answer = self.folder.read(&spot).map_err(|error| unwritten(&error))?;
        if !matches!(answer, Some(Ok(_))) && times <= self.retries {
            self.places().remove(key);
        }
        Ok(answer)
    }

    fn begin(&self) {
        let gatherer = self.gatherer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(gatherer) = gatherer {
            let told = (self.model.clone(), self.strays.clone());
            let task = write_all(self.folder.clone(), told, gatherer, self.end.clone());
            *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(tokio::spawn(task));
        }
    }

    fn places(&self) -> MutexGuard<'_, BTreeMap<Key, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Offline {
    fn drop(&mut self) {
        if let Some(task) = self.task.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

/// Writes what is asked, until nobody asks any more.
async fn write_all(
    folder: Folder,
    (model, strays): (String, Vec<String>),
    mut gatherer: Gatherer,
    end: Arc<watch::Sender<Option<ChatError>>>,
) {
    while let Some(group) = gatherer.next().await {
        let written = if group.keys.is_empty() { Ok(()) } else { folder.write(&group.text) };
        let error = match written.and_then(|()| folder.unanswered()) {
            Ok(files) if group.is_last => waiting(&model, &files, &strays),
            Ok(_) => continue,
            Err(error) => unwritten(&error),
        };
        end.send_replace(Some(error));
    }
}

fn unwritten(error: &io::Error) -> ChatError {
    ChatError::Journal { detail: format!("cannot write or read the files of `batch_dir`: {error}") }
}

fn waiting(model: &str, files: &[(PathBuf, PathBuf)], strays: &[String]) -> ChatError {
    let count = files.len();
    let what = if count == 1 { "1 request file is".to_owned() } else { format!("{count} request files are") };
    let command = |(requests, results): &(PathBuf, PathBuf)| {
        format!("\n  vllm run-batch -i {} -o {} --model {model}", requests.display(), results.display())
    };
    let commands: String = files.iter().take(SHOWN).map(command).collect();
    let asked = format!("`{model}` uses request files: {what} waiting for results");
    let more = if count > SHOWN { format!("\n  and {} more", count - SHOWN) } else { String::new() };
    ChatError::Waiting {
        detail: strays.iter().fold(asked, |detail, stray| format!("{detail}; {stray}")),
        hint: format!("process them, for example with{commands}{more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn told(error: ChatError) -> String {
        match error {
            ChatError::Waiting { detail, hint } => format!("{detail}\nhint: {hint}"),
            other => other.to_string(),
        }
    }

    #[test]
    fn the_commands_are_written_out() {
        let pair = |number: usize| {
            (format!("b/requests-{number:04}.jsonl").into(), format!("b/results-{number:04}.jsonl").into())
        };
        assert_snapshot!(told(waiting("m", &[pair(1)], &[])), @r"
        `m` uses request files: 1 request file is waiting for results
        hint: process them, for example with
          vllm run-batch -i b/requests-0001.jsonl -o b/results-0001.jsonl --model m
        ");
        assert_snapshot!(told(waiting("m", &(1..6).map(pair).collect::<Vec<_>>(), &[])), @r"
        `m` uses request files: 5 request files are waiting for results
        hint: process them, for example with
          vllm run-batch -i b/requests-0001.jsonl -o b/results-0001.jsonl --model m
          vllm run-batch -i b/requests-0002.jsonl -o b/results-0002.jsonl --model m
          vllm run-batch -i b/requests-0003.jsonl -o b/results-0003.jsonl --model m
          and 2 more
        ");
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_said_so() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = Offline::open(&file, &ModelConfig::default()).err().unwrap();
        assert!(
            matches!(&error, ChatError::Endpoint { hint, .. } if hint.starts_with("`batch_dir` must be a folder")),
            "{error}"
        );
    }
}
