//! A checked plan: what a run needs to know of its pipeline file. Past this point nobody checks again.

use super::file::{self, File};
use super::files::Files;
use super::graph;
use super::located::Located;
use super::overrides::Overrides;
use super::pipeline::PipelineConfig;
use super::problem::{Problem, Problems};
use super::recipe::Recipe;
use super::references::{self, Named};
use super::roles;
use super::source::Source;
use super::types;
use crate::assets::Assets;
use crate::live::WorldConfig;
use crate::llm::{ModelConfig, ProviderKind};
use crate::stage::{Stage, ToolsetConfig};
use indexmap::IndexMap;
use std::ops::Range;
use std::path::Path;
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
