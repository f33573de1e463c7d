//! Opens everything that a run needs before its first item: models, tables, the contexts of its stages.

use crate::config::{Plan, REFERENCE_TIME};
use crate::failure::{RunError, SetupError};
use crate::llm::{Budget, BuiltIn, Chat, ChatDeps, Journal, ModelConfig, Prompt, ProviderKind, Reply, Request};
use crate::model::{Defect, Grammar};
use crate::run::Options;
use crate::run::output::banks as bank_files;
use crate::run::prepare::ground::Ground;
use crate::run::prepare::live;
use crate::run::prepare::table::read_table;
use crate::run::roots::anew::{Mark, effects};
use crate::stage::{CONSISTENCY, Content, Context, Counts, Domains, Readings, Shared};
use crate::suite::hammerbench::stage::variant::write_variants;
use crate::text::read_labels;
use crate::toolset::Toolset;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Everything that a run needs.
pub(crate) struct Setup {
    pub(crate) shared: Arc<Shared>,
    pub(crate) contexts: Vec<Context>,
    /// Hash of everything that decides on the bytes that come out.
    pub(crate) hash: String,
    /// What the models share: journal, usage, and the switch that lets nothing new be sent.
    pub(crate) deps: ChatDeps,
    /// Roots at work at the same time.
    pub(crate) concurrency: usize,
    generator: Arc<Grammar>,
}

/// The built-in model of a role.
struct Role(Arc<Grammar>);

impl BuiltIn for Role {
    fn answer(&self, request: &Request) -> Reply {
        self.0.reply(request)
    }
}

/// The folder of a run below `output/`: `hammer-en`, or `hammer-en-shard-1-of-3`.
pub fn folder_name(plan: &Plan, shard: Option<(usize, usize)>) -> String {
    let name = format!("{}-{}", plan.pipeline.name, plan.pipeline.locale);
    shard.map_or_else(|| name.clone(), |(index, of)| format!("{name}-shard-{index}-of-{of}"))
}

impl Setup {
    /// Opens the models; nothing is asked yet.
    pub(crate) fn new(plan: &Plan, ground: Ground, options: &Options, marks: &[Mark]) -> Result<Self, RunError> {
        let Ground { pack, language, toolset, prompts, people, banks, hash, .. } = ground;
        let toolset = live::attached(plan, toolset, &options.out)?;
        check_thinkers(plan, &toolset)?;
        let seed = plan.pipeline.seed.get() as u64;
        let max_tokens = plan.pipeline.max_tokens.map(|it| it.get() as u64);
        let max_cost = plan.pipeline.max_cost.map(crate::config::Measure::get);
        let journal = || Journal::open(&options.out.join("run.db")).map(Arc::new);
        let rate = plan.models.get("generator").map_or(0.0, |config| config.defect_rate);
        let generator = Arc::new(Grammar::new(pack.clone(), seed).with_defects(rate));
        let deps = ChatDeps {
            journal: needs_journal(plan).then(journal).transpose()?,
            budget: Arc::new(Budget::new(max_cost, max_tokens)),
            assets: Some(plan.files.assets().clone()),
            ..ChatDeps::new(Arc::new(Role(Arc::new(Grammar::new(pack.clone(), seed))))).stopped_by(&options.interrupt)
        }
        .counting_on(&hash)?;
        let mut reruns = BTreeMap::new();
        for (stage, mark) in effects(plan, marks) {
            *reruns.entry((plan.stages[stage].name.clone(), mark.id.clone())).or_default() += mark.times;
        }
        let assets = plan.files.assets().clone();
        let chats = open_chats(&models(plan, options), &deps, &generator)?;
        let shared = Arc::new(Shared {
            labels: read_labels(&assets.read("prompts/labels.txt").unwrap_or_default()),
            assets,
            seed,
            rouge: language.rouge_l(),
            speakers: plan.stages.iter().filter(|it| it.stage.meta().speaks).map(|it| it.name.clone()).collect(),
            banks: bank_files::open(plan, banks, (&toolset, &language), options)?,
            reference_time: plan.pipeline.reference_time.as_ref().map_or(REFERENCE_TIME, |it| it.as_str()).to_owned(),
            prompts,
            people,
            language,
            domains: Domains::new(&toolset, &pack, seed).map_err(SetupError::from)?,
            pack,
            toolset,
            reads_with_examples: plan.stages.iter().any(|it| {
                let chat = it.role.as_deref().and_then(|role| chats.get(role)).or_else(|| chats.get("generator"));
                it.stage.kind() == CONSISTENCY
                    && it.stage.settings().readings == Some(Readings::All)
                    && chat.is_some_and(|chat| !chat.is_template())
            }),
            writes_variants: plan.stages.iter().any(|it| it.stage.kind() == write_variants::KIND),
            templates: OnceLock::new(),
            drafter: OnceLock::new(),
            tools_by_word: OnceLock::new(),
            chats,
            reruns,
            counts: Counts::default(),
        });
        let contexts = plan.stages.iter().map(|stage| context(plan, stage, &shared)).collect::<Result<_, _>>()?;
        Ok(Self { contexts, hash, deps, concurrency: concurrency(plan), generator, shared })
    }

    /// Waits until every reply is on disk.
    pub(crate) fn flush(&self) -> Result<(), RunError> {
        self.deps.journal.as_ref().map_or(Ok(()), |journal| Ok(journal.flush()?))
    }

