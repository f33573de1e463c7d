//! Passes samples on and adds to each its twin without the right tool, which a model must refuse.

use super::context::Context;
use super::facts::StageConfig;
use super::one_right_tool::stranger;
use super::outcome::{Failure, Outcome, Stop};
use crate::record::RecordKind;
use crate::record::{DataType, Expected, Item, Record, Sample};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Passes samples on and adds to each its twin without the right tool, which a model must refuse.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IrrelevantQueriesConfig {}

impl StageConfig for IrrelevantQueriesConfig {
    fn kind(&self) -> &'static str {
        "irrelevant_queries"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Sample]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Sample
    }
}

impl IrrelevantQueriesConfig {
    /// Passes a sample on and adds its twin: the same words, no tool that can serve them, so that a model must refuse.
    pub(super) async fn each(context: &Context, item: Item) -> Result<Outcome, Stop> {
        let Record::Sample(sample) = &item.record else { return Ok(Outcome::keep(item)) };
        let id = item.id.child(&context.stage, 0);
        let twin = twin(context, &item, sample, &id).await;
        let mut outcome = Outcome::of(twin, &id, &context.stage)?;
        outcome.kept.insert(0, item);
        Ok(outcome)
    }
}

async fn twin(context: &Context, item: &Item, sample: &Sample, id: &crate::record::ItemId) -> Result<Item, Failure> {
    let mut twin = sample.clone();
    if let Expected::Call(call) = &sample.expected {
        // The authors' list is shorter than its base's and gives the answer away; ours puts a stranger in the gap.
        let others = sample.candidates.iter().filter(|tool| tool.name != call.name).map(|tool| tool.name.clone());
        twin.authors_candidates = Some(others.collect());
        let gap = sample.candidates.iter().position(|tool| tool.name == call.name);
        let stranger = stranger(context, id, &sample.query(), sample, &call.name).await?;
        if let Some(place) = gap.and_then(|place| twin.candidates.get_mut(place)) {
            *place = stranger;
        }
        twin.label = Some(call.clone());
    }
    twin.id = id.clone();
    twin.expected = Expected::Refusal;
    twin.data_type = DataType(format!("ir_{}", sample.data_type.0));
    twin.base = Some(item.id.clone());
    twin.provenance.parents = vec![item.id.to_string()];
    Ok(Item {
        id: id.clone(),
        root: item.root.clone(),
        provenance: twin.provenance.clone(),
        record: Record::Sample(Box::new(twin)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn samples_go_in_and_twice_as_many_come_out() {
        let config: IrrelevantQueriesConfig = read_text("").unwrap();
        assert_eq!((config.input(), config.output()), (&[RecordKind::Sample][..], RecordKind::Sample));
        assert!(!config.is_gate() && config.role().is_none());
    }

    #[test]
    fn a_setting_is_refused() {
        assert!(read_text::<IrrelevantQueriesConfig>("share = 0.5").is_err());
    }
}
