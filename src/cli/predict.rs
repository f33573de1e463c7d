//! `fcgen predict`: puts the samples of a benchmark to a model.

use crate::cli::console::exit::{Complaint, ENDPOINT, OK, USAGE};
use crate::cli::console::figures::spent_on;
use crate::cli::console::interrupt::{PATIENCE, listen};
use crate::cli::console::talk::{Colour, give, say};
use crate::cli::console::words::{counted, own_command, shell};
use crate::cli::flags::judge::read_prompts;
use crate::cli::flags::model_flags::ModelArguments;
use crate::cli::flags::navigation::SuiteArguments;
use crate::cli::flags::paradigm::ParadigmFlag;
use crate::cli::flags::rows::watch;
use clap::{Args, ValueEnum};
use fcgen::failure::RunStopped;
use fcgen::format::{Bench, PredictionMeta, PromptSource};
use fcgen::llm::{Interrupt, ModelConfig, Prompts, PromptsUsed, ProviderKind};
use fcgen::predict::{Asking, Job, Mode, RoutingCounts, Summary, journal_folder, predict, read_samples};
use fcgen::record::{Prediction, SuiteId, SuiteName};
use fcgen::run::RunError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Flags of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArguments {
    /// Run folder, samples file, or benchmark in its authors' layout
    bench: PathBuf,
    #[command(flatten)]
    model: ModelArguments,
    /// How tools are passed to the model; default: `tools`, or `prompt` with an option about the prompt text; with
    /// `--prompts`, as by the suite's authors
    #[arg(help_heading = "Prompt", long, value_enum)]
    mode: Option<ModeFlag>,
    /// Expected behaviour while required arguments are missing; default: `snapshot` for HammerBench, otherwise `ask`
    #[arg(help_heading = "Prompt", long, value_name = "P")]
    paradigm: Option<ParadigmFlag>,
    /// Folder of prompts that replace fcgen's own, such as the authors': DIR/SUITE/PROMPT.md (see docs/prompts.md)
    #[arg(help_heading = "Prompt", long, value_name = "DIR", requires = "model")]
    prompts: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArguments,
    /// Number of predictions per sample
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Use only N samples, stratified by data type and tool; `score` then scores only these
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Random seed of `--limit`
    #[arg(long, value_name = "N", default_value_t = 7, requires = "limit")]
    seed: u64,
    /// Output file
    #[arg(long, value_name = "FILE", default_value = "predictions.jsonl")]
    out: PathBuf,
    /// Quiet: print only errors
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeFlag {
    /// Native tools; the dialogue is sent as messages
    Tools,
    /// Tools in the prompt text; calls are returned as text
    Prompt,
}

/// Asks, and says what came of it.
pub(crate) fn run(arguments: &PredictArguments) -> anyhow::Result<u8> {
    let model = arguments.model.config()?;
    if model.provider == ProviderKind::Grammar && !arguments.quiet {
        say(BASELINE);
    }
    let suite = arguments.suite()?;
    let prompts = read_prompts(arguments.prompts.as_deref(), &suite)?;
    let job = arguments.job(model, &suite, &prompts)?;
    let paradigm = arguments.paradigm.map(ParadigmFlag::paradigm);
    let asking = arguments.suite.asking(&suite, &arguments.bench, job.mode, paradigm, &job.model, prompts.clone())?;
    refuse_another_way(&job, &*asking)?;
    let mut summary = drive(&job, asking, arguments.quiet)?;
    summary.notes.extend(prompts.notes());
    if !arguments.quiet {
        say(screen(&summary, &arguments.bench, Colour::for_talk()));
    }
    give(summary.out.display())?;
    Ok(verdict(&summary, job.mode))
}

/// Suites whose authors hand the tools over natively, beside their prompts.
const NATIVE: [SuiteId; 2] = [SuiteId::FunctionChat, SuiteId::ComplexFuncBench];

const BASELINE: &str = "no `--model` given: using the lexical baseline, which compares words and sees the same input as \
                        a model. It is weak; its scores say nothing about any model";

impl PredictArguments {
    fn job(&self, model: ModelConfig, suite: &SuiteName, prompts: &Prompts) -> anyhow::Result<Job> {
        let source = |PromptsUsed { name, hash }| PromptSource { name, hash: Some(hash) };
        let job = Job {
            router: self.suite.router(&model),
            mode: self.mode(suite, &model),
            prompts: prompts.used().map(source).unwrap_or_default(),
            judged_by: prompts.clone(),
            model,
            runs: self.runs,
            limit: self.limit.map(usize::try_from).transpose()?,
            seed: self.seed,
            max_cost: self.model.max_cost(),
            interrupt: Interrupt::new(),
            ..Job::new(fcgen::assets(), &self.bench, &self.out)
        };
        Ok(self.suite.helped(job)?)
    }

    fn mode(&self, suite: &SuiteName, model: &ModelConfig) -> Mode {
        let is_text = self.suite.is_about_text()
            || self.prompts.is_some() && !suite.known().is_some_and(|suite| NATIVE.contains(&suite));
        match self.mode {
            _ if model.provider == ProviderKind::Grammar => Mode::BuiltIn,
            Some(ModeFlag::Prompt) => Mode::Prompt,
            Some(ModeFlag::Tools) => Mode::Tools,
            None if is_text => Mode::Prompt,
            None => Mode::Tools,
        }
    }

    /// The suite, which the first sample tells.
    fn suite(&self) -> anyhow::Result<SuiteName> {
        let first = read_samples(&self.bench).map_err(RunError::from)?.next();
        let empty = || RunStopped::Input(format!("`{}` has no samples", self.bench.display()));
        let first = first.unwrap_or_else(|| Err(empty())).map_err(RunError::from)?;
        Ok(first.suite)
    }
}

/// Predictions of a model that was asked about the same benchmark in another way are not overwritten, nor is a job that was
/// interrupted gone on with in another way.
fn refuse_another_way(job: &Job, asking: &dyn Asking) -> Result<(), Complaint> {
    let meta = PredictionMeta::read(&job.out).map_err(Complaint::input)?;
    let Some(meta) = meta.filter(|meta| meta.model.is_some()) else { return Ok(()) };
    let hint = "choose another file with `--out`, or remove the old file and its `.meta.json` first";
    let now = (asking.paradigm().as_str(), job.mode.as_str());
    let before = (meta.paradigm.as_str(), meta.mode.as_str());
    let is_same_bench =
        || Bench::open(&job.bench).and_then(|it| it.fingerprint()).is_ok_and(|(it, _)| it == meta.bench_hash);
    let is_same_way = before == now && meta.prompts == job.prompts;
    if is_same_way || !is_same_bench() || !has_answers(&job.out) {
        return Ok(());
    }
    if before == now {
        let (out, before, now) = (job.out.display(), &meta.prompts.name, &job.prompts.name);
        let complaint = format!(
            "`{out}` was made with the prompts `{before}`, but this run uses `{now}`, or the prompts have changed"
        );
        return Err(Complaint::new(USAGE, complaint).hint(hint));
    }
    let way = |(paradigm, mode)| format!("`{mode}` and paradigm `{paradigm}`");
    let (out, before, now) = (job.out.display(), way(before), way(now));
    Err(Complaint::new(USAGE, format!("`{out}` was made in mode {before}, but this run uses mode {now}")).hint(hint))
}

fn drive(job: &Job, asking: Arc<dyn Asking>, quiet: bool) -> Result<Summary, RunError> {
    let runtime = tokio::runtime::Runtime::new()?;
    let end = listen(job.interrupt.clone());
    let mut shown = None;
    let result = runtime.block_on(async {
        tokio::select! {
            biased;
            result = predict(job, asking, |live| shown = (!quiet).then(|| watch(live))) => result,
            () = end.wait() => Err(RunStopped::Interrupted.into()),
        }
    });
    drop(shown);
    // Only the built-in reader can still be at work here, and it is not waited for.
    runtime.shutdown_timeout(PATIENCE);
    result
}

/// What was written, what it took, and what to do with it.
fn screen(summary: &Summary, bench: &Path, colour: Colour) -> String {
    let Summary { model, variant, out, .. } = summary;
    let runs = if summary.runs > 1 { format!(" in {} runs", summary.runs) } else { String::new() };
    let of = format!("{}{runs}", counted(summary.samples, "sample"));
    let rows = counted(summary.rows(), "prediction");
    let mut lines = vec![
        format!("{rows} for {of} by `{model}` ({variant}) written to {}", out.display()),
        spent_on(&summary.usage, summary.wall),
    ];
    lines.extend(summary.routing.map(|counts| routed(counts, summary.router.as_ref().unwrap_or(model))));
    if summary.left_out > 0 {
        let left_out = counted(summary.left_out, "sample");
        lines.push(format!("note: {left_out} skipped, in categories that are not scored"));
    }
    if summary.cut > 0 {
        let cut = counted(summary.cut, "prediction");
        lines.push(format!("note: {cut} reached the token limit of a reply (`--max-tokens`)"));
    }
    lines.extend(summary.notes.iter().map(|note| format!("note: {note}")));
    lines.push(format!("{} {}", colour.bold("next:"), score(bench, out)));
    lines.join("\n")
}

/// What came of the routings.
fn routed(counts: RoutingCounts, by: &str) -> String {
    let RoutingCounts { routed, unusable, invented } = counts;
    let names = counted(invented, "invented name");
    format!(
        "routed by `{by}`: {names} dropped; {unusable} of {} unusable, replaced by all candidates",
        counted(routed, "routing")
    )
}

/// The command that scores what was written.
fn score(bench: &Path, out: &Path) -> String {
    let program = own_command().into_iter().next().unwrap_or_default();
    let (bench, out) = (bench.display().to_string(), out.display().to_string());
    shell([program.as_str(), "score", &bench, "--predictions", &out])
}

/// The exit code of work that wrote its file; what is wrong is said even to those who want quiet.
fn verdict(summary: &Summary, mode: Mode) -> u8 {
    if summary.lost == 0 {
        return OK;
    }
    let (lost, again) = (counted(summary.lost, "prediction"), shell(own_command()));
    let why = summary.example.as_ref().map(|detail| format!(", for example: {detail}")).unwrap_or_default();
    let takes_no_tools = summary.example.as_deref().filter(|_| mode == Mode::Tools).is_some_and(is_about_tools);
    let hint = if takes_no_tools {
        "the server does not seem to support native tools; use `--mode prompt` to put them in the prompt text"
            .to_owned()
    } else {
        format!("their rows contain the error; retry with: {again}")
    };
    say(format!("\nerror: {lost} failed{why}\n\nhint: {hint}"));
    ENDPOINT
}

/// Whether a server refused a request because of its tools.
fn is_about_tools(error: &str) -> bool {
    error.contains(" refuses the request with 4") && error.to_lowercase().contains("tool")
}

/// Whether anything was answered that another job would overwrite; where there is no file, replies may be in the journal.
fn has_answers(out: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(out) else { return journal_folder(out).exists() };
    text.lines().any(|line| serde_json::from_str::<Prediction>(line).is_ok_and(|row| row.error.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn summary() -> Summary {
        Summary {
            out: PathBuf::from("p.jsonl"),
            model: "m".to_owned(),
            built_in: false,
            router: None,
            variant: "tools".to_owned(),
            samples: 600,
            left_out: 200,
            runs: 2,
            lost: 0,
            example: None,
            cut: 3,
            routing: None,
            usage: Vec::new(),
            notes: vec!["raise the limit".to_owned()],
            wall: Duration::from_secs(3),
        }
    }

    #[test]
    fn the_screen_says_what_there_is_and_what_to_do_with_it() {
        let screen = screen(&summary(), Path::new("my run"), Colour::default());
        let (screen, next) = screen.split_once("next: ").unwrap();
        insta::assert_snapshot!(screen, @"
        1,200 predictions for 600 samples in 2 runs by `m` (tools) written to p.jsonl
        0 requests (0 cached, 0 retried), 0 input tokens, 0 output tokens, $0.00, 3.0 s
        note: 200 samples skipped, in categories that are not scored
        note: 3 predictions reached the token limit of a reply (`--max-tokens`)
        note: raise the limit
        ");
        assert!(next.ends_with(" score 'my run' --predictions p.jsonl"), "{next}");
    }

    #[test]
    fn what_came_of_the_routings_is_said_where_there_were_any() {
        let routing = Some(RoutingCounts { routed: 1200, unusable: 2, invented: 1 });
        let screen = |router: Option<String>| {
            let summary = Summary { routing, router, ..summary() };
            screen(&summary, Path::new("run"), Colour::default()).lines().nth(2).unwrap().to_owned()
        };
        insta::assert_snapshot!(screen(Some("r".to_owned())), @"routed by `r`: 1 invented name dropped; 2 of 1,200 routings unusable, replaced by all candidates");
        assert!(screen(None).starts_with("routed by `m`: "));
    }

    #[test]
    fn rows_without_an_answer_are_a_fault_of_the_endpoint() {
        assert_eq!(verdict(&summary(), Mode::Tools), OK);
        let lost = Summary { lost: 1, example: Some("HTTP 500".to_owned()), ..summary() };
        assert_eq!(verdict(&lost, Mode::Tools), ENDPOINT);
        let refused = "`m` refuses the request with 400: auto tool choice is not enabled";
        assert!(is_about_tools(refused) && !is_about_tools("`m` refuses the request with 400: too long"));
        assert!(!is_about_tools("no answer from `m` after 2 attempts: a tool broke"));
    }
}
