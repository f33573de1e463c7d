//! Prompts of other people: a folder with one folder for each suite, whose files stand in for prompts that ship.
//!
//! `DIR/<suite>/<prompt>.md` replaces `prompts/<prompt>/`, and `<prompt>.<locale>.md` does so in one locale. What a folder
//! lacks is taken from those that ship, and is known afterwards. Its prompts are rendered to the letter.

use crate::assets::Assets;
use crate::prompts::prompt::{Prompt, PromptError};
use crate::record::{SuiteId, SuiteName};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The prompts of a suite that a folder may replace.
fn replaced(suite: SuiteId) -> &'static [&'static str] {
    match suite {
        SuiteId::HammerBench => &["predict", "predict_tools", "judge_call"],
        SuiteId::CallNavi => {
            &["route", "route_calls", "route_backward", "route_tools", "judge_callnavi", "repair_callnavi"]
        }
        SuiteId::FunctionChat => &[
            "functionchat_system",
            "predict_functionchat",
            "judge_functionchat_call",
            "judge_functionchat_completion",
            "judge_functionchat_slot",
            "judge_functionchat_relevance",
        ],
        SuiteId::ComplexFuncBench => &["predict_steps", "judge_same_call", "judge_complete", "judge_correct"],
        SuiteId::Confetti => &[
            "predict_confetti_call",
            "predict_confetti_response",
            "judge_confetti_string",
            "judge_confetti_validity",
            "classify_dialog_acts",
        ],
        SuiteId::Bfcl => &[],
    }
}

/// Where prompts come from: those that ship, or a folder that stands in for some of them.
#[derive(Debug, Clone, Default)]
pub struct Prompts {
    assets: Assets,
    folder: Option<Arc<Folder>>,
}

/// The prompts of a folder, and what was taken from those that ship.
#[derive(Debug)]
struct Folder {
    path: String,
    /// By the names of their files, without the ending.
    prompts: BTreeMap<String, Prompt>,
    hash: String,
    lacking: Mutex<BTreeSet<String>>,
}

/// Whose prompts a figure was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptsUsed {
    /// The folder and its files.
    pub name: String,
    /// The hash of these files.
    pub hash: String,
}

impl Prompts {
    /// Those that ship.
    pub fn shipped(assets: &Assets) -> Self {
        Self { assets: assets.clone(), folder: None }
    }

    /// Where those that ship are read.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The prompts that a folder has for a suite.
    pub fn read(assets: &Assets, folder: &Path, suite: &SuiteName) -> Result<Self, PromptError> {
        let path = folder.join(suite.as_str());
        let folder_error = |problem: String| PromptError::Folder { path: path.display().to_string(), problem };
        let known = suite.known().map(replaced).filter(|names| !names.is_empty());
        let known = known.ok_or_else(|| folder_error(format!("the prompts of `{suite}` cannot be replaced")))?;
        let mut prompts = BTreeMap::new();
        let mut hasher = blake3::Hasher::new();
        for (name, text) in files(&path).map_err(|error| folder_error(error.to_string()))? {
            if !known.contains(&name.split('.').next().unwrap_or_default()) {
                let names = known.join("`, `");
                return Err(folder_error(format!("`{name}.md` is not a prompt of `{suite}`; expected `{names}`")));
            }
            hasher.update(name.as_bytes()).update(b"\0").update(text.as_bytes()).update(b"\0");
            prompts.insert(name.clone(), Prompt::exact(&path.join(name + ".md").display().to_string(), &text)?);
        }
        if prompts.is_empty() {
            return Err(folder_error("no prompts in the folder".to_owned()));
        }
        let hash = hasher.finalize().to_hex().chars().take(16).collect();
        let folder = Folder { path: path.display().to_string(), prompts, hash, lacking: Mutex::default() };
        Ok(Self { assets: assets.clone(), folder: Some(Arc::new(folder)) })
    }

    /// The prompt of a task in a locale: the folder's, or else the one that ships.
    pub fn load(&self, task: &str, locale: &str) -> Result<Prompt, PromptError> {
        let Some(folder) = &self.folder else { return Prompt::load(&self.assets, task, locale) };
        let found = folder.prompts.get(&format!("{task}.{locale}")).or_else(|| folder.prompts.get(task));
        if let Some(prompt) = found {
            return Ok(prompt.clone());
        }
        folder.lacking.lock().unwrap_or_else(PoisonError::into_inner).insert(task.to_owned());
        Prompt::load(&self.assets, task, locale)
    }

