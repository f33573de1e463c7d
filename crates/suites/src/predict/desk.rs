//! Where the work is done: the model, its journal beside the output, and the right to write there.

use super::asking::{Addressee, Asking};
use super::help::{Help, Stuck};
use super::locales::Locales;
use super::samples::samples_file;
use super::snapshots::Mode;
use super::summary::Tally;
use crate::Recorded;
use crate::assets::Assets;
use crate::failure::{ItemError, RunError, RunStopped, SetupError};
use crate::format::PromptSource;
use crate::fs::{Lock, make_folder};
use crate::llm::{Budget, Chat, ChatDeps, Interrupt, Journal, ModelConfig, Prompts, ProviderKind, Reply};
use crate::record::Sample;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is to be predicted, by whom, and where to.
#[derive(Debug, Clone)]
pub struct Job {
    /// A run folder or a file of samples.
    pub bench: PathBuf,
    /// The file of predictions.
    pub out: PathBuf,
    /// The model; the built-in reader by default.
    pub model: ModelConfig,
    /// How the tools are handed to it.
    pub mode: Mode,
    /// Whose prompts it is asked by.
    pub prompts: PromptSource,
    /// The model that chooses tools for it, where that is another one.
    pub router: Option<ModelConfig>,
    /// The judge of calls, where one is asked meanwhile.
    pub judge: Option<ModelConfig>,
    /// The model that makes vectors of calls, where calls are matched by them.
    pub embeddings: Option<ModelConfig>,
    /// The prompts that it is asked by.
    pub judged_by: Prompts,
    /// Where judgements are kept, so that the predictions can be scored without the judge.
    pub judgements: PathBuf,
    /// How often each sample is asked about.
    pub runs: u32,
    /// Only so many samples, drawn evenly over data types and tools.
    pub limit: Option<usize>,
    /// What they are drawn by.
    pub seed: u64,
    /// Stop when so many dollars are spent.
    pub max_cost: Option<f64>,
    /// Thrown when somebody wants it to stop.
    pub interrupt: Interrupt,
}

/// One prediction as it is written.
pub(super) struct Row {
    /// The line, with its end.
    pub line: String,
    /// What happened to it, where it holds an error.
    pub error: Option<String>,
    /// What a judge said of its calls.
    pub judged: Vec<Recorded>,
}

/// The model and everything around it.
pub(super) struct Desk {
    pub chat: Chat,
    pub router: Option<Chat>,
    help: Help,
    pub deps: ChatDeps,
    pub tally: Arc<Tally>,
    asking: Arc<dyn Asking>,
    _lock: Option<Lock>,
}

/// Where replies are kept: a folder beside the output, named like it.
pub fn journal_folder(out: &Path) -> PathBuf {
    out.with_extension("journal")
}

impl Job {
    /// A job with the built-in reader, for one run over everything.
    pub fn new(assets: &Assets, bench: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            bench: bench.into(),
            out: out.into(),
            model: ModelConfig::default(),
            mode: Mode::BuiltIn,
            prompts: PromptSource::default(),
            router: None,
            judge: None,
            embeddings: None,
            judged_by: Prompts::shipped(assets),
            judgements: PathBuf::from("judgements.jsonl"),
            runs: 1,
            limit: None,
            seed: 7,
            max_cost: None,
            interrupt: Interrupt::new(),
        }
    }

    fn models(&self) -> impl Iterator<Item = &ModelConfig> {
        std::iter::once(&self.model).chain(&self.router).chain(&self.judge).chain(&self.embeddings)
    }
}

impl Desk {
    /// Opens the model; nothing is asked yet.
    pub(super) fn open(job: &Job, asking: Arc<dyn Asking>) -> Result<Arc<Self>, RunError> {
        refuse_to_overwrite(job)?;
        let (mut lock, mut journal) = (None, None);
        // What costs nothing is not kept.
        if job.models().any(|model| model.provider != ProviderKind::Grammar || model.record) {
            let folder = journal_folder(&job.out);
            make_folder(&folder)?;
            lock = Some(Lock::take(&folder)?);
            journal = Some(Arc::new(Journal::open(&folder.join("run.db"))?));
        }
        let deps = ChatDeps {
            assets: Some(job.judged_by.assets().clone()),
            journal,
            budget: Arc::new(Budget::new(job.max_cost, None)),
            ..ChatDeps::new(Arc::new(Locales::new(Prompts::shipped(job.judged_by.assets())))).stopped_by(&job.interrupt)
        }
        .counting_on("")?;
        let open = |role, model| Chat::open(role, model, deps.clone()).map_err(SetupError::from);
        let chat = open("predict", &job.model)?;
        let router = job.router.as_ref().map(|model| open("router", model)).transpose()?;
        let help = Help::open(job, &deps)?;
        Ok(Arc::new(Self { chat, router, help, deps, tally: Arc::default(), asking, _lock: lock }))
    }

