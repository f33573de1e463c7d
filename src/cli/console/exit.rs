//! Exit codes, and what is said when a command ends badly.
//!
//! What the user or the world did has a code of its own and a hint; what fcgen did has 1 and a request to report it.

use crate::cli::console::talk::say;
use crate::cli::console::words::{own_command, shell};
use fcgen::config::Problems;
use fcgen::failure::RunStopped;
use fcgen::llm::{ChatError, ScriptError};
use fcgen::locale::{LanguageError, LocaleError};
use fcgen::run::{RunError, SetupError};
use fcgen::toolset::ToolsetError;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// Something that should not happen.
pub(crate) const UNEXPECTED: u8 = 1;
/// Invalid command line; clap's own code.
pub(crate) const USAGE: u8 = 2;
/// The pipeline file is missing or invalid.
pub(crate) const PIPELINE: u8 = 10;
/// A toolset, a table or another input cannot be used.
pub(crate) const INPUT: u8 = 11;
/// The endpoint cannot be used, or requests failed.
pub(crate) const ENDPOINT: u8 = 12;
/// The budget is spent; the same command with a higher limit resumes.
pub(crate) const BUDGET: u8 = 13;
/// Too few items accepted: none at all, none of a data type that could be made, or below `floor`.
pub(crate) const YIELD: u8 = 14;
/// Results of request files are missing; the same command resumes.
pub(crate) const WAITING: u8 = 15;
/// Interrupted; the same command resumes.
pub(crate) const INTERRUPTED: u8 = 130;

/// The codes as the help page shows them.
pub(crate) const CODES: &str = "\
Exit codes:
  0    success
  1    unexpected error, such as a full disk; the message says whether to report it
  2    invalid command line
  10   pipeline file missing or invalid
  11   invalid input, such as a toolset or a table
  12   endpoint not usable, or requests failed
  13   budget spent; rerun with a higher limit to resume
  14   too few items accepted: none, none of a data type that could be made, or below `floor`
  15   waiting for the results of request files (`batch_dir`); rerun to resume
  130  interrupted; rerun to resume";

const REPORT: &str = "this is a bug; please report it with this message and the command line";

/// Something that a command itself finds wrong.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Complaint {
    code: u8,
    message: String,
    hint: Option<String>,
}

impl Complaint {
    /// A complaint that ends the command with `code`.
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// The complaint about what was given, with the causes that the error does not spell out itself.
    pub(crate) fn input(error: impl std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        Self::new(INPUT, message)
    }

    /// The same complaint with a way out.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Runs a command, says what went wrong, and turns it into the process's exit code.
pub(crate) fn conclude(command: impl FnOnce() -> anyhow::Result<u8>) -> ExitCode {
    if cfg!(panic = "abort") {
        tell_before_the_end();
    }
    let Ok(result) = catch_unwind(AssertUnwindSafe(command)) else {
        say(format!("\nhint: {REPORT}"));
        return ExitCode::from(UNEXPECTED);
    };
    ExitCode::from(result.unwrap_or_else(|error| {
        last_words(&error);
        code(&error)
    }))
}

/// Where nothing is caught (`profile.release`), a panic is told and ends the process with the same code.
#[expect(clippy::exit, reason = "what is left to unwind would end in an abort")]
fn tell_before_the_end() {
    let told = take_hook();
    set_hook(Box::new(move |panic| {
        told(panic);
        say(format!("\nhint: {REPORT}"));
        std::process::exit(UNEXPECTED.into());
    }));
}

/// Says why a command ends, unless another thread has said it already.
pub(crate) fn last_words(error: &anyhow::Error) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Relaxed) {
        say(told(error));
    }
}

/// The error, and a hint where there is one.
fn told(error: &anyhow::Error) -> String {
    // Problems have their own form: each with its place and its hint.
    if let Some(problems) = error.downcast_ref::<Problems>() {
        return problems.to_string();
    }
    let hint = hint(error).map(|hint| format!("\n\nhint: {hint}")).unwrap_or_default();
    format!("error: {}{hint}", chain(error))
}

/// The error and its causes, without those that the one before has already told.
fn chain(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| match () {
        () if told.is_empty() => cause,
        () if told.ends_with(&cause) => told,
        () => format!("{told}: {cause}"),
    })
}

