//! The `[pipeline]` table: what holds for the whole run.

use crate::config::located::Located;
use crate::config::number::{Amount, Count, Factor, Measure, Share, share};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keys of `[pipeline]`, each of which may be set by its bare name on the command line.
pub(crate) const PIPELINE_KEYS: &[&str] = &[
    "name",
    "locale",
    "seed",
    "format",
    "floor",
    "allow_empty",
    "max_cost",
    "max_tokens",
    "limit",
    "scale",
    "paper_phrases",
    "bfcl_version",
    "people",
    "banks",
    "reference_time",
];

/// What holds for the whole run.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineConfig {
    /// Name of the pipeline and of its output folder; the file's name where it is absent.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub name: Located,
    /// Locale of tools, prompts and thresholds: a folder of `locales/`.
    #[serde(default = "default_locale")]
    pub locale: Located,
    /// What every random choice grows from; equal files with equal seeds give equal bytes.
    #[serde(default)]
    pub seed: Amount,
    /// What is written to `benchmark/`.
    #[serde(default)]
    pub format: Format,
    /// Least share of the items that a stage was to draw that must come out; a run below it ends with 14.
    #[serde(default = "share::<50>")]
    pub floor: Share,
    /// Data types that may stay without an item; any other that could have been made and was not ends the run with 14.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_empty: Vec<Located>,
    /// Most that the run may cost in all its processes, in the currency of the models' prices; a rerun with more resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Measure>,
    /// Most tokens that the run may read and write in all its processes; a rerun with more resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<Count>,
    /// Only the first so many source items are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Count>,
    /// Factor on every stage's `per_tool`.
    #[serde(default)]
    pub scale: Factor,
    /// Whether shifts, overrides and wishes for another value are said by the authors' fixed templates, not in varied words.
    #[serde(default)]
    pub paper_phrases: bool,
    /// In which of BFCL's shapes `bfcl` and `confetti` are written.
    #[serde(default, skip_serializing_if = "BfclVersion::is_default")]
    pub bfcl_version: BfclVersion,
    /// A table of people (.csv, .jsonl, .toml) whose voices writers borrow: each request and dialogue has one, who enters every
    /// prompt of it and the provenance. `locales/<locale>/people.toml` where it is absent, nobody with `none`; the built-in
    /// model has its own ways to speak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<Located>,
    /// A folder of banks: what people want of each tool and how they say it (`fcgen schema bank`). A model fills the bank of
    /// a tool that has none there, and the run keeps it in `banks/<locale>/`. `none`: writers choose the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banks: Option<Located>,
    /// The time that days and hours are counted from where a model writes, in ISO 8601: `2026-03-02T09:30:00Z`, a Monday, where
    /// it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_time: Option<Located>,
}

/// The word for a run without people or without banks.
pub(crate) const NONE: &str = "none";

/// The time that days and hours are counted from where the file says none.
pub(crate) const REFERENCE_TIME: &str = "2026-03-02T09:30:00Z";

/// The layouts that a pipeline can write besides `samples.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Only fcgen's own lines, whatever the pipeline yields.
    #[default]
    Jsonl,
    /// HammerBench's published files; wants samples.
    Hammerbench,
    /// CallNavi's published files: for each domain its APIs and its questions; wants samples.
    Callnavi,
    /// `ComplexFuncBench`'s published file, with what its evaluator must know of the functions; wants samples.
    Complexfunc,
    /// FunctionChat-Bench's published files: single calls, dialogs, decisions whether to call; wants samples.
    Functionchat,
    /// CONFETTI's published files: calls of conversations and dialog acts of their turns; wants samples.
    Confetti,
    /// BFCL's published files: a category for each structure of a question; wants samples of any suite.
    Bfcl,
    /// A toolset folder that the `toolset` stage reads; wants tools.
    Toolset,
}

/// BFCL's shapes of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BfclVersion {
    /// A list of messages, as CONFETTI was published.
    V2,
    /// A list of turns, each a list of messages.
    #[default]
    V4,
}

impl BfclVersion {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Format {
    /// The kind of record that the layout is made of; `None` where any will do.
    pub fn wants(self) -> &'static [RecordKind] {
        match self {
            Self::Jsonl => &[],
            Self::Hammerbench | Self::Bfcl => &[RecordKind::Sample, RecordKind::Dialogue],
            Self::Callnavi | Self::Complexfunc | Self::Functionchat | Self::Confetti => &[RecordKind::Sample],
            Self::Toolset => &[RecordKind::Tool],
        }
    }

    /// The word in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Hammerbench => "hammerbench",
            Self::Callnavi => "callnavi",
            Self::Complexfunc => "complexfunc",
            Self::Functionchat => "functionchat",
            Self::Confetti => "confetti",
            Self::Bfcl => "bfcl",
            Self::Toolset => "toolset",
        }
    }
}

impl Default for PipelineConfig {
    fn default() -> Self {
        Self {
            name: Located::default(),
            locale: default_locale(),
            seed: Amount::default(),
            format: Format::default(),
            bfcl_version: BfclVersion::default(),
            floor: share::<50>(),
            allow_empty: Vec::new(),
            max_cost: None,
            max_tokens: None,
            limit: None,
            paper_phrases: false,
            scale: Factor::default(),
            people: None,
            banks: None,
            reference_time: None,
        }
    }
}

fn default_locale() -> Located {
    Located::new("en", 0..0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn an_empty_table_is_the_default() {
        assert_eq!(read_text::<PipelineConfig>("").unwrap(), PipelineConfig::default());
    }

    #[test]
    fn the_bare_keys_are_those_of_the_schema() {
        let schema = schemars::schema_for!(PipelineConfig);
        let keys: Vec<&String> = schema.get("properties").unwrap().as_object().unwrap().keys().collect();
        assert_eq!(keys, PIPELINE_KEYS);
    }

    #[test]
    fn every_bound_is_kept() {
        let messages =
            read_text::<PipelineConfig>("seed = -1\nfloor = 1.5\nmax_cost = -2\nlimit = 0\nscale = 0\nformat = \"x\"");
        assert_eq!(messages.unwrap_err().len(), 6);
    }

    #[test]
    fn bfcls_shape_is_the_latest_unless_another_is_named() {
        let written = |text: &str| serde_json::to_value(read_text::<PipelineConfig>(text).unwrap()).unwrap();
        assert_eq!(written("bfcl_version = \"v2\"")["bfcl_version"], "v2");
        assert!(written("bfcl_version = \"v4\"").get("bfcl_version").is_none());
        assert!(read_text::<PipelineConfig>("bfcl_version = \"v3\"").is_err());
    }

    #[test]
    fn a_format_has_the_word_that_serde_reads() {
        let formats = [
            Format::Jsonl,
            Format::Hammerbench,
            Format::Callnavi,
            Format::Functionchat,
            Format::Confetti,
            Format::Bfcl,
        ];
        for format in formats.into_iter().chain([Format::Complexfunc, Format::Toolset]) {
            assert_eq!(serde_json::to_value(format).unwrap(), format.as_str());
        }
        assert!(Format::Jsonl.wants().is_empty());
    }
}
