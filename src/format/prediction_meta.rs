//! What a file of predictions was asked for and how: `predictions.meta.json` beside `predictions.jsonl`.

use super::predictions::{OURS, PredictionsError};
use crate::record::{Paradigm, SuiteName};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The number of this file's form.
const FORMAT: u32 = 1;

/// What predictions were asked for and how. `fcgen predict` writes it, `fcgen score` and `fcgen report` follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictionMeta {
    /// The number of the file's form.
    pub format: u32,
    /// Hash of the benchmark, by `Bench::fingerprint`.
    pub bench_hash: String,
    /// The suite of its samples.
    pub suite: SuiteName,
    /// What is right while required arguments are missing.
    pub paradigm: Paradigm,
    /// How the tools were handed to the model: `tools`, `prompt`, or `built-in`.
    pub mode: String,
    /// Whose prompts were used.
    #[serde(default)]
    pub prompts: PromptSource,
    /// The most samples that were asked about, where there was a limit.
    #[serde(default)]
    pub limit: Option<u64>,
    /// What the samples were drawn by, where they were drawn.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Ids of the samples that were asked about, in the order of the benchmark.
    pub ids: Vec<String>,
    /// The model; absent for the built-in reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version that asked.
    pub fcgen: String,
}

/// Whose prompts were used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSource {
    /// `fcgen` for those that ship, else the name of the folder that they were read from.
    pub name: String,
    /// Hash of that folder.
    #[serde(default)]
    pub hash: Option<String>,
}

impl Default for PromptSource {
    fn default() -> Self {
        Self { name: "fcgen".to_owned(), hash: None }
    }
}

impl PredictionMeta {
    /// The number that a new file bears.
    pub const FORMAT: u32 = FORMAT;

    /// Where it lies beside a file of predictions.
    pub fn path(predictions: &Path) -> PathBuf {
        predictions.with_extension("meta.json")
    }

    /// Reads what lies beside a file of predictions, or in the folder that holds one; nothing where there is no such file.
    pub fn read(predictions: &Path) -> Result<Option<Self>, PredictionsError> {
        let inside = predictions.is_dir().then(|| predictions.join(OURS));
        let path = Self::path(inside.as_deref().unwrap_or(predictions));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(PredictionsError::Io { path, source }),
        };
        let meta: Self = serde_json::from_str(&text)
            .map_err(|error| PredictionsError::Format { path: path.clone(), problem: error.to_string() })?;
        if meta.format > FORMAT {
            let problem = format!("its `format` is {}, and this version of fcgen knows up to {FORMAT}", meta.format);
            return Err(PredictionsError::Format { path, problem });
        }
        Ok(Some(meta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta() -> PredictionMeta {
        PredictionMeta {
            format: FORMAT,
            bench_hash: "b".to_owned(),
            suite: "hammerbench".into(),
            paradigm: Paradigm::Snapshot,
            mode: "tools".to_owned(),
            prompts: PromptSource::default(),
            limit: Some(2),
            seed: None,
            ids: vec!["b".to_owned(), "a".to_owned()],
            model: None,
            fcgen: "1.0.0".to_owned(),
        }
    }

    #[test]
    fn it_is_written_in_plain_words() {
        insta::assert_snapshot!(serde_json::to_string(&meta()).unwrap(), @r#"{"format":1,"bench_hash":"b","suite":"hammerbench","paradigm":"snapshot","mode":"tools","prompts":{"name":"fcgen","hash":null},"limit":2,"seed":null,"ids":["b","a"],"fcgen":"1.0.0"}"#);
    }

    #[test]
    fn it_lies_beside_the_predictions_or_in_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("predictions.jsonl");
        assert_eq!(PredictionMeta::read(&file).unwrap(), None);
        let path = PredictionMeta::path(&file);
        assert!(path.ends_with("predictions.meta.json"), "{}", path.display());
        std::fs::write(&path, serde_json::to_string(&meta()).unwrap()).unwrap();
        assert_eq!(PredictionMeta::read(&file).unwrap(), Some(meta()));
        assert_eq!(PredictionMeta::read(folder.path()).unwrap(), Some(meta()));
    }

    #[test]
    fn a_file_that_is_broken_or_newer_is_an_error_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.jsonl");
        let error = |text: &str| {
            std::fs::write(PredictionMeta::path(&file), text).unwrap();
            PredictionMeta::read(&file).unwrap_err().to_string()
        };
        assert!(error("{").contains("p.meta.json`: EOF while parsing"));
        let newer = serde_json::to_string(&PredictionMeta { format: 2, ..meta() }).unwrap();
        assert!(error(&newer).ends_with("p.meta.json`: its `format` is 2, and this version of fcgen knows up to 1"));
    }
}
