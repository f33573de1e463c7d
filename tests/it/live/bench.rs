//! A folder in which the real binary brings tools of a server, and what it leaves there.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const PIPELINE: &str = r#"
[pipeline]
name = "TOOLS"
locale = "en"
seed = 7
floor = 0
format = "complexfunc"

[[stage]]
kind = "toolset"
path = "TOOLS"
by = "domain"

[[stage]]
kind = "complex_queries"
per_domain = 6
spare = 1
[stage.shapes]
other = [{ steps = 2, calls = 2 }, { steps = 3, calls = 3 }, { steps = 2, calls = 4 }]

[[stage]]
kind = "shortest_path"
calls = 300

[[stage]]
kind = "disambiguate"

[[stage]]
kind = "candidates"
count = "all"

[[stage]]
kind = "golden_replay"
"#;

/// What no file may hold.
pub(crate) const KEY: &str = "k-5e7c1a90";

/// A folder to work in.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> Json {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Runs `fcgen` with these words: its code, and what it said.
    pub(crate) fn run(&self, words: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
        command.args(words).current_dir(self.folder.path()).env_remove("OPENAI_API_KEY").env("SERVER_KEY", KEY);
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(said).unwrap())
    }

    pub(crate) fn must(&self, words: &[&str]) -> String {
        let (code, said) = self.run(words);
        assert_eq!(code, 0, "{words:?}: {said}");
        said
    }

    /// Runs a pipeline file with these settings into a folder.
    pub(crate) fn pipeline(&self, file: &str, out: &str, sets: &[&str]) -> String {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let words: Vec<&str> = ["pipeline", file, "--quiet", "--out", out].into_iter().chain(sets).collect();
        self.must(&words)
    }

    pub(crate) fn samples(&self, run: &str) -> Vec<Json> {
        self.read(&format!("{run}/samples.jsonl")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Every file below a folder that is the same in every run of the same answers.
    pub(crate) fn written(&self, name: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for part in ["samples.jsonl", "rejects.jsonl"] {
            files.insert(part.to_owned(), self.read(&format!("{name}/{part}")));
        }
        read_below(&self.path(name).join("benchmark"), &mut files);
        files
    }
}

/// A pipeline of requests over the tools in a folder: planned, proved, varied.
pub(crate) fn requests(tools: &str) -> String {
    PIPELINE.replace("TOOLS", tools)
}

/// Every file below a folder, by its path.
fn read_below(folder: &Path, files: &mut BTreeMap<String, String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            read_below(&path, files);
        } else {
            // The folder of the run is not the same, what is in it is.
            let name = path.display().to_string().split("benchmark").last().unwrap().to_owned();
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// Every file below a folder in which a text stands.
pub(crate) fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path);
        }
    }
    found
}
