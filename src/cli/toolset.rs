//! `fcgen toolset`: makes toolsets from what people have, and looks them over.

use super::live::{self, ExploreArguments};
use super::toolset_enrich::{self, EnrichArguments};
use super::toolset_import::{self, ImportArguments};
use crate::cli::console::exit::{INPUT, OK};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use clap::{Args, Subcommand};
use fcgen::locale::Pack;
use fcgen::model::preview;
use fcgen::stage::{goal_faults, tell_faults, tell_preview};
use fcgen::toolset::{Finding, Locations, Severity, Side, Toolset, lint};
use fcgen::world::{self, world_faults};
use std::sync::Arc;

/// Commands about toolsets.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsetCommand {
    /// Create a toolset from an API description, a list of tools, or a live MCP server
    Import(ImportArguments),
    /// Complete descriptions, utterances, values or the texts of another locale with a model
    Enrich(Box<EnrichArguments>),
    /// Report missing, duplicate and invalid entries of a toolset, and preview the built-in model's texts
    Lint(LintArguments),
    /// Discover the data behind a live toolset with read-only calls, so that requests refer to it
    Explore(ExploreArguments),
}

/// Flags of `toolset lint`.
#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// Built-in toolset, toolset folder, or JSON list of tools in OpenAI format
    path: String,
    /// Locale of the toolset's texts
    #[arg(long, value_name = "L", default_value = "en")]
    locale: String,
    /// Show N example texts per tool, from no argument stated to all arguments stated
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: u32,
    /// Only tools whose names start with this prefix
    #[arg(long, value_name = "PREFIX", default_value = "")]
    only: String,
}

/// Most answers of a tool that are shown: they differ less than requests do.
const SHOWN_ANSWERS: u32 = 3;

/// Letters of a line in the list of value kinds.
const WIDE: usize = 100;

/// Runs a command about toolsets.
pub(crate) fn run(command: &ToolsetCommand) -> anyhow::Result<u8> {
    match command {
        ToolsetCommand::Import(arguments) => toolset_import::run(arguments),
        ToolsetCommand::Enrich(arguments) => toolset_enrich::run(arguments),
        ToolsetCommand::Lint(arguments) => lint_toolset(arguments),
        ToolsetCommand::Explore(arguments) => live::run_explore(arguments),
    }
}

fn lint_toolset(arguments: &LintArguments) -> anyhow::Result<u8> {
    let toolset = Toolset::load_part(fcgen::assets(), &arguments.path, &arguments.locale, &arguments.only)?;
    let mut pack = Pack::load(fcgen::assets(), &arguments.locale)?;
    toolset.extend(&mut pack)?;
    let pack = Arc::new(pack);
    let domain = |tool: &str| toolset.world.as_ref().and_then(|world| Some(world.functions.get(tool)?.domain.as_str()));
    // A tool of a declared world is also named by its domain.
    let wanted = |name: &str| {
        name.starts_with(&arguments.only)
            || domain(name).is_some_and(|domain| format!("{domain}.{name}").starts_with(&arguments.only))
    };
    let all = lint(fcgen::assets(), &toolset, &pack).into_iter().chain(world_faults(&toolset, &pack));
    let all = all.chain(tell_faults(&toolset, &pack)).chain(goal_faults(&toolset, &pack));
    let mut findings: Vec<Finding> = all.filter(|it| wanted(&it.place)).collect();
    findings.sort_by_key(|it| it.severity);
    let locations = Locations::of(fcgen::assets(), &arguments.path, &arguments.locale, &toolset);
    for finding in &findings {
        give(line(finding, &locations))?;
    }
    show(arguments, &toolset, &pack)?;
    let tools = toolset.tools.iter().filter(|tool| wanted(&tool.name)).count();
    say(format!("{}: {}, {}", arguments.path, counted(tools, "tool"), counts(&findings)));
    tell_kinds(&toolset, &findings, &locations, &pack);
    Ok(if findings.iter().any(|it| it.severity == Severity::Error) { INPUT } else { OK })
}

