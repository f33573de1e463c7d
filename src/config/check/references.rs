//! The files that a pipeline names: they are there, and hold what their stage expects.

use crate::config::check::categories::{category_fault, idle_patterns};
use crate::config::check::prompt::prompt_variables;
use crate::config::check::reach::Stray;
use crate::config::declared::DeclaredStage;
use crate::config::file::File;
use crate::config::files::Files;
use crate::config::located::Located;
use crate::config::pipeline::{NONE, REFERENCE_TIME};
use crate::config::problem::{Problem, did_you_mean, listed};
use crate::config::roles::{DeclaredModel, ROLES};
use crate::locale::Stamp;
use crate::stage::{Content, GenerateConfig, NamedFile};
use crate::toml_text::{deep_key, too_deep};
use crate::toolset::list_categories;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Where files are, and which of them the command line names.
pub(crate) struct Named<'f> {
    /// The places where files are looked for.
    pub(crate) files: &'f Files,
    /// The byte of the source from which on everything was said by flags.
    pub(crate) flags: usize,
}

/// Checks the locale, the roles and every file that a stage names.
pub(crate) fn check(file: &File, from: &[Vec<usize>], named: &Named<'_>, problems: &mut Vec<Problem>) {
    let files = named.files;
    problems.extend(check_locale(file, files).or_else(|| named.locale_stray(&file.pipeline.locale)));
    problems.extend(file.models.iter().filter_map(|model| named.script_stray(model)));
    problems.extend(file.models.iter().filter_map(|model| named.batches_stray(model)));
    if let Some(path) = file.pipeline.people.as_ref().filter(|path| path.as_str() != NONE) {
        let people = NamedFile { key: "people", path, content: Content::Table };
        let stray = named.file_stray(&people, "`[pipeline]`");
        problems.extend(stray.or_else(|| check_file(&people, "`[pipeline]`", files)));
    }
    if let Some(path) = file.pipeline.banks.as_ref().filter(|path| path.as_str() != NONE) {
        let what = format!("`{path}`, the `banks` of `[pipeline]`,");
        let missing =
            || files.list(path).is_empty().then(|| Problem::new(path.span(), format!("{what} is not a folder")));
        problems.extend(named.stray(&[path.to_string()], &path.span(), &what).or_else(missing));
    }
    if let Some(time) = file.pipeline.reference_time.as_ref() {
        let is_whole = Stamp::read(time).is_some_and(|stamp| stamp.date.is_some());
        let message = format!("`{time}` is not an ISO 8601 date or time");
        let hint = format!("use the form `{REFERENCE_TIME}`");
        problems.extend((!is_whole).then(|| Problem::new(time.span(), message).hint(hint)));
    }
    for (index, stage) in file.stages.iter().enumerate() {
        problems.extend(check_role(file, stage));
        let Some(config) = &stage.stage else { continue };
        let settings = config.settings();
        let strays: Vec<Problem> = settings.files.iter().filter_map(|it| named.file_stray(it, &stage.label)).collect();
        if !strays.is_empty() {
            // What is out of reach is not looked into, not even to say what else is wrong.
            problems.extend(strays);
            continue;
        }
        for named in &settings.files {
            problems.extend(check_file(named, &stage.label, files));
        }
        if let Some(generate) = settings.rows {
            check_variables(file, from, index, generate, files, problems);
        }
        if let Some(toolset) = settings.toolset {
            problems.extend(idle_patterns(toolset, &stage.label, files));
        }
    }
}