fn code(error: &anyhow::Error) -> u8 {
    if let Some(complaint) = error.downcast_ref::<Complaint>() {
        return complaint.code;
    }
    if let Some(error) = error.downcast_ref::<RunError>() {
        return run_code(error);
    }
    if let Some(problems) = error.downcast_ref::<Problems>() {
        return if problems.are_of_inputs() { INPUT } else { PIPELINE };
    }
    match error {
        _ if error.is::<ToolsetError>() || error.is::<ScriptError>() => INPUT,
        _ if error.is::<LocaleError>() || error.is::<LanguageError>() => INPUT,
        _ => UNEXPECTED,
    }
}

fn run_code(error: &RunError) -> u8 {
    match error {
        RunError::Setup(SetupError::Chat(ChatError::Endpoint { .. })) => ENDPOINT,
        RunError::Setup(_) | RunError::Shards(_) | RunError::Occupied { .. } => INPUT,
        RunError::Stop(stop) => stop_code(stop),
        RunError::Io(_) | RunError::Database(_) | RunError::Journal(_) | RunError::Json(_) => UNEXPECTED,
    }
}

fn stop_code(stop: &RunStopped) -> u8 {
    match stop {
        RunStopped::Endpoint { .. } => ENDPOINT,
        RunStopped::Budget(_) => BUDGET,
        RunStopped::Interrupted | RunStopped::Submitted { .. } => INTERRUPTED,
        RunStopped::Waiting { .. } => WAITING,
        RunStopped::Input(_) => INPUT,
        RunStopped::Store(_) => UNEXPECTED,
    }
}

fn hint(error: &anyhow::Error) -> Option<String> {
    if let Some(complaint) = error.downcast_ref::<Complaint>() {
        return complaint.hint.clone();
    }
    match error.downcast_ref::<RunError>() {
        Some(error) => run_hint(error),
        None => (code(error) == UNEXPECTED).then(|| REPORT.to_owned()),
    }
}

/// How a stage does with fewer tools, where it can.
fn too_few_tools(stage: &str, kind: &str, has: usize) -> String {
    let set = |key: &str, value: usize| format!("--set stage.{stage}.{key}={value}");
    match kind {
        "candidates" if has >= 2 => {
            format!("add tools, or list fewer: {} {}", set("count", has), set("near", has.min(3) - 1))
        }
        "call_decisions" if has >= 2 => format!("add tools, or list fewer: {}", set("tools", has)),
        _ => "add tools to the toolset".to_owned(),
    }
}

