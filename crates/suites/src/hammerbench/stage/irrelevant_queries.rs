//! Passes samples on and adds to each its twin without the right tool, which a model must refuse.

use crate::failure::ItemError;
use crate::hammerbench::stage::one_right_tool::{READINGS, settle, stranger, strangers};
use crate::record::RecordKind;
use crate::record::{DataType, Expected, Item, Record, Sample, Tool};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Passes samples on and adds to each a counterpart without the expected tool, which a model must refuse.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IrrelevantQueriesConfig {}

impl Stage for IrrelevantQueriesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("irrelevant_queries", &[RecordKind::Sample], RecordKind::Sample)
    }

    fn data_types(&self, mut incoming: Vec<String>) -> Vec<String> {
        let twins: Vec<String> = incoming.iter().map(|data_type| twin_type(data_type)).collect();
        incoming.extend(twins);
        incoming
    }

    /// Passes a sample on and adds its twin: the same words, no tool that can serve them, so that a model must refuse.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Sample(sample) = &item.record else { return Ok(Outcome::keep(item)) };
            // Where all tools are shown there is none to put in the right one's place.
            let shown = |tool: &Arc<Tool>| sample.candidates.iter().any(|candidate| candidate.name == tool.name);
            if context.toolset().tools.iter().all(shown) {
                return Ok(Outcome::keep(item));
            }
            let id = item.id.child(context.stage(), 0);
            let twin = twin(context, &item, sample, &id).await;
            let mut outcome = context.settled(&id, twin)?;
            outcome.kept.insert(0, item);
            Ok(outcome)
        })
    }
}

/// The data type of a twin.
pub fn twin_type(data_type: &str) -> String {
    format!("ir_{data_type}")
}

fn no_other() -> Fault {
    Fault::new("second_right_tool", "no other tool was found that cannot serve the request")
}

async fn twin(context: &Context, item: &Item, sample: &Sample, id: &crate::record::ItemId) -> Result<Item, ItemError> {
    let mut twin = sample.clone();
    if let Expected::Call(call) = &sample.expected {
        // The authors' list is shorter than its base's and gives the answer away; ours puts a stranger in the gap.
        let others = sample.candidates.iter().filter(|tool| tool.name != call.name).map(|tool| tool.name.clone());
        twin.authors_candidates = Some(others.collect());
        let gap = sample.candidates.iter().position(|tool| tool.name == call.name);
        twin.label = Some(call.clone());
        let is_template = context.is_template(context.role());
        let other = if is_template {
            stranger(context, id, &sample.query(), sample, &call.name).await?
        } else {
            strangers(context, id, sample, &call.name, READINGS).next().ok_or_else(no_other)?
        };
        if let Some(place) = gap.and_then(|place| twin.candidates.get_mut(place)) {
            *place = other;
        }
        if !is_template && !settle(context, id, &sample.query(), &mut twin, None).await? {
            return Err(no_other().into());
        }
    }
    twin.id = id.clone();
    twin.expected = Expected::Refusal;
    twin.data_type = DataType(twin_type(&sample.data_type.0));
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
    use crate::record::Tool;
    use crate::settings::section::read_text;
    use crate::stage::candidates::CandidatesConfig;
    use crate::stage::testing::{TRAIN, context, query, query_item, samples, silent};
    use std::sync::Arc;

    #[test]
    fn a_setting_is_refused() {
        assert!(read_text::<IrrelevantQueriesConfig>("share = 0.5").is_err());
    }

    fn sample_item() -> Item {
        let config: CandidatesConfig = read_text("").unwrap();
        config.apply(&silent(), query_item(query("to Porto", r#"{"to": "Porto"}"#))).kept.remove(0)
    }

    fn names(tools: &[Arc<Tool>]) -> Vec<String> {
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    #[tokio::test]
    async fn a_twin_has_a_stranger_in_the_place_of_the_right_tool() {
        let (context, _) = context(|_| "False".to_owned());
        let outcome = IrrelevantQueriesConfig {}.each(&context, sample_item()).await.unwrap();
        let [base, twin] = samples(&outcome.kept)[..] else { panic!("not two") };
        assert_eq!(outcome.kept[1].id.as_str(), format!("{}/stage/0", outcome.kept[0].id.as_str()));
        assert_eq!((twin.data_type.0.as_str(), &twin.expected), ("ir_ST_Imperfect", &Expected::Refusal));
        assert_eq!((&twin.messages, &twin.base), (&base.messages, &Some(base.id.clone())));
        let (shown, stranger): (Vec<String>, Vec<String>) =
            names(&twin.candidates).into_iter().partition(|name| names(&base.candidates).contains(name));
        assert_eq!((shown.len(), stranger.len()), (4, 1));
        let gap = base.candidates.iter().position(|tool| tool.name == TRAIN).unwrap();
        assert_eq!(twin.candidates[gap].name, stranger[0]);
        assert_eq!(twin.authors_candidates.as_ref(), Some(&shown), "the authors show one tool less");
        assert!(matches!(&base.expected, Expected::Call(call) if twin.label.as_ref() == Some(call)));
    }

    #[tokio::test]
    async fn where_every_tool_can_serve_the_twin_alone_is_lost() {
        let (context, _) = context(|_| "True".to_owned());
        let outcome = IrrelevantQueriesConfig {}.each(&context, sample_item()).await.unwrap();
        assert_eq!(outcome.kept, [sample_item()]);
        assert_eq!(outcome.rejected[0].reason, "second_right_tool");
        assert_eq!(outcome.rejected[0].id, sample_item().id.child("stage", 0));
    }

    #[tokio::test]
    async fn what_is_no_sample_passes() {
        let item = query_item(query("to Porto", "{}"));
        assert_eq!(IrrelevantQueriesConfig {}.each(&silent(), item.clone()).await.unwrap(), Outcome::keep(item));
    }
}
