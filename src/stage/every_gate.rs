//! All gates on one query, for those who have queries of their own to look at.
//!
//! It keeps nothing and repairs nothing: where a pipeline would put another tool in the place of a second right one,
//! this names the fault.

use super::consistency::{Accept, ConsistencyConfig};
use super::context::Context;
use super::one_right_tool::can_serve;
use super::outcome::{Failure, Fault, Outcome, Stop};
use super::parameters::ParametersConfig;
use super::script::ScriptConfig;
use crate::record::{Item, ItemId, Provenance, Query, Record, Reject, Tool};
use std::sync::Arc;

/// Puts a query through every gate in a pipeline's order: parameters, script, consistency (without and with an example,
/// then the judge), and whether one of `others` could serve it as well. Gives the first fault.
pub async fn judge_query(
    context: &Context,
    id: &ItemId,
    query: Query,
    others: &[Arc<Tool>],
) -> Result<Option<Reject>, Stop> {
    let said = query.said();
    let item = Item {
        id: id.clone(),
        root: id.clone(),
        record: Record::Query(Box::new(query)),
        provenance: Provenance::default(),
    };
    let mut outcome = ParametersConfig::each(&at(context, "parameters"), item);
    if let Some(item) = outcome.kept.pop() {
        outcome = ScriptConfig { least: None }.each(&at(context, "script"), item);
    }
    if let Some(item) = outcome.kept.pop() {
        let consistency = ConsistencyConfig { rouge_l: None, accept: Accept::RougeOrJudge, one_shot: true };
        outcome = consistency.each(&at(context, "consistency"), item).await?;
    }
    if outcome.kept.is_empty() {
        return Ok(outcome.rejected.pop());
    }
    let context = at(context, "one_right_tool");
    for tool in others {
        match can_serve(&context, id, &said, tool).await {
            Ok(false) => {}
            Ok(true) => {
                let fault = Fault::new("second_right_tool", format!("`{}` can serve the request as well", tool.name));
                return Ok(Outcome::reject(id, &context.stage, fault, said).rejected.pop());
            }
            Err(Failure::Item { fault, .. }) => {
                return Ok(Outcome::reject(id, &context.stage, fault, said).rejected.pop());
            }
            Err(Failure::Stop(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

fn at(context: &Context, stage: &str) -> Context {
    Context { stage: Arc::from(stage), role: Some("checker".to_owned()), ..context.clone() }
}
