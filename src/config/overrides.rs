//! What the command line says differently from the file: `--set key=value`, and the flags that stand for a key.
//!
//! They change the parsed table before it is read, so that an override is checked like a line of the file.

use super::pipeline::PIPELINE_KEYS;
use super::problem::{Problem, did_you_mean};
use super::problems::Source;
use crate::toml_text::{MOST_PARTS, deep_key, too_deep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Overrides, in the order in which they were given; the last one wins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Overrides(Vec<Override>);

/// One override as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Override {
    /// The flag, for people.
    pub(crate) flag: String,
    /// The key that a flag stands for; `--set` carries its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// What was typed behind the flag.
    pub(crate) text: String,
    /// Whether the text is a string whatever it looks like.
    #[serde(default)]
    literal: bool,
}

/// A key, part by part, each with its place.
type Path = Vec<(String, Range<usize>)>;

impl Overrides {
    /// `--set key=value`: the value is read as TOML, and is a string where it is none.
    pub fn set(&mut self, text: impl Into<String>) {
        self.0.push(Override { flag: "--set".to_owned(), key: None, text: text.into(), literal: false });
    }

    /// A flag that stands for a key (`--seed 9` for `pipeline.seed`), its value read as TOML.
    pub fn flag(&mut self, flag: &str, key: &str, value: impl Into<String>) {
        let (flag, key) = (flag.to_owned(), Some(key.to_owned()));
        self.0.push(Override { flag, key, text: value.into(), literal: false });
    }

    /// A flag whose value is always a string (`--locale no`, `--model 7`).
    pub fn text_flag(&mut self, flag: &str, key: &str, value: impl Into<String>) {
        let (flag, key) = (flag.to_owned(), Some(key.to_owned()));
        self.0.push(Override { flag, key, text: value.into(), literal: true });
    }

    /// Whether nothing is said differently.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These and, behind them, others.
    #[must_use]
    pub fn then(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// Those that say something of the generator; what they say of stages means nothing where there are others.
    pub(super) fn of_models(&self) -> Self {
        let is_kept = |given: &&Override| given.key.as_deref().unwrap_or(&given.text).starts_with("model.generator");
        Self(self.0.iter().filter(is_kept).cloned().collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Override> {
        self.0.iter()
    }

    /// Changes the table; what cannot be placed is a problem.
    pub(crate) fn apply<'s>(&self, source: &'s Source, table: &mut DeTable<'s>, problems: &mut Vec<Problem>) {
        for (index, given) in self.0.iter().enumerate() {
            let Some((text, start)) = source.given(index) else { continue };
            problems.extend(given.apply(text, start, table).err());
        }
    }
}

impl Override {
    fn apply<'s>(&self, text: &'s str, start: usize, table: &mut DeTable<'s>) -> Result<(), Problem> {
        let whole = start..start + text.len();
        if let Some(key) = &self.key {
            if key == PROVIDER {
                forget_script(table);
            }
            return place(table, &parts(key, None, whole), &read(text, start, self.literal));
        }
        let Some((key, value)) = text.split_once('=') else {
            let hint = "use `--set key=value`, such as `--set scale=3`";
            return Err(Problem::new(whole, format!("no value in `{text}`")).hint(hint));
        };
        if is_too_deep(key) {
            return Err(deep_key_problem(start..start + key.len()));
        }
        place(table, &parts(key, Some(start), whole), &read(value, start + key.len() + 1, self.literal))
    }
}

/// The key by which flags name a server in place of whoever the file has answer.
const PROVIDER: &str = "model.generator.provider";

/// The replies of a recorded model mean nothing to another one.
fn forget_script(table: &mut DeTable<'_>) {
    if let Some(DeValue::Table(models)) = table.get_mut("model").map(Spanned::get_mut)
        && let Some(DeValue::Table(generator)) = models.get_mut("generator").map(Spanned::get_mut)
    {
        generator.remove("script");
    }
}

impl<S: Into<String>> FromIterator<S> for Overrides {
    /// Each text as behind a `--set`.
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut overrides = Self::default();
        for text in texts {
            overrides.set(text);
        }
        overrides
    }
}

