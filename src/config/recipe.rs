//! What a plan was made from, so that it can be made again.

use super::files::Files;
use super::overrides::Overrides;
use super::plan::{Plan, load_recipe};
use super::problem::Problems;
use crate::assets::Assets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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
        assert!(refused.contains("leads out of the project"), "{refused}");
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
        assert!(told(&beside, &[]).unwrap_err().contains("leads out of the project"));
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
