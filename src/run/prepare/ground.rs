//! What a run stands on before any model is opened: locale, toolsets, prompts, and the hash of all that decides.

use crate::config::{NONE, PipelineConfig, Plan, ProviderKind};
use crate::failure::{RunError, SetupError};
use crate::llm::{Prompt, Task};
use crate::locale::{Language, Pack};
use crate::run::output::banks::{given, texts};
use crate::run::prepare::settings::{SCHEME, settings};
use crate::run::prepare::table::read_table;
use crate::run::roots::follow::Follow;
use crate::stage::{Bank, People, Shared};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use std::sync::Arc;

/// What a run stands on.
pub(crate) struct Ground {
    pub(crate) pack: Arc<Pack>,
    pub(crate) language: Arc<Language>,
    pub(crate) toolset: Arc<Toolset>,
    pub(crate) prompts: IndexMap<Task, Arc<Prompt>>,
    /// The people whose voices writers borrow.
    pub(crate) people: People,
    /// The banks that the plan names.
    pub(crate) banks: Vec<Bank>,
    /// Hash of everything that decides on the bytes that come out: equal hashes with equal answers give equal bytes.
    pub(crate) hash: String,
    /// The same without the limit of source items.
    pub(crate) unlimited: String,
}

impl Ground {
    /// Loads what the plan names.
    pub(crate) fn load(plan: &Plan) -> Result<Self, RunError> {
        let (assets, locale) = (plan.files.assets(), plan.pipeline.locale.as_str());
        let toolset = Arc::new(load_toolset(plan, locale)?);
        check_size(plan, &toolset)?;
        let mut pack = Pack::load(assets, locale).map_err(SetupError::from)?;
        toolset.extend(&mut pack).map_err(SetupError::from)?;
        let language = Arc::new(Language::load(assets, locale).map_err(SetupError::from)?);
        let prompts = Shared::prompts(assets, locale).map_err(SetupError::from)?;
        let pipeline = PipelineConfig { limit: None, ..plan.pipeline.clone() };
        let unlimited = hash(&Plan { pipeline, ..plan.clone() }, &toolset, &prompts)?;
        let hash = hash(plan, &toolset, &prompts)?;
        let (people, banks) = (people(plan)?, given(plan, &toolset, &language)?);
        Ok(Self { pack: Arc::new(pack), language, toolset, prompts, people, banks, hash, unlimited })
    }

    /// The same for a run that follows another: what that one has decides as well.
    pub(crate) fn following(mut self, follow: Option<&Follow>) -> Self {
        if let Some(follow) = follow {
            let with =
                |hash: &str| short(blake3::Hasher::new().update(hash.as_bytes()).update(follow.digest().as_bytes()));
            (self.hash, self.unlimited) = (with(&self.hash), with(&self.unlimited));
        }
        self
    }
}

/// Opens what a plan names, and refuses what no run could begin with; nothing is written and nobody is asked.
pub fn check(plan: &Plan) -> Result<(), RunError> {
    Ground::load(plan).map(drop)
}

/// The table of people that a plan names, or that of its locale; where the built-in model alone writes, nobody reads it.
fn people_text(plan: &Plan) -> Option<(String, String)> {
    let is_read = plan.models.values().any(|model| model.provider != ProviderKind::Grammar);
    let (named, own) = (&plan.pipeline.people, format!("locales/{}/people.toml", plan.pipeline.locale));
    let path = named.as_ref().map_or(own, ToString::to_string);
    let text = if named.is_some() { plan.files.read(&path) } else { plan.files.assets().read(&path) };
    text.filter(|_| is_read && path != NONE).map(|text| (path, text))
}

fn people(plan: &Plan) -> Result<People, SetupError> {
    let Some((path, text)) = people_text(plan) else { return Ok(People::default()) };
    let rows = read_table(&path, &text).map_err(|message| SetupError::File { path, message })?;
    Ok(People::new(rows, Prompt::load(plan.files.assets(), "person", &plan.pipeline.locale)?))
}

/// The tools of all the plan's toolsets together.
fn load_toolset(plan: &Plan, locale: &str) -> Result<Toolset, SetupError> {
    let mut whole: Option<Toolset> = None;
    for stage in &plan.stages {
        let settings = stage.stage.settings();
        let Some(path) = settings.toolset.map(|it| it.path.as_str()).or(settings.categories) else { continue };
        let load = if plan.asks_builtin() { Toolset::load } else { Toolset::load_or_english };
        let mut next = load(plan.files.assets(), path, locale)?;
        if settings.toolset.is_none() {
            next.tools.clear();
        }
        match &mut whole {
            None => whole = Some(next),
            Some(whole) => whole.join(next),
        }
    }
    Ok(whole.unwrap_or_default())
}

