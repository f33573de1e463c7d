//! Begins a locale: copies of another one's files, and a model's drafts of those that nothing can stand in for.

use super::EnrichError;
use crate::assets::Assets;
use crate::failure::{RunError, SetupError};
use crate::fs::{Lock, make_folder};
use crate::llm::{
    Budget, Chat, ChatDeps, ChatError, Interrupt, Journal, ModelConfig, Prompt, Reply, Request, Task, Variables,
};
use crate::locale::{Language, NEEDED, Pack, english_files};
use crate::record::{Object, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How often a file may be asked for, the first time included.
const ASKS: u32 = 3;

/// The prompt of a draft.
const PROMPT: &str = "locales/draft.md";

/// A locale that is to be begun.
#[derive(Debug, Clone)]
pub struct LocaleJob {
    /// Where the files of the other locale are read.
    pub assets: Assets,
    /// Its code.
    pub code: String,
    /// The name of its language, in English.
    pub name: String,
    /// The locale whose files it begins as.
    pub from: String,
    /// Whether all files are copied, not only those that nothing can stand in for.
    pub all: bool,
    /// The model that writes drafts, where there is one.
    pub model: Option<ModelConfig>,
    /// Stop when so many dollars are spent.
    pub max_cost: Option<f64>,
    /// Thrown when somebody wants it to stop.
    pub interrupt: Interrupt,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocaleDraft {
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were there already, and were left alone.
    pub kept: Vec<String>,
    /// Files that a model drafted.
    pub drafted: Vec<String>,
    /// Files of which no draft could be used, with the last fault.
    pub refused: Vec<(String, String)>,
    /// Files whose text is still that of the English ones.
    pub english: Vec<String>,
}

/// Begins a locale in `locales/` of the working folder.
pub async fn begin_locale(job: &LocaleJob) -> Result<LocaleDraft, EnrichError> {
    let folder = PathBuf::from(format!("locales/{}", job.code));
    let cannot = |error| EnrichError::Io { folder: folder.clone(), error };
    make_folder(&folder).map_err(cannot)?;
    let mut draft = LocaleDraft::default();
    for file in files(job) {
        let path = folder.join(&file);
        let Some(text) = job.assets.read(&format!("locales/{}/{file}", job.from)) else { continue };
        let shown = path.display().to_string();
        if path.exists() {
            draft.kept.push(shown);
            continue;
        }
        std::fs::write(&path, renamed(&text, job)).map_err(cannot)?;
        draft.written.push(shown);
    }
    if let Some(model) = &job.model {
        let desk = Desk::open(job, model, &folder)?;
        // The language first: a pack is read by it.
        for file in ["language.toml", "kinds.toml", "pack.toml"] {
            if english_files(&job.assets, &job.code).iter().any(|path| path.ends_with(&format!("/{file}")))
                || job.from != "en"
            {
                desk.draft(file, &mut draft).await?;
            }
        }
    }
    draft.english = english_files(&job.assets, &job.code);
    Ok(draft)
}

/// The files that are copied.
fn files(job: &LocaleJob) -> Vec<String> {
    let all = job.assets.list(&format!("locales/{}", job.from)).into_iter();
    all.filter(|file| job.all || NEEDED.contains(&file.as_str())).collect()
}

/// The text with code and name of the new locale.
fn renamed(text: &str, job: &LocaleJob) -> String {
    let line = |line: &str| match line.split_once(" = ") {
        Some(("code", _)) => format!("code = {}", Value::from(job.code.as_str())),
        Some(("name", _)) => format!("name = {}", Value::from(job.name.as_str())),
        _ => line.to_owned(),
    };
    // Names of tables below the first one are others.
    let head = text.find("\n[").map_or(text.len(), |at| at + 1);
    let (head, rest) = text.split_at(head);
    head.lines().map(|text| line(text) + "\n").collect::<String>() + rest
}

/// Everything that a question is made of.
struct Desk<'j> {
    job: &'j LocaleJob,
    chat: Chat,
    prompt: Prompt,
    _lock: Lock,
}

impl<'j> Desk<'j> {
    fn open(job: &'j LocaleJob, model: &ModelConfig, folder: &Path) -> Result<Self, EnrichError> {
        let journal = folder.with_extension("journal");
        make_folder(&journal).map_err(|error| EnrichError::Io { folder: journal.clone(), error })?;
        let lock = Lock::take(&journal).map_err(RunError::from)?;
        let deps = ChatDeps {
            journal: Some(Arc::new(Journal::open(&journal.join("run.db")).map_err(RunError::from)?)),
            budget: Arc::new(Budget::new(job.max_cost, None)),
            ..ChatDeps::new(Arc::new(|_: &Request| Reply::default())).stopped_by(&job.interrupt)
        }
        .counting_on("")
        .map_err(RunError::from)?;
        let text = job.assets.read(PROMPT).unwrap_or_default();
        let prompt = Prompt::from_text(PROMPT, &text).map_err(SetupError::from).map_err(RunError::from)?;
        Ok(Self { job, chat: Chat::open("draft", model, deps)?, prompt, _lock: lock })
    }

    /// Asks for a file until one can be used, or often enough.
    async fn draft(&self, file: &str, draft: &mut LocaleDraft) -> Result<(), EnrichError> {
        let path = format!("locales/{}/{file}", self.job.code);
        let before = self.job.assets.read(&path).unwrap_or_default();
        let cannot = |error| EnrichError::Io { folder: PathBuf::from(&path), error };
        let mut fault = String::new();
        for round in 0..ASKS {
            let reply = match self.chat.ask(&self.request(file, &before, round, &fault)?).await {
                Ok(reply) => reply,
                Err(error @ (ChatError::Transport { .. } | ChatError::Refused { .. })) => {
                    fault = error.to_string();
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            let text = fenced(&reply.text);
            match self.check(&before, text) {
                Ok(()) => {
                    std::fs::write(&path, text).map_err(cannot)?;
                    match self.loads() {
                        Ok(()) => {
                            draft.drafted.push(path.clone());
                            return Ok(());
                        }
                        Err(problem) => fault = problem,
                    }
                    std::fs::write(&path, &before).map_err(cannot)?;
                }
                Err(problem) => fault = problem,
            }
        }
        draft.refused.push((path, fault));
        Ok(())
    }

    /// Whether a draft has the form of the file that it takes the place of.
    fn check(&self, before: &str, text: &str) -> Result<(), String> {
        let read = |text: &str| crate::toml_text::from_toml::<toml::Table>(text).map_err(|error| error.to_string());
        let (before, now) = (read(before).unwrap_or_default(), read(text)?);
        for (key, value) in &before {
            match now.get(key) {
                None => return Err(format!("the key `{key}` is missing")),
                Some(other) if !other.same_type(value) => {
                    return Err(format!("`{key}` is a {} and has to be a {}", other.type_str(), value.type_str()));
                }
                Some(_) => {}
            }
        }
        match now.get("code").and_then(toml::Value::as_str) {
            Some(code) if code != self.job.code => {
                Err(format!("`code` is \"{code}\" and has to be \"{}\"", self.job.code))
            }
            _ => Ok(()),
        }
    }

    /// Whether fcgen can use the locale as it is now.
    fn loads(&self) -> Result<(), String> {
        Language::load(&self.job.assets, &self.job.code).map_err(|error| told(&error))?;
        Pack::load(&self.job.assets, &self.job.code).map(drop).map_err(|error| told(&error))
    }

    fn request(&self, file: &str, text: &str, draw: u32, fault: &str) -> Result<Request, EnrichError> {
        let LocaleJob { code, name, .. } = self.job;
        let fields = [("file", file), ("text", text), ("code", code), ("name", name), ("fault", fault)];
        let fields: Object = fields.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
        let variables = Variables::Generate(fields);
        let rendered = self.prompt.render(&variables.fields()).map_err(SetupError::from).map_err(RunError::from)?;
        let request = Request::new(Task::Generate, "locale", file, draw, variables);
        Ok(Request { system: rendered.system, user: rendered.user, ..request })
    }
}

/// An error with what caused it.
fn told(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

/// What stands between the fences of a reply, or all of it.
fn fenced(reply: &str) -> &str {
    let Some((_, rest)) = reply.split_once("```") else { return reply };
    let body = rest.split_once('\n').map_or("", |(_, body)| body);
    body.rsplit_once("```").map_or(body, |(body, _)| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> LocaleJob {
        LocaleJob {
            assets: crate::fixtures::assets().clone(),
            code: "de".to_owned(),
            name: "German".to_owned(),
            from: "en".to_owned(),
            all: false,
            model: None,
            max_cost: None,
            interrupt: Interrupt::new(),
        }
    }

    #[test]
    fn only_what_nothing_can_stand_in_for_is_needed() {
        assert_eq!(files(&job()), NEEDED);
        assert!(files(&LocaleJob { all: true, ..job() }).len() > 10);
    }

    #[test]
    fn a_copy_has_the_code_and_the_name_of_the_new_locale() {
        let text = "# x\ncode = \"en\"\nname = \"English\"\n\n[[style]]\nname = \"plain\"\n";
        assert_eq!(renamed(text, &job()), "# x\ncode = \"de\"\nname = \"German\"\n\n[[style]]\nname = \"plain\"\n");
        let pack = crate::fixtures::assets().read("locales/en/pack.toml").unwrap();
        assert!(renamed(&pack, &job()).contains("name = \"plain\""), "manners keep theirs");
    }

    #[test]
    fn a_reply_is_what_stands_between_its_fences() {
        assert_eq!(fenced("Here:\n```toml\na = 1\n```\nDone."), "a = 1\n");
        assert_eq!(fenced("a = 1"), "a = 1");
    }
}
