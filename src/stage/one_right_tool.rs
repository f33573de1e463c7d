//! Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
//!
//! Who decides is the model of the role `checker`, tool by tool, without knowing which one is expected.

use super::candidates::Pool;
use super::context::{Context, Question};
use super::facts::StageConfig;
use super::outcome::{Failure, Fault, Outcome, Stop};
use crate::llm::{ServeVariables, Task, Variables};
use crate::record::RecordKind;
use crate::record::{Chance, Expected, Item, ItemId, Record, Sample, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneRightToolConfig {}

impl StageConfig for OneRightToolConfig {
    fn kind(&self) -> &'static str {
        "one_right_tool"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Sample]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Sample
    }

    fn is_gate(&self) -> bool {
        true
    }

    fn role(&self) -> Option<&'static str> {
        Some("checker")
    }
}

/// How many tools are tried in the place of one that could serve as well.
const REPLACEMENTS: usize = 8;

impl OneRightToolConfig {
    /// Keeps a sample; a candidate that can serve its query beside the expected tool is replaced by one that cannot.
    pub(super) async fn each(context: &Context, mut item: Item) -> Result<Outcome, Stop> {
        let Record::Sample(sample) = &mut item.record else { return Ok(Outcome::keep(item)) };
        match make_unique(context, &item.id, sample).await {
            Ok(()) => Ok(Outcome::keep(item)),
            Err(Failure::Item { fault, .. }) => {
                let text = sample.query();
                Ok(Outcome::reject(&item.id, &context.stage, fault, text))
            }
            Err(Failure::Stop(stop)) => Err(stop),
        }
    }
}

async fn make_unique(context: &Context, id: &ItemId, sample: &mut Sample) -> Result<(), Failure> {
    let Expected::Call(call) = &sample.expected else { return Ok(()) };
    let gold = call.name.clone();
    let query = sample.query();
    for place in 0..sample.candidates.len() {
        let tool = sample.candidates[place].clone();
        // That the expected tool serves the query is the consistency gate's business.
        if tool.name != gold && can_serve(context, id, &query, &tool).await? {
            context.shared.counts.add(&context.stage, "replaced candidate");
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
) -> Result<Arc<Tool>, Failure> {
    let mut chance = Chance::new(context.shared.seed, &format!("{}/stranger", context.stage), id.as_str(), 0);
    let missing = || Fault::new("second_right_tool", "no other tool was found that cannot serve the request");
    let gold = context.shared.toolset.tool(gold).ok_or_else(missing)?;
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
pub(super) async fn can_serve(context: &Context, id: &ItemId, query: &str, tool: &Arc<Tool>) -> Result<bool, Failure> {
    let variables =
        |common| Variables::CanServe(ServeVariables { common, query: query.to_owned(), tool: tool.clone() });
    let question = Question { task: Task::CanServe, role: context.role(), item: id, asks: 2 };
    context.verdict(&question, variables).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn it_is_a_gate_that_asks_the_checker() {
        let config: OneRightToolConfig = read_text("").unwrap();
        assert!(config.is_gate());
        assert_eq!((config.role(), config.output()), (Some("checker"), RecordKind::Sample));
        assert_eq!(config.input(), [RecordKind::Sample]);
    }

    #[test]
    fn a_setting_is_refused() {
        assert!(read_text::<OneRightToolConfig>("asks = 2").is_err());
    }
}
