//! A checked plan: what a run needs to know of its pipeline file. Past this point nobody checks again.

use super::check::{graph, types};
use super::file::{self, File};
use super::files::Files;
use super::overrides::Overrides;
use super::pipeline::PipelineConfig;
use super::problem::Problem;
use super::problems::{Problems, Source};
use super::roles;
use crate::assets::Assets;
use crate::config::check::references::{self, Named};
use crate::config::located::Located;
use crate::live::WorldConfig;
use crate::llm::{ModelConfig, ProviderKind};
use crate::stage::{Stage, ToolsetConfig};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run does, checked.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What holds for the whole run; the name is filled in.
    pub pipeline: PipelineConfig,
    /// The models by role; the three standing roles are always there.
    pub models: IndexMap<String, ModelConfig>,
    /// Where the calls of live toolsets are answered, by toolset.
    pub worlds: IndexMap<String, WorldConfig>,
    /// The stages, each after those that it reads from.
    pub stages: Vec<PlannedStage>,
    /// Where the files that the stages name are read.
    pub files: Files,
    /// What it was made from.
    pub recipe: Recipe,
}

/// One stage of a plan.
#[derive(Debug, Clone)]
pub struct PlannedStage {
    /// Its name: a part of ids, seeds and file names, and unique.
    pub name: String,
    /// Positions of the stages that it reads from; none for a source.
    pub from: Vec<usize>,
    /// The role that it asks; a key of the plan's models. `None` where it asks no model.
    pub role: Option<String>,
    /// Its config.
    pub stage: Arc<dyn Stage>,
    /// Its place in the file.
    pub span: Range<usize>,
}

/// Reads and checks a pipeline file; `path` is its name in messages, and its folder is where its files are looked for.
///
/// Nothing is sent to any model. All faults come together.
pub fn load(assets: &Assets, text: &str, path: &str, overrides: &Overrides) -> Result<Plan, Problems> {
    load_with(text, path, overrides, &Files::of(assets, path))
}

/// The same, with files from given places.
pub fn load_with(text: &str, path: &str, overrides: &Overrides, files: &Files) -> Result<Plan, Problems> {
    let recipe = Recipe { path: path.to_owned(), text: text.to_owned(), overrides: overrides.clone() };
    load_recipe(recipe, 0, files)
}

/// The same from a recipe, the first `told` of whose overrides are no flags of this command but were read somewhere.
pub(super) fn load_recipe(recipe: Recipe, told: usize, files: &Files) -> Result<Plan, Problems> {
    let source = Source::new(&recipe.path, &recipe.text, &recipe.overrides);
    let mut problems = Vec::new();
    let read = file::read(&source, &recipe.overrides, &mut problems);
    let plan = read.map(|file| {
        // What a flag names is the word of whoever gives the command, and may lie anywhere.
        let flags = source.given(told).map_or(usize::MAX, |(_, start)| start);
        let plan = plan(file, &source, &Named { files, flags }, &mut problems);
        problems.extend(types::unknown(&plan));
        Plan { recipe, ..plan }
    });
    match plan {
        Some(plan) if problems.is_empty() => Ok(plan),
        _ => Err(Problems::new(source, problems)),
    }
}

fn plan(file: File, source: &Source, named: &Named<'_>, problems: &mut Vec<Problem>) -> Plan {
    let from = graph::link(&file, problems);
    references::check(&file, &from, named, problems);
    let files = named.files;
    let mut models = roles::models(&file.models);
    let mut pipeline = file.pipeline;
    if pipeline.name.is_empty() {
        pipeline.name = Located::new(stem(source.name()), 0..0);
    }
    let stages = file.stages.into_iter().zip(from).filter_map(|(declared, from)| {
        let mut stage = declared.stage?;
        stage.scale(pipeline.scale);
        if pipeline.paper_phrases {
            stage.speak_as_the_paper();
        }
        // What a flag names is looked for where the command is given.
        if let Some(path) = stage.toolset_path()
            && path.span().end <= source.text().len()
            && let Some(beside) = files.beside(path)
        {
            *path = Located::new(beside, path.span());
        }
        let role = stage.role().map(|role| declared.model.as_ref().map_or(role, |model| model).to_owned());
        let reader = role.as_ref().and_then(|role| models.get(role));
        stage.resolve_readings(reader.is_none_or(|model| model.provider == ProviderKind::Grammar));
        Some(PlannedStage { name: declared.name.to_string(), from, role, stage: stage.into(), span: declared.span })
    });
    let stages = stages.collect();
    for script in models.values_mut().filter_map(|model| model.script.as_mut()) {
        if let Some(path) = script.to_str().and_then(|path| files.place(path)) {
            *script = path.into();
        }
    }
    Plan { stages, models, worlds: file.worlds, pipeline, files: files.clone(), recipe: Recipe::default() }
}