    /// The folder's name and hash; nothing where only those that ship are used.
    pub fn used(&self) -> Option<PromptsUsed> {
        let folder = self.folder.as_ref()?;
        let files: Vec<String> = folder.prompts.keys().map(|name| format!("{name}.md")).collect();
        Some(PromptsUsed { name: format!("{}: {}", folder.path, files.join(", ")), hash: folder.hash.clone() })
    }

    /// The hash of the folder's files; empty where only prompts that ship are used.
    pub fn hash(&self) -> &str {
        self.folder.as_ref().map_or("", |folder| &folder.hash)
    }

    /// What people should know: which prompts were wanted that the folder does not have.
    pub fn notes(&self) -> Vec<String> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let lacking = folder.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        let note = |task: &String| format!("{} has no `{task}.md`: the built-in prompt is used", folder.path);
        lacking.iter().map(note).collect()
    }
}

/// The names and texts of a folder's prompts, in the order of the names.
fn files(folder: &Path) -> std::io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".md"));
        if let Some(name) = name.filter(|name| *name != "README") {
            files.insert(name.to_owned(), fs::read_to_string(&path)?);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::folder;

    fn read(files: &[(&str, &str)]) -> Result<Prompts, String> {
        let folder = folder(files);
        let place = folder.path().display().to_string();
        Prompts::read(crate::fixtures::assets(), folder.path(), &SuiteId::HammerBench.into())
            .map_err(|error| error.to_string().replace(&place, "DIR"))
    }

    fn user(prompts: &Prompts, task: &str, locale: &str) -> String {
        prompts.load(task, locale).unwrap().render(&serde_json::json!({})).unwrap().user
    }

    #[test]
    fn a_file_replaces_a_prompt_in_every_locale_or_in_one() {
        let files =
            [("hammerbench/predict.md", " a\n"), ("hammerbench/predict.zh.md", "b"), ("hammerbench/README.md", "")];
        let prompts = read(&files).unwrap();
        assert_eq!((user(&prompts, "predict", "ko").as_str(), user(&prompts, "predict", "zh").as_str()), (" a\n", "b"));
        assert_eq!(prompts.notes(), Vec::<String>::new());
        assert_eq!(prompts.load("judge_call", "ko").unwrap().name(), "prompts/judge_call/ko.md");
        assert!(prompts.notes()[0].ends_with("hammerbench has no `judge_call.md`: the built-in prompt is used"));
        let used = prompts.used().unwrap();
        assert!(used.name.ends_with("hammerbench: predict.md, predict.zh.md"), "{}", used.name);
        assert_eq!((used.hash.len(), used.hash.as_str()), (16, prompts.hash()));
        assert_ne!(prompts.hash(), read(&[files[0], ("hammerbench/predict.zh.md", "c")]).unwrap().hash());
    }

    #[test]
    fn without_a_folder_all_are_those_that_ship() {
        let prompts = Prompts::shipped(crate::fixtures::assets());
        assert_eq!(prompts.load("predict", "en").unwrap().name(), "prompts/predict/en.md");
        assert_eq!((prompts.used(), prompts.hash(), prompts.notes().len()), (None, "", 0));
    }

    #[test]
    fn what_is_wrong_with_a_folder_is_told() {
        insta::assert_snapshot!(read(&[]).unwrap_err(), @"DIR/hammerbench: No such file or directory (os error 2)");
        insta::assert_snapshot!(read(&[("hammerbench/notes.txt", "")]).unwrap_err(), @"DIR/hammerbench: no prompts in the folder");
        insta::assert_snapshot!(read(&[("hammerbench/pedict.md", "")]).unwrap_err(), @"DIR/hammerbench: `pedict.md` is not a prompt of `hammerbench`; expected `predict`, `predict_tools`, `judge_call`");
        insta::assert_snapshot!(read(&[("hammerbench/predict.md", "{{ a")]).unwrap_err(), @"DIR/hammerbench/predict.md:1: syntax error: unexpected end of input, expected end of variable block");
        let other =
            Prompts::read(crate::fixtures::assets(), Path::new("x"), &SuiteId::Bfcl.into()).unwrap_err().to_string();
        assert_eq!(other, "x/bfcl: the prompts of `bfcl` cannot be replaced");
    }

    #[test]
    fn each_prompt_that_can_be_replaced_ships() {
        for task in SuiteId::ALL.into_iter().flat_map(replaced) {
            assert!(Prompt::load(crate::fixtures::assets(), task, "en").is_ok(), "{task}");
        }
    }
}
