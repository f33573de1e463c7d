//! Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
//!
//! Who decides is the model of the role `checker`, tool by tool, without knowing which one is expected.

use super::candidates::Pool;
use super::context::Context;
use super::facts::StageMeta;
use super::outcome::{Fault, Outcome};
use super::work::{Stage, Work};
use crate::failure::ItemError;
use crate::llm::{ServeVariables, Task, Variables};
use crate::record::RecordKind;
use crate::record::{Expected, Item, ItemId, Record, Sample, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneRightToolConfig {}

impl Stage for OneRightToolConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("one_right_tool", &[RecordKind::Sample]).asks("checker")
    }

    /// Keeps a sample; a candidate that can serve its query beside the expected tool is replaced by one that cannot.
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Sample(sample) = &mut item.record else { return Ok(Outcome::keep(item)) };
            match make_unique(context, &item.id, sample).await {
                Ok(()) => Ok(Outcome::keep(item)),
                Err(failure) => Ok(context.reject(&item.id, failure.fault()?, sample.query())),
            }
        })
    }
}

/// How many tools are tried in the place of one that could serve as well.
const REPLACEMENTS: usize = 8;

async fn make_unique(context: &Context, id: &ItemId, sample: &mut Sample) -> Result<(), ItemError> {
    let Expected::Call(call) = &sample.expected else { return Ok(()) };
    let gold = call.name.clone();
    let query = sample.query();
    for place in 0..sample.candidates.len() {
        let tool = sample.candidates[place].clone();
        // That the expected tool serves the query is the consistency gate's business.
        if tool.name != gold && can_serve(context, id, &query, &tool).await? {
            context.count("replaced candidate");
            sample.candidates[place] = stranger(context, id, &query, sample, &gold).await?;
        }
    }
    Ok(())
}

/// A tool that is not among the candidates and cannot serve the query.
pub(super) async fn stranger(
    context: &Context,
    id: &ItemId,
    query: &str,
    sample: &Sample,
    gold: &str,
) -> Result<Arc<Tool>, ItemError> {
    let mut chance = context.chance_of("stranger", id.as_str(), 0);
    let missing = || Fault::new("second_right_tool", "no other tool was found that cannot serve the request");
    let gold = context.toolset().tool(gold).ok_or_else(missing)?;
    let pool = Pool::around(context, gold, &mut chance);
    let shown = |tool: &Tool| sample.candidates.iter().any(|candidate| candidate.name == tool.name);
    for tool in pool.spare().filter(|tool| !shown(tool)).take(REPLACEMENTS) {
        if !can_serve(context, id, query, tool).await? {
            return Ok(tool.clone());
        }
    }
    Err(missing().into())
}

/// Whether a tool can serve a query (HammerBench E.5).
pub(super) async fn can_serve(
    context: &Context,
    id: &ItemId,
    query: &str,
    tool: &Arc<Tool>,
) -> Result<bool, ItemError> {
    let variables =
        |common| Variables::CanServe(ServeVariables { common, query: query.to_owned(), tool: tool.clone() });
    let question = context.question(Task::CanServe, id, 2);
    context.verdict(&question, variables).await
}

#[cfg(test)]
mod tests {
    use super::super::candidates::CandidatesConfig;
    use super::super::testing::{Asked, TRAIN, context, query, query_item, samples, silent};
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn a_setting_is_refused() {
        assert!(read_text::<OneRightToolConfig>("asks = 2").is_err());
    }

    fn sample_item() -> Item {
        let config: CandidatesConfig = read_text("").unwrap();
        config.apply(&silent(), query_item(query("to Porto", r#"{"to": "Porto"}"#))).kept.remove(0)
    }

    /// Looks at a sample with a checker that finds that these tools can serve the query.
    async fn looked_at(item: Item, serving: &'static [&'static str]) -> (Outcome, Asked, Context) {
        let (context, asked) = context(|request| match &*request.variables {
            Variables::CanServe(variables) => {
                let serves = serving.iter().any(|name| variables.tool.name.starts_with(name));
                if serves { "True" } else { "False" }.to_owned()
            }
            other => panic!("{other:?}"),
        });
        (OneRightToolConfig {}.each(&context, item).await.unwrap(), asked, context)
    }

    #[tokio::test]
    async fn the_others_are_tried_and_the_expected_one_is_not() {
        let (outcome, asked, _) = looked_at(sample_item(), &[TRAIN]).await;
        assert_eq!((outcome.kept[0].clone(), asked.count()), (sample_item(), 4));
        let Variables::CanServe(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.query.as_str(), variables.tool.name == TRAIN), ("to Porto", false));
    }

    #[tokio::test]
    async fn a_second_right_tool_gives_way_to_one_that_cannot_serve() {
        let (outcome, _, context) = looked_at(sample_item(), &["Travel"]).await;
        let (before, after) = (sample_item(), &outcome.kept);
        let (before, after) = (samples(std::slice::from_ref(&before))[0], samples(after)[0]);
        for (old, new) in before.candidates.iter().zip(&after.candidates) {
            assert_eq!(
                old.name == new.name,
                old.name == TRAIN || !old.name.starts_with("Travel"),
                "{} {}",
                old.name,
                new.name
            );
        }
        let names: std::collections::BTreeSet<&str> = after.candidates.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names.len(), 5, "no tool comes twice");
        assert_eq!(context.counts()["stage"]["replaced candidate"], 2);
    }

    #[tokio::test]
    async fn where_every_tool_can_serve_the_sample_is_lost() {
        let (outcome, ..) = looked_at(sample_item(), &[""]).await;
        assert_eq!(outcome.rejected[0].reason, "second_right_tool");
        assert_eq!(outcome.rejected[0].text, "to Porto");
    }

    #[tokio::test]
    async fn what_is_to_be_refused_is_not_looked_at() {
        let mut item = sample_item();
        if let Record::Sample(sample) = &mut item.record {
            sample.expected = Expected::Refusal;
        }
        let (outcome, asked, _) = looked_at(item.clone(), &[""]).await;
        assert_eq!((outcome.kept, asked.count()), (vec![item], 0));
    }

    #[tokio::test]
    async fn a_checker_that_will_not_say_loses_the_sample() {
        let (context, asked) = context(|_| "it depends".to_owned());
        let outcome = OneRightToolConfig {}.each(&context, sample_item()).await.unwrap();
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("unparsable_verdict", 2));
    }
}