/// The parts of a dotted key; each at its own place if the key was typed, else all at the flag's value.
fn parts(key: &str, start: Option<usize>, whole: Range<usize>) -> Path {
    let mut offset = 0;
    let mut path = Path::new();
    for part in key.split('.') {
        let span = start.map_or(whole.clone(), |start| start + offset..start + offset + part.len());
        path.push((part.trim().to_owned(), span));
        offset += part.len() + 1;
    }
    path
}

fn read(text: &str, offset: usize, literal: bool) -> Spanned<DeValue<'_>> {
    let value = if literal || find_deep_key(text).is_some() { None } else { DeValue::parse(text.trim()).ok() };
    let begin = offset + (text.len() - text.trim_start().len());
    match value {
        Some(value) => shifted(value, begin),
        None => Spanned::new(offset..offset + text.len(), DeValue::String(Cow::Borrowed(text.trim()))),
    }
}

/// The value with all its places moved by `by` bytes.
fn shifted(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let move_by = |span: Range<usize>| span.start + by..span.end + by;
    let span = move_by(value.span());
    let moved = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(array.into_iter().map(|item| shifted(item, by)).collect()),
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| {
                let span = move_by(key.span());
                (Spanned::new(span, key.into_inner()), shifted(value, by))
            });
            DeValue::Table(entries.collect())
        }
        plain => plain,
    };
    Spanned::new(span, moved)
}

fn place<'s>(
    table: &mut DeTable<'s>,
    path: &[(String, Range<usize>)],
    value: &Spanned<DeValue<'s>>,
) -> Result<(), Problem> {
    let Some((first, span)) = path.first() else { return Ok(()) };
    match (first.as_str(), path) {
        ("pipeline" | "model" | "world", _) => insert(table, path, value),
        ("stage", [_, name, rest @ ..]) => place_in_stages(table, name, rest, value),
        (key, [only]) if PIPELINE_KEYS.contains(&key) => {
            insert(table, &[("pipeline".to_owned(), span.clone()), only.clone()], value)
        }
        (key, _) => {
            let known: Vec<&str> =
                ["pipeline", "model", "world", "stage"].iter().chain(PIPELINE_KEYS).copied().collect();
            let hint = did_you_mean(key, &known, "keys here");
            let hint = if key == "stage" { "use `stage.NAME.KEY=VALUE`".to_owned() } else { hint };
            Err(Problem::new(span.clone(), format!("unknown key `{key}`")).hint(hint))
        }
    }
}

