//! `manifest.json`: what was run, with what, and what came of it.

use crate::config::{Plan, Recipe};
use crate::failure::RunError;
use crate::fs::AtomicFile;
use crate::llm::{ProviderKind, StageUsage};
use crate::run::output::defects::DefectReport;
use crate::run::output::emit::Emitted;
use crate::run::output::empty::{EmptyType, Taken};
use crate::run::prepare::setup::Setup;
use crate::run::roots::follow::Localized;
use crate::run::{Options, Phase, Progress, Rates, Spent, StageCounts, StageProgress};
use crate::stage::Readings;
use crate::suite::complexfunc::Composition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The form of what a run leaves in its folder: `manifest.json`, `run.db`, and how the plan's hash is made.
///
/// Another number is another form. A folder of a higher number is refused, since nobody here can know what is in it.
pub const FORMAT: u32 = 1;

/// Everything that is known of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Form of the run's folder; 0 where it was made before forms had numbers.
    #[serde(default)]
    pub format: u32,
    /// Version of fcgen.
    pub fcgen: String,
    /// The pipeline's name.
    pub pipeline: String,
    /// The locale.
    pub locale: String,
    /// The seed.
    pub seed: u64,
    /// Hash of the checked plan: equal plans with equal answers give equal bytes.
    pub plan_hash: String,
    /// What the plan was made from: `fcgen localize` makes it again in another locale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
    /// What it is the counterpart of, where it is a run in another locale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub localized: Option<Localized>,
    /// Whether any of it was written by the built-in model, whose text is composed from templates.
    pub template: bool,
    /// What that means, in words; empty where nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notice: String,
    /// `derived` where the built-in model asked for tools that bring no utterances: it made them of names and descriptions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub utterances: String,
    /// Licence of the toolset.
    pub licence: String,
    /// Which part of the roots, where it is one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The models, by role.
    pub models: BTreeMap<String, ManifestModel>,
    /// Hashes of the prompts, by task.
    pub prompts: BTreeMap<String, String>,
    /// The stages, in the order of the file.
    pub stages: Vec<ManifestStage>,
    /// Samples written, by data type.
    pub samples: BTreeMap<String, usize>,
    /// Samples by data type that equal a snapshot of their base, or of another variant of it. `samples.jsonl` has these once:
    /// the next line of the conversation names them in `snapshot.shared`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<String, usize>,
    /// Conversations by data type; each is as many samples as it has user turns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conversations: BTreeMap<String, usize>,
    /// Turns of the person by data type: those that contain template text (the assistant's words before them included),
    /// and all. A conversation's turns are counted once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub template_turns: BTreeMap<String, (usize, usize)>,
    /// What a benchmark of complex queries is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composition: Option<Composition>,
    /// Declared data types that no item has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<EmptyType>,
    /// What took most, where the run made nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing: Option<Taken>,
    /// Rejects, by reason.
    pub rejects: BTreeMap<String, usize>,
    /// What each drawing stage owed and what was accepted.
    pub owed: BTreeMap<String, (usize, usize)>,
    /// Replies asked for again and ways of reading, by stage and word.
    pub counted: BTreeMap<String, BTreeMap<String, u64>>,
    /// What was asked and what it took, by stage and model, in all processes of the run.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub usage: Vec<StageUsage>,
    /// What a thousand samples took, where tokens were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_thousand: Option<PerThousand>,
    /// What became of the faults that the built-in generator was told to commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defects: Option<DefectReport>,
    /// What people should know, such as what a server refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why it stopped before its end, where it did. Files besides this one are then of an earlier run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// How long it took, in seconds.
    pub wall_seconds: f64,
}

/// A model of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestModel {
    /// Its name; `grammar` is the built-in one.
    pub model: String,
    /// Where it was reached; empty for the built-in one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base_url: String,
    /// Whether what it writes is composed from templates.
    pub template: bool,
}

/// What a thousand samples of a run took, rejects and readings included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerThousand {
    /// Requests that were answered.
    pub requests: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// US dollars; 0 where the model has no price.
    pub usd: f64,
}

/// Counts of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestStage {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Which readings had to agree with a label, where the stage compares them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Readings>,
    /// Items that came in.
    pub came: usize,
    /// Items that went on.
    pub kept: usize,
    /// Items that were dropped.
    pub rejected: usize,
}

