//! `fcgen toolset`: makes toolsets from what people have, and looks them over.

use super::exit::{INPUT, OK};
use super::live::{self, ExploreArguments};
use super::talk::{give, say};
use super::toolset_enrich::{self, EnrichArguments};
use super::toolset_import::{self, ImportArguments};
use super::words::counted;
use clap::{Args, Subcommand};
use fcgen::llm::grammar::preview;
use fcgen::locale::Pack;
use fcgen::stage::{goal_faults, tell_faults, tell_preview};
use fcgen::toolset::{Finding, Toolset, lint};
use fcgen::world::{self, world_faults};
use std::sync::Arc;

/// Commands about toolsets.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsetCommand {
    /// Make a toolset from a description of an API, a list of tools, or what a live MCP server lists
    Import(ImportArguments),
    /// Let a model complete descriptions, utterances, values and the text of another locale
    Enrich(Box<EnrichArguments>),
    /// Say what is missing, doubled or faulty in a toolset, and what the built-in model would say with it
    Lint(LintArguments),
    /// Find out by read-only calls what exists behind a live toolset, so that questions ask for it
    Explore(ExploreArguments),
}

/// Flags of `toolset lint`.
#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// A shipped toolset, a folder of the same form, or a JSON list of OpenAI-shaped tools
    path: String,
    /// Locale of the toolset's text
    #[arg(long, value_name = "L", default_value = "en")]
    locale: String,
    /// Show N sentences for each tool: the first say nothing, the last everything
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: u32,
    /// Only tools whose names begin with this
    #[arg(long, value_name = "PREFIX", default_value = "")]
    only: String,
}

/// Most answers of a tool that are shown: they differ less than requests do.
const SHOWN_ANSWERS: u32 = 3;

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
    let toolset = Toolset::load_part(&arguments.path, &arguments.locale, &arguments.only)?;
    let mut pack = Pack::load(&arguments.locale)?;
    toolset.extend(&mut pack)?;
    let pack = Arc::new(pack);
    let domain = |tool: &str| toolset.world.as_ref().and_then(|world| Some(world.functions.get(tool)?.domain.as_str()));
    // A tool of a declared world is also named by its domain.
    let wanted = |name: &str| {
        name.starts_with(&arguments.only)
            || domain(name).is_some_and(|domain| format!("{domain}.{name}").starts_with(&arguments.only))
    };
    let all = lint(&toolset, &pack).into_iter().chain(world_faults(&toolset, &pack));
    let all = all.chain(tell_faults(&toolset, &pack)).chain(goal_faults(&toolset, &pack));
    let findings: Vec<Finding> = all.filter(|it| wanted(&it.place)).collect();
    for finding in &findings {
        give(format!("{}: {}", finding.place, finding.message))?;
    }
    show(arguments, &toolset, &pack)?;
    let tools = toolset.tools.iter().filter(|tool| wanted(&tool.name)).count();
    say(format!("{}: {}, {}", arguments.path, counted(tools, "tool"), counted(findings.len(), "finding")));
    Ok(if findings.is_empty() { OK } else { INPUT })
}

fn show(arguments: &LintArguments, toolset: &Toolset, pack: &Arc<Pack>) -> anyhow::Result<()> {
    if arguments.show == 0 {
        return Ok(());
    }
    let lines = if !toolset.phrases.is_empty() || (toolset.domains.is_empty() && toolset.world.is_none()) {
        let said = preview(&arguments.path, &arguments.locale, &arguments.only, arguments.show)?;
        said.into_iter()
            .chain(tell_preview(toolset, pack, &arguments.only, arguments.show.min(SHOWN_ANSWERS)))
            .collect()
    } else {
        world::preview(toolset, pack, &arguments.only, arguments.show)
    };
    // The preview of tools one by one begins with the findings, which are said already.
    for line in lines.iter().filter(|line| !line.starts_with("LINT ")) {
        give(line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(path: &str) -> LintArguments {
        LintArguments { path: path.to_owned(), locale: "en".to_owned(), show: 0, only: "UtilityTools".to_owned() }
    }

    #[test]
    fn the_shipped_toolset_is_sound_and_an_unknown_one_is_not() {
        assert_eq!(lint_toolset(&arguments("mobile")).unwrap(), OK);
        assert!(lint_toolset(&arguments("no-such")).is_err());
    }
}
