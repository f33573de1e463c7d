//! All gates on one query, for those who have queries of their own to look at.
//!
//! It keeps nothing and repairs nothing: where a pipeline would put another tool in the place of a second right one,
//! this names the fault.

use crate::failure::RunStopped;
use crate::record::{Item, ItemId, Provenance, Query, Record, Reject, Tool};
use crate::stage::context::Context;
use crate::stage::gates::consistency::ConsistencyConfig;
use crate::stage::gates::parameters::ParametersConfig;
use crate::stage::gates::readings::{Accept, Readings};
use crate::stage::gates::script::ScriptConfig;
use crate::stage::outcome::Fault;
use crate::stage::targets::can_serve;
use crate::stage::work::Stage;
use std::sync::Arc;

/// Puts a query through every gate in a pipeline's order: parameters, script, consistency (without and with an example,
/// then the judge), and whether one of `others` could serve it as well. Gives the first fault.
pub async fn judge_query(
    context: &Context,
    id: &ItemId,
    query: Query,
    others: &[Arc<Tool>],
) -> Result<Option<Reject>, RunStopped> {
    let said = query.said();
    let item = Item {
        id: id.clone(),
        root: id.clone(),
        record: Record::Query(Box::new(query)),
        provenance: Provenance::default(),
    };
    let mut outcome = ParametersConfig {}.apply(&context.at("parameters", Some("checker")), item);
    if let Some(item) = outcome.kept.pop() {
        outcome = ScriptConfig { least: None }.apply(&context.at("script", Some("checker")), item);
    }
    if let Some(item) = outcome.kept.pop() {
        let context = context.at("consistency", Some("checker"));
        let readings = Some(Readings::for_reader(context.is_template(context.role())));
        let consistency = ConsistencyConfig { rouge_l: None, accept: Accept::RougeOrJudge, readings, one_shot: true };
        outcome = consistency.each(&context, item).await?;
    }
    if outcome.kept.is_empty() {
        return Ok(outcome.rejected.pop());
    }
    let context = context.at("one_right_tool", Some("checker"));
    for tool in others {
        match can_serve(&context, id, &said, tool).await {
            Ok(false) => {}
            Ok(true) => {
                let fault = Fault::new("second_right_tool", format!("`{}` can serve the request as well", tool.name));
                return Ok(context.reject(id, fault, said).rejected.pop());
            }
            Err(failure) => return Ok(context.reject(id, failure.fault()?, said).rejected.pop()),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Variables;
    use crate::stage::testing::{called, context, query, train};

    /// The first fault in a query, read by a model that finds `reading` and lets tools of this beginning serve it.
    async fn fault(text: &str, label: &str, reading: &str, serving: &'static str) -> Option<(String, String)> {
        let reading = called(reading);
        let (context, _) = context(move |request| match &*request.variables {
            Variables::Call(_) => reading.clone(),
            Variables::CanServe(it) if it.tool.name.starts_with(serving) => "True".to_owned(),
            Variables::CanServe(_) | Variables::JudgeCall(_) => "False".to_owned(),
            _ => "nothing".to_owned(),
        });
        let others = [Arc::new(Tool { name: "Travel.Rail.buy".to_owned(), ..train() })];
        let reject = judge_query(&context, &ItemId::root("a"), query(text, label), &others).await.unwrap();
        reject.map(|reject| (reject.stage, reject.reason))
    }

    #[tokio::test]
    async fn the_first_gate_that_finds_a_fault_names_it() {
        let (text, label) = ("to Porto", r#"{"to": "Porto"}"#);
        let named = |stage: &str, reason: &str| Some((stage.to_owned(), reason.to_owned()));
        assert_eq!(fault(text, label, label, "none").await, None);
        assert_eq!(fault(text, r#"{"to": "Faro"}"#, label, "none").await, named("parameters", "value_not_in_query"));
        assert_eq!(fault("기차 타고 여행 가자 Porto", label, label, "none").await, named("script", "wrong_script"));
        assert_eq!(fault(text, label, "{}", "none").await, named("consistency", "inconsistent"));
        assert_eq!(fault(text, label, label, "Travel.Rail").await, named("one_right_tool", "second_right_tool"));
    }

    #[tokio::test]
    async fn a_checker_that_will_not_say_is_a_fault_too() {
        let (context, _) = context(|request| match &*request.variables {
            Variables::Call(_) => called("{}"),
            _ => "it depends".to_owned(),
        });
        let others = [Arc::new(train())];
        let reject = judge_query(&context, &ItemId::root("a"), query("take me away", "{}"), &others).await.unwrap();
        assert_eq!(reject.unwrap().reason, "unparsable_verdict");
    }
}
