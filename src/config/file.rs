//! From text to typed tables: a pipeline file before its parts are compared with one another.

use super::declared::{DeclaredStage, check_name};
use super::overrides::{Overrides, find_deep_key};
use super::pipeline::{PIPELINE_KEYS, PipelineConfig};
use super::problem::{Problem, did_you_mean};
use super::problems::Source;
use super::roles::{self, DeclaredModel};
use super::section::Section;
use crate::config::check::worlds;
use crate::config::words::found;
use crate::live::WorldConfig;
use crate::llm::ModelConfig;
use indexmap::IndexMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Keys that a pipeline file may begin with.
const TOP: [&str; 4] = ["pipeline", "model", "world", "stage"];

/// The parser's word for a key that is there already.
const DUPLICATE: &str = "duplicate key";

/// A pipeline file, read.
#[derive(Debug)]
pub(crate) struct File {
    /// The `[pipeline]` table; the default where something is wrong with it.
    pub(crate) pipeline: PipelineConfig,
    /// The `[model.ROLE]` tables.
    pub(crate) models: Vec<DeclaredModel>,
    /// Roles that were declared, with or without faults.
    pub(crate) roles: Vec<String>,
    /// The `[world.TOOLSET]` tables.
    pub(crate) worlds: IndexMap<String, WorldConfig>,
    /// The `[[stage]]` tables.
    pub(crate) stages: Vec<DeclaredStage>,
}

/// Reads a file; `None` where its text is no TOML, because whatever else were said would only follow from that.
pub(crate) fn read(source: &Source, overrides: &Overrides, problems: &mut Vec<Problem>) -> Option<File> {
    if let Some(problem) = find_deep_key(source.text()) {
        problems.push(problem);
        return None;
    }
    let (table, sound) = parse(source, problems);
    if !sound {
        return None;
    }
    let mut table = table.into_inner();
    overrides.apply(source, &mut table, problems);
    for (key, _) in table.iter().filter(|(key, _)| !TOP.contains(&key.get_ref().as_ref())) {
        problems.push(unknown_top(key.get_ref(), key.span()));
    }
    let mut roles = Vec::new();
    let models = read_models(table.get("model"), &mut roles, problems);
    let pipeline = read_pipeline(table.get("pipeline"), problems);
    let stages = read_stages(table.get("stage"), problems);
    let worlds = worlds::read(table.get("world"), problems);
    Some(File { pipeline, models, roles, worlds, stages })
}

/// Parses the text; the first syntax error of each line is told, as the others follow from it.
///
/// A key given twice leaves a sound table, so the rest of the file is looked at as well.
fn parse<'s>(source: &'s Source, problems: &mut Vec<Problem>) -> (Spanned<DeTable<'s>>, bool) {
    let (table, mut errors) = DeTable::parse_recoverable(source.text());
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    let mut sound = true;
    let mut last = None;
    for error in errors {
        let span = error.span().unwrap_or_default();
        let line = source.spot(&span).and_then(|spot| spot.line);
        sound &= error.message() == DUPLICATE;
        if last != Some(line) {
            problems.push(syntax_problem(source, span, error.message()));
        }
        last = Some(line);
    }
    (table, sound)
}

fn syntax_problem(source: &Source, span: Range<usize>, message: &str) -> Problem {
    let key = source.text().get(span.clone()).filter(|_| message == DUPLICATE);
    let message = key.map_or_else(|| message.to_owned(), |key| format!("{message} `{key}`"));
    Problem::new(span, message)
}

fn unknown_top(key: &str, span: Range<usize>) -> Problem {
    let hint = if PIPELINE_KEYS.contains(&key) {
        format!("move `{key}` to `[pipeline]`")
    } else {
        did_you_mean(key, &TOP, "tables here")
    };
    Problem::new(span, format!("unknown key `{key}` at the top level")).hint(hint)
}

fn read_pipeline(value: Option<&Spanned<DeValue<'_>>>, problems: &mut Vec<Problem>) -> PipelineConfig {
    let Some(value) = value else { return PipelineConfig::default() };
    let Some(table) = value.get_ref().as_table() else {
        problems.push(not_a_table(value, "pipeline", "`[pipeline]`"));
        return PipelineConfig::default();
    };
    let section = Section::new(table.clone(), value.span(), "`[pipeline]`");
    let is_named = section.places().contains_key("name");
    let config: Option<PipelineConfig> = section.salvage(problems);
    if let (Some(config), true) = (&config, is_named) {
        check_name(&config.name, problems);
    }
    config.unwrap_or_default()
}