impl Named<'_> {
    fn file_stray(&self, file: &NamedFile<'_>, label: &str) -> Option<Problem> {
        let path = file.path.as_str();
        let places = match file.content {
            // A toolset is looked for by both names.
            Content::Toolset => vec![path.to_owned(), format!("toolsets/{path}")],
            _ => vec![path.to_owned()],
        };
        self.stray(&places, &file.path.span(), &format!("`{path}`, the `{}` of {label},", file.key))
    }

    fn script_stray(&self, model: &DeclaredModel) -> Option<Problem> {
        let path = model.config.script.as_ref()?.to_str()?.to_owned();
        let place = model.places.get("script").cloned().unwrap_or_else(|| model.span.clone());
        let what = format!("`{path}`, the `script` of `[model.{}]`,", model.role);
        self.stray(&[path], &place, &what)
    }

    /// Prompts are written below `batch_dir`.
    fn batches_stray(&self, model: &DeclaredModel) -> Option<Problem> {
        let path = model.config.batch_dir.as_ref()?.to_str()?;
        let place = model.places.get("batch_dir").cloned().unwrap_or_else(|| model.span.clone());
        if place.start >= self.flags {
            return None;
        }
        let stray = self.files.judge_here(path).err()?;
        Some(led_out(&stray, &place, &format!("`{path}`, the `batch_dir` of `[model.{}]`,", model.role)))
    }

    /// A locale's files win over those that ship where they stand in the working folder, and so do prompts.
    fn locale_stray(&self, locale: &Located) -> Option<Problem> {
        let places = [format!("locales/{locale}"), "prompts".to_owned()];
        self.stray(&places, &locale.span(), &format!("locale `{locale}`"))
    }

    fn stray(&self, paths: &[String], place: &Range<usize>, what: &str) -> Option<Problem> {
        if place.start >= self.flags {
            return None;
        }
        let stray = paths.iter().find_map(|path| self.files.judge(path).err())?;
        Some(led_out(&stray, place, what))
    }
}

fn led_out(stray: &Stray, place: &Range<usize>, what: &str) -> Problem {
    let link = match stray {
        Stray::Written => String::new(),
        Stray::Linked { from, to } => format!(": `{}` is a link to `{}`", from.display(), to.display()),
    };
    Problem::new(place.clone(), format!("{what} is outside the project folder{link}")).hint(STRAY_HINT)
}

/// The way out.
const STRAY_HINT: &str = "files must be below the working folder or the folder of the pipeline file; use \
    `--allow-path DIR` to allow another folder";

fn check_locale(file: &File, files: &Files) -> Option<Problem> {
    let locale = &file.pipeline.locale;
    let known = files.locales();
    if known.iter().any(|code| code.as_str() == locale.as_str()) {
        return None;
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let hint = format!(
        "{}; create a draft of a new one with `fcgen locale new {locale}`",
        did_you_mean(locale, &known, "locales")
    );
    Some(Problem::new(locale.span(), format!("unknown locale `{locale}`")).hint(hint))
}

fn check_role(file: &File, stage: &DeclaredStage) -> Option<Problem> {
    let role = stage.model.as_ref()?;
    if stage.stage.as_ref().is_some_and(|stage| stage.role().is_none()) {
        return Some(Problem::new(
            role.span(),
            format!("{} does not use a model, so `model` has no effect", stage.label),
        ));
    }
    let mut known: Vec<&str> = ROLES.to_vec();
    known.extend(file.roles.iter().map(String::as_str).filter(|role| !ROLES.contains(role)));
    let unknown = !known.contains(&role.as_str());
    unknown.then(|| {
        let hint = format!("{}; declare a role with `[model.{role}]`", did_you_mean(role, &known, "roles here"));
        Problem::new(role.span(), format!("unknown role `{role}` in {}", stage.label)).hint(hint)
    })
}

fn check_file(named: &NamedFile<'_>, label: &str, files: &Files) -> Option<Problem> {
    let path = named.path.as_str();
    let fault = match (named.content, files.read(path)) {
        (Content::Toolset, _) => return check_toolset(named, label, files),
        (_, None) => {
            return Some(
                missing("file", named, label)
                    .hint("paths are resolved next to the pipeline file, then in the working folder"),
            );
        }
        (Content::Table, Some(text)) => columns(path, &text).err(),
        (Content::Prompt, Some(text)) => prompt_variables(&text).err(),
        (Content::Schema, Some(text)) => schema_fault(&text),
        (Content::Categories, Some(text)) => category_fault(&text),
    };
    fault.map(|fault| faulty(named, label, &fault))
}

fn faulty(named: &NamedFile<'_>, label: &str, fault: &str) -> Problem {
    Problem::new(named.path.span(), format!("`{}`, the `{}` of {label}: {fault}", named.path, named.key)).input()
}

fn missing(what: &str, named: &NamedFile<'_>, label: &str) -> Problem {
    let message = format!("no {what} `{}`, set as `{}` of {label}", named.path, named.key);
    Problem::new(named.path.span(), message)
}

fn check_toolset(named: &NamedFile<'_>, label: &str, files: &Files) -> Option<Problem> {
    let path = named.path.as_str();
    let plain_name = !path.is_empty() && !path.contains(['/', '\\']);
    let shipped = plain_name && !files.list(&format!("toolsets/{path}")).is_empty();
    if shipped || !files.list(path).is_empty() {
        return None;
    }
    let problem = match files.read(path) {
        Some(text) => faulty(named, label, &list_categories(&text).err()?),
        None => missing("toolset", named, label),
    };
    let names: Vec<String> = files.list("toolsets").into_iter().filter(|name| !name.contains('.')).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = format!("expected a built-in toolset ({}), a folder, or a `.json` list of tools", listed(&names));
    Some(problem.hint(hint))
}

fn schema_fault(text: &str) -> Option<String> {
    let schema: serde_json::Value = match serde_json::from_str(text) {
        Ok(schema) => schema,
        Err(error) => return Some(format!("not JSON: {error}")),
    };
    jsonschema::validator_for(&schema).err().map(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
        format!("invalid JSON Schema{place}: {error}")
    })
}

