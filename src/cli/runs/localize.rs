//! `fcgen localize`: the items of a run once more, in another locale.

use super::manifest::read_manifest;
use super::pipeline::{drive, sources};
use super::plan::PlanArguments;
use super::unfinished::complaint;
use crate::cli::console::caution::cautions;
use crate::cli::console::closing::screen;
use crate::cli::console::exit::{Complaint, INPUT, PIPELINE, USAGE};
use crate::cli::console::progress::show_round;
use crate::cli::console::talk::{Colour, give, say};
use crate::cli::console::verdict::verdict;
use crate::cli::flags::out::OutArguments;
use clap::Args;
use fcgen::config::{Overrides, Plan, ProviderKind, Recipe};
use fcgen::run::{Options, Summary, Unfinished, folder_name, localize};
use std::path::PathBuf;

/// Flags of `localize`.
#[derive(Debug, Args)]
pub(crate) struct LocalizeArguments {
    /// Folder of a finished run
    run: PathBuf,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    out: OutArguments,
    /// Maximum concurrent source items and concurrent requests
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// Retry all items that an earlier run into the output folder rejected
    #[arg(long)]
    rerun_rejects: bool,
    /// Quiet: print only errors
    #[arg(long, short)]
    quiet: bool,
}

/// What is to be done: the run's plan as it was, and the plan that makes its items again.
struct Job {
    made: Plan,
    plan: Plan,
}

/// Makes the items again, and says how many there are on both sides.
pub(crate) fn run(arguments: &LocalizeArguments) -> anyhow::Result<u8> {
    let job = arguments.job()?;
    cautions(&job.plan).iter().for_each(say);
    let summary = arguments.work(&job)?;
    if !arguments.quiet {
        say(screen(&job.plan, &summary, Colour::for_talk())?);
    }
    give(summary.folder.display())?;
    Ok(verdict(&job.plan, &summary))
}

impl LocalizeArguments {
    fn job(&self) -> anyhow::Result<Job> {
        let manifest = read_manifest(&self.run)?;
        let locale = self.plan.locale().ok_or_else(|| Complaint::new(USAGE, "missing option `--locale L`"))?;
        let recipe = manifest.recipe.ok_or_else(|| {
            let message = format!("`{}` does not record its pipeline", self.run.display());
            Complaint::new(INPUT, message).hint("it was made by an older fcgen; run its pipeline again")
        })?;
        let made = recipe.plan(fcgen::assets(), &Overrides::default(), self.plan.allowed())?;
        if made.pipeline.locale.as_str() == locale {
            return Err(Complaint::new(USAGE, format!("`{}` is already in `{locale}`", self.run.display())).into());
        }
        let mut plan = self.plan_in(&recipe, &made, locale)?;
        for model in plan.models.values_mut() {
            model.concurrency = self.concurrency.map_or(model.concurrency, usize::from);
        }
        Ok(Job { made, plan })
    }

    /// The plan of the run itself, where the built-in model wrote it and can write it in the other locale; else one that
    /// lets a model translate what was written.
    fn plan_in(&self, recipe: &Recipe, made: &Plan, locale: &str) -> anyhow::Result<Plan> {
        let unfinished = Unfinished::of(&made.clone().in_locale(locale));
        if !unfinished.pack.is_empty() {
            return Err(complaint(locale, &unfinished, "").into());
        }
        let again = recipe.plan(fcgen::assets(), &self.plan.overrides(), self.plan.allowed())?;
        if again.models.get("generator").is_none_or(|model| model.provider == ProviderKind::Grammar) {
            let otherwise = "; or let a model translate: `--model M --base-url URL`";
            let lacks = !unfinished.toolsets.is_empty();
            return if lacks { Err(complaint(locale, &unfinished, otherwise).into()) } else { Ok(again) };
        }
        let fault = |error| Complaint::new(PIPELINE, format!("`{}` cannot be read again: {error}", recipe.path));
        let translating = recipe.translating(&made.pipeline.name, &self.run).map_err(fault)?;
        // The run is named on the command line, wherever it is.
        let allowed = [self.plan.allowed(), std::slice::from_ref(&self.run)].concat();
        Ok(translating.plan(fcgen::assets(), &self.plan.overrides(), &allowed)?)
    }

