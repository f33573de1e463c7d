//! Reads the samples of a benchmark one after the other, however many there are.

use crate::failure::RunStopped;
use crate::format::{Bench, BenchError};
use crate::record::{Chance, Expected, ItemId, Sample};
use indexmap::IndexSet;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

/// So many samples may wait to be taken.
const AHEAD: usize = 64;

/// Samples in the order of their file; a line that is none is a reason to stop.
pub type Samples = Box<dyn Iterator<Item = Result<Sample, RunStopped>> + Send>;

/// The file of samples that `bench` stands for: a run folder's, or the file itself.
pub fn samples_file(bench: &Path) -> PathBuf {
    if bench.is_dir() { bench.join("samples.jsonl") } else { bench.to_owned() }
}

/// The samples of a benchmark, read while they are taken. Those that its file leaves out as copies of others are not asked
/// again.
pub fn read_samples(bench: &Path) -> Result<Samples, RunStopped> {
    let bench = Bench::open(bench).map_err(|error| RunStopped::Input(error.to_string()))?;
    let (sender, receiver) = sync_channel(AHEAD);
    std::thread::spawn(move || {
        let read = bench.each::<Ended>(&mut |sample| match &sample.copy_of {
            Some(_) => Ok(()),
            None => sender.send(Ok(sample)).map_err(|_| Ended::Enough),
        });
        if let Err(Ended::Broken(error)) = read {
            // Nobody waits for it any more where this fails.
            sender.send(Err(RunStopped::Input(error.to_string()))).unwrap_or_default();
        }
    });
    Ok(Box::new(receiver.into_iter()))
}

/// Why the reading ended before its end.
enum Ended {
    /// Nobody takes any more.
    Enough,
    /// The files are broken.
    Broken(BenchError),
}

impl From<BenchError> for Ended {
    fn from(error: BenchError) -> Self {
        Self::Broken(error)
    }
}

// Which samples a limit leaves: drawn evenly over data types, and within each over tools.

/// Samples to draw from, by data type and tool. Of each only its id is kept.
#[derive(Debug, Default)]
pub(super) struct Pool {
    types: BTreeMap<String, BTreeMap<String, Vec<ItemId>>>,
}

impl Pool {
    /// Adds a sample.
    pub(super) fn add(&mut self, sample: &Sample) {
        let tools = self.types.entry(sample.data_type.0.clone()).or_default();
        tools.entry(tool(sample)).or_default().push(sample.id.clone());
    }

    /// Draws `most` samples: each data type in turn, and within it each tool in turn.
    pub(super) fn draw(self, most: usize, seed: u64) -> IndexSet<ItemId> {
        let in_turn = |(data_type, tools): (String, BTreeMap<String, Vec<ItemId>>)| {
            let mut chance = Chance::new(seed, "predict.limit", &data_type, 0);
            let mut tools: Vec<Vec<ItemId>> = tools.into_values().collect();
            chance.shuffle(&mut tools);
            for ids in &mut tools {
                chance.shuffle(ids);
            }
            alternating(tools.into_iter().map(VecDeque::from).collect())
        };
        let types = self.types.into_iter().map(in_turn).collect();
        alternating(types).into_iter().take(most).collect()
    }
}

/// One of each list in turn, until all are empty.
fn alternating<T>(mut lists: VecDeque<VecDeque<T>>) -> VecDeque<T> {
    let mut all = VecDeque::new();
    while let Some(mut list) = lists.pop_front() {
        if let Some(first) = list.pop_front() {
            all.push_back(first);
            lists.push_back(list);
        }
    }
    all
}

