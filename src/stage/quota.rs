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
    use super::super::candidates::CandidatesConfig;
    use super::super::testing::{query, query_item, silent};
    use super::*;
    use crate::config::section::read_text;
    use crate::record::{DataType, ItemId};

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

    /// A sample of a data type that grew from a tool.
    fn sample(data_type: &str, root: &str) -> Item {
        let query = crate::record::Query { data_type: DataType(data_type.to_owned()), ..query("to Porto", "{}") };
        let item = Item { root: ItemId::root(root), ..query_item(query) };
        read_text::<CandidatesConfig>("").unwrap().each(&silent(), item).kept.remove(0)
    }

    fn kept(settings: &str, samples: &[(&str, &str)]) -> Vec<bool> {
        let (config, mut full) = (read_text::<QuotaConfig>(settings).unwrap(), Full::new());
        let next = |(data_type, root): &(&str, &str)| config.next(&silent(), &mut full, sample(data_type, root));
        samples.iter().map(next).map(|outcome| outcome.rejected.is_empty()).collect()
    }

    #[test]
    fn the_first_of_each_kind_are_kept() {
        let samples = [("a", "t"), ("b", "t"), ("a", "u"), ("a", "v"), ("b", "v")];
        assert_eq!(kept("count = 1", &samples), [true, true, false, false, false]);
        assert_eq!(kept("count = 2", &samples), [true, true, true, false, true]);
        assert_eq!(kept("count = 1\nby = \"tool\"", &samples), [true, false, true, true, false]);
    }

    #[test]
    fn who_comes_too_late_is_told() {
        let (config, mut full) = (read_text::<QuotaConfig>("count = 1").unwrap(), Full::new());
        config.next(&silent(), &mut full, sample("a", "t"));
        let reject = config.next(&silent(), &mut full, sample("a", "t")).rejected.remove(0);
        assert_eq!((reject.reason.as_str(), reject.detail.as_str()), ("quota", "1 of `a` were kept before"));
        assert_eq!((reject.text.as_str(), full["a"]), ("to Porto", 1));
    }

    #[test]
    fn what_is_no_sample_is_not_counted() {
        let (config, mut full) = (read_text::<QuotaConfig>("count = 1").unwrap(), Full::new());
        for _ in 0..3 {
            assert_eq!(config.next(&silent(), &mut full, query_item(query("x", "{}"))).kept.len(), 1);
        }
        assert!(full.is_empty());
    }
}
