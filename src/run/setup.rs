//! Opens everything that a run needs before its first item: locale, toolsets, prompts, models, tables.

use super::defects::{DefectReport, report};
use super::store::Store;
use super::{Options, RunError};
use crate::config::Plan;
use crate::llm::grammar::Grammar;
use crate::llm::{
    Budget, BuiltIn, Chat, ChatDeps, ChatError, Journal, Prompt, PromptError, ProviderKind, Reply, Request, UsageBook,
};
use crate::locale::{Language, LanguageError, LocaleError, Pack};
use crate::record::{Object, Value};
use crate::stage::{Content, Context, Counts, Shared, Stage};
use crate::toolset::{Toolset, ToolsetError};
use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The locale.
    #[error(transparent)]
    Locale(#[from] LocaleError),
    /// The language's facts.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A toolset.
    #[error(transparent)]
    Toolset(#[from] ToolsetError),
    /// A prompt.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// A model.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// A table or a schema.
    #[error("{path}: {message}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong.
        message: String,
    },
}

/// Everything that a run needs.
pub(super) struct Setup {
    pub(super) shared: Arc<Shared>,
    pub(super) contexts: Vec<Context>,
    pub(super) usage: Arc<UsageBook>,
    /// Roots at work at the same time.
    pub(super) concurrency: usize,
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
    pub(super) fn new(plan: &Plan, options: &Options) -> Result<Self, RunError> {
        let locale = plan.pipeline.locale.as_str();
        let toolset = Arc::new(load_toolset(plan, locale)?);
        let mut pack = Pack::load(locale).map_err(SetupError::from)?;
        toolset.extend(&mut pack).map_err(SetupError::from)?;
        let pack = Arc::new(pack);
        let language = Arc::new(Language::load(locale).map_err(SetupError::from)?);
        let seed = plan.pipeline.seed.get() as u64;
        let usage = Arc::new(UsageBook::default());
        let max_tokens = plan.pipeline.max_tokens.map(|it| it.get() as u64);
        let budget = Arc::new(Budget::new(plan.pipeline.max_cost.map(crate::config::Measure::get), max_tokens));
        let journal =
            needs_journal(plan).then(|| Journal::open(&options.out.join("run.db"))).transpose()?.map(Arc::new);
        let rate = plan.models.get("generator").map_or(0.0, |config| config.defect_rate);
        let generator = Arc::new(Grammar::new(pack.clone(), seed).with_defects(rate));
        let reader = Arc::new(Grammar::new(pack.clone(), seed));
        let mut chats: IndexMap<String, Chat> = IndexMap::new();
        for (role, config) in &plan.models {
            // Roles of one endpoint share its limits, so they share the line to it.
            let twin = plan
                .models
                .iter()
                .take_while(|(other, _)| *other != role)
                .find(|(_, other)| *other == config && config.provider == ProviderKind::Openai);
            if let Some(chat) = twin.and_then(|(other, _)| chats.get(other).cloned()) {
                chats.insert(role.clone(), chat);
                continue;
            }
            let builtin = if role == "generator" { generator.clone() } else { reader.clone() };
            let deps = ChatDeps {
                journal: journal.clone(),
                budget: budget.clone(),
                usage: usage.clone(),
                builtin: Arc::new(Role(builtin)),
                interrupt: options.interrupt.clone(),
            };
            chats.insert(role.clone(), Chat::open(role, config, deps).map_err(SetupError::from)?);
        }
        let reruns = reruns(options, &toolset)?;
        let shared = Arc::new(Shared {
            seed,
            rouge: language.rouge_l(),
            prompts: Shared::prompts(locale).map_err(SetupError::from)?,
            pack,
            language,
            toolset,
            chats,
            reruns,
            counts: Counts::default(),
        });
        let contexts = plan.stages.iter().map(|stage| context(plan, stage, &shared)).collect::<Result<_, _>>()?;
        Ok(Self { contexts, usage, concurrency: concurrency(plan), generator, shared })
    }

    /// What became of the faults that the built-in generator was told to commit.
    pub(super) fn defects(&self, store: &Store, folder: &Path) -> Result<Option<DefectReport>, RunError> {
        report(&self.generator.defects(), store, folder)
    }
}

/// Asking anew is settled before the run, since it changes what is asked.
fn reruns(options: &Options, toolset: &Toolset) -> Result<std::collections::BTreeMap<String, u32>, RunError> {
    let store = Store::attach(&options.out.join("run.db"), &toolset.tools)?;
    if options.rerun_rejects {
        store.rerun_rejects()?;
    }
    store.reruns()
}

/// Only paid-for answers (and those that are to be recorded) are kept.
fn needs_journal(plan: &Plan) -> bool {
    plan.models.values().any(|config| config.provider == ProviderKind::Openai || config.record)
}