    /// What the built-in generator was told to commit.
    pub(crate) fn defects(&self) -> Vec<Defect> {
        self.generator.defects()
    }
}

/// The built-in model composes what people wrote for it; a run for which nobody did is better not begun.
fn check_thinkers(plan: &Plan, toolset: &Toolset) -> Result<(), SetupError> {
    let is_builtin = |role: &str| {
        let model = plan.models.get(role).or_else(|| plan.models.get("generator"));
        model.is_none_or(|model| model.provider == ProviderKind::Grammar)
    };
    for stage in &plan.stages {
        let thinkers = stage.stage.thinkers(stage.role.as_deref(), toolset);
        if let Some(role) = thinkers.into_iter().find(|role| is_builtin(role)) {
            let (stage, toolset, role) = (stage.name.clone(), toolset.name.clone(), role.to_owned());
            return Err(SetupError::Thoughtless { stage, toolset, role });
        }
    }
    Ok(())
}

fn open_chats(
    models: &IndexMap<String, ModelConfig>,
    deps: &ChatDeps,
    generator: &Arc<Grammar>,
) -> Result<IndexMap<String, Chat>, SetupError> {
    let mut chats: IndexMap<String, Chat> = IndexMap::new();
    for (role, config) in models {
        // Roles of one endpoint share its limits, so they share the line to it.
        let earlier = models.iter().take_while(|(other, _)| *other != role);
        let twin = earlier.filter(|_| config.provider == ProviderKind::Openai).find(|(_, other)| *other == config);
        let chat = match twin.and_then(|(other, _)| chats.get(other)) {
            Some(twin) => twin.clone(),
            None if role == "generator" => {
                let builtin = Arc::new(Role(generator.clone()));
                Chat::open(role, config, ChatDeps { builtin, ..deps.clone() })?
            }
            None => Chat::open(role, config, deps.clone())?,
        };
        chats.insert(role.clone(), chat);
    }
    Ok(chats)
}

/// The models of a run. A preview is a short look, which no batch is fast enough for.
fn models(plan: &Plan, options: &Options) -> IndexMap<String, ModelConfig> {
    let mut models = plan.models.clone();
    models.values_mut().for_each(|model| model.by_task = true);
    for model in models.values_mut().filter(|_| options.preview.is_some()) {
        model.batch = false;
    }
    models
}

/// Only paid-for answers (and those that are to be recorded) are kept.
fn needs_journal(plan: &Plan) -> bool {
    plan.models.values().any(|config| config.provider == ProviderKind::Openai || config.record)
}

/// As many roots as keep the models busy: the built-in one is busy with a few.
fn concurrency(plan: &Plan) -> usize {
    let asked = plan.models.values().filter(|config| config.provider == ProviderKind::Openai);
    asked.map(ModelConfig::most_waiting).max().unwrap_or(8).max(1)
}

fn context(plan: &Plan, stage: &crate::config::PlannedStage, shared: &Arc<Shared>) -> Result<Context, SetupError> {
    let mut context = Context::new(&stage.name, stage.role.clone(), shared.clone());
    for file in stage.stage.settings().files {
        let path = file.path.as_str();
        let fault = |message: String| SetupError::File { path: path.to_owned(), message };
        let text = || plan.files.read(path).ok_or_else(|| fault("no such file".to_owned()));
        context = match file.content {
            Content::Table | Content::Categories => context.with_table(read_table(path, &text()?).map_err(fault)?),
            Content::Prompt => context.with_prompt(Prompt::from_text(path, &text()?)?),
            Content::Schema => {
                let schema = serde_json::from_str(&text()?).map_err(|error| fault(error.to_string()))?;
                context.with_schema(schema).map_err(fault)?
            }
            Content::Toolset => context,
        };
    }
    Ok(context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{SMALL, plan, small};

    fn setup(plan: &Plan, marks: &[Mark]) -> Result<Setup, RunError> {
        Setup::new(plan, Ground::load(plan)?, &Options::new("none"), marks)
    }

    #[test]
    fn the_built_in_model_needs_no_journal_and_few_roots_at_once() {
        let setup = setup(&small(), &[]).unwrap();
        assert!(setup.deps.journal.is_none() && setup.flush().is_ok() && setup.defects().is_empty());
        assert_eq!(setup.concurrency, 8);
        assert!(setup.shared.chats.values().all(Chat::is_builtin));
    }

    #[test]
    fn marks_of_several_stages_add_up_where_they_meet() {
        let mark = |stage: &str, times| Mark { id: "a".to_owned(), stage: stage.to_owned(), times, round: 1 };
        let setup = setup(&small(), &[mark("parameters", 1), mark("near_duplicates", 2)]).unwrap();
        let times = |stage: &str| setup.shared.reruns.get(&(stage.to_owned(), "a".to_owned())).copied();
        assert_eq!((times("perfect_queries"), times("near_duplicates"), times("candidates")), (Some(3), Some(2), None));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let text = SMALL.replace("\"grammar\"", "\"scripted\"\nscript = \"no/such.jsonl\"");
        let error = setup(&plan(&text, &[]), &[]).err().unwrap().to_string();
        assert!(error.starts_with("`no/such.jsonl` cannot be read"), "{error}");
    }

    #[test]
    fn a_shard_has_a_folder_of_its_own() {
        assert_eq!(folder_name(&small(), None), "test-en");
        assert_eq!(folder_name(&small(), Some((1, 3))), "test-en-shard-1-of-3");
    }
}
