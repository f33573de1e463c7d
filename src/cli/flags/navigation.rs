//! The options of `predict` that one suite alone knows, and how its samples are asked about.

use crate::cli::console::exit::{Complaint, INPUT, USAGE};
use crate::cli::flags::model_flags::{MappingArguments, Prices};
use crate::cli::flags::paradigm::paradigm_of;
use crate::cli::flags::referee::RefereeArguments;
use crate::cli::runs::manifest::read_manifest;
use clap::{Args, ValueEnum};
use fcgen::format::Bench;
use fcgen::llm::{CallsFormat, ModelConfig, Prompts, ProviderKind, StructuredOutput};
use fcgen::predict::{
    Approach, Asking, CandidateForm, Candidates, Chats, Declared, Dialogs, Episodes, Goal, Job, Mode, Navigation,
    Place, Plan, Policy, Questions, Scenes, Snapshots, System, read_samples,
};
use fcgen::record::{Paradigm, SuiteId, SuiteName};
use fcgen::run::RunError;
use fcgen::suite::callnavi::layout::DomainFiles;
use fcgen::suite::complexfunc::{Answers, generic_error, read_settings, settings_of};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// No message of the system at all.
const NO_SYSTEM: &str = "none";
/// Turns with calls, unless somebody says otherwise.
const TURNS: u16 = 30;