fn stem(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("pipeline")
}

impl Plan {
    /// Positions of the stages whose output nobody reads; it is what the run writes out.
    pub fn emitted(&self) -> Vec<usize> {
        let from: Vec<Vec<usize>> = self.stages.iter().map(|stage| stage.from.clone()).collect();
        graph::emitted(&from)
    }

    /// The toolsets that its stages yield.
    pub fn toolsets(&self) -> impl Iterator<Item = &ToolsetConfig> {
        self.stages.iter().filter_map(|planned| planned.stage.settings().toolset)
    }

    /// The same in another locale, whether or not there is one.
    #[must_use]
    pub fn in_locale(mut self, locale: &str) -> Self {
        self.pipeline.locale = Located::new(locale, 0..0);
        self
    }

    /// Whether the built-in model plays any role: it needs phrases of the locale, which other models do without.
    pub fn asks_builtin(&self) -> bool {
        let mut asked = self.stages.iter().filter_map(|stage| self.model(stage));
        asked.any(|model| model.provider == ProviderKind::Grammar)
    }

    /// The model that a stage asks; `None` where it asks none.
    pub fn model(&self, stage: &PlannedStage) -> Option<&ModelConfig> {
        self.models.get(stage.role.as_ref()?)
    }
}

// What a plan was made from, so that it can be made again.

/// A pipeline file with what was said differently from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Recipe {
    /// The file's name; paths in it are looked for beside it.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Flags and settings, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

impl Recipe {
    /// The plan once more, with further settings that go before the earlier ones. Paths lead into the working folder and
    /// into those that are `allowed`: a recipe is read from a file, and so are its overrides.
    pub fn plan(&self, assets: &Assets, further: &Overrides, allowed: &[PathBuf]) -> Result<Plan, Problems> {
        let overrides = self.overrides.clone().then(further);
        let files = Files::told(assets, &self.path).allowing(allowed.iter().cloned());
        load_recipe(Self { overrides, ..self.clone() }, self.overrides.iter().count(), &files)
    }

    /// The same name, format and models for another work: a model translates the samples of the run in `folder`.
    pub fn translating(&self, name: &str, folder: &Path) -> Result<Self, toml::de::Error> {
        let mut file: toml::Table = toml::from_str(&self.text)?;
        let mut kept = toml::Table::new();
        let pipeline = file.remove("pipeline").and_then(|table| table.as_table().cloned()).unwrap_or_default();
        let of_run = pipeline.into_iter().filter(|(key, _)| !OF_STAGES.contains(&key.as_str()));
        let mut pipeline: toml::Table = of_run.collect();
        pipeline.insert("name".to_owned(), name.into());
        kept.insert("pipeline".to_owned(), pipeline.into());
        // Other roles have nothing to do there.
        let generator = file.remove("model").and_then(|models| models.get("generator").cloned());
        kept.extend(
            generator
                .map(|model| ("model".to_owned(), toml::Table::from_iter([("generator".to_owned(), model)]).into())),
        );
        let samples = folder.join("samples.jsonl").display().to_string();
        let stage = [("kind".to_owned(), "localize".into()), ("samples".to_owned(), samples.into())];
        kept.insert("stage".to_owned(), toml::Value::Array(vec![toml::Table::from_iter(stage).into()]));
        Ok(Self { path: format!("{name}.toml"), text: kept.to_string(), overrides: self.overrides.of_models() })
    }
}