    fn work(&self, job: &Job) -> anyhow::Result<Summary> {
        let Job { made, plan } = job;
        let options = Options {
            concurrency: self.concurrency.map(usize::from),
            rerun_rejects: self.rerun_rejects,
            ..self.out.options(&folder_name(plan, None))
        };
        let (mut progress, mut round) = (None, 0);
        let watch = |live| {
            progress = (!self.quiet).then(|| show_round(live, sources(plan), round));
            round += 1;
        };
        let summary = drive(&options.interrupt, localize(plan, made, &self.run, &options, watch));
        drop(progress);
        Ok(summary?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        localize: LocalizeArguments,
    }

    /// A run's folder with a manifest that says this recipe.
    fn folder(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = crate::cli::console::figures::tests::manifest();
        manifest.recipe =
            Some(Recipe { path: "mine.toml".to_owned(), text: text.to_owned(), overrides: Overrides::default() });
        std::fs::write(folder.path().join("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), "{\"id\": \"a\"}\n").unwrap();
        folder
    }

    fn job(pipeline: &str, flags: &str) -> Result<Job, String> {
        let folder = folder(&fcgen::assets().read(&format!("pipelines/{pipeline}.toml")).unwrap());
        let path = folder.path().to_str().unwrap();
        let line = ["test", path].into_iter().chain(flags.split(' ').filter(|flag| !flag.is_empty()));
        let job = Line::try_parse_from(line).unwrap().localize.job();
        job.map_err(|error| error.to_string().replace(path, "RUN"))
    }

    fn kinds(plan: &Plan) -> Vec<&str> {
        plan.stages.iter().map(|stage| stage.stage.kind()).collect()
    }

    #[test]
    fn the_built_in_model_makes_the_run_again() {
        let job = job("callnavi", "--locale ko").unwrap();
        assert_eq!(kinds(&job.plan), kinds(&job.made));
        assert_eq!((job.plan.pipeline.locale.as_str(), job.made.pipeline.locale.as_str()), ("ko", "en"));
    }

    #[test]
    fn a_model_behind_a_server_translates() {
        let job = job("callnavi", "--locale zh --model m --base-url http://localhost:1/v1 --concurrency 3").unwrap();
        assert_eq!(kinds(&job.plan), ["localize"]);
        assert_eq!((job.plan.pipeline.name.as_str(), job.plan.pipeline.locale.as_str()), ("callnavi", "zh"));
        assert_eq!(job.plan.pipeline.format, job.made.pipeline.format);
        let model = &job.plan.models["generator"];
        assert_eq!((model.model.as_str(), model.concurrency), ("m", 3));
    }

    #[test]
    fn what_cannot_be_done_is_told() {
        let told = |pipeline, flags| job(pipeline, flags).err().unwrap();
        assert!(told("callnavi", "--locale zh").starts_with("locale `zh` is incomplete: 10 files missing\n"));
        assert!(told("hammer", "--locale xx --model m").starts_with("locale `xx` is incomplete: "));
        insta::assert_snapshot!(told("hammer", "--locale en"), @"`RUN` is already in `en`");
        insta::assert_snapshot!(told("hammer", ""), @"missing option `--locale L`");
    }

    #[test]
    fn a_run_of_an_older_fcgen_cannot_be_made_again() {
        let folder = folder("");
        let path = folder.path().join("manifest.json");
        let text = std::fs::read_to_string(&path).unwrap().replacen("\"recipe\"", "\"no_recipe\"", 1);
        std::fs::write(&path, text).unwrap();
        let line = ["test", folder.path().to_str().unwrap(), "--locale", "ko"];
        let error = Line::try_parse_from(line).unwrap().localize.job().err().unwrap();
        assert!(error.to_string().ends_with("does not record its pipeline"));
    }
}
