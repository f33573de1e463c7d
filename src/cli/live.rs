//! `fcgen toolset import --mcp` and `fcgen toolset explore`: toolsets of live servers.

use crate::cli::console::exit::{Complaint, ENDPOINT, INPUT, OK, USAGE, YIELD};
use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, own_command, shell};
use clap::Args;
use fcgen::live::{
    Bounds, Caller, Listed, LiveError, RULES, Rules, Server, Target, WorldConfig, draft, explore, read_origins,
    seems_to_read, write_explored, write_rules,
};
use fcgen::toolset::Toolset;
use fcgen::toolset::import::Draft;
use std::path::{Path, PathBuf};

/// Flags that say where a live server is, and how it is asked.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Live MCP server: a command with arguments, or a streamable HTTP address
    #[arg(long, value_name = "COMMAND|URL")]
    pub(crate) mcp: Option<String>,
    /// Environment variable with the server's API key
    #[arg(long, value_name = "NAME")]
    api_key_env: Option<String>,
    /// Timeout per call, in seconds
    #[arg(long, value_name = "S", default_value_t = 30)]
    timeout: u32,
}

/// Flags of `toolset explore`.
#[derive(Debug, Args)]
pub(crate) struct ExploreArguments {
    /// Toolset folder
    dir: PathBuf,
    #[command(flatten)]
    server: ServerArguments,
    /// Base URL of an HTTP API that was imported from its description
    #[arg(long, value_name = "URL", conflicts_with = "mcp")]
    base_url: Option<String>,
    /// Locale of the requests
    #[arg(long, value_name = "L", default_value = "en")]
    locale: String,
    /// Maximum number of calls
    #[arg(long, value_name = "N", default_value_t = 120)]
    calls: usize,
    /// Maximum number of calls per tool
    #[arg(long, value_name = "N", default_value_t = 12)]
    per_tool: usize,
    /// Maximum calls per minute
    #[arg(long, value_name = "N", default_value_t = 600)]
    requests_per_minute: u32,
    /// Tools to call although they are not marked as read-only: a,b
    #[arg(long, value_name = "TOOL,..", value_delimiter = ',')]
    allow: Vec<String>,
    /// Allow every tool whose name starts with list, get, search, find or read
    #[arg(long)]
    allow_reads: bool,
}

/// Drafts what a live server lists.
pub(crate) fn draft_listed(mcp: &str, arguments: &ServerArguments) -> anyhow::Result<Draft> {
    let runtime = tokio::runtime::Runtime::new()?;
    let (name, tools) = runtime.block_on(listed(mcp, arguments)).map_err(|error| complaint(&error))?;
    Ok(draft(&name, &tools))
}

/// Writes what is kept of a live server's answers.
pub(crate) fn write_answer_rules(toolset: &Path) -> anyhow::Result<()> {
    write_rules(toolset).map_err(|error| complaint(&error).into())
}

async fn listed(mcp: &str, arguments: &ServerArguments) -> Result<(String, Vec<Listed>), LiveError> {
    let config = config(mcp, arguments);
    let server = Server::open(&Target::read(mcp)?, config.key()?.as_ref(), config.wait()).await?;
    let tools = server.tools().await;
    let name = server.name();
    server.close().await;
    Ok((name, tools?))
}

fn config(server: &str, arguments: &ServerArguments) -> WorldConfig {
    WorldConfig {
        server: Some(server.to_owned()),
        api_key_env: arguments.api_key_env.clone(),
        timeout: arguments.timeout.max(1),
        ..WorldConfig::default()
    }
}

