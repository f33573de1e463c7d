//! Keeps the first so many samples of each kind, in the order of their ids.

use crate::record::RecordKind;
use crate::record::{Item, Record};
use crate::settings::Count;
use crate::stage::context::Context;
use crate::stage::facts::{Scope, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps the first `count` samples of each group, ordered by id.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuotaConfig {
    /// Samples kept per group.
    count: Count,
    /// What samples are grouped by.
    #[serde(default)]
    by: By,
}

/// What samples are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The suite's data type.
    #[default]
    DataType,
    /// The tool that the sample was made from.
    Tool,
}

impl Stage for QuotaConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("quota", &[RecordKind::Sample]).scope(Scope::Run)
    }

    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        Some(Box::new(Full { config: self.clone(), kept: IndexMap::new() }))
    }
}

/// How many of each kind were kept so far.
struct Full {
    config: QuotaConfig,
    kept: IndexMap<String, usize>,
}

impl Scan for Full {
    fn scan(&mut self, context: &Context, items: Vec<Item>) -> Outcome {
        let mut outcome = Outcome::default();
        for item in items {
            outcome.add(self.next(context, item));
        }
        outcome
    }
}

impl Full {
    fn next(&mut self, context: &Context, item: Item) -> Outcome {
        let Record::Sample(sample) = &item.record else { return Outcome::keep(item) };
        let kind = match self.config.by {
            By::DataType => sample.data_type.0.clone(),
            By::Tool => sample.group.clone(),
        };
        let most = self.config.count.get();
        let kept = self.kept.entry(kind.clone()).or_default();
        if *kept >= most {
            let fault = Fault::new("quota", format!("{most} of `{kind}` were kept before"));
            return context.reject(&item.id, fault, sample.query());
        }
        *kept += 1;
        Outcome::keep(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DataType, ItemId};
    use crate::settings::section::read_text;
    use crate::stage::candidates::CandidatesConfig;
    use crate::stage::testing::{query, query_item, silent};

    #[test]
    fn a_kind_is_a_data_type_or_a_tool() {
        let config: QuotaConfig = read_text("count = 100\nby = \"tool\"").unwrap();
        assert_eq!((config.count.get(), config.by), (100, By::Tool));
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
        read_text::<CandidatesConfig>("").unwrap().apply(&silent(), item).kept.remove(0)
    }

    fn kept(settings: &str, samples: &[(&str, &str)]) -> Vec<bool> {
        let mut scan = read_text::<QuotaConfig>(settings).unwrap().scan(&silent()).unwrap();
        let next = |(data_type, root): &(&str, &str)| scan.scan(&silent(), vec![sample(data_type, root)]);
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
        let mut scan = read_text::<QuotaConfig>("count = 1").unwrap().scan(&silent()).unwrap();
        let reject = scan.scan(&silent(), vec![sample("a", "t"), sample("a", "t")]).rejected.remove(0);
        assert_eq!((reject.reason.as_str(), reject.detail.as_str()), ("quota", "1 of `a` were kept before"));
        assert_eq!(reject.text, "to Porto");
    }

    #[test]
    fn what_is_no_sample_is_not_counted() {
        let mut scan = read_text::<QuotaConfig>("count = 1").unwrap().scan(&silent()).unwrap();
        assert_eq!(scan.scan(&silent(), vec![query_item(query("x", "{}")); 3]).kept.len(), 3);
    }
}
