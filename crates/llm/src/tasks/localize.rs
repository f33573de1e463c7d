//! Say texts and their values in another language, with everything else as it was.

use super::{Common, TaskInfo};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::once("localize", "Localize").reply(include_str!("reply_schema/localized_texts.json"));

/// Texts are to be said in another language.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LocalizeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The language of the texts, by its own name.
    pub from: String,
    /// The texts, by id.
    pub texts: IndexMap<String, String>,
    /// Values that stand in the texts and are to be given anew, by id.
    pub values: IndexMap<String, String>,
    /// What stays letter by letter.
    pub fixed: Vec<String>,
}

/// The structured answer to [`super::Task::Localize`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalizedTexts {
    /// The texts in the new language, each with its id.
    pub texts: Vec<LocalizedText>,
    /// The values, each with its id.
    pub values: Vec<LocalizedText>,
}

/// One text in the new language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalizedText {
    /// The id under which it was shown.
    pub id: String,
    /// The text.
    pub text: String,
}