    /// Asks about a sample until all is said.
    pub(super) async fn ask(&self, sample: &Sample, run: u32) -> Result<Row, RunStopped> {
        let (mut said, mut judged, mut error) = (Vec::new(), Vec::new(), None);
        loop {
            match self.step(sample, run, &said, &mut judged).await {
                Ok(Some(reply)) => said.push(reply),
                Ok(None) => break,
                Err(Stuck::Stop(stop)) => return Err(stop),
                Err(Stuck::Item(detail)) => {
                    error = Some(detail);
                    break;
                }
            }
        }
        let prediction = self.asking.prediction(sample, run, &said, error);
        self.tally.count(&prediction);
        let line = serde_json::to_string(&prediction).map_err(|error| RunStopped::Store(error.to_string()))?;
        Ok(Row { line: line + "\n", error: prediction.error, judged })
    }

    /// The model's next reply, after others have said what they must; nothing when all is said.
    async fn step(
        &self,
        sample: &Sample,
        run: u32,
        said: &[Reply],
        judged: &mut Vec<Recorded>,
    ) -> Result<Option<Reply>, Stuck> {
        judged.extend(Box::pin(self.help.give(&*self.asking, sample, said)).await?);
        let Some(request) = self.asking.next(sample, run, said).map_err(Stuck::Stop)? else { return Ok(None) };
        Ok(Some(self.addressed(said).ask(&request).await.map_err(ItemError::from)?))
    }

    /// What people should know about the endpoints.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = self.chat.notes();
        let others = self.router.iter().flat_map(Chat::notes).chain(self.help.notes());
        notes.extend(others.filter(|note| !self.chat.notes().contains(note)));
        notes
    }

    fn addressed(&self, said: &[Reply]) -> &Chat {
        match (self.asking.addressee(said), &self.router) {
            (Addressee::Router, Some(router)) => router,
            _ => &self.chat,
        }
    }

    /// Waits until every reply is on disk.
    pub(super) fn flush(&self) -> Result<(), RunError> {
        self.deps.journal.as_ref().map_or(Ok(()), |journal| Ok(journal.flush()?))
    }
}

fn refuse_to_overwrite(job: &Job) -> Result<(), RunStopped> {
    let real = |path: &Path| path.canonicalize().ok();
    match (real(&samples_file(&job.bench)), real(&job.out)) {
        (Some(samples), Some(out)) if samples == out => Err(RunStopped::Input(format!(
            "`{}` is the samples file; write the predictions to another file",
            job.out.display()
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{file, sample, sample_line};
    use super::super::{Candidates, Snapshots};
    use super::*;

    fn open(job: &Job, mode: Mode) -> Result<Arc<Desk>, RunError> {
        Desk::open(job, Arc::new(Snapshots::new(mode, Candidates::All, crate::fixtures::prompts())))
    }

    fn endpoint() -> ModelConfig {
        ModelConfig { provider: ProviderKind::Openai, model: "m".to_owned(), ..ModelConfig::default() }
    }

    #[tokio::test]
    async fn the_built_in_reader_leaves_nothing_beside_the_output() {
        let (folder, path) = file(&sample_line("a"));
        let desk =
            open(&Job::new(crate::fixtures::assets(), path, folder.path().join("p.jsonl")), Mode::BuiltIn).unwrap();
        let row = desk.ask(&sample("a"), 2).await.unwrap();
        assert!(row.line.starts_with("{\"id\":\"a\",\"run\":2,\"variant\":\"built-in\",\"turns\":[{\"content\":"));
        assert!(row.line.ends_with('\n') && row.error.is_none() && desk.flush().is_ok());
        assert_eq!((desk.tally.read(), std::fs::read_dir(folder.path()).unwrap().count()), ((1, 0), 1));
    }

    #[test]
    fn an_endpoint_has_its_journal_beside_the_output_for_itself() {
        let (folder, path) = file(&sample_line("a"));
        let job =
            Job { model: endpoint(), ..Job::new(crate::fixtures::assets(), path, folder.path().join("deep/p.jsonl")) };
        let desk = open(&job, Mode::Prompt).unwrap();
        assert!(folder.path().join("deep/p.journal/run.db").is_file());
        let error = open(&job, Mode::Prompt).err().unwrap().to_string();
        assert!(error.starts_with("another process is using `") && error.ends_with("p.journal`"), "{error}");
        drop(desk);
        assert!(open(&job, Mode::Prompt).is_ok());
    }

    #[test]
    fn the_samples_are_not_overwritten() {
        let (folder, path) = file(&sample_line("a"));
        let error =
            open(&Job::new(crate::fixtures::assets(), folder.path(), path), Mode::BuiltIn).err().unwrap().to_string();
        assert!(error.ends_with("is the samples file; write the predictions to another file"), "{error}");
    }

    #[tokio::test]
    async fn who_asks_after_the_end_is_told_to_stop() {
        let (folder, path) = file(&sample_line("a"));
        let job = Job::new(crate::fixtures::assets(), path, folder.path().join("p.jsonl"));
        job.interrupt.trigger();
        let desk = open(&job, Mode::BuiltIn).unwrap();
        assert_eq!(desk.ask(&sample("a"), 0).await.err(), Some(RunStopped::Interrupted));
    }
}
