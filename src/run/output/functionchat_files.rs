//! FunctionChat-Bench's files: gathered while samples come, since a line of theirs is several of ours.

use crate::assets::Assets;
use crate::failure::RunError;
use crate::fs::AtomicFile;
use crate::llm::{Common, Prompt};
use crate::locale::Language;
use crate::record::{Sample, SuiteId};
use crate::suite::functionchat::layout::Export;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of the files, as in the authors' repository.
const DATA: &str = "data";
/// The file of the system's message beside them.
const SYSTEM: &str = "system_prompt.txt";
/// The folder of prompts that the system's message is from.
const PROMPT: &str = "functionchat_system";

/// The files that are being gathered.
pub(crate) struct FunctionchatFiles {
    folder: PathBuf,
    system: Option<String>,
    export: Export,
}

impl FunctionchatFiles {
    /// Nothing yet; decisions without a message of the system get that of the locale.
    pub(crate) fn create(assets: &Assets, folder: &Path, locale: &str) -> Self {
        let language = Language::load(assets, locale).map_or_else(|_| locale.to_owned(), |language| language.name);
        let common = Common { locale: locale.to_owned(), language, ..Common::default() };
        let fields = serde_json::json!({"common": common, "query": ""});
        let prompt = Prompt::load(assets, PROMPT, locale).and_then(|prompt| prompt.render(&fields));
        let system = prompt.ok().and_then(|rendered| rendered.system);
        Self { folder: folder.join(DATA), export: Export::new(system.clone()), system }
    }

    /// Adds a sample; those of other suites have no place here.
    pub(crate) fn add(&mut self, sample: &Sample) {
        if sample.suite == SuiteId::FunctionChat {
            self.export.add(sample);
        }
    }

    /// Writes everything.
    pub(crate) fn finish(self) -> Result<(), RunError> {
        let files = self.export.files()?;
        let system = self.system.filter(|_| !files.is_empty()).map(|text| (SYSTEM, vec![text]));
        for (name, lines) in files.into_iter().chain(system) {
            let mut file = AtomicFile::create(&self.folder.join(name))?;
            lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
            file.finish()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Bench;
    use crate::suite::functionchat::layout::ChatFile;

    fn sample(suite: &str, data_type: &str) -> Sample {
        serde_json::from_value(serde_json::json!({
            "id": "t/0", "suite": suite, "data_type": data_type, "locale": "en", "candidates": [], "expected": "refusal", "group": "t",
            "messages": [{"role": "user", "content": "Sing!"}], "licence": "CC0", "source": "test",
            "provenance": {"template": true, "draws": [], "facts": {"gold_text": "I cannot sing."}},
        }))
        .unwrap()
    }

    #[test]
    fn what_is_written_is_found_as_a_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = FunctionchatFiles::create(crate::fixtures::assets(), folder.path(), "en");
        files.add(&sample("functionchat", "REJECT"));
        files.add(&sample("hammerbench", "REJECT"));
        files.finish().unwrap();
        assert_eq!(Bench::open(folder.path()).unwrap().layout::<Vec<ChatFile>>().unwrap().len(), 1);
        let text = std::fs::read_to_string(folder.path().join("data/FunctionChat-CallDecision.jsonl")).unwrap();
        assert!(
            text.lines().count() == 1 && text.contains("\"role\":\"system\"") && text.contains("I cannot sing."),
            "{text}"
        );
        assert!(folder.path().join("data/system_prompt.txt").is_file());
    }

    #[test]
    fn without_samples_there_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        FunctionchatFiles::create(crate::fixtures::assets(), folder.path(), "xx").finish().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
