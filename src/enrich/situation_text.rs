//! Situations as a model writes them, turned into the lines of a toolset's files: what they hold, and what is said in them.

use super::text::key;
use crate::gate::Fault;
use crate::llm::{SituationForm, WrittenCase, WrittenField, WrittenMatter, WrittenSituations, WrittenThread};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml::{Table, Value};

/// One situation, as lines of two files.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// What it is called; none where it is what all cases hold.
    pub(super) name: Option<String>,
    /// The lines of the structure.
    pub(super) structure: String,
    /// The lines of the locale's file.
    pub(super) words: String,
    /// The sentences, for whoever looks at their script.
    pub(super) said: Vec<String>,
    /// The value kinds that it names.
    pub(super) kinds: Vec<String>,
    /// What cases hold, by name, where it is that.
    pub(super) fields: Vec<String>,
}

/// The parts of an answer, each by its name; one that cannot be read is a fault of its own.
pub(super) fn parts(form: SituationForm, written: &WrittenSituations) -> Vec<(String, Result<Part, Fault>)> {
    match form {
        SituationForm::Threads => written.threads.iter().map(|it| read(it, "about", thread)).collect(),
        SituationForm::Matters => written.matters.iter().map(|it| read(it, "name", matter)).collect(),
        SituationForm::Cases => {
            let fields: Result<Vec<WrittenField>, Fault> = written.fields.iter().map(typed).collect();
            let fields =
                (!written.fields.is_empty()).then(|| ("fields".to_owned(), fields.map(|it| self::fields(&it))));
            fields.into_iter().chain(written.cases.iter().map(|it| read(it, "name", case))).collect()
        }
    }
}

fn read<T: DeserializeOwned>(value: &Json, name: &str, part: impl Fn(T) -> Part) -> (String, Result<Part, Fault>) {
    let name = value[name].as_str().unwrap_or("a situation without a name").to_owned();
    (name, typed(value).map(part))
}

fn typed<T: DeserializeOwned>(value: &Json) -> Result<T, Fault> {
    T::deserialize(value).map_err(|error| Fault::new("wrong_shape", error.to_string()))
}

fn thread(text: WrittenThread) -> Part {
    let facts: Table = text.facts.iter().map(|fact| (fact.name.clone(), table(fact, &["name", "values"]))).collect();
    let goals = text.goals.iter().map(|goal| {
        let from = goal.from.iter().map(|it| (it.parameter.clone(), it.source.as_str().into()));
        let from: Table = from.collect();
        let fields =
            [("use", goal.name.as_str().into()), ("from", from.into()), ("unlikely_with", texts(&goal.unlikely_with))];
        let fields = fields.into_iter().filter(|(_, value)| !is_empty(value));
        format!("  {},\n", Value::Table(fields.map(|(name, value)| (name.to_owned(), value)).collect()))
    });
    let goals: String = goals.collect();
    let structure = format!(
        "[[thread]]\nabout = {}\n{}goals = [\n{goals}]\n{}",
        Value::from(text.about.as_str()),
        line("facts", &facts.into()),
        line("unlikely_with", &texts(&text.unlikely_with)),
    );
    let values = text.facts.iter().filter(|fact| !fact.values.is_empty());
    let values: Table = values.map(|fact| (fact.name.clone(), texts(&fact.values))).collect();
    let lists = [("who", &text.who), ("opens", &text.opens), ("details", &text.details)];
    let lists: String = lists.iter().map(|(name, list)| long(name, list)).collect();
    Part {
        structure,
        words: format!("[{}]\n{lists}{}", key(&text.about), line("values", &values.into())),
        said: [text.who, text.opens, text.details].concat(),
        kinds: text.facts.into_iter().filter_map(|fact| fact.kind).collect(),
        name: Some(text.about),
        ..Part::default()
    }
}

fn fields(fields: &[WrittenField]) -> Part {
    let lines = fields.iter().map(|field| line(&field.name, &table(field, &["name"])));
    Part {
        structure: format!("[fields]\n{}", lines.collect::<String>()),
        fields: fields.iter().map(|field| field.name.clone()).collect(),
        ..Part::default()
    }
}

fn case(text: WrittenCase) -> Part {
    let within = text.within.iter().map(|it| (it.field.clone(), vec![i64::from(it.least), i64::from(it.most)].into()));
    let within: Table = within.collect();
    let weekdays: Vec<i64> = text.weekdays.iter().copied().map(i64::from).collect();
    Part {
        structure: format!(
            "[cases.{}]\n{}{}",
            key(&text.name),
            line("within", &within.into()),
            line("weekdays", &weekdays.into())
        ),
        words: long(&text.name, &text.says),
        said: text.says,
        name: Some(text.name),
        ..Part::default()
    }
}

fn matter(text: WrittenMatter) -> Part {
    let given = text.given.iter().filter_map(|it| Some((it.parameter.clone(), Value::try_from(&it.value).ok()?)));
    let fields = [("calls", texts(&text.calls)), ("given", Value::Table(given.collect()))];
    let fields = fields.into_iter().filter(|(_, value)| !is_empty(value));
    Part {
        structure: line(&text.name, &Value::Table(fields.map(|(name, value)| (name.to_owned(), value)).collect())),
        words: line(&text.name, &texts(&text.says)),
        said: text.says,
        name: Some(text.name),
        ..Part::default()
    }
}

/// The fields of a value that say something.
fn table(value: &impl Serialize, without: &[&str]) -> Value {
    let fields = serde_json::to_value(value).ok().and_then(|value| value.as_object().cloned()).unwrap_or_default();
    let fields = fields.into_iter().filter(|(name, value)| !value.is_null() && !without.contains(&name.as_str()));
    let fields = fields.filter_map(|(name, value)| Some((name, Value::try_from(value).ok()?)));
    Value::Table(fields.filter(|(_, value)| !is_empty(value)).collect())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Table(fields) => fields.is_empty(),
        other => other.as_bool() == Some(false),
    }
}

fn texts(texts: &[String]) -> Value {
    Value::Array(texts.iter().map(|text| text.as_str().into()).collect())
}

/// A key with its value; nothing where that is empty.
fn line(name: &str, value: &Value) -> String {
    if is_empty(value) { String::new() } else { format!("{} = {value}\n", key(name)) }
}

/// The same of texts, each on a line of its own.
fn long(name: &str, texts: &[String]) -> String {
    let lines: Vec<String> = texts.iter().map(|text| format!("  {},\n", Value::from(text.as_str()))).collect();
    if texts.is_empty() { String::new() } else { format!("{} = [\n{}]\n", key(name), lines.concat()) }
}
