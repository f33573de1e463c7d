//! A working folder of its own, the binary run in it, and what it said without what changes from run to run.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;
use tempfile::TempDir;

/// An empty folder to work in: everything that is shipped comes from the binary.
pub(crate) struct Bench {
    folder: TempDir,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A path below the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file into the folder.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs `fcgen` with these words.
    pub(crate) fn run(&self, line: &str) -> Ended {
        self.run_in("", line)
    }

    /// The same from a folder below.
    pub(crate) fn run_in(&self, folder: &str, line: &str) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
        command.args(line.split(' ')).current_dir(self.path(folder)).timeout(Duration::from_secs(120));
        command.env_remove("OPENAI_API_KEY").env_remove("NO_COLOR");
        self.ended(&command.output().unwrap())
    }

    /// How a process ended that was started here.
    pub(crate) fn ended(&self, output: &Output) -> Ended {
        Ended {
            code: output.status.code().unwrap(),
            stdout: self.scrub(&output.stdout),
            stderr: self.scrub(&output.stderr),
        }
    }

    /// The same, where all must go well.
    pub(crate) fn must(&self, line: &str) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
        ended
    }

    fn scrub(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let text = text.replace(env!("CARGO_BIN_EXE_fcgen"), "fcgen");
        without_times(&text.replace(&self.folder.path().display().to_string(), "[dir]"))
    }
}

impl Ended {
    /// Everything in one text, for a snapshot.
    pub(crate) fn told(&self) -> String {
        format!("exit: {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Every file of a folder that two equal runs must have in common, with the hash of its bytes.
pub(crate) fn written(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    gather(folder, folder, &mut files);
    files.retain(|name, _| !name.starts_with("run.db") && name != "manifest.json");
    files
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.insert(name, blake3::hash(&std::fs::read(&path).unwrap()).to_string());
        }
    }
}

/// Times, rates and ports as words; of a log's many lines of progress the last one.
fn without_times(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let is_progress = |line: &str| line.contains(" items so far") || line.contains(" predictions, ");
    let last = lines.iter().rposition(|line| is_progress(line));
    let kept = lines.iter().enumerate().filter(|(index, line)| !is_progress(line) || Some(*index) == last);
    kept.map(|(_, line)| mask(line)).collect::<Vec<_>>().join("\n")
}

fn mask(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(mask_word).collect();
    for index in 1..words.len() {
        let is_unit = matches!(words[index].trim_end_matches([',', ':']), "s" | "min");
        if is_unit && words[index - 1].parse::<f64>().is_ok() {
            "[time]".clone_into(&mut words[index - 1]);
        }
    }
    words.join(" ")
}

fn mask_word(word: &str) -> String {
    match word.split_once("127.0.0.1:") {
        Some((before, after)) => {
            format!("{before}127.0.0.1:[port]{}", after.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        None if word.strip_suffix("/s").is_some_and(|rate| rate.parse::<f64>().is_ok()) => "[rate]/s".to_owned(),
        None => word.to_owned(),
    }
}

#[test]
fn what_changes_from_run_to_run_is_masked() {
    let text = "3.2 s: 1 items so far, 44/s\n5.0 s: 2 items so far, 50/s\nat http://127.0.0.1:80/v1";
    assert_eq!(without_times(text), "[time] s: 2 items so far, [rate]/s\nat http://127.0.0.1:[port]/v1");
}
