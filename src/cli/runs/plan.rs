//! From a file's name and flags to a checked plan; `pipeline` and `merge` share it.

use crate::cli::console::exit::{Complaint, PIPELINE};
use clap::Args;
use fcgen::config::{Files, Overrides, Plan, did_you_mean, load_with};
use fcgen::run::Manifest;
use std::path::{Path, PathBuf};

/// Flags that say something differently from the file.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlanArguments {
    /// Locale of tools, prompts and thresholds: en, ja, ko, zh, or a folder in locales/
    #[arg(long, value_name = "L")]
    locale: Option<String>,
    /// Tools to use: a built-in toolset, a toolset folder, or a JSON list of tools in OpenAI format
    #[arg(long, value_name = "PATH")]
    toolset: Option<String>,
    /// Model that generates and verifies (its name on the server)
    #[arg(long, value_name = "M")]
    model: Option<String>,
    // Not a doc comment: a bare URL in one is a warning, and a marked one looks odd on a help page.
    #[arg(long, value_name = "URL", help = "OpenAI-compatible server, such as http://localhost:8000/v1")]
    base_url: Option<String>,
    /// Random seed
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Use only the first N source items (tools, categories, rows)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<String>,
    /// Stop at this total cost in US dollars, by the prices in the file; rerun with a higher limit to resume
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    max_cost: Option<String>,
    /// Set any key: seed=9, scale=3, stage.consistency.accept=both, model.judge.model=gpt-5 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Additional folder that paths in the pipeline file may point into, besides the working folder and the file's
    /// folder (repeatable)
    #[arg(long, value_name = "DIR")]
    allow_path: Vec<PathBuf>,
}

/// A pipeline file's text, and the name by which messages know it.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    path: String,
    text: String,
}

impl PlanArguments {
    /// Finds the file, reads it with these flags, and checks everything.
    pub(crate) fn load(&self, file: &str) -> anyhow::Result<Plan> {
        let found = find(file)?;
        let files = Files::of(fcgen::assets(), &found.path).allowing(self.allowed().iter().cloned());
        Ok(load_with(&found.text, &found.path, &self.overrides(), &files)?)
    }

    /// The folders that paths may lead into besides.
    pub(crate) fn allowed(&self) -> &[PathBuf] {
        &self.allow_path
    }

    /// These flags, and where one is not given, what a run was made with.
    pub(crate) fn or(&self, manifest: &Manifest) -> Self {
        let model = manifest.models.get("generator").filter(|model| !model.template && self.asks_a_server().is_none());
        let from = |given: &Option<String>, other: Option<String>| given.clone().or(other);
        Self {
            locale: from(&self.locale, Some(manifest.locale.clone())),
            seed: from(&self.seed, Some(manifest.seed.to_string())),
            model: from(&self.model, model.map(|model| model.model.clone())),
            base_url: from(&self.base_url, model.map(|model| model.base_url.clone())),
            ..self.clone()
        }
    }

    /// The locale that was asked for.
    pub(crate) fn locale(&self) -> Option<&str> {
        self.locale.as_deref()
    }

    /// What these flags say.
    pub(crate) fn overrides(&self) -> Overrides {
        let mut overrides = Overrides::default();
        for text in &self.set {
            overrides.set(text);
        }
        let texts = [
            ("--locale", "pipeline.locale", &self.locale),
            ("--toolset", "stage.toolset.path", &self.toolset),
            ("--base-url", "model.generator.base_url", &self.base_url),
            ("--model", "model.generator.model", &self.model),
        ];
        for (flag, key, value) in texts {
            if let Some(value) = value {
                overrides.text_flag(flag, key, value);
            }
        }
        if let Some(flag) = self.asks_a_server() {
            overrides.text_flag(flag, "model.generator.provider", "openai");
        }
        let numbers = [
            ("--seed", "pipeline.seed", &self.seed),
            ("--limit", "pipeline.limit", &self.limit),
            ("--max-cost", "pipeline.max_cost", &self.max_cost),
        ];
        for (flag, key, value) in numbers {
            if let Some(value) = value {
                overrides.flag(flag, key, value);
            }
        }
        overrides
    }

    /// The flag that asks for a model behind an endpoint, if one does.
    fn asks_a_server(&self) -> Option<&'static str> {
        self.base_url.as_ref().map(|_| "--base-url").or(self.model.as_ref().map(|_| "--model"))
    }
}