/// A toolset that is too small for a stage, before anything is asked.
fn check_size(plan: &Plan, toolset: &Toolset) -> Result<(), SetupError> {
    for (at, planned) in plan.stages.iter().enumerate() {
        // Where a model makes tools, nobody knows how many there will be.
        let mut sources = plan.above(at).into_iter().filter(|above| plan.stages[*above].stage.is_source());
        let input = planned.from.first().map(|from| plan.stages[*from].stage.output());
        let Some(input) = input.filter(|_| sources.all(|it| plan.stages[it].stage.settings().toolset.is_some())) else {
            continue;
        };
        let (needs, has) = (planned.stage.least_tools(input), toolset.tools.len());
        if has < needs {
            let (stage, kind, toolset) = (planned.name.clone(), planned.stage.kind().to_owned(), toolset.name.clone());
            return Err(SetupError::TooFewTools { stage, kind, toolset, needs, has });
        }
    }
    Ok(())
}

/// What decides: this version, the settings of the pipeline, its models and stages, the files that they name, the tools
/// that are shown, and the prompts where a model reads them.
fn hash(plan: &Plan, toolset: &Toolset, prompts: &IndexMap<Task, Arc<Prompt>>) -> Result<String, RunError> {
    let mut words = vec![
        format!("scheme {SCHEME}"),
        env!("CARGO_PKG_VERSION").to_owned(),
        settings(plan).to_string(),
        serde_json::to_string(&toolset.tools)?,
    ];
    if let Some((_, text)) = people_text(plan) {
        words.push(text);
        let prompt = Prompt::load(plan.files.assets(), "person", &plan.pipeline.locale).map_err(SetupError::from)?;
        words.push(prompt.hash().to_owned());
    }
    words.extend(texts(plan).into_iter().map(|(_, text)| text));
    for stage in &plan.stages {
        let named = stage.stage.settings().files;
        words.extend(named.iter().filter_map(|file| plan.files.read(file.path)));
    }
    if plan.models.values().any(|model| model.provider != ProviderKind::Grammar) {
        // Models under test alone are asked to route: no item of a run hangs on those prompts.
        let made_by = prompts.iter().filter(|(task, _)| !matches!(task, Task::Route | Task::RouteCalls));
        words.extend(made_by.map(|(_, prompt)| prompt.hash().to_owned()));
    }
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes()).update(word.as_bytes());
    }
    Ok(short(&hasher))
}

fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{SMALL, plan};

    fn hash_of(text: &str, sets: &[&str]) -> String {
        Ground::load(&plan(text, sets)).unwrap().hash
    }

    #[test]
    fn what_decides_changes_the_hash_and_what_does_not_leaves_it() {
        let small = hash_of(SMALL, &[]);
        assert_eq!(hash_of(&format!("# a remark\n\n{SMALL}"), &[]), small);
        assert_eq!(hash_of(SMALL, &["model.generator.concurrency=3", "max_cost=5"]), small);
        for set in ["seed=4", "limit=3", "scale=2", "name=\"x\"", "model.generator.defect_rate=0.1"] {
            assert_ne!(hash_of(SMALL, &[set]), small, "{set}");
        }
        assert_ne!(hash_of(&SMALL.replace("count = 4", "count = 5"), &[]), small);
    }

    #[test]
    fn a_pipeline_of_toolkits_knows_the_categories_and_no_tools() {
        let plan = plan(
            "[pipeline]\nformat = \"toolset\"\n[[stage]]\nkind = \"toolkits\"\n[[stage]]\nkind = \"normalise\"\n",
            &[],
        );
        let ground = Ground::load(&plan).unwrap();
        assert!(ground.toolset.tools.is_empty() && !ground.toolset.categories.is_empty());
    }

    #[test]
    fn what_the_plan_names_and_nobody_has_is_told() {
        let mut plan = plan(SMALL, &[]);
        plan.pipeline.locale = crate::config::Located::new("xx", 0..0);
        let error = Ground::load(&plan).err().unwrap();
        assert!(matches!(error, RunError::Setup(_)) && error.to_string().contains("locale `xx`"), "{error}");
    }

    #[test]
    fn each_shipped_locale_has_eighty_people_who_speak_in_its_styles() {
        for locale in ["en", "ko", "zh", "ja"] {
            let text = crate::fixtures::assets().read(&format!("locales/{locale}/people.toml")).unwrap();
            let (people, pack) = (read_table("people.toml", &text).unwrap(), crate::fixtures::pack(locale));
            assert_eq!(people.len(), 80, "{locale}");
            let mut works: Vec<&str> = people.iter().filter_map(|it| it.get("work")?.as_str()).collect();
            works.sort_unstable();
            works.dedup();
            assert_eq!(works.len(), 80, "{locale}");
            let register = |it: &crate::record::Object| it["register"].as_str().unwrap().to_owned();
            let is_style = |name: &String| pack.styles.iter().any(|style| style.name == *name);
            assert!(people.iter().map(register).all(|name| is_style(&name)), "{locale}");
        }
    }
}
