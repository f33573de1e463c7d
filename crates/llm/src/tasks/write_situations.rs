//! Write the situations that people are in with a toolset: threads of conversations, cases of requests, or matters of APIs.

use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_situations", "WriteSituations")
    .reply(include_str!("reply_schema/written_situations.json"));

/// What situations are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SituationForm {
    /// Threads: what one person wants in one conversation, with values that agree.
    #[default]
    Threads,
    /// Cases: what a request for several calls is about.
    Cases,
    /// Matters: APIs that people want together, and why.
    Matters,
}

/// Situations are to be written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SituationsVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What they are written as.
    pub form: SituationForm,
    /// How many are wanted.
    pub count: usize,
    /// What the functions are about, where a text says so.
    pub about: String,
    /// What people can want: functions, and goals of several calls.
    pub functions: Vec<WantedFunction>,
    /// The value kinds that facts may be drawn from, each with a few values.
    pub kinds: Vec<NamedList>,
    /// Tables with their columns, for cases; things with their fields, for matters.
    pub tables: Vec<NamedList>,
    /// The fields of cases that are declared already.
    pub fields: Vec<String>,
    /// The names of situations that are there already.
    pub known: Vec<String>,
}

/// A function that people can want.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WantedFunction {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub parameters: Vec<WantedParameter>,
}

/// A parameter of such a function.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WantedParameter {
    /// Its name.
    pub name: String,
    /// What it means.
    pub about: String,
    /// Its JSON type.
    pub type_name: String,
    /// The kind of its values, where one is known.
    pub kind: String,
    /// The values that it may have, where they are listed.
    pub values: Vec<String>,
    /// Whether a call must have it.
    pub required: bool,
}

/// Something with a few names below it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NamedList {
    /// Its name.
    pub name: String,
    /// What belongs to it.
    pub items: Vec<String>,
}

/// The structured answer to [`super::Task::WriteSituations`]; of the lists only those of the wanted form are filled. Each
/// situation is read by itself, so that a faulty one is not the end of the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSituations {
    /// See [`WrittenThread`].
    #[serde(default)]
    pub threads: Vec<Json>,
    /// What cases hold; see [`WrittenField`].
    #[serde(default)]
    pub fields: Vec<Json>,
    /// See [`WrittenCase`].
    #[serde(default)]
    pub cases: Vec<Json>,
    /// See [`WrittenMatter`].
    #[serde(default)]
    pub matters: Vec<Json>,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenThread {
    /// What it is about, which is its name.
    pub about: String,
    /// Who can be in it.
    pub who: Vec<String>,
    /// What the person knows.
    pub facts: Vec<WrittenFact>,
    /// What the person can want.
    pub goals: Vec<WrittenGoal>,
    /// Complexities that do not go with it.
    #[serde(default)]
    pub unlikely_with: Vec<String>,
    /// How the person begins.
    pub opens: Vec<String>,
    /// Details of the matter that no function takes.
    pub details: Vec<String>,
}

/// A fact: drawn from a kind, from days or from a range, or one of some values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFact {
    /// Its name.
    pub name: String,
    /// The kind.
    #[serde(default)]
    pub kind: Option<String>,
    /// The fewest and the most days from today.
    #[serde(default)]
    pub days: Option<[i64; 2]>,
    /// The least and the greatest number.
    #[serde(default)]
    pub range: Option<[i64; 2]>,
    /// The values.
    #[serde(default)]
    pub values: Vec<String>,
}

/// Something that the person of a thread can want.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenGoal {
    /// The function or goal.
    #[serde(rename = "use")]
    pub name: String,
    /// Where its values come from.
    pub from: Vec<WrittenSource>,
    /// Other goals of the thread that are not wanted beside it.
    #[serde(default)]
    pub unlikely_with: Vec<String>,
}

/// Where a parameter's value comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSource {
    /// The parameter.
    pub parameter: String,
    /// A fact's name, or `=value`.
    pub source: String,
}

/// What a case holds: one value, and how it is drawn. The keys are those of the file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "docs/own-tools.md has a table of them")]
pub struct WrittenField {
    pub name: String,
    #[serde(default)]
    pub rows: Option<String>,
    #[serde(default)]
    pub unlike: Option<String>,
    #[serde(default)]
    pub column: Option<String>,
    #[serde(default)]
    pub from: Option<String>,
    #[serde(default)]
    pub day: Option<[u32; 2]>,
    #[serde(default)]
    pub after: Option<String>,
    #[serde(default)]
    pub days: Option<[u32; 2]>,
    #[serde(default)]
    pub number: Option<[u32; 2]>,
    #[serde(default)]
    pub sum: Vec<String>,
    #[serde(default)]
    pub share: Option<f64>,
    #[serde(default)]
    pub unsaid: Option<u32>,
    #[serde(default)]
    pub once: bool,
    #[serde(rename = "for")]
    pub takers: Vec<String>,
}

/// A case.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenCase {
    /// Its name.
    pub name: String,
    /// Numbers and days that are narrower than those of the fields.
    #[serde(default)]
    pub within: Vec<WrittenSpan>,
    /// Days of the week on which it begins, 1 for Monday.
    #[serde(default)]
    pub weekdays: Vec<u32>,
    /// What the person says of it.
    pub says: Vec<String>,
}

/// A narrower span of a field.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSpan {
    /// The field.
    pub field: String,
    /// The least.
    pub least: u32,
    /// The most.
    pub most: u32,
}

/// A matter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenMatter {
    /// Its name.
    pub name: String,
    /// The APIs, in the order in which one would ask for them.
    pub calls: Vec<String>,
    /// Arguments that the reason settles.
    #[serde(default)]
    pub given: Vec<WrittenArgument>,
    /// Why.
    pub says: Vec<String>,
}

/// An argument with its value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenArgument {
    /// The parameter.
    pub parameter: String,
    /// The value.
    pub value: Json,
}