/// Keys of a pipeline that only its stages make use of.
const OF_STAGES: [&str; 5] = ["limit", "scale", "paper_phrases", "floor", "allow_empty"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Readings;
    use std::fs;

    fn load_here(text: &str, sets: &[&str]) -> Result<Plan, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("locales/en")).unwrap();
        fs::write(folder.path().join("locales/en/pack.toml"), "").unwrap();
        let overrides: Overrides = sets.iter().copied().collect();
        let files = Files::within(crate::fixtures::assets(), folder.path());
        load_with(text, "some/where.toml", &overrides, &files).map_err(|problems| problems.to_string())
    }

    const TOOLKITS: &str = "[[stage]]\nkind = \"toolkits\"\n[[stage]]\nkind = \"perfect_queries\"\nper_tool = 4\n";

    #[test]
    fn a_plan_is_named_by_its_file_unless_it_has_a_name() {
        assert_eq!(load_here(TOOLKITS, &[]).unwrap().pipeline.name.as_str(), "where");
        assert_eq!(load_here(TOOLKITS, &["name=mine"]).unwrap().pipeline.name.as_str(), "mine");
    }

    #[test]
    fn stages_know_their_inputs_and_their_models() {
        let text = format!("[model.writer]\ntemperature = 0.5\n{TOOLKITS}model = \"writer\"\n");
        let plan = load_here(&text, &[]).unwrap();
        assert_eq!((plan.stages[1].from.as_slice(), plan.emitted().as_slice()), (&[0][..], &[1][..]));
        assert_eq!(plan.stages[0].role.as_deref(), Some("generator"));
        assert_eq!(plan.model(&plan.stages[1]).unwrap().temperature, Some(0.5));
    }

    #[test]
    fn which_readings_agree_is_resolved_by_who_reads() {
        let readings = |models: &str, key: &str| {
            let text = format!("{models}{TOOLKITS}[[stage]]\nkind = \"consistency\"\n{key}\n");
            load_here(&text, &[]).unwrap().stages[2].stage.settings().readings
        };
        let asked = |role: &str| format!("[model.{role}]\nprovider = \"openai\"\nmodel = \"m\"\n");
        assert_eq!(readings("", ""), Some(Readings::Any));
        assert_eq!(readings(&asked("generator"), ""), Some(Readings::All), "the checker is the generator's model");
        assert_eq!(readings(&asked("checker"), ""), Some(Readings::All));
        assert_eq!(readings(&asked("judge"), ""), Some(Readings::Any), "a judge does not read");
        assert_eq!(readings(&asked("second"), "model = \"second\""), Some(Readings::All));
        assert_eq!(readings("", "readings = \"all\""), Some(Readings::All));
        assert_eq!(readings(&asked("checker"), "readings = \"any\""), Some(Readings::Any));
    }

    #[test]
    fn the_factor_is_applied_once_and_for_all() {
        let plan = load_here(TOOLKITS, &["scale=3"]).unwrap();
        assert_eq!(plan.stages[1].stage.settings().per_root.unwrap().get(), 12);
    }

    #[test]
    fn a_toolset_beside_the_file_is_found_from_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tools.json"), "[{\"name\": \"a\"}]").unwrap();
        let place = folder.path().join("p.toml");
        let text = "[[stage]]\nkind = \"toolset\"\npath = \"tools.json\"\n[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"\n";
        let path = |sets: &[&str]| {
            let sets: Overrides = sets.iter().copied().collect();
            let plan = load(crate::fixtures::assets(), text, place.to_str().unwrap(), &sets)
                .map_err(|problems| problems.to_string())
                .unwrap();
            plan.toolsets().next().unwrap().path.to_string()
        };
        assert_eq!(path(&[]), folder.path().join("tools.json").to_str().unwrap());
        assert_eq!(path(&["stage.toolset.path=tools.json"]), "tools.json", "as the command line says");
    }

    #[test]
    fn an_override_is_checked_like_a_line_of_the_file() {
        let message = load_here(TOOLKITS, &["stage.perfect_queries.per_tool=0"]).unwrap_err();
        assert!(message.contains("--> --set"), "{message}");
        assert!(message.contains("  | stage.perfect_queries.per_tool=0\n"), "{message}");
        assert!(load_here(TOOLKITS, &["model.generator.defect_rate=0.2"]).is_ok());
    }

    #[test]
    fn faults_of_every_phase_come_together() {
        let message =
            load_here("[pipeline]\nsed = 1\nlocale = \"xx\"\n[[stage]]\nkind = \"candidates\"", &[]).unwrap_err();
        for part in ["unknown key `sed`", "unknown locale `xx`", "first stage must be a source", "3 problems"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

#[cfg(test)]
mod recipe_tests {
    use super::*;

    const TEXT: &str = "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n[[stage]]\nkind = \"perfect_queries\"\n";

    fn recipe(sets: &[&str]) -> Recipe {
        let text = format!("{TEXT}[[stage]]\nkind = \"candidates\"\n");
        crate::config::load(crate::fixtures::assets(), &text, "mine.toml", &sets.iter().copied().collect())
            .unwrap()
            .recipe
    }

    #[test]
    fn a_plan_is_made_again_from_its_recipe() {
        let recipe = recipe(&["seed=9", "limit=2"]);
        let again: Recipe = serde_json::from_str(&serde_json::to_string(&recipe).unwrap()).unwrap();
        let plan = again.plan(crate::fixtures::assets(), &Overrides::default(), &[]).unwrap();
        assert_eq!((plan.pipeline.seed.get(), plan.pipeline.name.as_str()), (9, "mine"));
        assert_eq!(plan.recipe, recipe);
    }

    #[test]
    fn what_is_said_last_holds() {
        let mut further = Overrides::default();
        further.text_flag("--locale", "pipeline.locale", "ko");
        further.flag("--seed", "pipeline.seed", "11");
        let plan = recipe(&["seed=9"]).plan(crate::fixtures::assets(), &further, &[]).unwrap();
        assert_eq!((plan.pipeline.seed.get(), plan.pipeline.locale.as_str()), (11, "ko"));
    }

    #[test]
    fn another_work_keeps_the_name_and_the_model() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), "{\"id\": \"a\"}\n").unwrap();
        let mut recipe = recipe(&[
            "limit=2",
            "stage.perfect_queries.per_tool=1",
            "model.generator.provider=openai",
            "model.generator.model=m",
        ]);
        recipe.text = format!("[pipeline]\nlimit = 3\nseed = 4\n[model.judge]\nmodel = \"j\"\n{}", recipe.text);
        let again = recipe.translating("mine", folder.path()).unwrap();
        let refused = again.plan(crate::fixtures::assets(), &Overrides::default(), &[]).unwrap_err().to_string();
        assert!(refused.contains("is outside the project"), "{refused}");
        let plan = again.plan(crate::fixtures::assets(), &Overrides::default(), &[folder.path().to_owned()]).unwrap();
        assert_eq!((plan.stages.len(), plan.stages[0].stage.kind()), (1, "localize"));
        assert_eq!((plan.pipeline.seed.get(), plan.pipeline.limit, plan.pipeline.name.as_str()), (4, None, "mine"));
        assert_eq!((plan.models["generator"].model.as_str(), plan.models["judge"].model.as_str()), ("m", "m"));
    }

    #[test]
    fn a_recipe_opens_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tools.json"), "[{\"name\": \"a\"}]").unwrap();
        let text = TEXT.replace("mobile", "tools.json") + "[[stage]]\nkind = \"candidates\"\n";
        let path = folder.path().join("p.toml").display().to_string();
        let told = |recipe: &Recipe, allowed: &[PathBuf]| {
            recipe
                .plan(crate::fixtures::assets(), &Overrides::default(), allowed)
                .map(drop)
                .map_err(|problems| problems.to_string())
        };
        let beside = Recipe { path, text, overrides: Overrides::default() };
        assert!(told(&beside, &[]).unwrap_err().contains("is outside the project"));
        assert_eq!(told(&beside, &[folder.path().to_owned()]), Ok(()));
        let tools = folder.path().join("tools.json");
        let flag = recipe(&[&format!("stage.toolset.path={}", tools.display())]);
        assert!(told(&flag, &[]).unwrap_err().contains("--> --set"), "a flag of another day is no flag of today");
        let mut further = Overrides::default();
        further.text_flag("--toolset", "stage.toolset.path", tools.display().to_string());
        assert!(recipe(&[]).plan(crate::fixtures::assets(), &further, &[]).is_ok());
    }

    #[test]
    fn a_recipe_without_settings_is_written_without_them() {
        assert!(!serde_json::to_string(&recipe(&[])).unwrap().contains("overrides"));
    }
}