/// As many roots as keep the models busy: the built-in one is busy with a few.
fn concurrency(plan: &Plan) -> usize {
    let asked = plan.models.values().filter(|config| config.provider == ProviderKind::Openai);
    asked.map(|config| config.concurrency).max().unwrap_or(8).max(1)
}

/// The tools of all the plan's toolsets together.
fn load_toolset(plan: &Plan, locale: &str) -> Result<Toolset, SetupError> {
    let mut whole: Option<Toolset> = None;
    for stage in &plan.stages {
        let path = match &stage.stage {
            Stage::Toolset(config) => config.path.as_str(),
            // The shipped toolset's categories are what a toolkit is made for where no others are named.
            Stage::Toolkits(config) if config.categories.is_none() => "mobile",
            _ => continue,
        };
        let mut next = Toolset::load(path, locale)?;
        if matches!(stage.stage, Stage::Toolkits(_)) {
            next.tools.clear();
        }
        match &mut whole {
            None => whole = Some(next),
            Some(whole) => whole.join(next),
        }
    }
    Ok(whole.unwrap_or_default())
}

fn context(plan: &Plan, stage: &crate::config::PlannedStage, shared: &Arc<Shared>) -> Result<Context, SetupError> {
    let mut context = Context {
        stage: Arc::from(stage.name.as_str()),
        role: stage.role.clone(),
        table: Arc::from(Vec::new()),
        prompt: None,
        schema: None,
        validator: None,
        shared: shared.clone(),
    };
    for file in stage.stage.config().files() {
        let path = file.path.as_str();
        let fault = |message: String| SetupError::File { path: path.to_owned(), message };
        let text = || plan.files.read(path).ok_or_else(|| fault("no such file".to_owned()));
        match file.content {
            Content::Table | Content::Categories => context.table = read_table(path, &text()?).map_err(fault)?.into(),
            Content::Prompt => context.prompt = Some(Arc::new(Prompt::from_text(path, &text()?)?)),
            Content::Schema => {
                let schema: serde_json::Value =
                    serde_json::from_str(&text()?).map_err(|error| fault(error.to_string()))?;
                let validator = jsonschema::validator_for(&schema).map_err(|error| fault(error.to_string()))?;
                context.validator = Some(Arc::new(validator));
                context.schema = Some(Arc::new(schema));
            }
            Content::Toolset => {}
        }
    }
    Ok(context)
}

/// The rows of a CSV, JSON lines or TOML file; a TOML file's rows are its `row` tables, or its top-level tables by name.
fn read_table(path: &str, text: &str) -> Result<Vec<Object>, String> {
    match path.rsplit('.').next() {
        Some("csv") => csv::Reader::from_reader(text.as_bytes())
            .deserialize::<IndexMap<String, String>>()
            .map(|row| {
                Ok(row
                    .map_err(|error| error.to_string())?
                    .into_iter()
                    .map(|(key, it)| (key, Value::from(it.as_str())))
                    .collect())
            })
            .collect(),
        Some("toml") => {
            let table: IndexMap<String, serde_json::Value> = toml::from_str(text).map_err(|error| error.to_string())?;
            Ok(table.into_iter().flat_map(|(name, value)| toml_rows(&name, value)).collect())
        }
        _ => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| {
                let value = Value::read(line).map_err(|error| format!("line {}: {error}", index + 1))?;
                value.as_object().cloned().ok_or_else(|| format!("line {}: expected a JSON object", index + 1))
            })
            .collect(),
    }
}

fn toml_rows(name: &str, value: serde_json::Value) -> Vec<Object> {
    match Value::from(value) {
        Value::List(rows) => rows.into_iter().filter_map(|row| row.as_object().cloned()).collect(),
        Value::Object(mut row) => {
            row.entry("name".to_owned()).or_insert_with(|| Value::from(name));
            vec![row]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_from_three_formats() {
        let rows = |path: &str, text: &str| read_table(path, text).map(|rows| serde_json::to_string(&rows).unwrap());
        assert_eq!(rows("a.csv", "who,age\nAnna,7\n").unwrap(), r#"[{"who":"Anna","age":"7"}]"#);
        assert_eq!(rows("a.jsonl", "{\"a\": 1.0}\n\n").unwrap(), r#"[{"a":1.0}]"#);
        assert_eq!(rows("a.toml", "[[row]]\na = 1\n[[row]]\na = 2\n").unwrap(), r#"[{"a":1},{"a":2}]"#);
        assert_eq!(rows("a.toml", "[maps]\ntitle = \"Maps\"\n").unwrap(), r#"[{"title":"Maps","name":"maps"}]"#);
        assert_eq!(rows("a.jsonl", "[1]").unwrap_err(), "line 1: expected a JSON object");
    }
}
