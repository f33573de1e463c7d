//! `fcgen score`: scores what models said.

pub(crate) mod arguments;
pub(crate) mod asked;
pub(crate) mod baselines;
pub(crate) mod compared;
pub(crate) mod drive;
pub(crate) mod failures;
pub(crate) mod items;
pub(crate) mod likeness;
pub(crate) mod stdin;
pub(crate) mod strange;
pub(crate) mod suite;
pub(crate) mod suites;
pub(crate) mod summary;

pub(crate) use arguments::ScoreArguments;

use crate::cli::console::exit::{Complaint, ENDPOINT, INPUT, OK, YIELD};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use arguments::TablesFlag;
use asked::Asked;
use fcgen::format::Bench;
use fcgen::record::SuiteId;
use fcgen::report::{Form, Table, write_with};
use fcgen::score::Difference;
use items::{Found, VerdictReader};
use std::collections::BTreeMap;

/// What came of scoring.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The tables.
    pub(crate) tables: Vec<Table>,
    /// What people should know of all of them.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// Further fields for programs.
    pub(crate) further: Vec<(&'static str, serde_json::Value)>,
    /// Questions to a judge that got no answer.
    pub(crate) lost: usize,
    /// Samples that the suite does not score.
    pub(crate) unscored: u64,
    /// What was found of the items.
    pub(crate) found: Found,
    /// Differences between several predictions on the same items.
    pub(crate) differences: Vec<Difference>,
    /// Lines of predictions that cannot be read.
    pub(crate) broken: usize,
}

/// Scores every file of predictions by the rules of its suite, and shows the tables.
pub(crate) fn run(arguments: &ScoreArguments) -> anyhow::Result<u8> {
    if arguments.stdin {
        return stdin::run(&Bench::open(&arguments.bench).map_err(Complaint::from)?, arguments);
    }
    let scored = scored(arguments, None)?;
    let summary = &scored.found.summary;
    let further: Vec<_> = std::iter::once(("headline", summary.json(&scored.differences)))
        .chain(scored.further.iter().cloned())
        .collect();
    let tables: Vec<Table> =
        scored.tables.iter().filter(|table| is_shown(table, arguments.tables())).cloned().collect();
    let text = write_with(&tables, &scored.notes, &further, arguments.form())?;
    if arguments.form() == Form::Text || arguments.form() == Form::Markdown {
        give(summary.lines(&scored.differences).join("\n"))?;
        give("")?;
    }
    give(text)?;
    if arguments.tables() == TablesFlag::Summary {
        say("the paper's tables: `--tables paper`; all tables: `--tables all`");
    }
    Ok(code(&scored, arguments))
}

/// Names of the tables that no paper has.
const OURS: [&str; 3] = ["counts", "slices", "compared"];

fn is_shown(table: &Table, wanted: TablesFlag) -> bool {
    match wanted {
        TablesFlag::Summary => false,
        TablesFlag::Paper => !OURS.contains(&table.name.as_str()),
        TablesFlag::All => true,
    }
}

fn code(scored: &Outcome, arguments: &ScoreArguments) -> u8 {
    let least = scored.found.summary.least().unwrap_or_default();
    match arguments.fail_under.filter(|threshold| 100.0 * least < *threshold) {
        _ if scored.lost > 0 => ENDPOINT,
        Some(threshold) => {
            say(format!("error: accuracy of {:.1}% is below the {threshold}% of `--fail-under`", 100.0 * least));
            YIELD
        }
        None if scored.broken > 0 => INPUT,
        None => OK,
    }
}

/// Scores, and writes the verdicts where they are wanted; `reader` reads each of them as well.
pub(crate) fn scored(arguments: &ScoreArguments, reader: Option<VerdictReader<'_>>) -> anyhow::Result<Outcome> {
    let bench = Bench::open(&arguments.bench).map_err(Complaint::from)?;
    let suite = arguments.suite.map_or_else(|| suite::of(&bench), |flag| Ok(SuiteId::from(flag).into()))?;
    let asked = Asked::read(&bench, &suite, arguments)?;
    let mut outcome = match suite.known() {
        None => crate::cli::score::suites::metric::run(&suite, &asked, arguments, reader),
        Some(SuiteId::HammerBench) => crate::cli::score::suites::hammerbench::run(&asked, arguments, reader),
        Some(SuiteId::CallNavi) => crate::cli::score::suites::callnavi::run(&asked, arguments, reader),
        Some(SuiteId::Confetti) => crate::cli::score::suites::confetti::run(&asked, arguments, reader),
        Some(SuiteId::Bfcl) => crate::cli::score::suites::bfcl::run(&asked, arguments, reader),
        Some(SuiteId::ComplexFuncBench) => {
            crate::cli::score::suites::complexfunc::run(&bench, &asked, arguments, reader)
        }
        Some(SuiteId::FunctionChat) => crate::cli::score::suites::functionchat::run(&bench, &asked, arguments, reader),
    }?;
    if outcome.unscored > 0 {
        say_others(&suite::others(&suite, &bench)?);
    }
    asked::add_prompts(&mut outcome, &suite, arguments)?;
    compared::add(&mut outcome, &bench, arguments.seed)?;
    outcome.broken = strange::tell(&bench, arguments, &outcome.found.summary)?;
    if let (Some(failures), Some(path)) = (&outcome.found.failures, &arguments.failures) {
        let files: Vec<_> = arguments.named().collect();
        failures.write(path, &bench, &files)?;
    }
    Ok(outcome)
}

/// The complaint where nothing was scored of any row.
fn some_scored(scored: impl IntoIterator<Item = u64>) -> Result<(), Complaint> {
    if scored.into_iter().any(|scored| scored > 0) {
        return Ok(());
    }
    let hint =
        "predictions are matched by `id`; none matched a sample of this benchmark (`--locale` selects one locale)";
    Err(Complaint::new(INPUT, "nothing was scored").hint(hint))
}

/// Says of which suites the samples are that were not scored.
fn say_others(others: &BTreeMap<String, usize>) {
    let named: Vec<String> =
        others.iter().map(|(name, count)| format!("{} of `{name}`", counted(*count, "sample"))).collect();
    if !named.is_empty() {
        say(format!(
            "not scored, because they belong to other suites: {}; select one with `--suite`",
            named.join(", ")
        ));
    }
}
