//! Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
//!
//! Who decides is the model of the role `checker`, without knowing which one is expected: a reading of the query that shows all
//! tools, or, where the built-in model decides, a look at each tool.

use crate::failure::ItemError;
use crate::llm::{CallVariables, Reply, Task, Variables};
use crate::record::RecordKind;
use crate::record::{Expected, Item, ItemId, Record, Sample, Tool};
use crate::stage::candidates::Pool;
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::targets::can_serve;
use crate::stage::work::{Stage, Work};
use crate::text::{ReadAnswer, read_call};
use futures::future::join;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Keeps a sample if only the expected tool of its listed tools can serve the query.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneRightToolConfig {}

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

/// How often a list is read, with another stranger each time.
pub(crate) const READINGS: usize = 3;

async fn make_unique(context: &Context, id: &ItemId, sample: &mut Sample) -> Result<(), ItemError> {
    let Expected::Call(call) = &sample.expected else { return Ok(()) };
    let gold = call.name.clone();
    let query = sample.query();
    if !context.is_template(context.role()) {
        return if settle(context, id, &query, sample, Some(&gold)).await? {
            Ok(())
        } else {
            Err(Fault::new("second_right_tool", "a reader takes another tool, whichever are shown").into())
        };
    }
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

/// Lets the tools of a sample be read until a reader chooses the wanted one, or none where none is wanted; a tool that is
/// chosen in its place is replaced by another. A reader may be wrong: while the list is read with the replacement, it is asked
/// whether the tool that it chose can serve the query at all.
pub(crate) async fn settle(
    context: &Context,
    id: &ItemId,
    query: &str,
    sample: &mut Sample,
    wanted: Option<&str>,
) -> Result<bool, ItemError> {
    let mut read = chosen(context, id, query, &sample.candidates).await?;
    for time in 0..READINGS {
        if read.as_deref() == wanted {
            return Ok(true);
        }
        let place = read.and_then(|name| sample.candidates.iter().position(|tool| tool.name == name));
        let Some(place) = place else { return Ok(false) };
        let tool = sample.candidates[place].clone();
        let label = sample.label.as_ref().map(|call| call.name.clone());
        let gold = wanted.map(str::to_owned).or(label);
        let other = gold.and_then(|gold| strangers(context, id, sample, &gold, time).next());
        let Some(other) = other.filter(|_| time + 1 < READINGS) else {
            return Ok(!can_serve(context, id, query, &tool).await?);
        };
        let mut candidates = sample.candidates.clone();
        candidates[place] = other;
        let (serves, again) = join(can_serve(context, id, query, &tool), chosen(context, id, query, &candidates)).await;
        if !serves? {
            return Ok(true);
        }
        context.count("replaced candidate");
        (sample.candidates, read) = (candidates, again?);
    }
    Ok(false)
}

/// The tool of a list that a reader chooses for a query; `None` where none can serve it.
pub(crate) async fn chosen(
    context: &Context,
    id: &ItemId,
    query: &str,
    tools: &[Arc<Tool>],
) -> Result<Option<String>, ItemError> {
    let refusal = context.pack().refusal.clone();
    let variables = |common| {
        Variables::Call(CallVariables {
            common,
            query: query.to_owned(),
            tools: tools.to_vec(),
            example: None,
            refusal: refusal.clone(),
            reference_time: context.writing_time(),
        })
    };
    let read = |reply: &Reply| match read_call(&reply.text, &refusal)?.0 {
        ReadAnswer::Refusal => Ok(None),
        ReadAnswer::Call(call) if tools.iter().any(|tool| tool.name == call.name) => Ok(Some(call.name)),
        ReadAnswer::Call(call) => Err(Fault::new("unknown_tool", format!("no tool is called `{}`", call.name))),
    };
    Ok(context.obtain(&context.question(Task::Call, id, 2), None, variables, read).await?.0)
}

/// Tools that are not among the candidates, in the order in which they take another's place.
pub(crate) fn strangers<'c>(
    context: &'c Context,
    id: &ItemId,
    sample: &Sample,
    gold: &str,
    time: usize,
) -> impl Iterator<Item = Arc<Tool>> + use<'c> {
    let mut chance = context.chance_of("stranger", id.as_str(), u32::try_from(time).unwrap_or(u32::MAX));
    let shown: Vec<String> = sample.candidates.iter().map(|tool| tool.name.clone()).chain([gold.to_owned()]).collect();
    let pool = context.toolset().tool(gold).map(|gold| Pool::around(context, gold, &mut chance));
    let spare: Vec<Arc<Tool>> = pool.iter().flat_map(Pool::spare).cloned().collect();
    spare.into_iter().filter(move |tool| !shown.contains(&tool.name))
}

/// A tool that is not among the candidates and cannot serve the query.
pub(crate) async fn stranger(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::candidates::CandidatesConfig;
    use crate::stage::testing::{Asked, TRAIN, context, query, query_item, samples, silent};

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
