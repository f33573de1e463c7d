//! Declared data types without items, and why the items that were begun were rejected.

use crate::config::Plan;
use crate::record::Reject;
use crate::run::output::manifest::ManifestStage;
use crate::suite::hammerbench::stage::irrelevant_queries::twin_type;
use crate::suite::hammerbench::stage::pointing::NO_ENTITY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Declared data type without items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EmptyType {
    /// Data type.
    pub data_type: String,
    /// Stage that creates its items.
    pub stage: String,
    /// Most frequent reject reason of its items; absent if no suitable item reached its stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Taken>,
}

/// Most frequent reason of some rejects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Taken {
    /// Stage that rejected them.
    pub stage: String,
    /// Reason.
    pub reason: String,
    /// Number of rejects with this reason.
    pub count: usize,
    /// Detail of the first of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Rejects of one maker of data types, by stage and reason, each with its count and its first detail.
type Reasons = BTreeMap<(String, String), (usize, String)>;

/// Counts rejects by the stage that began the item.
#[derive(Debug, Default)]
pub(crate) struct RejectTally {
    /// The data types that can come out, each with the stage that begins its items, in the order of the file.
    declared: Vec<(String, String)>,
    /// The stages that each stage reads from, directly or not.
    above: BTreeMap<String, BTreeSet<String>>,
    reasons: BTreeMap<String, Reasons>,
}

impl RejectTally {
    pub(crate) fn new(plan: &Plan) -> Self {
        let name = |at: usize| plan.stages[at].name.clone();
        let above = |at: usize| (name(at), plan.above(at).into_iter().map(name).collect());
        Self {
            declared: plan.data_types().into_iter().map(|(data_type, at)| (data_type, name(at))).collect(),
            above: (0..plan.stages.len()).map(above).collect(),
            reasons: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, reject: &Reject) {
        // Such a request could not have become an item of the type.
        if reject.reason == NO_ENTITY {
            return;
        }
        let maker = self.maker(reject).unwrap_or(&reject.stage).to_owned();
        let reasons = self.reasons.entry(maker).or_default();
        let reason = (reject.stage.clone(), reject.reason.clone());
        reasons.entry(reason).or_insert_with(|| (0, reject.detail.clone())).0 += 1;
    }

    /// The stage that began the item: the last one in its id, unless one that begins items rejected it itself.
    fn maker<'r>(&self, reject: &'r Reject) -> Option<&'r str> {
        let is_maker = |stage: &&str| self.declared.iter().any(|(_, maker)| maker == stage);
        Some(reject.stage.as_str()).filter(is_maker).or_else(|| reject.id.as_str().rsplit('/').find(is_maker))
    }

    /// The commonest reason of all.
    pub(crate) fn commonest(&self) -> Option<Taken> {
        self.reasons.values().filter_map(commonest).max_by_key(|taken| taken.count)
    }

    /// The declared types without an item.
    pub(crate) fn empty(&self, samples: &BTreeMap<String, usize>, stages: &[ManifestStage]) -> Vec<EmptyType> {
        let empty = self.declared.iter().filter(|(data_type, _)| !samples.contains_key(data_type));
        let told = empty.map(|(data_type, stage)| EmptyType {
            data_type: data_type.clone(),
            stage: stage.clone(),
            taken: self.taken(stage, stages),
        });
        let mut told: Vec<EmptyType> = told.collect();
        // What nothing could be made of has no twins either, whatever took the twins of other types.
        let unmade: Vec<String> =
            told.iter().filter(|it| it.taken.is_none()).map(|it| twin_type(&it.data_type)).collect();
        told.iter_mut().filter(|it| unmade.contains(&it.data_type)).for_each(|it| it.taken = None);
        told
    }

    /// What took most of the items that `stage` began, or all that it could have begun any with.
    fn taken(&self, stage: &str, stages: &[ManifestStage]) -> Option<Taken> {
        let above = self.above.get(stage);
        let is_dry = |it: &&ManifestStage| it.kept == 0 && above.is_some_and(|above| above.contains(&it.name));
        let dry = stages.iter().filter(is_dry).map(|it| it.name.as_str());
        std::iter::once(stage).chain(dry).find_map(|stage| commonest(self.reasons.get(stage)?))
    }
}

