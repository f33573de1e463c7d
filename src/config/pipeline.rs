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

/// Settings of the whole run.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineConfig {
    /// Name of the pipeline and of its output folder; default: the file name.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub name: Located,
    /// Locale of tools, prompts and thresholds: a folder of `locales/`.
    #[serde(default = "default_locale")]
    pub locale: Located,
    /// Random seed; the same file and seed give byte-for-byte the same output.
    #[serde(default)]
    pub seed: Amount,
    /// Format of `benchmark/`.
    #[serde(default)]
    pub format: Format,
    /// Minimum share of the items requested from a stage that must be accepted; a run below it exits with code 14.
    #[serde(default = "share::<50>")]
    pub floor: Share,
    /// Data types that may have no items; any other missing data type of the pipeline ends the run with exit code 14.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_empty: Vec<Located>,
    /// Maximum cost of the run over all its processes, in the currency of the models' prices; rerun with a higher limit to resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Measure>,
    /// Maximum input and output tokens of the run over all its processes; rerun with a higher limit to resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<Count>,
    /// Use only the first N source items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Count>,
    /// Factor applied to `per_tool` of every stage.
    #[serde(default)]
    pub scale: Factor,
    /// Use the authors' fixed templates, instead of varied wordings, for topic shifts, overrides and requests for another value.
    #[serde(default)]
    pub paper_phrases: bool,
    /// BFCL version of the `bfcl` and `confetti` formats.
    #[serde(default, skip_serializing_if = "BfclVersion::is_default")]
    pub bfcl_version: BfclVersion,
    /// Table of personas (.csv, .jsonl, .toml): each request and dialogue has one, which is part of all its prompts and of its
    /// provenance. Default: `locales/<locale>/people.toml`; `none` disables personas. The built-in model does not use them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<Located>,
    /// Folder of banks: argument values of each tool and their wordings (`fcgen schema bank`). A model creates the bank of a
    /// tool that has none there; the run saves it in `banks/<locale>/`. `none`: the generator chooses the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banks: Option<Located>,
    /// Reference time for relative dates and times in model-written texts, in ISO 8601; default: `2026-03-02T09:30:00Z`, a
    /// Monday.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_time: Option<Located>,
}

/// The word for a run without people or without banks.
pub(crate) const NONE: &str = "none";

/// The time that days and hours are counted from where the file says none.
pub(crate) const REFERENCE_TIME: &str = "2026-03-02T09:30:00Z";

/// Benchmark formats that a pipeline can write in addition to `samples.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Only `samples.jsonl`; accepts the output of any pipeline.
    #[default]
    Jsonl,
    /// HammerBench files; requires samples.
    Hammerbench,
    /// CallNavi files: APIs and questions of each domain; requires samples.
    Callnavi,
    /// ComplexFuncBench file, with the function data that its evaluator needs; requires samples.
    Complexfunc,
    /// FunctionChat-Bench files: single calls, dialogs and call decisions; requires samples.
    Functionchat,
    /// CONFETTI files: calls of conversations and dialog acts of their turns; requires samples.
    Confetti,
    /// BFCL files: one category per question structure; requires samples of any suite.
    Bfcl,
    /// Toolset folder, readable by the `toolset` stage; requires tools.
    Toolset,
}

/// BFCL question formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BfclVersion {
    /// List of messages, as in the published CONFETTI.
    V2,
    /// List of turns, each a list of messages.
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