fn place_in_stages<'s>(
    table: &mut DeTable<'s>,
    (name, span): &(String, Range<usize>),
    rest: &[(String, Range<usize>)],
    value: &Spanned<DeValue<'s>>,
) -> Result<(), Problem> {
    if rest.is_empty() {
        let hint = format!("set one of its keys: `stage.{name}.KEY=VALUE`");
        return Err(Problem::new(span.clone(), format!("stage `{name}` is a table, not a value")).hint(hint));
    }
    let mut stages: Vec<&mut DeTable<'s>> = tables_of(table);
    let names: Vec<String> = stages.iter().filter_map(|stage| called(stage).map(str::to_owned)).collect();
    let is_named = names.contains(name);
    let mut found = false;
    // A flag such as `--toolset` knows only the kind, whatever the stage is called.
    for stage in stages.iter_mut().filter(|stage| if is_named { called(stage) } else { kind(stage) } == Some(name)) {
        found = true;
        insert(stage, rest, value)?;
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let unknown = || Problem::new(span.clone(), format!("unknown stage `{name}`"));
    if found { Ok(()) } else { Err(unknown().hint(did_you_mean(name, &known, "stages here"))) }
}

fn tables_of<'t, 's>(table: &'t mut DeTable<'s>) -> Vec<&'t mut DeTable<'s>> {
    match table.get_mut("stage").map(Spanned::get_mut) {
        Some(DeValue::Array(stages)) => stages.iter_mut().filter_map(|stage| as_table(stage.get_mut())).collect(),
        _ => Vec::new(),
    }
}

/// A stage's name: its kind where it has no other.
fn called<'t>(stage: &'t DeTable<'_>) -> Option<&'t str> {
    stage.get("name").or_else(|| stage.get("kind"))?.get_ref().as_str()
}

fn kind<'t>(stage: &'t DeTable<'_>) -> Option<&'t str> {
    stage.get("kind")?.get_ref().as_str()
}

fn insert<'s>(
    table: &mut DeTable<'s>,
    path: &[(String, Range<usize>)],
    value: &Spanned<DeValue<'s>>,
) -> Result<(), Problem> {
    let Some(((name, span), rest)) = path.split_first() else { return Ok(()) };
    let key = Spanned::new(span.clone(), Cow::Owned(name.clone()));
    if rest.is_empty() {
        // Removed first, because a table keeps the place of the key that it knew before.
        table.remove(name.as_str());
        table.insert(key, value.clone());
        return Ok(());
    }
    let entry = table.entry(key).or_insert_with(|| Spanned::new(span.clone(), DeValue::Table(DeTable::new())));
    let inner = as_table(entry.get_mut())
        .ok_or_else(|| Problem::new(span.clone(), format!("`{name}` is a plain value without keys")))?;
    insert(inner, rest, value)
}