fn run_hint(error: &RunError) -> Option<String> {
    let again = || shell(own_command());
    match error {
        RunError::Stop(RunStopped::Endpoint { hint, .. })
        | RunError::Setup(SetupError::Chat(ChatError::Endpoint { hint, .. })) => Some(hint.clone()),
        RunError::Stop(RunStopped::Budget(_)) => {
            Some(format!("raise the limit to resume without repeating requests: {}", again()))
        }
        RunError::Stop(RunStopped::Interrupted) => Some(format!("resume with: {}", again())),
        RunError::Stop(RunStopped::Submitted { .. }) => {
            Some(format!("collect the results, without repeating requests, with: {}", again()))
        }
        RunError::Stop(RunStopped::Waiting { hint, .. }) => Some(format!("{hint}\nthen resume with: {}", again())),
        RunError::Occupied { hint, .. } => Some(hint.clone()),
        RunError::Setup(SetupError::TooFewTools { stage, kind, has, .. }) => Some(too_few_tools(stage, kind, *has)),
        RunError::Shards(_) => {
            Some("pass every shard to `merge` once, with the flags that the shards were run with".to_owned())
        }
        RunError::Io(_) | RunError::Database(_) => Some("check free disk space and write permissions".to_owned()),
        RunError::Json(_) | RunError::Stop(RunStopped::Store(_)) => Some(REPORT.to_owned()),
        RunError::Setup(SetupError::Thoughtless { .. }) => Some(
            "set a model with `--base-url` and `--model`, or use a toolset with phrases, such as `assistant`"
                .to_owned(),
        ),
        RunError::Setup(_) | RunError::Journal(_) | RunError::Stop(RunStopped::Input(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(error: impl Into<anyhow::Error>) -> (u8, String) {
        let error = error.into();
        (code(&error), told(&error))
    }

    #[test]
    fn what_the_world_did_has_its_code_and_a_hint() {
        let gone = RunStopped::Endpoint { detail: "HTTP 401".to_owned(), hint: "set a key".to_owned() };
        assert_eq!(of(RunError::Stop(gone)), (ENDPOINT, "error: HTTP 401\n\nhint: set a key".to_owned()));
        let (code, text) = of(RunError::Stop(RunStopped::Budget("$1.00".to_owned())));
        assert!(code == BUDGET && text.contains("without repeating requests"), "{text}");
        assert_eq!(of(RunError::Stop(RunStopped::Interrupted)).0, INTERRUPTED);
        assert_eq!(of(RunError::Shards("one is missing".to_owned())).0, INPUT);
        assert_eq!(of(ToolsetError::Missing { path: "x".to_owned() }).0, INPUT);
        assert_eq!(of(RunError::Stop(RunStopped::Input("no rows".to_owned()))), (INPUT, "error: no rows".to_owned()));
    }

    #[test]
    fn what_we_did_asks_to_be_reported() {
        let (code, text) = of(RunError::Stop(RunStopped::Store("a root's work broke off".to_owned())));
        assert!(code == UNEXPECTED && text.ends_with(REPORT), "{text}");
        assert_eq!(of(anyhow::anyhow!("strange")).0, UNEXPECTED);
    }

    #[test]
    fn a_cause_that_was_told_is_not_told_again() {
        let error = RunError::Io(std::io::Error::other("`afile`: it is a file"));
        let told = of(error).1;
        assert!(told.starts_with("error: cannot write or read the run's files: `afile`: it is a file\n"), "{told}");
        let error = anyhow::anyhow!("disk full").context("the report cannot be written");
        assert!(of(error).1.starts_with("error: the report cannot be written: disk full"));
    }

    #[test]
    fn a_complaint_carries_its_own_code() {
        let complaint = Complaint::new(USAGE, "which one?").hint("say it");
        assert_eq!(of(complaint), (USAGE, "error: which one?\n\nhint: say it".to_owned()));
    }

    #[test]
    fn every_code_is_on_the_help_page() {
        for code in [OK, UNEXPECTED, USAGE, PIPELINE, INPUT, ENDPOINT, BUDGET, YIELD, WAITING, INTERRUPTED] {
            assert!(CODES.lines().any(|line| line.trim().starts_with(&format!("{code} "))), "{code}");
        }
    }

    #[test]
    fn what_cannot_be_set_up_is_input_and_an_endpoint_is_not() {
        let (detail, hint) = ("`X` is not a valid header name".to_owned(), "look at `headers`".to_owned());
        let setup = |error: SetupError| of(RunError::Setup(error));
        assert_eq!(
            setup(ChatError::Endpoint { detail, hint }.into()),
            (ENDPOINT, "error: `X` is not a valid header name\n\nhint: look at `headers`".to_owned())
        );
        let (path, message) = ("rows.csv".to_owned(), "it holds no rows".to_owned());
        assert_eq!(setup(SetupError::File { path, message }), (INPUT, "error: rows.csv: it holds no rows".to_owned()));
        let missing = ToolsetError::Missing { path: "tools".to_owned() };
        assert_eq!(setup(missing.into()).0, INPUT);
    }

    #[test]
    fn whatever_people_wrote_themselves_is_input() {
        let locale = LocaleError::Missing { path: "locales/xx/pack.toml".to_owned() };
        let language = fcgen::locale::Language::load(fcgen::assets(), "xx").unwrap_err();
        let script = fcgen::llm::Script::open(std::path::Path::new("/no/such"), None).unwrap_err();
        for (code, text) in [of(locale), of(language), of(script)] {
            assert_eq!(code, INPUT, "{text}");
            assert!(text.starts_with("error: ") && !text.contains("hint: "), "{text}");
        }
    }

    #[test]
    fn a_faulty_file_is_told_in_its_own_form() {
        let problems = fcgen::config::load(
            fcgen::assets(),
            "[pipeline]\nsede = 1\n",
            "a.toml",
            &fcgen::config::Overrides::default(),
        );
        let problems = problems.unwrap_err();
        assert_eq!(of(problems.clone()), (PIPELINE, problems.to_string()));
    }

    #[test]
    fn a_disk_that_fails_asks_for_room_and_not_for_a_report() {
        let error = RunError::Io(std::io::Error::from(std::io::ErrorKind::StorageFull));
        let (code, text) = of(error);
        assert_eq!(code, UNEXPECTED);
        assert!(text.ends_with("\n\nhint: check free disk space and write permissions"), "{text}");
    }

    #[test]
    fn a_command_ends_with_its_code_whatever_becomes_of_it() {
        let ended = |command: fn() -> anyhow::Result<u8>| format!("{:?}", conclude(command));
        let wanted = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(ended(|| Ok(YIELD)), wanted(YIELD));
        assert_eq!(ended(|| Err(Complaint::new(USAGE, "which one?").into())), wanted(USAGE));
        assert_eq!(ended(|| panic!("odd")), wanted(UNEXPECTED));
    }
}