/// The tool that a sample is about: that of its call, or what it belongs to.
fn tool(sample: &Sample) -> String {
    match &sample.expected {
        Expected::Call(call) => call.name.clone(),
        _ => sample.group.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{file, sample_line};
    use super::*;

    fn ids(bench: &Path) -> Vec<Result<String, RunStopped>> {
        read_samples(bench).unwrap().map(|sample| sample.map(|sample| sample.id.to_string())).collect()
    }

    #[test]
    fn a_folder_and_its_file_are_the_same_benchmark() {
        let (folder, path) = file(&format!("{}\n\n{}\n", sample_line("a"), sample_line("b")));
        assert_eq!(ids(folder.path()), [Ok("a".to_owned()), Ok("b".to_owned())]);
        assert_eq!(ids(&path), ids(folder.path()));
    }

    #[test]
    fn a_line_that_is_no_sample_is_named_and_those_before_it_are_read() {
        let (_folder, path) = file(&format!("{}\n{{\"id\": \"b\"}}\n", sample_line("a")));
        let ids = ids(&path);
        assert_eq!(ids[0], Ok("a".to_owned()));
        let message = ids[1].clone().unwrap_err().to_string();
        assert!(
            message.ends_with("samples.jsonl`, line 2: not a sample: missing field `suite`, column 11"),
            "{message}"
        );
    }

    #[test]
    fn authors_files_are_read_as_well_and_as_far_as_anybody_takes() {
        let folder = tempfile::tempdir().unwrap();
        let line = |at: usize| format!(r#"{{"id": "simple_python_{at}", "question": [], "function": []}}"#) + "\n";
        let path = folder.path().join("BFCL_v4_simple_python.json");
        std::fs::write(&path, (0..500).map(line).collect::<String>()).unwrap();
        assert_eq!(ids(folder.path()).len(), 500);
        assert_eq!(ids(&path)[499], Ok("simple_python_499".to_owned()));
        assert_eq!(read_samples(&path).unwrap().take(2).count(), 2);
        std::fs::write(&path, line(0) + "{}\n").unwrap();
        let message = ids(&path)[1].clone().unwrap_err().to_string();
        assert!(message.ends_with("line 2: `id` is missing or invalid"), "{message}");
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        let (_folder, path) = file("");
        std::fs::write(&path, [0xff, 0xfe, b'\n']).unwrap();
        let message = ids(&path)[0].clone().unwrap_err().to_string();
        assert!(message.contains("line 1: not a sample"), "{message}");
    }

    #[test]
    fn a_benchmark_that_is_not_there_is_told() {
        let message = read_samples(Path::new("no/such")).err().unwrap().to_string();
        assert_eq!(message, "`no/such` does not exist");
        let folder = tempfile::tempdir().unwrap();
        let message = read_samples(folder.path()).err().unwrap().to_string();
        assert!(message.contains("is not a benchmark"), "{message}");
    }
}

#[cfg(test)]
mod draw_tests {
    use super::super::testing::sample_line;
    use super::*;
    use proptest::prelude::*;

    fn pool(samples: &[(&str, &str)]) -> Pool {
        let mut pool = Pool::default();
        for (at, (data_type, tool)) in samples.iter().enumerate() {
            let mut sample: Sample = serde_json::from_str(&sample_line(&format!("{data_type}/{tool}/{at}"))).unwrap();
            sample.data_type.0 = (*data_type).to_owned();
            if let Expected::Call(call) = &mut sample.expected {
                call.name = (*tool).to_owned();
            } else {
                sample.group = (*tool).to_owned();
            }
            pool.add(&sample);
        }
        pool
    }

    fn begins(ids: &IndexSet<ItemId>, start: &str) -> usize {
        ids.iter().filter(|id| id.as_str().starts_with(start)).count()
    }

    #[test]
    fn types_and_tools_take_turns() {
        let samples: Vec<(&str, &str)> =
            [vec![("a", "x"); 50], vec![("a", "y"); 5], vec![("b", "x"); 50], vec![("c", "z"); 1]].concat();
        let drawn = pool(&samples).draw(13, 7);
        assert_eq!(["a/", "b/", "c/"].map(|start| begins(&drawn, start)), [6, 6, 1]);
        assert_eq!(["a/x", "a/y"].map(|start| begins(&drawn, start)), [3, 3]);
        assert_eq!(pool(&samples).draw(13, 7), drawn, "the seed decides");
        assert_ne!(pool(&samples).draw(13, 8), drawn);
    }

    proptest! {
        #[test]
        fn as_many_come_as_there_are(count in 0_usize..30, most in 0_usize..40, seed in any::<u64>()) {
            let samples = vec![("a", "x"); count];
            prop_assert_eq!(pool(&samples).draw(most, seed).len(), count.min(most));
        }
    }
}
