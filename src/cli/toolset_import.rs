//! `fcgen toolset import`: a toolset from a description of an API, or from a list of tools.

use super::live::{self, ServerArguments};
use super::toolset::counts;
use crate::cli::console::exit::{Complaint, INPUT, OK, USAGE};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::{clip, counted, thousands};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fcgen::locale::Pack;
use fcgen::toolset::import::{Choice, Draft, Extra, ImportError, LeftOut, NameFrom, read_openapi, read_tools};
use fcgen::toolset::{Toolset, lint};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Flags of `toolset import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    // Not a doc comment: a name in one wants marks, which look odd on a help page.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present_any = ["tools", "mcp"],
        conflicts_with_all = ["tools", "mcp"],
        help = "API description: OpenAPI 3.0 or 3.1, or Swagger 2, as JSON or YAML"
    )]
    openapi: Option<PathBuf>,
    /// List of tools in OpenAI, Anthropic, BFCL, Hermes or xLAM format, as JSON or JSON Lines
    #[arg(long, value_name = "FILE", conflicts_with = "mcp")]
    tools: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArguments,
    /// Output folder; default: toolsets/NAME, after the file name
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Language of the descriptions
    #[arg(long, value_name = "L", default_value = "en")]
    locale: String,
    /// Only operations with this tag (repeatable)
    #[arg(long, value_name = "TAG", conflicts_with_all = ["tools", "mcp"])]
    tag: Vec<String>,
    /// Only operations whose operationId or `METHOD /path` matches; `*` is a wildcard (repeatable)
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["tools", "mcp"])]
    only: Vec<String>,
    /// Exclude matching operations (repeatable)
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["tools", "mcp"])]
    except: Vec<String>,
    /// Groups of parameters to keep that are skipped by default, because users never state them (comma-separated)
    #[arg(long, value_name = "GROUPS", value_delimiter = ',', value_parser = group(), conflicts_with_all = ["tools", "mcp"])]
    with: Vec<Extra>,
    /// Source of tool names: `operationId`, method and path (`get_warehouse_stock`), or summary (`list_carriers`)
    #[arg(long, value_name = "WHAT", default_value = "operationId", value_parser = name_from(), conflicts_with_all = ["tools", "mcp"])]
    name_from: NameFrom,
}

fn group() -> impl TypedValueParser<Value = Extra> {
    let word = |word: String| Extra::ALL.into_iter().find(|group| group.word() == word).ok_or("unknown group");
    PossibleValuesParser::new(Extra::ALL.map(Extra::word)).try_map(word)
}

fn name_from() -> impl TypedValueParser<Value = NameFrom> {
    PossibleValuesParser::new(["operationId", "path", "summary"]).map(|word| match word.as_str() {
        "path" => NameFrom::Path,
        "summary" => NameFrom::Summary,
        _ => NameFrom::OperationId,
    })
}

/// Most kinds of losses and findings that are told; all are in `import.json`, and in what `toolset lint` says.
const TOLD: usize = 12;

/// Widest column of a table.
const WIDE: usize = 88;

/// Reads, writes the folder, and tells what was lost on the way.
pub(crate) fn run(arguments: &ImportArguments) -> anyhow::Result<u8> {
    let pack = Pack::load(fcgen::assets(), &arguments.locale)?;
    let (file, draft) = arguments.draft()?;
    if draft.tools.is_empty() {
        return Err(nothing(&file, &draft).into());
    }
    let stem = file.file_stem().unwrap_or_default();
    let out = arguments.out.clone().unwrap_or_else(|| Path::new("toolsets").join(stem));
    draft.write(&out, &pack).map_err(|error| cannot_write(&out, &error))?;
    if arguments.server.mcp.is_some() {
        live::write_answer_rules(&out)?;
    }
    tell(&draft);
    tell_findings(&out, &arguments.locale, pack)?;
    give(out.display())?;
    Ok(OK)
}

impl ImportArguments {
    /// What it comes from, by a name for the folder, and what it became.
    fn draft(&self) -> anyhow::Result<(PathBuf, Draft)> {
        let choice = Choice {
            tags: self.tag.clone(),
            only: self.only.clone(),
            except: self.except.clone(),
            with: self.with.clone(),
            name_from: self.name_from,
        };
        let complaint = |error: ImportError| Complaint::new(INPUT, error.to_string());
        let draft = match (&self.openapi, &self.tools, &self.server.mcp) {
            (Some(file), ..) => read_openapi(&name(file), &read(file)?, &choice).map_err(|error| of_openapi(&error))?,
            (None, Some(file), _) => read_tools(&name(file), &read(file)?).map_err(complaint)?,
            (None, None, Some(mcp)) => live::draft_listed(mcp, &self.server)?,
            (None, None, None) => {
                let message = "nothing to import: expected `--openapi FILE`, `--tools FILE` or `--mcp SERVER`";
                return Err(Complaint::new(USAGE, message).into());
            }
        };
        let file = self.openapi.as_ref().or(self.tools.as_ref()).cloned();
        Ok((file.unwrap_or_else(|| PathBuf::from(&draft.source.file)), draft))
    }
}

fn nothing(file: &Path, draft: &Draft) -> Complaint {
    if draft.found == 0 {
        return Complaint::new(INPUT, format!("{}: no tools found", name(file)));
    }
    let complaint = Complaint::new(
        INPUT,
        format!("{}: no operation matches the filters ({} found)", name(file), counted(draft.found, "operation")),
    );
    complaint.hint("check `--tag`, `--only` and `--except`")
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(file: &Path) -> Result<String, Complaint> {
    fs::read_to_string(file).map_err(|error| Complaint::new(INPUT, format!("`{}`: {error}", file.display())))
}

fn of_openapi(error: &ImportError) -> Complaint {
    let complaint = Complaint::new(INPUT, error.to_string());
    if error.message.starts_with("not an API description") {
        complaint.hint("for a list of tools, use `--tools FILE`")
    } else {
        complaint
    }
}

fn cannot_write(out: &Path, error: &std::io::Error) -> Complaint {
    let complaint = Complaint::new(INPUT, format!("cannot write `{}`: {error}", out.display()));
    if error.kind() == std::io::ErrorKind::AlreadyExists {
        complaint.hint("choose another folder with `--out`, or remove this one")
    } else {
        complaint
    }
}

/// How many tools came over, and a table of what did not.
fn tell(draft: &Draft) {
    let report = draft.report();
    say(format!(
        "{} ({}): {} of {} imported",
        report.source.file,
        report.source.form,
        thousands(report.carried as u64),
        counted(report.chosen, "tool")
    ));
    if report.chosen < report.found {
        say(format!("{} excluded by filters", counted(report.found - report.chosen, "operation")));
    }
    tell_left_out(&report.left_out);
    if report.losses.is_empty() {
        return;
    }
    let mut kinds: Vec<(&String, &usize)> = report.counts.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    say(format!("\nwarnings: {} not converted:", counted(report.losses.len(), "detail")));
    for (message, count) in kinds.iter().take(TOLD) {
        let first = report.losses.iter().find(|loss| loss.message == **message);
        let place = first.map_or_else(String::new, |loss| {
            loss.line.map_or_else(|| loss.place.clone(), |line| format!("line {line}"))
        });
        say(format!("{count:>6}  {}  ({}{place})", clip(message, WIDE), if **count > 1 { "first: " } else { "" }));
    }
    if kinds.len() > TOLD {
        say(format!("        and {} more", counted(kinds.len() - TOLD, "kind")));
    }
    say("        all with their locations: import.json");
}

/// How many parameters were left out on purpose, and those of them that the server needs.
fn tell_left_out(left_out: &[LeftOut]) {
    let groups: BTreeSet<Extra> = left_out.iter().map(|it| it.group).collect();
    let words: Vec<&str> = groups.iter().map(|group| group.word()).collect();
    let kinds: Vec<&str> = words.iter().map(|word| word.strip_suffix('s').unwrap_or(word)).collect();
    if !groups.is_empty() {
        let count = left_out.iter().map(|it| it.times).sum();
        let noun = match kinds.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last} parameter", first.join(", ")),
            kinds => format!("{} parameter", kinds.concat()),
        };
        let them = if count == 1 { "it" } else { "them" };
        say(format!("{} skipped; `--with {}` keeps {them}", counted(count, &noun), words.join(",")));
    }
    for it in left_out.iter().filter(|it| it.required) {
        let place = it.line.map_or_else(|| it.place.clone(), |line| format!("line {line}"));
        say(format!("        `{}` is required by the server  ({place})", it.name));
    }
}

/// What the lint finds in what came, in numbers: the commonest messages.
fn tell_findings(out: &Path, locale: &str, mut pack: Pack) -> anyhow::Result<()> {
    let path = out.to_string_lossy();
    let toolset = Toolset::load(fcgen::assets(), &path, locale)?;
    toolset.extend(&mut pack)?;
    let mut findings = lint(fcgen::assets(), &toolset, &pack);
    findings.sort_by_key(|it| it.severity);
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for finding in &findings {
        // Names stand in backticks; one finding is like another, whatever it names and however much.
        let mut message = finding.message.split('`').step_by(2).collect::<Vec<_>>().join("...");
        message.insert_str(0, &format!("{}: ", finding.severity));
        while message.contains("..., ...") {
            message = message.replace("..., ...", "...");
        }
        match kinds.iter_mut().find(|(known, _)| *known == message) {
            Some((_, count)) => *count += 1,
            None => kinds.push((message, 1)),
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    say(format!("\nlint: {}:", counts(&findings)));
    for (message, count) in kinds.iter().take(TOLD) {
        say(format!("{count:>6}  {}", clip(message, WIDE)));
    }
    say(format!("        all with locations and suggested fixes: fcgen toolset lint {path} --locale {locale}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        import: ImportArguments,
    }

    fn arguments(line: &str) -> Result<ImportArguments, String> {
        let words = ["import"].into_iter().chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.import).map_err(|error| error.to_string())
    }

    #[test]
    fn one_source_is_named() {
        assert!(arguments("").is_err() && arguments("--openapi a --tools b").is_err());
        assert!(arguments("--tools a --tag b").is_err());
        assert_eq!(arguments("--openapi a --only b --only c").unwrap().only, ["b", "c"]);
    }

    #[test]
    fn groups_of_parameters_and_sources_of_names_are_words() {
        let given = arguments("--openapi a --with headers,pagination --name-from path").unwrap();
        assert_eq!(
            (given.with.as_slice(), given.name_from),
            ([Extra::Headers, Extra::Pagination].as_slice(), NameFrom::Path)
        );
        let absent = arguments("--openapi a").unwrap();
        assert!(absent.with.is_empty() && absent.name_from == NameFrom::OperationId);
        assert!(
            arguments("--openapi a --with pages")
                .unwrap_err()
                .contains("possible values: headers, cookies, pagination")
        );
        assert!(arguments("--tools a --with headers").is_err() && arguments("--openapi a --name-from tag").is_err());
    }

    #[test]
    fn what_is_no_description_is_input_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.yaml");
        let fault = |text: &str| {
            fs::write(&file, text).unwrap();
            run(&arguments(&format!("--openapi {}", file.display())).unwrap()).unwrap_err().to_string()
        };
        assert!(fault("a: [1").starts_with("x.yaml: line "), "{}", fault("a: [1"));
        insta::assert_snapshot!(fault("tools: []\nname: x"), @"x.yaml: not an API description: expected the key `openapi` or `swagger` at the top level, found `tools`, `name`");
        insta::assert_snapshot!(fault("openapi: 4.0.0"), @"x.yaml: /openapi: unsupported version `4.0.0`; expected 3.0 or 3.1");
        insta::assert_snapshot!(fault("openapi: 3.1.0"), @"x.yaml: /paths: expected an object with the paths of the API");
        insta::assert_snapshot!(fault("openapi: 3.1.0\npaths: {}"), @"x.yaml: no tools found");
    }
}