fn as_table<'t, 's>(value: &'t mut DeValue<'s>) -> Option<&'t mut DeTable<'s>> {
    match value {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

// A key with too many parts as a problem at its place, in a pipeline file and on the command line.

/// The first key that has too many parts, as a problem at its place.
pub(crate) fn find_deep_key(text: &str) -> Option<Problem> {
    deep_key(text).map(deep_key_problem)
}

/// The problem of a key with too many parts.
pub(crate) fn deep_key_problem(span: Range<usize>) -> Problem {
    Problem::new(span, too_deep())
}

/// Whether a key has too many parts.
pub(crate) fn is_too_deep(key: &str) -> bool {
    key.matches('.').count() >= MOST_PARTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Applies `--set` texts to a file, and shows the value at `path` or the first problem.
    fn after(text: &str, sets: &[&str], path: &[&str]) -> Result<String, String> {
        let overrides: Overrides = sets.iter().copied().collect();
        let source = Source::new("a.toml", text, &overrides);
        let mut table = DeTable::parse(source.text()).unwrap().into_inner();
        let mut problems = Vec::new();
        overrides.apply(&source, &mut table, &mut problems);
        if let Some(problem) = problems.first() {
            return Err(format!("{}: {}", source.spot(&problem.span).unwrap().text, problem.message));
        }
        let mut value = &DeValue::Table(table);
        for part in path {
            value = match part.parse::<usize>() {
                Ok(index) => value.get(index).unwrap().get_ref(),
                Err(_) => value.get(part).unwrap().get_ref(),
            };
        }
        Ok(value.as_str().map_or_else(|| value.as_integer().unwrap().to_string(), str::to_owned))
    }

    #[test]
    fn a_bare_key_belongs_to_the_pipeline() {
        assert_eq!(after("", &["seed=9"], &["pipeline", "seed"]).unwrap(), "9");
        assert_eq!(after("[pipeline]\nseed = 1", &["pipeline.seed=9"], &["pipeline", "seed"]).unwrap(), "9");
    }

    #[test]
    fn what_is_no_toml_is_a_string_and_the_last_one_wins() {
        assert_eq!(after("", &["locale=en", "locale=ko"], &["pipeline", "locale"]).unwrap(), "ko");
        assert_eq!(after("", &["name = \"a b\""], &["pipeline", "name"]).unwrap(), "a b");
    }

    #[test]
    fn a_stage_is_found_by_name_or_else_by_kind() {
        let text = "[[stage]]\nkind = \"a\"\n[[stage]]\nkind = \"a\"\nname = \"b\"";
        assert_eq!(after(text, &["stage.b.n=2"], &["stage", "1", "n"]).unwrap(), "2");
        assert_eq!(after(text, &["stage.a.n=2"], &["stage", "0", "n"]).unwrap(), "2");
        let one = "[[stage]]\nkind = \"a\"\nname = \"b\"";
        assert_eq!(after(one, &["stage.a.n=2"], &["stage", "0", "n"]).unwrap(), "2");
        assert_eq!(after(text, &["stage.c.n=2"], &[]).unwrap_err(), "stage.c.n=2: unknown stage `c`");
    }

    #[test]
    fn deep_keys_make_their_tables() {
        let value = after("", &["model.judge.price.input=3"], &["model", "judge", "price", "input"]);
        assert_eq!(value.unwrap(), "3");
        let error = after("[model]\na = 1", &["model.a.b=3"], &[]).unwrap_err();
        assert!(error.contains("plain value"), "{error}");
    }

    #[test]
    fn nonsense_is_a_problem() {
        for text in ["seed", "sede=1", "stage=1", "stage.x=1", "=3", "a.b=3", ""] {
            assert!(after("", &[text], &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn the_places_of_a_value_are_those_of_the_command_line() {
        let value = read(" [1, { a = 2 }]", 10, false);
        assert_eq!(value.span(), 11..25);
        let inner = value.get_ref().get(1).unwrap().get_ref().get("a").unwrap();
        assert_eq!(inner.span(), 21..22);
    }

    #[test]
    fn a_text_flag_is_a_string_whatever_it_looks_like() {
        let mut overrides = Overrides::default();
        overrides.text_flag("--model", "model.generator.model", "7");
        overrides.flag("--seed", "pipeline.seed", "7");
        let source = Source::new("a.toml", "", &overrides);
        let mut table = DeTable::new();
        overrides.apply(&source, &mut table, &mut Vec::new());
        let value = DeValue::Table(table);
        assert!(value["model"].get_ref()["generator"].get_ref()["model"].get_ref().is_str());
        assert!(value["pipeline"].get_ref()["seed"].get_ref().is_integer());
    }

    /// The problem of a `--set`, with its hint, as it is shown.
    fn told(text: &str, set: &str) -> String {
        let overrides: Overrides = [set].into_iter().collect();
        let source = Source::new("a.toml", text, &overrides);
        let mut table = DeTable::parse(source.text()).unwrap().into_inner();
        let mut problems = Vec::new();
        overrides.apply(&source, &mut table, &mut problems);
        let problem = problems.first().unwrap();
        format!("{}; {}", problem.message, problem.hint.as_deref().unwrap_or_default())
    }

    #[test]
    fn every_fault_of_an_override_has_its_way_out() {
        let stages = "[[stage]]\nkind = \"quota\"";
        insta::assert_snapshot!(told("", "seed"), @"no value in `seed`; use `--set key=value`, such as `--set scale=3`");
        insta::assert_snapshot!(told("", "sede=1"), @"unknown key `sede`; did you mean `seed`? Keys here: `pipeline`, `model`, `world`, `stage`, `name`, `locale`, `seed`, `format` and 11 more");
        insta::assert_snapshot!(told("", "stage=1"), @"unknown key `stage`; use `stage.NAME.KEY=VALUE`");
        insta::assert_snapshot!(told(stages, "stage.quota=1"), @"stage `quota` is a table, not a value; set one of its keys: `stage.quota.KEY=VALUE`");
        insta::assert_snapshot!(told(stages, "stage.qota.count=1"), @"unknown stage `qota`; did you mean `quota`? Stages here: `quota`");
        insta::assert_snapshot!(told(stages, "stage.quota.kind.a=1"), @"`kind` is a plain value without keys;");
        insta::assert_snapshot!(told("", &format!("model{}=1", ".a".repeat(70))), @"a key of more than 64 parts;");
    }

    #[test]
    fn only_the_first_equals_sign_parts_key_and_value() {
        assert_eq!(after("", &["name=a=b"], &["pipeline", "name"]).unwrap(), "a=b");
        assert_eq!(after("", &["name="], &["pipeline", "name"]).unwrap(), "");
        assert_eq!(after("", &["name= 가 나 "], &["pipeline", "name"]).unwrap(), "가 나");
    }

    #[test]
    fn stages_that_share_a_name_are_all_meant() {
        let text = "[[stage]]\nkind = \"a\"\n[[stage]]\nkind = \"b\"\n[[stage]]\nkind = \"a\"\nn = 1";
        for index in ["0", "2"] {
            assert_eq!(after(text, &["stage.a.n=2"], &["stage", index, "n"]).unwrap(), "2");
        }
    }

    #[test]
    fn a_table_may_be_set_whole_and_then_in_part() {
        let sets = ["model.judge.price={ input = 1, output = 2 }", "model.judge.price.input=3"];
        let price = |key: &str| after("", &sets, &["model", "judge", "price", key]).unwrap();
        assert_eq!((price("input"), price("output")), ("3".to_owned(), "2".to_owned()));
    }

    proptest! {
        #[test]
        fn any_override_is_placed_or_is_a_problem_at_a_place_that_can_be_shown(set in "[a-z.=\"'{}\\[\\]#0-9 가]{0,24}", key in "(seed|stage.a.n|model.x)=.{0,12}") {
            for set in [set, key] {
                let overrides: Overrides = [set.as_str()].into_iter().collect();
                let source = Source::new("a.toml", "[[stage]]\nkind = \"a\"", &overrides);
                let mut table = DeTable::parse(source.text()).unwrap().into_inner();
                let mut problems = Vec::new();
                overrides.apply(&source, &mut table, &mut problems);
                for problem in &problems {
                    prop_assert_eq!(source.spot(&problem.span).unwrap().text, set.lines().next().unwrap_or_default());
                }
            }
        }
    }
}

#[cfg(test)]
mod depth_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_key_is_found_where_it_stands() {
        let deep = ".a".repeat(70);
        for (before, after) in [("b", " = 1"), ("[b", "]"), ("x = { \"=\"", " = 1 }")] {
            let problem = find_deep_key(&format!("ok = 1\n{before}{deep}{after}\n")).unwrap();
            assert_eq!(problem.message, "a key of more than 64 parts");
            assert!(problem.span.start >= 7, "{problem:?}");
        }
    }

    #[test]
    fn dots_in_strings_and_numbers_are_no_depth() {
        let dots = ".".repeat(100);
        assert_eq!(find_deep_key(&format!("a = \"{dots}\"\nb = '{dots}'")), None);
        assert_eq!(find_deep_key(&"a = [1.5, 2.5, 3.5]\n".repeat(100)), None);
        assert_eq!(find_deep_key(&format!("# it's {}\n{dots}", "a. ".repeat(100))), None);
        assert!(!is_too_deep("model.generator.price.input"));
    }

    proptest! {
        #[test]
        fn the_bound_is_the_same_in_a_file_and_on_the_command_line(parts in 60_usize..70) {
            let key = vec!["가"; parts].join(".");
            prop_assert_eq!(is_too_deep(&key), parts > MOST_PARTS);
            prop_assert_eq!(find_deep_key(&format!("x = 1\n{key} = 1")).is_some(), parts > MOST_PARTS);
        }

        #[test]
        fn what_is_found_can_be_shown(text in "[a.\"'#=\\[\\]{}, \n가]{0,300}") {
            if let Some(problem) = find_deep_key(&text) {
                prop_assert!(text.get(problem.span).is_some());
            }
        }
    }
}