/// Flags of single suites.
#[derive(Debug, Args)]
pub(crate) struct SuiteArguments {
    /// Which tools are listed, or in which format; default: `all` for HammerBench, `json` for CallNavi
    #[arg(help_heading = "Prompt", long, value_enum)]
    candidates: Option<CandidatesFlag>,
    /// Requested output; default: `parameters`
    #[arg(help_heading = "CallNavi", long, value_enum)]
    task: Option<TaskFlag>,
    /// Format of the calls in replies; default: `json`
    #[arg(help_heading = "CallNavi", long, value_enum)]
    answer: Option<AnswerFlag>,
    /// Ask for API names first, then list only the named APIs
    #[arg(help_heading = "CallNavi", long)]
    router: bool,
    /// As `--router`, with another model that names the APIs
    #[arg(help_heading = "CallNavi", long, value_name = "NAME", requires = "model")]
    router_model: Option<String>,
    /// Base URL of the router model; default: `--base-url`
    #[arg(help_heading = "CallNavi", long, value_name = "URL", requires = "router_model")]
    router_base_url: Option<String>,
    /// Environment variable with the API key of the router model; default: `--api-key-env`
    #[arg(help_heading = "CallNavi", long, value_name = "NAME", requires = "router_model")]
    router_api_key_env: Option<String>,
    /// Price of the router model; default: `--price`
    #[arg(help_heading = "CallNavi", long, value_name = "IN,OUT", requires = "router_model")]
    router_price: Option<Prices>,
    /// Ask for the last call first, then for the missing calls in rounds
    #[arg(help_heading = "CallNavi", long, conflicts_with_all = ["router", "router_model"])]
    backward: bool,
    /// Maximum rounds of `--backward` after the first request; default: 5
    #[arg(help_heading = "CallNavi", long, value_name = "N", requires = "backward", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Have the server constrain replies to a JSON Schema built from the candidates
    #[arg(help_heading = "CallNavi", long, requires = "model")]
    structured: bool,
    /// Maximum turns with calls; default: 30
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_turns: Option<u16>,
    /// API settings, such as lookups; default: toolset.json beside the benchmark
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Recorded API responses; calls with equal responses count as equal
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    api: Option<PathBuf>,
    #[command(flatten)]
    mapping: MappingArguments,
    #[command(flatten)]
    referee: RefereeArguments,
    /// File with the system message, or `none`; default: that of the sample or of its locale
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "PATH|none")]
    system: Option<PathBuf>,
    /// Context before each call of a sequence of calls; default: `off_policy`
    #[arg(help_heading = "CONFETTI", long, value_enum)]
    policy: Option<PolicyFlag>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PolicyFlag {
    /// The expected calls and their results: each call is requested separately
    #[value(name = "off_policy", alias = "off-policy")]
    Off,
    /// The model's own calls and their results: the model continues on its own
    #[value(name = "on_policy", alias = "on-policy")]
    On,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CandidatesFlag {
    /// HammerBench: all candidates in every turn
    All,
    /// HammerBench: as its authors, all candidates in the first turn of a conversation, then only the expected tool
    Upstream,
    /// CallNavi: a JSON object per API, with types instead of schemas
    Json,
    /// CallNavi: the same, as YAML
    Yaml,
    /// CallNavi: a JSON object per API, with full JSON Schemas
    JsonSchema,
    /// CallNavi: a function signature per API
    Signature,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TaskFlag {
    /// API names, in order
    Routing,
    /// Calls with their parameters
    Parameters,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFlag {
    /// A JSON object
    Json,
    /// A YAML document
    Yaml,
}

const ROUNDS: u32 = 5;

impl SuiteArguments {
    /// How samples of `suite` are put to `model`.
    pub(crate) fn asking(
        &self,
        suite: &SuiteName,
        bench: &Path,
        mode: Mode,
        paradigm: Option<Paradigm>,
        model: &ModelConfig,
        prompts: Prompts,
    ) -> Result<Arc<dyn Asking>, Complaint> {
        self.refuse_foreign(suite)?;
        let paradigm = paradigm_of(*suite == SuiteId::HammerBench, paradigm)?;
        match suite.known() {
            Some(SuiteId::ComplexFuncBench) => self.episodes(mode, bench, prompts),
            Some(SuiteId::FunctionChat) => Ok(Arc::new(Chats::new(mode, self.system()?, prompts))),
            Some(SuiteId::Bfcl) => Ok(Arc::new(Questions::new(mode, prompts))),
            Some(SuiteId::Confetti) => Ok(Arc::new(Dialogs::new(mode, self.policy(bench)?, prompts))),
            Some(SuiteId::CallNavi) => self.navigation(mode, bench, model, prompts),
            // Samples of a suite that nobody knows are asked about as single calls are.
            Some(SuiteId::HammerBench) | None => {
                let upstream = self.candidates == Some(CandidatesFlag::Upstream);
                let candidates = if upstream { Candidates::Upstream } else { Candidates::All };
                Ok(Arc::new(Snapshots::new(mode, candidates, prompts).in_paradigm(paradigm)))
            }
        }
    }

    /// Samples of CallNavi are asked for calls, or for names.
    fn navigation(
        &self,
        mode: Mode,
        bench: &Path,
        model: &ModelConfig,
        prompts: Prompts,
    ) -> Result<Arc<dyn Asking>, Complaint> {
        if let Some((one, other)) = self.at_odds(mode, model) {
            return Err(Complaint::new(USAGE, format!("`{one}` cannot be combined with `{other}`")));
        }
        let declared = if prompts.used().is_some() { declared(bench)? } else { Declared::new() };
        Ok(Arc::new(Navigation::new(self.plan(mode), prompts).declared(declared)))
    }

    /// The system's message.
    fn system(&self) -> Result<System, Complaint> {
        match &self.system {
            None => Ok(System::Own),
            Some(path) if path.as_os_str() == NO_SYSTEM => Ok(System::Silent),
            Some(path) => System::read(path).map_err(|stop| Complaint::new(INPUT, RunError::from(stop).to_string())),
        }
    }

    /// What a model is shown of a turn that has begun; who runs on is answered by the worlds of the run, if it has any.
    fn policy(&self, bench: &Path) -> Result<Policy, Complaint> {
        if self.policy != Some(PolicyFlag::On) {
            return Ok(Policy::Off);
        }
        let folder = if bench.is_dir() { bench } else { bench.parent().unwrap_or(bench) };
        let seed = read_manifest(folder).ok().map(|manifest| manifest.seed);
        let cannot = |stop| Complaint::new(INPUT, RunError::from(stop).to_string());
        let samples = read_samples(bench).map_err(cannot)?;
        Scenes::of(samples, Place::of_run(fcgen::assets(), seed))
            .map(|scenes| Policy::On(Box::new(scenes)))
            .map_err(cannot)
    }

    /// Samples of several steps are played.
    fn episodes(&self, mode: Mode, bench: &Path, prompts: Prompts) -> Result<Arc<dyn Asking>, Complaint> {
        let folder = if bench.is_dir() { bench } else { bench.parent().unwrap_or(bench) };
        let settings = self.settings.as_deref().map_or_else(|| settings_of(fcgen::assets(), folder), read_settings)?;
        let read = |path: &PathBuf| Answers::read(path).map_err(Complaint::input);
        let answers = self.api.as_ref().map(read).transpose()?.unwrap_or_default();
        let turns = usize::from(self.max_turns.unwrap_or(TURNS));
        let replies = self.referee.replies(prompts.clone())?;
        let episodes = Episodes::new(mode, settings, answers, generic_error(fcgen::assets())?, turns, prompts);
        Ok(Arc::new(episodes.judged(replies, self.referee.asks()).matched_by(self.mapping.similarity())))
    }

    /// The model that routes, where that is another than `model`.
    pub(crate) fn router(&self, model: &ModelConfig) -> Option<ModelConfig> {
        let name = self.router_model.clone()?;
        Some(ModelConfig {
            model: name,
            base_url: self.router_base_url.clone().unwrap_or_else(|| model.base_url.clone()),
            api_key_env: self.router_api_key_env.clone().or_else(|| model.api_key_env.clone()),
            price: self.router_price.map_or(model.price, |price| price.0),
            // It says where the model under test is, which may be elsewhere.
            endpoint_id: model.endpoint_id.clone().filter(|_| self.router_base_url.is_none()),
            ..model.clone()
        })
    }

    /// Those who help with `job`, by the flags.
    pub(crate) fn helped(&self, job: Job) -> Result<Job, Complaint> {
        Ok(Job {
            judge: self.referee.model(&job.model),
            embeddings: self.mapping.model(&job.model)?,
            judgements: self.referee.path(),
            ..job
        })
    }

    fn plan(&self, mode: Mode) -> Plan {
        Plan {
            goal: if self.task == Some(TaskFlag::Routing) { Goal::Routing } else { Goal::Parameters },
            mode,
            candidates: match self.candidates {
                Some(CandidatesFlag::Yaml) => CandidateForm::Yaml,
                Some(CandidatesFlag::JsonSchema) => CandidateForm::JsonSchema,
                Some(CandidatesFlag::Signature) => CandidateForm::Signature,
                _ => CandidateForm::Json,
            },
            answer: if self.answer == Some(AnswerFlag::Yaml) { CallsFormat::Yaml } else { CallsFormat::Json },
            approach: match (self.routes(), self.backward) {
                (true, _) => Approach::Router,
                (_, true) => Approach::Backward { rounds: self.rounds.unwrap_or(ROUNDS) },
                _ => Approach::Direct,
            },
            structured: self.structured,
        }
    }

    /// Whether an option is about the text of the prompt, or of the answer, which native tools have no place for.
    pub(crate) fn is_about_text(&self) -> bool {
        use CandidatesFlag::{Json, JsonSchema, Signature, Yaml};
        let is_written = matches!(self.candidates, Some(Json | Yaml | JsonSchema | Signature)) && !self.routes();
        let names = self.task == Some(TaskFlag::Routing);
        is_written || names || self.answer.is_some() || self.backward || self.structured
    }

    fn routes(&self) -> bool {
        self.router || self.router_model.is_some()
    }

    /// Every option is for the suite, or is refused by name.
    fn refuse_foreign(&self, suite: &SuiteName) -> Result<(), Complaint> {
        let Some((option, home)) = self.given().into_iter().find(|(_, home)| *suite != *home) else { return Ok(()) };
        let complaint = format!("`{option}` applies to {home} only, and these are {suite} samples");
        Err(Complaint::new(USAGE, complaint).hint("omit the option"))
    }

    /// The options that were given, each with the suite that knows it.
    fn given(&self) -> Vec<(&'static str, SuiteId)> {
        let candidates = self.candidates.map(|flag| match flag {
            CandidatesFlag::All => ("--candidates all", SuiteId::HammerBench),
            CandidatesFlag::Upstream => ("--candidates upstream", SuiteId::HammerBench),
            CandidatesFlag::Json => ("--candidates json", SuiteId::CallNavi),
            CandidatesFlag::Yaml => ("--candidates yaml", SuiteId::CallNavi),
            CandidatesFlag::JsonSchema => ("--candidates json-schema", SuiteId::CallNavi),
            CandidatesFlag::Signature => ("--candidates signature", SuiteId::CallNavi),
        });
        let others = [
            (self.task.is_some(), "--task"),
            (self.answer.is_some(), "--answer"),
            (self.router, "--router"),
            (self.router_model.is_some(), "--router-model"),
            (self.backward, "--backward"),
            (self.structured, "--structured"),
        ];
        let others = others.into_iter().filter(|(given, _)| *given).map(|(_, option)| (option, SuiteId::CallNavi));
        let played = [
            (self.max_turns.is_some(), "--max-turns"),
            (self.settings.is_some(), "--settings"),
            (self.api.is_some(), "--api"),
        ];
        let played =
            played.into_iter().filter(|(given, _)| *given).map(|(_, option)| (option, SuiteId::ComplexFuncBench));
        let helped = self.mapping.given().chain(self.referee.given()).map(|option| (option, SuiteId::ComplexFuncBench));
        let system = self.system.as_ref().map(|_| ("--system", SuiteId::FunctionChat));
        let policy = self.policy.map(|_| ("--policy", SuiteId::Confetti));
        candidates.into_iter().chain(others).chain(played).chain(helped).chain(system).chain(policy).collect()
    }

    /// Two options of which one leaves the other without a meaning.
    fn at_odds(&self, mode: Mode, model: &ModelConfig) -> Option<(&'static str, &'static str)> {
        let (routing, tools) = (self.task == Some(TaskFlag::Routing), mode == Mode::Tools);
        let backward = ("--backward", self.backward);
        let structured = ("--structured", self.structured);
        let answer = ("--answer", self.answer.is_some());
        let router = (if self.router { "--router" } else { "--router-model" }, self.routes());
        let yaml = ("--answer yaml", self.answer == Some(AnswerFlag::Yaml));
        let shown = ("--candidates", self.candidates.is_some() && !self.routes());
        let never = ("--set structured_output=none", model.structured_output == StructuredOutput::None);
        let built_in = ("--mode tools", tools && model.provider != ProviderKind::Grammar);
        let names = ("--task routing", routing);
        let pairs = [
            (names, answer),
            (names, router),
            (names, backward),
            (names, structured),
            (names, built_in),
            (built_in, answer),
            (built_in, backward),
            (built_in, structured),
            (built_in, shown),
            (structured, yaml),
            (structured, backward),
            (structured, never),
        ];
        pairs.into_iter().find(|(one, other)| one.1 && other.1).map(|(one, other)| (one.0, other.0))
    }
}

/// APIs in the words of the authors' files, where the bench is in their layout.
fn declared(bench: &Path) -> Result<Declared, Complaint> {
    let bench = Bench::open(bench).map_err(Complaint::from)?;
    let mut all = Declared::new();
    for files in bench.layout::<Vec<DomainFiles>>().into_iter().flatten() {
        let apis = files.declared().map_err(Complaint::input)?;
        let named = apis.into_iter().filter_map(|api| Some((api["name"].as_str()?.to_owned(), api)));
        all.insert(files.domain.clone(), named.collect());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flags::model_flags::ModelArguments;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        model: ModelArguments,
        #[command(flatten)]
        suite: SuiteArguments,
    }

    fn read(line: &str) -> Result<(SuiteArguments, ModelConfig), String> {
        let words = ["test"].into_iter().chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        let model = line.model.config().map_err(|complaint| complaint.to_string())?;
        Ok((line.suite, model))
    }

    fn variant(suite: &str, line: &str, mode: Mode) -> Result<String, String> {
        let (arguments, model) = read(line)?;
        let asking = arguments
            .asking(&suite.into(), Path::new("/no/such"), mode, None, &model, Prompts::shipped(fcgen::assets()))
            .map_err(|complaint| complaint.to_string())?;
        Ok(asking.variant().to_owned())
    }

    #[test]
    fn the_options_say_how_it_is_asked() {
        for (line, mode, word) in [
            ("", Mode::Prompt, "parameters-json-json"),
            ("--task routing --candidates signature", Mode::Prompt, "routing-signature"),
            ("--candidates json-schema --answer yaml", Mode::Prompt, "parameters-yaml-json_schema"),
            ("--candidates yaml --router", Mode::Prompt, "parameters-json-yaml-router"),
            ("--model m --router-model n --candidates yaml", Mode::Tools, "parameters-tools-yaml-router"),
            ("--backward --rounds 3", Mode::Prompt, "parameters-json-json-backward"),
            ("--model m --structured", Mode::Prompt, "parameters-json-json-structured"),
            ("--task routing", Mode::BuiltIn, "routing-built_in"),
        ] {
            assert_eq!(variant("callnavi", line, mode).as_deref(), Ok(word), "{line}");
        }
        assert_eq!(variant("hammerbench", "--candidates upstream", Mode::Tools).as_deref(), Ok("tools-upstream"));
        assert_eq!(variant("hammerbench", "", Mode::Prompt).as_deref(), Ok("prompt"));
        assert_eq!(variant("else", "", Mode::Prompt).as_deref(), Ok("prompt-ask"));
        assert_eq!(variant("complexfuncbench", "--max-turns 5", Mode::Tools).as_deref(), Ok("tools"));
        assert_eq!(variant("bfcl", "", Mode::Tools).as_deref(), Ok("tools"));
        assert_eq!(variant("confetti", "--policy off_policy", Mode::Prompt).as_deref(), Ok("prompt"));
        let told = variant("confetti", "--policy on-policy", Mode::Prompt).unwrap_err();
        assert!(told.contains("`/no/such` does not exist"), "the whole bench is read for it: {told}");
    }

    #[test]
    fn an_option_of_another_suite_is_refused_by_name() {
        let told = |suite, line| variant(suite, line, Mode::Prompt).unwrap_err();
        insta::assert_snapshot!(told("hammerbench", "--task routing"), @"`--task` applies to callnavi only, and these are hammerbench samples");
        insta::assert_snapshot!(told("hammerbench", "--candidates signature"), @"`--candidates signature` applies to callnavi only, and these are hammerbench samples");
        insta::assert_snapshot!(told("callnavi", "--candidates upstream"), @"`--candidates upstream` applies to hammerbench only, and these are callnavi samples");
        assert!(
            variant("complexfuncbench", "--api gone", Mode::Tools).unwrap_err().starts_with("cannot read `gone`: ")
        );
        for (line, option) in [
            ("--max-turns 5", "--max-turns"),
            ("--settings a", "--settings"),
            ("--api a", "--api"),
            ("--mapping trigram256", "--mapping"),
            ("--model m --judge-model j", "--judge-model"),
            ("--judgements a", "--judgements"),
        ] {
            let wanted = format!("`{option}` applies to complexfuncbench only, and these are callnavi samples");
            assert_eq!(told("callnavi", line), wanted);
        }
        assert_eq!(
            told("bfcl", "--policy on_policy"),
            "`--policy` applies to confetti only, and these are bfcl samples"
        );
        for line in ["--answer json", "--router", "--model m --router-model n", "--backward", "--model m --structured"]
        {
            assert!(told("else", line).ends_with(" applies to callnavi only, and these are else samples"), "{line}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_told() {
        let told = |line: &str, mode| variant("callnavi", &format!("--model m {line}"), mode).unwrap_err();
        insta::assert_snapshot!(told("--task routing --answer yaml", Mode::Prompt), @"`--task routing` cannot be combined with `--answer`");
        insta::assert_snapshot!(told("--task routing --router-model n", Mode::Prompt), @"`--task routing` cannot be combined with `--router-model`");
        insta::assert_snapshot!(told("--task routing", Mode::Tools), @"`--task routing` cannot be combined with `--mode tools`");
        insta::assert_snapshot!(told("--candidates yaml", Mode::Tools), @"`--mode tools` cannot be combined with `--candidates`");
        insta::assert_snapshot!(told("--structured --answer yaml", Mode::Prompt), @"`--structured` cannot be combined with `--answer yaml`");
        insta::assert_snapshot!(told("--structured --set structured_output=none", Mode::Prompt), @"`--structured` cannot be combined with `--set structured_output=none`");
        assert!(read("--backward --router").is_err_and(|error| error.contains("cannot be used with")));
        for line in ["--rounds 3", "--structured", "--router-model n", "--model m --router-base-url http://a/v1"] {
            assert!(read(line).is_err_and(|error| error.contains("not provided")), "{line}");
        }
    }

    #[test]
    fn options_about_the_text_are_known() {
        for (line, is_about_text) in [
            ("", false),
            ("--candidates upstream", false),
            ("--candidates yaml", true),
            ("--candidates yaml --router", false),
            ("--task routing", true),
            ("--task parameters", false),
            ("--answer json", true),
            ("--backward", true),
            ("--model m --structured", true),
        ] {
            assert_eq!(read(line).unwrap().0.is_about_text(), is_about_text, "{line}");
        }
    }

    #[test]
    fn a_router_is_like_the_model_but_for_what_is_said_of_it() {
        let router = |line: &str| {
            let (arguments, model) = read(&format!("--model m --base-url http://a/v1 --price 1,2 {line}")).unwrap();
            arguments.router(&model)
        };
        assert_eq!(router("--router"), None);
        let near = router("--router-model n --temperature 0.5").unwrap();
        assert_eq!((near.model.as_str(), near.base_url.as_str(), near.temperature), ("n", "http://a/v1", Some(0.5)));
        let line = "--router-model n --router-base-url http://b/v1 --router-api-key-env KEY --router-price 3,4";
        let far = router(line).unwrap();
        assert_eq!((far.base_url.as_str(), far.key_variable(), far.price.output), ("http://b/v1", "KEY", 4.0));
    }
}