impl Manifest {
    pub(crate) fn new(plan: &Plan, options: &Options, setup: &Setup, counts: &[StageCounts]) -> Self {
        let shared = &setup.shared;
        let used: Vec<&String> = plan.stages.iter().filter_map(|stage| stage.role.as_ref()).collect();
        let template = used.iter().any(|role| shared.chats.get(*role).is_some_and(crate::llm::Chat::is_builtin));
        let models = plan.models.iter().filter_map(|(role, config)| {
            let chat = shared.chats.get(role)?;
            let is_asked = config.provider == ProviderKind::Openai;
            let base_url = if is_asked { config.base_url.clone() } else { String::new() };
            let model = ManifestModel { model: chat.model_name().to_owned(), base_url, template: chat.is_template() };
            Some((role.clone(), model))
        });
        let stages = plan.stages.iter().zip(counts).map(|(planned, counts)| {
            let (came, kept, rejected) = counts.read();
            let (name, kind) = (planned.name.clone(), planned.stage.kind().to_owned());
            ManifestStage { name, kind, readings: planned.stage.settings().readings, came, kept, rejected }
        });
        let mut notes: Vec<String> = shared.chats.values().flat_map(crate::llm::Chat::notes).collect();
        notes.extend(shared.old_prompts());
        notes.sort();
        notes.dedup();
        Self {
            format: FORMAT,
            fcgen: env!("CARGO_PKG_VERSION").to_owned(),
            pipeline: plan.pipeline.name.to_string(),
            locale: plan.pipeline.locale.to_string(),
            seed: shared.seed,
            plan_hash: setup.hash.clone(),
            recipe: Some(plan.recipe.clone()),
            localized: None,
            template,
            notice: if template { NOTICE.to_owned() } else { String::new() },
            utterances: if template && !shared.toolset.unspoken().is_empty() {
                DERIVED.to_owned()
            } else {
                String::new()
            },
            licence: shared.toolset.licence.clone(),
            shard: options.shard_name(),
            models: models.collect(),
            prompts: shared
                .prompts
                .iter()
                .map(|(task, prompt)| (task.folder().to_owned(), prompt.hash().to_owned()))
                .collect(),
            stages: stages.collect(),
            samples: BTreeMap::new(),
            shared: BTreeMap::new(),
            conversations: BTreeMap::new(),
            template_turns: BTreeMap::new(),
            composition: None,
            empty: Vec::new(),
            nothing: None,
            rejects: BTreeMap::new(),
            owed: BTreeMap::new(),
            counted: shared.counts.snapshot(),
            // A preview is a look at what the rest would cost.
            usage: match options.preview {
                Some(_) => setup.deps.usage.snapshot(),
                None => setup.deps.usage.totals(),
            },
            per_thousand: None,
            defects: None,
            notes,
            stopped: None,
            wall_seconds: 0.0,
        }
    }

    /// Takes up what was written.
    pub(crate) fn take(&mut self, emitted: Emitted) {
        (self.samples, self.shared, self.rejects) = (emitted.by_type, emitted.shared, emitted.by_reason);
        (self.conversations, self.template_turns) = (emitted.conversations, emitted.template_turns);
        self.composition = emitted.composition;
        self.localized = emitted.localized;
        for (stage, (came, kept, rejected)) in emitted.closing {
            let stage = &mut self.stages[stage];
            (stage.came, stage.kept, stage.rejected) = (came, kept, rejected);
        }
        self.empty = emitted.tally.empty(&self.samples, &self.stages);
        self.nothing = emitted.tally.commonest().filter(|_| self.samples.is_empty());
        self.price();
    }

    /// What a thousand samples took; `None` where no tokens were counted.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
    pub(crate) fn price(&mut self) {
        let sum = |of: fn(&StageUsage) -> u64| self.usage.iter().map(of).sum::<u64>() as f64;
        let tokens = sum(|row| row.prompt_tokens + row.completion_tokens);
        let samples = self.samples.values().sum::<usize>() as f64;
        self.per_thousand = (samples > 0.0 && tokens > 0.0).then(|| {
            let share = |whole: f64| whole / samples * 1000.0;
            PerThousand {
                requests: share(sum(StageUsage::answered)).round() as u64,
                tokens: share(tokens).round() as u64,
                usd: (share(self.cost()) * 10_000.0).round() / 10_000.0,
            }
        });
    }

