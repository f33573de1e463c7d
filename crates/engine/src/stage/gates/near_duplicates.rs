//! Keeps a query or a question only if it is not too like one of the same tool or domain that was kept before.

use crate::locale::NearDuplicates;
use crate::record::RecordKind;
use crate::record::{Item, ItemId};
use crate::settings::{Share, share};
use crate::stage::context::Context;
use crate::stage::facts::{Scope, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query or a question only if it is not too similar to one of the same tool or domain that was kept before.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearDuplicatesConfig {
    /// Rouge-L F1 at or above which two queries count as duplicates.
    #[serde(default = "share::<90>")]
    rouge_l: Share,
}

impl Stage for NearDuplicatesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("near_duplicates", &[RecordKind::Query, RecordKind::Question, RecordKind::ComplexQuery])
            .scope(Scope::Tool)
    }

    fn scan(&self, context: &Context) -> Option<Box<dyn Scan>> {
        let index = NearDuplicates::new(context.rouge().clone());
        Some(Box::new(Kept { rouge_l: self.rouge_l.get(), index, ids: Vec::new() }))
    }
}

/// The requests of a root that were kept.
struct Kept {
    rouge_l: f64,
    index: NearDuplicates,
    ids: Vec<ItemId>,
}

impl Scan for Kept {
    fn scan(&mut self, context: &Context, items: Vec<Item>) -> Outcome {
        let mut outcome = Outcome::default();
        for item in items {
            let Some(said) = item.record.said() else {
                outcome.kept.push(item);
                continue;
            };
            match self.index.insert_if_new(&said, self.rouge_l) {
                Ok(()) => {
                    self.ids.push(item.id.clone());
                    outcome.kept.push(item);
                }
                Err(earlier) => {
                    let like = self.ids.get(earlier).map_or("another", ItemId::as_str);
                    let fault = Fault::new("near_duplicate", format!("too like `{like}`"));
                    outcome.rejected.extend(context.reject(&item.id, fault, said).rejected);
                }
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use crate::settings::section::read_text;
    use crate::stage::candidates::testing::complex_item;
    use crate::stage::testing::{query, query_item, silent, tool_item, train};

    #[test]
    fn what_is_alike_by_nine_tenths_counts_as_one() {
        let config: NearDuplicatesConfig = read_text("").unwrap();
        assert!((config.rouge_l.get() - 0.9).abs() < f64::EPSILON);
    }

    #[test]
    fn a_threshold_is_a_share() {
        assert!(read_text::<NearDuplicatesConfig>("rouge_l = 1.1").is_err());
    }

    fn items(texts: &[&str]) -> Vec<Item> {
        let item = |(ordinal, text): (usize, &&str)| {
            let item = query_item(query(text, "{}"));
            Item { id: item.root.child("write", ordinal), ..item }
        };
        texts.iter().enumerate().map(item).collect()
    }

    fn scanned(settings: &str, texts: &[&str]) -> Outcome {
        let (context, config) = (silent(), read_text::<NearDuplicatesConfig>(settings).unwrap());
        config.scan(&context).unwrap().scan(&context, items(texts))
    }

    #[test]
    fn the_first_of_those_that_are_alike_is_kept() {
        let outcome = scanned("", &["book a train to Porto", "cancel it", "Book a train to Porto!"]);
        assert_eq!(outcome.kept.len(), 2);
        let reject = &outcome.rejected[0];
        assert_eq!((reject.reason.as_str(), reject.text.as_str()), ("near_duplicate", "Book a train to Porto!"));
        assert_eq!(reject.detail, "too like `Travel.Trains.book/write/0`");
    }

    #[test]
    fn requests_for_several_calls_are_told_apart_by_their_words() {
        let context = silent();
        let item = |(ordinal, text): (usize, &str)| {
            let mut item = complex_item();
            let Record::ComplexQuery(query) = &mut item.record else { panic!("another record") };
            text.clone_into(&mut query.text);
            Item { id: item.root.child("coarse_queries", ordinal), ..item }
        };
        let texts = ["an inn in Greyford for two", "An inn in Greyford, for two!", "an inn in Millbrook"];
        let config: NearDuplicatesConfig = read_text("").unwrap();
        let items = texts.into_iter().enumerate().map(item).collect();
        let outcome = config.scan(&context).unwrap().scan(&context, items);
        assert_eq!((outcome.kept.len(), outcome.rejected[0].id.as_str()), (2, "inns/coarse_queries/1"));
    }

    #[test]
    fn what_was_dropped_is_nobodys_measure() {
        // The third is like the second, which is gone, and not enough like the first.
        let texts = ["one two three four", "one two three five", "one two six five"];
        assert_eq!(scanned("rouge_l = 0.7", &texts).kept.len(), 2);
        assert_eq!(scanned("rouge_l = 0.8", &texts).kept.len(), 3);
    }

    #[test]
    fn a_later_part_of_the_scan_remembers_the_earlier() {
        let (context, config) = (silent(), read_text::<NearDuplicatesConfig>("").unwrap());
        let mut kept = config.scan(&context).unwrap();
        assert_eq!(kept.scan(&context, items(&["book a train"])).kept.len(), 1);
        assert_eq!(kept.scan(&context, items(&["book a train"])).rejected.len(), 1);
    }

    #[test]
    fn what_is_no_query_passes() {
        let (context, config) = (silent(), read_text::<NearDuplicatesConfig>("").unwrap());
        let tools = vec![tool_item(train()), tool_item(train())];
        assert_eq!(config.scan(&context).unwrap().scan(&context, tools.clone()).kept, tools);
    }
}