/// Explores a toolset's live server.
pub(crate) fn run_explore(arguments: &ExploreArguments) -> anyhow::Result<u8> {
    let Some(place) = arguments.server.mcp.as_ref().or(arguments.base_url.as_ref()) else {
        let complaint = Complaint::new(USAGE, "no server to explore: expected `--mcp` or `--base-url`");
        return Err(complaint.into());
    };
    let mut config = config(place, &arguments.server);
    (config.requests_per_minute, config.allow) = (arguments.requests_per_minute.max(1), arguments.allow.clone());
    let path = arguments.dir.display().to_string();
    let toolset = Toolset::load(fcgen::assets(), &path, &arguments.locale)?;
    let origins = read_origins(&arguments.dir).map_err(|error| complaint(&error))?;
    let rules = rules(&arguments.dir).map_err(|error| complaint(&error))?;
    let key = config.key().map_err(|error| complaint(&error))?.map(|key| key.value).unwrap_or_default();
    let caller = Caller::new(Target::read(place).map_err(|error| complaint(&error))?, &config, &origins)
        .map_err(|error| complaint(&error))?;
    let bounds = Bounds { calls: arguments.calls, per_tool: arguments.per_tool };
    let ask = |tool: &str, given: &_| {
        let mut reply = caller.call(tool, given)?;
        reply.value = Rules::without(&reply.value, &key);
        Ok(reply)
    };
    if arguments.allow_reads {
        config.allow.extend(toolset.tools.iter().map(|tool| tool.name.clone()).filter(|name| seems_to_read(name)));
    }
    let found =
        explore(&toolset.tools, (&origins, &config.allow), (&rules, bounds), ask).map_err(|error| complaint(&error))?;
    write_explored(fcgen::assets(), &arguments.dir, &toolset, &arguments.locale, &found)
        .map_err(|error| complaint(&error))?;
    for (tool, why) in &found.skipped {
        say(format!("skipped: {tool}: {why}"));
    }
    let answered = found.called.iter().filter(|it| it.outcome == "answered").count();
    say(format!(
        "{path}: {}, {answered} with results; {} skipped",
        counted(found.called.len(), "call"),
        counted(found.skipped.len(), "tool")
    ));
    links(&arguments.dir, &arguments.locale)?.iter().for_each(say);
    if let Some(hint) = allowing(&found.skipped, arguments) {
        say(hint);
    }
    Ok(if found.called.is_empty() { YIELD } else { OK })
}

/// Which answers hold what other tools take; what was written must be usable.
fn links(folder: &Path, locale: &str) -> anyhow::Result<Vec<String>> {
    let toolset = Toolset::load(fcgen::assets(), &folder.display().to_string(), locale)?;
    let functions = toolset.world.iter().flat_map(|world| world.functions.values());
    let linked = functions.flat_map(|function| {
        let fed = function.parameters.iter().filter(|(_, parameter)| !parameter.from.is_empty());
        fed.map(|(name, parameter)| {
            let from: Vec<String> = parameter.from.iter().map(|source| format!("`{}`", source.tool)).collect();
            format!("linked: `{name}` of `{}` takes values from {}", function.name, from.join(", "))
        })
    });
    Ok(linked.collect())
}

/// The command that explores what was not allowed, where names say that tools read.
fn allowing(skipped: &indexmap::IndexMap<String, String>, arguments: &ExploreArguments) -> Option<String> {
    let readable: Vec<&str> = skipped
        .keys()
        .map(String::as_str)
        .filter(|tool| seems_to_read(tool) && !arguments.allow_reads && !arguments.allow.iter().any(|it| it == tool))
        .collect();
    if readable.is_empty() {
        return None;
    }
    let words = own_command().into_iter().chain(["--allow".to_owned(), readable.join(",")]);
    Some(format!("\nhint: some skipped tools are read-only judging by their names; to call them too: {}", shell(words)))
}

fn rules(folder: &Path) -> Result<Rules, LiveError> {
    let path = folder.join(RULES);
    match std::fs::read_to_string(&path) {
        Ok(text) => Rules::read(&path.display().to_string(), &text),
        Err(_) => Ok(Rules::default()),
    }
}

fn complaint(error: &LiveError) -> Complaint {
    let code = match error {
        LiveError::Target { .. } | LiveError::File { .. } | LiveError::Key { .. } => INPUT,
        _ => ENDPOINT,
    };
    Complaint::new(code, error.to_string()).hint(error.hint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_there_is_told() {
        let arguments = ServerArguments { mcp: None, api_key_env: None, timeout: 2 };
        let error = draft_listed("no-such-program-anywhere", &arguments).unwrap_err().to_string();
        assert!(error.contains("failed to start"), "{error}");
    }
}