fn commonest(reasons: &Reasons) -> Option<Taken> {
    let ((stage, reason), (count, detail)) = reasons.iter().max_by_key(|(_, (count, _))| *count)?;
    Some(Taken { stage: stage.clone(), reason: reason.clone(), count: *count, detail: detail.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ItemId;
    use crate::run::testing::plan;

    fn reject(id: &str, stage: &str, reason: &str) -> Reject {
        let (stage, reason, detail) = (stage.to_owned(), reason.to_owned(), format!("{id} is no good"));
        Reject { id: ItemId::root(id), stage, reason, detail, text: String::new(), mended: None }
    }

    fn tally(rejects: &[Reject]) -> RejectTally {
        let mut tally = RejectTally::new(&plan(&crate::fixtures::assets().read("pipelines/hammer.toml").unwrap(), &[]));
        for reject in rejects {
            tally.add(reject);
        }
        tally
    }

    fn told(tally: &RejectTally, kept: &[(&str, usize)], data_type: &str) -> Option<String> {
        let stage = |(name, kept): &(&str, usize)| ManifestStage {
            name: (*name).to_owned(),
            kind: String::new(),
            readings: None,
            came: 1,
            kept: *kept,
            rejected: 0,
        };
        let stages: Vec<ManifestStage> = kept.iter().map(stage).collect();
        let empty = tally.empty(&BTreeMap::new(), &stages);
        let found = empty.into_iter().find(|it| it.data_type == data_type)?;
        found.taken.map(|taken| format!("{} {} {}", taken.stage, taken.reason, taken.count))
    }

    #[test]
    fn what_took_an_item_is_told_by_the_stage_that_began_it() {
        let late = "t/select_parameters/0/imperfect_queries/0/slot_filling/0/intent_shift/0";
        let tally = tally(&[
            reject(late, "variant_consistency", "inconsistent"),
            reject(late, "variant_consistency", "inconsistent"),
            reject("t/perfect_queries/0", "parameters", "ungrounded"),
            reject("t/perfect_queries/1/external_queries/0", "external_queries", NO_ENTITY),
        ]);
        assert_eq!(told(&tally, &[], "IS").unwrap(), "variant_consistency inconsistent 2");
        assert_eq!(told(&tally, &[], "ST_Perfect").unwrap(), "parameters ungrounded 1");
        assert_eq!(told(&tally, &[], "ST_External"), None, "nothing was there to point at");
        assert_eq!(told(&tally, &[], "mQmA"), None, "nothing came that it could be made of");
        assert_eq!(tally.commonest().unwrap().count, 2);
    }

    #[test]
    fn twins_of_a_type_that_nothing_could_be_made_of_are_not_blamed_on_anybody() {
        let twin = |id: &str| reject(id, "irrelevant_queries", "no_twin");
        let tally = tally(&[twin("t/perfect_queries/0/irrelevant_queries/0")]);
        let blamed = |kept: &[&str]| {
            let samples = kept.iter().map(|name| ((*name).to_owned(), 1)).collect();
            tally.empty(&samples, &[]).iter().filter(|it| it.taken.is_some()).map(|it| it.data_type.clone()).collect()
        };
        let all: Vec<String> = blamed(&["ST_Perfect", "ST_External"]);
        assert!(all.iter().any(|it| it == "ir_ST_External"), "{all:?}");
        let some: Vec<String> = blamed(&["ST_Perfect"]);
        assert!(!some.iter().any(|it| it == "ir_ST_External"), "{some:?}");
    }

    #[test]
    fn a_stage_above_that_kept_nothing_is_to_blame_for_what_never_came() {
        let tally = tally(&[reject("t/select_parameters/0", "select_parameters", "no_names")]);
        assert_eq!(told(&tally, &[("select_parameters", 0)], "mQmA").unwrap(), "select_parameters no_names 1");
        assert_eq!(told(&tally, &[("select_parameters", 3)], "mQmA"), None);
    }
}