/// A finding as compilers write one, with the example of the repair below.
fn line(finding: &Finding, locations: &Locations) -> String {
    let place = locations.locate(finding).map_or_else(String::new, |it| {
        it.line.map_or_else(|| format!("{}: ", it.file), |line| format!("{}:{line}: ", it.file))
    });
    let fix = finding.fix.as_ref().map_or_else(String::new, |fix| format!("\n    fix: {fix}"));
    format!("{place}{}: {}: {}{fix}", finding.severity, finding.place, finding.message)
}

/// How many findings there are of each severity.
pub(super) fn counts(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let all = [Severity::Error, Severity::Warning, Severity::Note].map(|it| (count(it), it.to_string()));
    let some: Vec<String> = all.iter().filter(|(many, _)| *many > 0).map(|(many, word)| counted(*many, word)).collect();
    if some.is_empty() { counted(0, "finding") } else { some.join(", ") }
}

/// The value kinds that a parameter may state, and where they are stated and declared; nothing where none is missing.
fn tell_kinds(toolset: &Toolset, findings: &[Finding], locations: &Locations, pack: &Pack) {
    let Some(first) = findings.iter().find(|it| it.wants_kind()) else { return };
    let mut lines = vec![format!("\nvalue kinds of `{}`:", pack.code)];
    for kind in pack.kinds.keys().filter(|kind| !toolset.kinds.contains_key(*kind)) {
        match lines.last_mut().filter(|line| line.starts_with(' ') && line.len() + kind.len() < WIDE) {
            Some(line) => line.extend([", ", kind]),
            None => lines.push(format!("  {kind}")),
        }
    }
    say(lines.join("\n"));
    let file = |side| locations.find(&first.place, side).map(|it| it.file).unwrap_or_default();
    let (structure, text) = (file(Side::Structure), file(Side::Text));
    if structure == text {
        say(format!("set value kinds in `{structure}`, under `kinds` of a tool; custom kinds need a toolset folder:"));
        say("create one with `fcgen toolset import --tools FILE`");
    } else {
        say(format!("set value kinds in `{structure}`, as `kind` of a parameter; declare custom kinds"));
        say(format!("in `{text}`: `[kinds.NAME]` with `values = [\"...\", \"...\"]` or `range = [1, 9]`"));
    }
}

fn show(arguments: &LintArguments, toolset: &Toolset, pack: &Arc<Pack>) -> anyhow::Result<()> {
    if arguments.show == 0 {
        return Ok(());
    }
    let (only, n) = (&arguments.only, arguments.show);
    let lines = if !toolset.phrases.is_empty() || (toolset.domains.is_empty() && toolset.world.is_none()) {
        let said = preview(toolset, pack, only, n).into_iter();
        said.chain(tell_preview(toolset, pack, only, n.min(SHOWN_ANSWERS))).collect()
    } else {
        world::preview(toolset, pack, only, n)
    };
    Ok(lines.iter().try_for_each(give)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(path: &str) -> LintArguments {
        LintArguments { path: path.to_owned(), locale: "en".to_owned(), show: 0, only: "UtilityTools".to_owned() }
    }

    #[test]
    fn findings_are_counted_by_severity() {
        let findings = ["a", "b"].map(|place| Finding::warning(place, "x"));
        assert_eq!((counts(&findings), counts(&[])), ("2 warnings".to_owned(), "0 findings".to_owned()));
        let line = line(&Finding::error("a, b", "x").fixed_by("b = 1"), &Locations::default());
        assert_eq!(line, "error: a, b: x\n    fix: b = 1");
    }

    #[test]
    fn the_shipped_toolset_is_sound_and_an_unknown_one_is_not() {
        assert_eq!(lint_toolset(&arguments("mobile")).unwrap(), OK);
        assert!(lint_toolset(&arguments("no-such")).is_err());
    }
}