fn check_variables(
    file: &File,
    from: &[Vec<usize>],
    index: usize,
    config: &GenerateConfig,
    files: &Files,
    problems: &mut Vec<Problem>,
) {
    let (Some(text), Some(stage)) = (files.read(&config.prompt), file.stages.get(index)) else { return };
    let inputs: Vec<&GenerateConfig> = from
        .get(index)
        .into_iter()
        .flatten()
        .filter_map(|input| file.stages.get(*input)?.stage.as_ref()?.settings().rows)
        .collect();
    let (Ok(used), Some(columns)) = (prompt_variables(&text), row_columns(config, &inputs, files)) else { return };
    let supplied: Vec<&str> = columns.iter().map(String::as_str).chain(GenerateConfig::VARIABLES).collect();
    for name in used.iter().filter(|name| !supplied.contains(&name.as_str())) {
        let message = format!("`{}` uses `{name}`, which {} does not provide", config.prompt, stage.label);
        problems.push(Problem::new(config.prompt.span(), message).hint(did_you_mean(name, &supplied, "variables")));
    }
}

/// Columns of the rows that a stage works on; `None` where a file that would tell has faults of its own.
fn row_columns(config: &GenerateConfig, inputs: &[&GenerateConfig], files: &Files) -> Option<Vec<String>> {
    if let Some(path) = &config.table {
        return columns(path, &files.read(path)?).ok();
    }
    if config.is_source() {
        return Some(Vec::new());
    }
    let mut of_inputs = inputs.iter().map(|input| answer_fields(input, files));
    let first = of_inputs.next()??;
    // A row can come from any of the inputs, so only what all of them have is sure to be there.
    of_inputs.try_fold(first, |common, fields| {
        let fields = fields?;
        Some(common.into_iter().filter(|name| fields.contains(name)).collect())
    })
}

/// The fields of a stage's answers.
fn answer_fields(config: &GenerateConfig, files: &Files) -> Option<Vec<String>> {
    let Some(path) = &config.schema else { return Some(vec!["text".to_owned()]) };
    let schema: serde_json::Value = serde_json::from_str(&files.read(path)?).ok()?;
    let properties = schema.get("properties")?.as_object()?;
    Some(properties.keys().cloned().collect())
}

// The columns of an input table, known before a run so that a prompt's variables can be checked.

/// Most JSON lines that are looked at: the columns of a table are those of its beginning.
const LOOKED_AT: usize = 100;

/// Names of a table's columns; what is wrong with it otherwise.
pub(crate) fn columns(path: &str, text: &str) -> Result<Vec<String>, String> {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("csv") => csv_columns(text),
        Some("jsonl") => jsonl_columns(text),
        Some("toml") => toml_columns(text),
        _ => Err("unsupported table format; expected `.csv`, `.jsonl` or `.toml`".to_owned()),
    }
}

fn csv_columns(text: &str) -> Result<Vec<String>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| error.to_string())?;
    not_empty(names.iter().map(str::to_owned).collect())
}