/// A path; else a file of `pipelines/`, in the working folder or built in; with or without `.toml`.
fn find(file: &str) -> Result<Found, Complaint> {
    let names = if has_ending(file) { vec![file.to_owned()] } else { vec![file.to_owned(), format!("{file}.toml")] };
    if let Some(path) = names.iter().find(|path| Path::new(path).is_file()) {
        let fault = |error| Complaint::new(PIPELINE, format!("`{path}` cannot be read: {error}"));
        return Ok(Found { path: path.clone(), text: std::fs::read_to_string(path).map_err(fault)? });
    }
    let shipped = names.iter().filter(|name| has_ending(name)).map(|name| format!("pipelines/{name}"));
    let mut found = shipped.filter_map(|path| Some(Found { text: fcgen::assets().read(&path)?, path }));
    found.next().ok_or_else(|| missing(file))
}

fn has_ending(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == "toml")
}

fn missing(file: &str) -> Complaint {
    let files = fcgen::assets().list("pipelines");
    let known: Vec<&str> = files.iter().filter_map(|name| name.strip_suffix(".toml")).collect();
    let name = file.strip_suffix(".toml").unwrap_or(file);
    Complaint::new(PIPELINE, format!("no pipeline file `{file}`"))
        .hint(format!("{}; or use the path of a file", did_you_mean(name, &known, "bundled pipelines")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_pipeline_is_found_by_its_name() {
        for name in ["hammer", "hammer.toml", "pipelines/hammer.toml", "pipelines/hammer"] {
            assert_eq!(find(name).unwrap().path, "pipelines/hammer.toml", "{name}");
        }
        assert_eq!(find("no/such.toml").unwrap_err().to_string(), "no pipeline file `no/such.toml`");
    }

    #[test]
    fn flags_change_the_plan() {
        let text = |value: &str| Some(value.to_owned());
        let arguments =
            PlanArguments { locale: text("ko"), seed: text("9"), model: text("m"), ..PlanArguments::default() };
        let plan = arguments.load("hammer").unwrap();
        assert_eq!((plan.pipeline.locale.as_str(), plan.pipeline.seed.get()), ("ko", 9));
        assert_eq!(plan.models["judge"].model, "m");
        assert_eq!(plan.models["judge"].base_url, "https://api.openai.com/v1");
    }

    #[test]
    fn a_faulty_flag_is_named() {
        let arguments = PlanArguments { limit: Some("none".to_owned()), ..PlanArguments::default() };
        let message = arguments.load("hammer").unwrap_err().to_string();
        assert!(message.contains("--> --limit"), "{message}");
    }

    fn manifest(model: &str, base_url: &str, template: bool) -> Manifest {
        let mut manifest = crate::cli::console::figures::tests::manifest();
        let (model, base_url) = (model.to_owned(), base_url.to_owned());
        manifest.models.insert("generator".to_owned(), fcgen::run::ManifestModel { model, base_url, template });
        (manifest.locale, manifest.seed) = ("ko".to_owned(), 7);
        manifest
    }

    #[test]
    fn what_a_run_was_made_with_need_not_be_said_again() {
        let made = manifest("m", "http://localhost:1/v1", false);
        let plan = PlanArguments::default().or(&made).load("hammer").unwrap();
        let generator = &plan.models["generator"];
        assert_eq!((plan.pipeline.locale.as_str(), plan.pipeline.seed.get()), ("ko", 7));
        assert_eq!((generator.model.as_str(), generator.base_url.as_str()), ("m", "http://localhost:1/v1"));
    }

    #[test]
    fn a_flag_goes_before_what_a_run_was_made_with() {
        let flags =
            PlanArguments { seed: Some("9".to_owned()), model: Some("n".to_owned()), ..PlanArguments::default() };
        let plan = flags.or(&manifest("m", "http://localhost:1/v1", false)).load("hammer").unwrap();
        assert_eq!((plan.pipeline.seed.get(), plan.models["generator"].model.as_str()), (9, "n"));
        assert_eq!(
            plan.models["generator"].base_url, "https://api.openai.com/v1",
            "another model's server is not taken"
        );
    }

    #[test]
    fn the_built_in_model_is_nobody_to_be_asked_over_a_wire() {
        let plan = PlanArguments::default().or(&manifest("grammar", "", true)).load("hammer").unwrap();
        assert_eq!(plan.models["generator"].provider, fcgen::llm::ProviderKind::Grammar);
    }
}