    /// Writes `manifest.json`.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), RunError> {
        let mut file = AtomicFile::create(&folder.join("manifest.json"))?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        Ok(file.finish()?)
    }

    /// The same as word of a run that is at its end. Its roots are what came to the first stage.
    pub fn progress(&self) -> Progress {
        let stages = self.stages.iter().map(|stage| {
            let ManifestStage { name, came, kept, rejected, .. } = stage;
            StageProgress { name: name.clone(), came: *came, kept: *kept, rejected: *rejected }
        });
        let roots = self.stages.first().map_or(0, |stage| stage.came);
        Progress {
            pipeline: self.pipeline.clone(),
            locale: self.locale.clone(),
            seed: self.seed,
            phase: Phase::Done,
            stopped: self.stopped.clone(),
            roots,
            done: roots,
            stages: stages.collect(),
            spent: Spent::of(&self.usage),
            in_flight: 0,
            rates: Rates::default(),
            seconds: self.wall_seconds,
            seconds_left: None,
        }
    }

    /// Least share of what is owed that was accepted, over all drawing stages; 1 where nothing is owed.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn yielded(&self) -> f64 {
        let shares = self.owed.values().filter(|(owed, _)| *owed > 0).map(|(owed, kept)| *kept as f64 / *owed as f64);
        shares.fold(1.0, f64::min)
    }

    /// Rejects for which a transport is to blame.
    pub fn lost(&self) -> usize {
        self.rejects.get("transport").copied().unwrap_or(0)
    }

    /// Dollars spent.
    pub fn cost(&self) -> f64 {
        self.usage.iter().map(|row| row.cost).sum()
    }

    /// Whether texts were derived from the names and descriptions of tools, since these bring no utterances.
    pub fn is_derived(&self) -> bool {
        self.utterances == DERIVED
    }
}

/// How utterances came about that nobody has written.
const DERIVED: &str = "derived";

const NOTICE: &str = "written by the built-in model: texts are composed from templates and values are invented";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{run, small};

    async fn manifest() -> Manifest {
        let folder = tempfile::tempdir().unwrap();
        run(&small(), &Options::new(folder.path())).await.unwrap().manifest
    }

    #[tokio::test]
    async fn what_the_built_in_model_wrote_is_announced() {
        let manifest = manifest().await;
        assert!(manifest.template && manifest.notice.starts_with("written by the built-in model"));
        assert_eq!(manifest.models["generator"].model, "grammar");
        let stages: Vec<&str> = manifest.stages.iter().map(|stage| stage.kind.as_str()).collect();
        assert_eq!(stages, ["toolset", "perfect_queries", "parameters", "near_duplicates", "candidates", "quota"]);
        assert_eq!((manifest.stages[0].came, manifest.stages[0].kept), (3, 3));
    }

    #[tokio::test]
    async fn a_run_at_its_end_is_told_in_the_same_words_as_one_that_goes_on() {
        let progress = manifest().await.progress();
        assert_eq!((progress.phase, progress.roots, progress.done, progress.in_flight), (Phase::Done, 3, 3, 0));
        assert_eq!((progress.stages.len(), progress.stopped), (6, None));
        assert!(progress.spent.requests > 0);
    }

    #[tokio::test]
    async fn the_yield_is_that_of_the_worst_stage() {
        let mut manifest = manifest().await;
        manifest.owed = [("a".to_owned(), (10, 9)), ("b".to_owned(), (4, 1)), ("c".to_owned(), (0, 0))].into();
        assert!((manifest.yielded() - 0.25).abs() < 1e-9);
        manifest.owed.clear();
        assert!((manifest.yielded() - 1.0).abs() < 1e-9);
    }

    #[tokio::test]
    async fn lost_rows_and_dollars_are_counted() {
        let mut manifest = manifest().await;
        assert_eq!(manifest.lost(), 0);
        manifest.rejects.insert("transport".to_owned(), 3);
        assert_eq!(manifest.lost(), 3);
        let row = |cost| StageUsage { cost, ..StageUsage::default() };
        manifest.usage = vec![row(0.5), row(0.25)];
        assert!((manifest.cost() - 0.75).abs() < 1e-9);
        manifest.price();
        assert_eq!(manifest.per_thousand, None, "no tokens were counted");
        let row = &mut manifest.usage[0];
        (row.requests, row.attempts, row.failures) = (8, 9, 2);
        (row.prompt_tokens, row.completion_tokens) = (900, 100);
        manifest.samples = [("a".to_owned(), 3), ("b".to_owned(), 1)].into();
        manifest.price();
        assert_eq!(manifest.per_thousand, Some(PerThousand { requests: 1500, tokens: 250_000, usd: 187.5 }));
    }
}