fn read_models(
    value: Option<&Spanned<DeValue<'_>>>,
    roles: &mut Vec<String>,
    problems: &mut Vec<Problem>,
) -> Vec<DeclaredModel> {
    let Some(value) = value else { return Vec::new() };
    let Some(tables) = value.get_ref().as_table() else {
        problems.push(not_a_table(value, "model", "`[model.ROLE]`"));
        return Vec::new();
    };
    roles.extend(tables.keys().map(|role| role.get_ref().to_string()));
    let models: Vec<DeclaredModel> =
        tables.iter().filter_map(|(role, value)| read_model(role.get_ref(), value, problems)).collect();
    problems.extend(roles::shared_folder(&models));
    models
}

fn read_model(role: &str, value: &Spanned<DeValue<'_>>, problems: &mut Vec<Problem>) -> Option<DeclaredModel> {
    let Some(table) = value.get_ref().as_table() else {
        problems.push(not_a_table(value, &format!("model.{role}"), "`[model.ROLE]`, such as `[model.generator]`"));
        return None;
    };
    let section = Section::new(table.clone(), value.span(), format!("`[model.{role}]`"));
    let places = section.places();
    let before = problems.len();
    let config: ModelConfig = section.salvage(problems)?;
    let model = DeclaredModel { role: role.to_owned(), config, places, span: value.span() };
    roles::check(&model, problems.len() == before, problems);
    Some(model)
}

fn read_stages(value: Option<&Spanned<DeValue<'_>>>, problems: &mut Vec<Problem>) -> Vec<DeclaredStage> {
    let Some(value) = value else {
        let hint = "start with a source:\n\n[[stage]]\nkind = \"toolset\"\npath = \"mobile\"";
        problems.push(Problem::new(0..0, "the pipeline has no stages").hint(hint));
        return Vec::new();
    };
    let items = value.get_ref().as_array().filter(|items| items.iter().all(|item| item.get_ref().is_table()));
    let Some(items) = items else {
        problems.push(not_a_table(value, "stage", "one `[[stage]]` for each stage"));
        return Vec::new();
    };
    items.iter().zip(1..).map(|(item, ordinal)| DeclaredStage::read(item, ordinal, problems)).collect()
}

fn not_a_table(value: &Spanned<DeValue<'_>>, key: &str, form: &str) -> Problem {
    let message = format!("`{key}` must not be {}", found(value.get_ref()));
    Problem::new(value.span(), message).hint(format!("write {form}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let overrides = Overrides::default();
        let mut problems = Vec::new();
        let _file = read(&Source::new("a.toml", text, &overrides), &overrides, &mut problems);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn the_three_tables_are_read() {
        let text = "[pipeline]\nname = \"n\"\n[model.judge]\n[[stage]]\nkind = \"toolset\"\npath = \"p\"";
        let overrides = Overrides::default();
        let file = read(&Source::new("a.toml", text, &overrides), &overrides, &mut Vec::new()).unwrap();
        assert_eq!((file.pipeline.name.as_str(), file.models[0].role.as_str()), ("n", "judge"));
        assert_eq!(file.stages.len(), 1);
    }

    #[test]
    fn the_first_syntax_error_of_each_line_is_told_and_nothing_else() {
        let messages = messages("a = [1, 2\nb = = 3\n[[stage]]\nkind = 4");
        assert!(!messages.is_empty() && messages.len() <= 3, "{messages:?}");
        assert!(!messages.iter().any(|message| message.contains("kind")), "{messages:?}");
    }

    #[test]
    fn a_duplicate_key_does_not_hide_the_rest() {
        let messages = messages("[[stage]]\nkind = \"toolset\"\npath = \"a\"\npath = \"b\"\nodd = 1");
        assert_eq!(messages, ["duplicate key `path`", "unknown key `odd` in stage `toolset`"]);
    }

    #[test]
    fn tables_of_another_shape_are_told_their_form() {
        assert_eq!(messages("pipeline = 1\nmodel = 2\nstage = 3").len(), 3);
        assert_eq!(messages("[model]\njudge = \"gpt\"\n[[stage]]\nkind = \"normalise\"").len(), 1);
        assert_eq!(messages("[stage]\nkind = \"toolset\""), ["`stage` must not be a table"]);
        assert_eq!(messages("seed = 3\n[[stage]]\nkind = \"normalise\""), ["unknown key `seed` at the top level"]);
    }

    #[test]
    fn an_empty_file_has_no_stages() {
        assert_eq!(messages(""), ["the pipeline has no stages"]);
    }
}
