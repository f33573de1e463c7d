//! Takes those items out of the answers that could be taken for the one that is meant (`ComplexFuncBench`, section 3.3).

use super::context::Context;
use super::facts::StageConfig;
use super::outcome::{Fault, Outcome};
use super::plans::{meant, without};
use crate::record::{Item, Record, RecordKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Takes those items out of the answers that could be taken for the one that is meant; unrelated ones stay.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisambiguateConfig {}

impl StageConfig for DisambiguateConfig {
    fn kind(&self) -> &'static str {
        "disambiguate"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::ComplexQuery]
    }

    fn output(&self) -> RecordKind {
        RecordKind::ComplexQuery
    }

    fn is_gate(&self) -> bool {
        true
    }
}

impl DisambiguateConfig {
    /// Looks at what every argument is taken from. A query without a plan does not say what makes an item the one.
    pub(super) fn each(context: &Context, mut item: Item) -> Outcome {
        let Record::ComplexQuery(query) = &mut item.record else { return Outcome::keep(item) };
        let (Some(plan), Some(world)) = (&query.plan, context.shared.domains.declared()) else {
            return Outcome::keep(item);
        };
        if let Some((steps, removed)) = without(world.declaration(), &query.steps, &meant(plan, &query.slots)) {
            query.steps = steps;
            if removed > 0 {
                item.provenance.facts.insert("removed_items".to_owned(), removed.to_string());
            }
            return Outcome::keep(item);
        }
        let detail = "an item that one call needs could be taken for one that another needs";
        let text = query.text.clone();
        Outcome::reject(&item.id, &context.stage, Fault::new("ambiguous_answer", detail), text)
    }
}
