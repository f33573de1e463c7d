//! `fcgen pipeline`: runs a pipeline file.

use super::plan::PlanArguments;
use super::preview::{items, projection, rejects};
use super::unfinished::check_locale;
use crate::cli::console::caution::cautions;
use crate::cli::console::closing::screen;
use crate::cli::console::exit::{OK, YIELD};
use crate::cli::console::interrupt::{PATIENCE, listen};
use crate::cli::console::misread::Reader;
use crate::cli::console::progress::show;
use crate::cli::console::talk::{Colour, give, say};
use crate::cli::console::verdict::verdict;
use crate::cli::console::words::counted;
use crate::cli::flags::out::OutArguments;
use clap::Args;
use fcgen::config::Plan;
use fcgen::failure::RunStopped;
use fcgen::llm::Interrupt;
use fcgen::run::{Options, Preview, RunError, Summary, folder_name};
use std::str::FromStr;

/// Flags of `pipeline`.
#[derive(Debug, Args)]
pub(crate) struct PipelineArguments {
    /// Pipeline file: a path, a file in pipelines/, or a bundled pipeline: hammer, toolkits, generate
    file: String,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    out: OutArguments,
    /// Run N source items through the whole pipeline, print the resulting items and the estimated cost of a full run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    preview: Option<u16>,
    /// Maximum concurrent source items and concurrent requests
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// Run one shard: 1/3, 2/3, 3/3; then merge all with `fcgen merge`
    #[arg(long, value_name = "I/N", conflicts_with = "preview")]
    shard: Option<Shard>,
    /// Retry all items that an earlier run into the output folder rejected
    #[arg(long)]
    rerun_rejects: bool,
    /// Validate the file and everything it refers to, without running it or calling a model
    #[arg(long)]
    check: bool,
    /// Quiet: print only errors
    #[arg(long, short)]
    quiet: bool,
}

/// One of several parts, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shard {
    part: usize,
    of: usize,
}

/// Checks, runs, and says what came of it.
pub(crate) fn run(arguments: &PipelineArguments) -> anyhow::Result<u8> {
    let plan = arguments.load()?;
    check_locale(&plan)?;
    cautions(&plan).iter().for_each(say);
    if arguments.check {
        return check(&plan, arguments);
    }
    let options = arguments.options(&plan);
    let summary = arguments.work(&plan, &options)?;
    if let Some(roots) = arguments.preview {
        return preview(&plan, summary, roots.into(), arguments.quiet);
    }
    if !arguments.quiet {
        say(screen(&plan, &summary, Colour::for_talk())?);
    }
    give(summary.folder.display())?;
    Ok(verdict(&plan, &summary))
}

impl PipelineArguments {
    fn load(&self) -> anyhow::Result<Plan> {
        let mut plan = self.plan.load(&self.file)?;
        for model in plan.models.values_mut() {
            model.concurrency = self.concurrency.map_or(model.concurrency, usize::from);
        }
        Ok(plan)
    }

    fn work(&self, plan: &Plan, options: &Options) -> Result<Summary, RunError> {
        let mut progress = None;
        let watch = |live| progress = (!self.quiet).then(|| show(live, sources(plan)));
        let result = drive(&options.interrupt, fcgen::run::run(plan, options, watch));
        drop(progress);
        result
    }

    fn options(&self, plan: &Plan) -> Options {
        let name = folder_name(plan, self.shard.map(|shard| (shard.part, shard.of)));
        Options {
            // People count parts from 1.
            shard: self.shard.map(|shard| (shard.part - 1, shard.of)),
            preview: self.preview.map(usize::from),
            concurrency: self.concurrency.map(usize::from),
            rerun_rejects: self.rerun_rejects,
            ..self.out.options(&name)
        }
    }
}

/// Says that the file is sound; what it names is opened as well, so that a run would begin.
fn check(plan: &Plan, arguments: &PipelineArguments) -> anyhow::Result<u8> {
    Reader::open(plan)?;
    fcgen::run::check(plan)?;
    if !arguments.quiet {
        let (name, stages) = (&plan.pipeline.name, counted(plan.stages.len(), "stage"));
        say(format!("`{name}` is valid: {stages}, locale {}, no model was called", plan.pipeline.locale));
    }
    Ok(OK)
}

/// Lets some work go on until it is done, or until somebody stops it and it had its time.
pub(crate) fn drive(
    wish: &Interrupt,
    work: impl Future<Output = Result<Summary, RunError>>,
) -> Result<Summary, RunError> {
    let runtime = tokio::runtime::Runtime::new()?;
    let end = listen(wish.clone());
    let result = runtime.block_on(async {
        tokio::select! {
            biased;
            result = work => result,
            () = end.wait() => Err(RunStopped::Interrupted.into()),
        }
    });
    // Only a model that computes can still be at work here, and it is not waited for.
    runtime.shutdown_timeout(PATIENCE);
    result
}

/// Positions of the stages that items begin with.
pub(crate) fn sources(plan: &Plan) -> Vec<usize> {
    let stages = plan.stages.iter().enumerate().filter(|(_, stage)| stage.stage.is_source());
    stages.map(|(index, _)| index).collect()
}

fn preview(plan: &Plan, summary: Summary, roots: usize, quiet: bool) -> anyhow::Result<u8> {
    let Preview { items: made, rejects: rejected } = summary.preview;
    let made_some = !made.is_empty();
    give(items(made))?;
    rejects(&rejected).iter().for_each(say);
    if !quiet {
        say(format!("\n{}", projection(plan, &summary.manifest.usage, roots)));
        say("nothing was written; replies are cached for the run");
    }
    Ok(if made_some { OK } else { YIELD })
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        let (part, of): (usize, usize) = numbers.ok_or("expected SHARD/SHARDS, such as 1/3")?;
        if part == 0 || part > of {
            return Err(format!("no shard {part} of {of}: shards are numbered from 1"));
        }
        Ok(Self { part, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { part: 2, of: 3 }));
        for text in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        pipeline: PipelineArguments,
    }

    fn read(line: &str) -> PipelineArguments {
        Line::try_parse_from(["test"].into_iter().chain(line.split(' '))).unwrap().pipeline
    }

    #[test]
    fn each_part_has_a_folder_of_its_own_unless_one_is_named() {
        let options = |line: &str| {
            let arguments = read(line);
            arguments.options(&arguments.load().unwrap())
        };
        let folder = |line: &str| options(line).out.display().to_string();
        assert_eq!(folder("hammer --locale ko"), "output/hammer-ko");
        assert_eq!(folder("hammer --shard 2/3"), "output/hammer-en-shard-2-of-3");
        assert_eq!(folder("hammer --shard 2/3 --out mine"), "mine");
        assert_eq!(options("hammer --shard 3/3").shard, Some((2, 3)), "people count from one");
    }

    #[test]
    fn the_flag_for_requests_in_flight_holds_for_every_model() {
        let plan = read("hammer --concurrency 5 --set model.judge.concurrency=9").load().unwrap();
        assert!(!plan.models.is_empty() && plan.models.values().all(|model| model.concurrency == 5));
    }

    #[test]
    fn what_takes_nothing_is_where_progress_is_counted() {
        assert_eq!(sources(&read("hammer").load().unwrap()), [0]);
    }
}