fn jsonl_columns(text: &str) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines.take(LOOKED_AT) {
        let row: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|_| format!("line {number} is not a JSON object"))?;
        names.extend(row.into_iter().map(|(name, _)| name));
    }
    not_empty(names)
}

/// The rows of a TOML table are the entries of its lists of tables, whatever those are called.
fn toml_columns(text: &str) -> Result<Vec<String>, String> {
    if deep_key(text).is_some() {
        return Err(too_deep());
    }
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    let lists = table.get_ref().values().filter_map(|value| value.get_ref().as_array());
    let rows = lists.flat_map(|list| list.iter()).filter_map(|row| match row.get_ref() {
        DeValue::Table(row) => Some(row),
        _ => None,
    });
    not_empty(rows.flat_map(|row| row.keys().map(|key| key.get_ref().to_string())).collect())
}

fn not_empty(mut names: Vec<String>) -> Result<Vec<String>, String> {
    names.sort();
    names.dedup();
    if names.is_empty() { Err("no rows".to_owned()) } else { Ok(names) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::check::graph;
    use crate::config::{Overrides, Source, file};
    use std::fs;

    /// Checks a pipeline in a folder with the given files, a locale `en`, and a toolset `mobile`.
    fn messages(text: &str, given: &[(&str, &str)]) -> Vec<String> {
        problems(text, given).into_iter().map(|problem| problem.message).collect()
    }

    fn problems(text: &str, given: &[(&str, &str)]) -> Vec<Problem> {
        let folder = tempfile::tempdir().unwrap();
        let always = [("locales/en/pack.toml", ""), ("toolsets/mobile/tools.json", "[]")];
        for (path, text) in always.iter().chain(given) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let overrides = Overrides::default();
        let mut problems = Vec::new();
        let file = file::read(&Source::new("a.toml", text, &overrides), &overrides, &mut problems).unwrap();
        let from = graph::link(&file, &mut problems);
        let files = Files::within(crate::fixtures::assets(), folder.path());
        check(&file, &from, &Named { files: &files, flags: usize::MAX }, &mut problems);
        problems
    }

    const GENERATE: &str = "[[stage]]\nkind = \"generate\"\nprompt = \"p.md\"\n";

    #[test]
    fn a_prompt_may_use_its_rows_columns_and_what_every_row_has() {
        let text = format!("{GENERATE}table = \"t.csv\"");
        let files = [("p.md", "{{ city }} {{ row | json }} {{ locale }} {{ ordinal }}"), ("t.csv", "city\nSeoul\n")];
        assert_eq!(messages(&text, &files), Vec::<String>::new());
        let files = [("p.md", "{{ town }}"), ("t.csv", "city\nSeoul\n")];
        assert_eq!(messages(&text, &files), ["`p.md` uses `town`, which stage `generate` does not provide"]);
    }

    #[test]
    fn a_second_generate_stage_uses_the_fields_of_the_first() {
        let more = "schema = \"s.json\"\ncount = 1\n[[stage]]\nkind = \"generate\"\nname = \"b\"\nprompt = \"q.md\"";
        let schema = ("s.json", "{\"properties\": {\"city\": {}}}");
        let check = |prompt: &str| messages(&format!("{GENERATE}{more}"), &[("p.md", "x"), ("q.md", prompt), schema]);
        assert_eq!(check("{{ city }}"), Vec::<String>::new());
        assert_eq!(check("{{ town }}"), ["`q.md` uses `town`, which stage `b` (generate) does not provide"]);
    }

    #[test]
    fn without_a_schema_an_answer_is_a_text() {
        let more = "count = 1\n[[stage]]\nkind = \"generate\"\nname = \"b\"\nprompt = \"q.md\"";
        assert!(messages(&format!("{GENERATE}{more}"), &[("p.md", ""), ("q.md", "{{ text }}")]).is_empty());
    }

    #[test]
    fn a_toolset_is_a_name_a_folder_or_a_list() {
        let check = |path: &str, files: &[(&str, &str)]| {
            let stages = format!("[[stage]]\nkind = \"toolset\"\npath = \"{path}\"\n");
            let rest = "[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"";
            messages(&format!("{stages}{rest}"), files)
        };
        assert!(check("mobile", &[]).is_empty());
        assert!(check("toolsets/mobile", &[]).is_empty());
        assert!(check("t.json", &[("t.json", "[{\"name\": \"f\"}]")]).is_empty());
        assert!(check("t.json", &[("t.json", "{\"tools\": [{\"name\": \"f\"}]}")]).is_empty());
        assert_eq!(check("t.json", &[]), ["no toolset `t.json`, set as `path` of stage `toolset`"]);
        assert!(check("t.json", &[("t.json", "{}")])[0].contains("expected a JSON list of tools"));
        assert!(check("t.json", &[("t.json", "{")])[0].contains("not JSON"));
        assert_eq!(check("", &[]).len(), 1);
    }

    #[test]
    fn a_schema_compiles() {
        let text = format!("{GENERATE}schema = \"s.json\"\ncount = 1");
        let check = |schema: &str| messages(&text, &[("p.md", ""), ("s.json", schema)]);
        assert!(check("{\"type\": \"object\"}").is_empty());
        assert!(check("{\"type\": \"dict\"}")[0].contains("invalid JSON Schema at `/type`"));
        assert!(check("{")[0].contains("not JSON"));
    }

    #[test]
    fn a_faulty_file_is_told_apart_from_a_file_that_is_not_there() {
        let text = format!("{GENERATE}schema = \"s.json\"\ncount = 1");
        let of_inputs = |given: &[(&str, &str)]| -> Vec<bool> {
            problems(&text, given).iter().map(|problem| problem.is_input).collect()
        };
        assert_eq!(of_inputs(&[("p.md", ""), ("s.json", "{")]), [true]);
        assert_eq!(of_inputs(&[("p.md", "")]), [false]);
    }

    #[test]
    fn what_is_out_of_reach_is_told_once_and_not_looked_into() {
        let text = format!("{GENERATE}table = \"../t.csv\"");
        assert_eq!(
            messages(&text, &[("p.md", "{{ city }}")]),
            ["`../t.csv`, the `table` of stage `generate`, is outside the project folder"]
        );
        let script = format!("[model.generator]\nprovider = \"scripted\"\nscript = \"/s.jsonl\"\n{GENERATE}count = 1");
        assert_eq!(
            messages(&script, &[("p.md", "x")]),
            ["`/s.jsonl`, the `script` of `[model.generator]`, is outside the project folder"]
        );
        let inner = format!("{GENERATE}table = \"a/../t.csv\"");
        let files = [("p.md", "{{ city }}"), ("t.csv", "city\nBree\n"), ("a/x", "")];
        assert_eq!(messages(&inner, &files), Vec::<String>::new());
    }

    #[test]
    fn a_role_is_declared_and_asked() {
        let stage = "[[stage]]\nkind = \"toolkits\"\nmodel = \"writer\"\n";
        assert_eq!(messages(stage, &[]), ["unknown role `writer` in stage `toolkits`"]);
        assert!(messages(&format!("[model.writer]\n{stage}"), &[]).is_empty());
        let silent = "[[stage]]\nkind = \"toolkits\"\n[[stage]]\nkind = \"normalise\"\nmodel = \"judge\"";
        assert_eq!(messages(silent, &[]), ["stage `normalise` does not use a model, so `model` has no effect"]);
    }
}

#[cfg(test)]
mod table_tests {
    use super::*;

    #[test]
    fn every_form_of_table_names_its_columns() {
        assert_eq!(columns("a.csv", "name,city\nx,y\n").unwrap(), ["city", "name"]);
        assert_eq!(columns("a.jsonl", "{\"name\": 1}\n\n{\"city\": 2}\n").unwrap(), ["city", "name"]);
        assert_eq!(columns("a.toml", "[[row]]\nname = 1\n[[row]]\ncity = 2\n").unwrap(), ["city", "name"]);
    }

    #[test]
    fn what_is_no_table_says_why() {
        assert_eq!(
            columns("a.xlsx", "").unwrap_err(),
            "unsupported table format; expected `.csv`, `.jsonl` or `.toml`"
        );
        assert_eq!(columns("a.jsonl", "{}\n[1]").unwrap_err(), "line 2 is not a JSON object");
        assert_eq!(columns("a.csv", "").unwrap_err(), "no rows");
        assert_eq!(columns("a.toml", "a = 1").unwrap_err(), "no rows");
        assert!(columns("a.toml", "a = ").is_err());
    }
}
