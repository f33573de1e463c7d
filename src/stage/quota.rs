//! Keeps the first so many samples of each kind, in the order of their ids.

use super::context::Context;
use super::facts::{Scope, StageConfig};
use super::outcome::{Fault, Outcome};
use crate::config::Count;
use crate::record::RecordKind;
use crate::record::{Item, Record};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps the first so many samples of each kind, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuotaConfig {
    /// How many are kept of each kind.
    pub count: Count,
    /// What makes a kind.
    #[serde(default)]
    pub by: By,
}

/// What makes a kind of sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The suite's data type.
    #[default]
    DataType,
    /// The tool that the sample grew from.
    Tool,
}

impl StageConfig for QuotaConfig {
    fn kind(&self) -> &'static str {
        "quota"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Sample]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Sample
    }

    fn is_gate(&self) -> bool {
        true
    }

    fn scope(&self) -> Scope {
        Scope::Run
    }
}

/// How many of each kind were kept so far.
pub(crate) type Full = IndexMap<String, usize>;

impl QuotaConfig {
    /// Looks at one sample; they come in the order of their ids.
    pub(super) fn next(&self, context: &Context, full: &mut Full, item: Item) -> Outcome {
        let Record::Sample(sample) = &item.record else { return Outcome::keep(item) };
        let kind = match self.by {
            By::DataType => sample.data_type.0.clone(),
            By::Tool => sample.group.clone(),
        };
        let kept = full.entry(kind.clone()).or_default();
        if *kept >= self.count.get() {
            let fault = Fault::new("quota", format!("{} of `{kind}` were kept before", self.count.get()));
            return Outcome::reject(&item.id, &context.stage, fault, sample.query());
        }
        *kept += 1;
        Outcome::keep(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn a_quota_looks_at_the_whole_run() {
        let config: QuotaConfig = read_text("count = 100\nby = \"tool\"").unwrap();
        assert_eq!((config.count.get(), config.by), (100, By::Tool));
        assert_eq!((config.scope(), config.is_gate()), (Scope::Run, true));
        assert_eq!((config.input(), config.output()), (&[RecordKind::Sample][..], RecordKind::Sample));
    }

    #[test]
    fn a_quota_without_a_number_is_none() {
        assert_eq!(read_text::<QuotaConfig>("").unwrap_err(), ["missing key `count` in the test"]);
        assert!(read_text::<QuotaConfig>("count = 1\nby = \"colour\"").is_err());
    }
}
