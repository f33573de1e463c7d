//! Keeps a question if a model agrees that it asks for its calls, in their order, and for nothing else.

use crate::failure::ItemError;
use crate::llm::{JudgeQuestionVariables, JudgedCall, Task, Variables};
use crate::record::{Item, Question, Record, RecordKind};
use crate::stage::context::{Context, Question as Asked};
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a question if a model agrees that it asks for exactly its calls, in their order. Questions written by the
/// built-in model pass unchecked, since they are composed from the calls.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeQuestionsConfig {}

impl Stage for JudgeQuestionsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("judge_questions", &[RecordKind::Question]).asks("judge")
    }

    /// Asks the judge once.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Question(question) = &item.record else { return Ok(Outcome::keep(item)) };
            if item.provenance.template {
                return Ok(Outcome::keep(item));
            }
            let text = question.text.clone();
            match agrees(context, &item, question).await {
                Ok(true) => Ok(Outcome::keep(item)),
                Ok(false) => {
                    let fault = Fault::new("calls_not_asked_for", "the judge would not make these calls in this order");
                    Ok(context.reject(&item.id, fault, text))
                }
                Err(failure) => Ok(context.reject(&item.id, failure.fault()?, text)),
            }
        })
    }
}

async fn agrees(context: &Context, item: &Item, question: &Question) -> Result<bool, ItemError> {
    let calls = || question.calls.iter().map(|it| JudgedCall { tool: it.tool.clone(), call: it.call.clone() });
    let variables = |common| {
        let (question, calls) = (question.text.clone(), calls().collect());
        Variables::JudgeQuestion(JudgeQuestionVariables { common, question, calls })
    };
    let asked = Asked { task: Task::JudgeQuestion, role: context.role(), item: &item.id, asks: 1 };
    context.verdict(&asked, variables).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::{context, question_item};

    #[tokio::test]
    async fn the_judge_decides_and_sees_the_calls() {
        for (answer, kept) in [("True", 1), ("False", 0), ("hm", 0)] {
            let (context, asked) = context(move |_| answer.to_owned());
            let mut item = question_item();
            item.provenance.template = false;
            let outcome = JudgeQuestionsConfig {}.each(&context, item).await.unwrap();
            assert_eq!((outcome.kept.len(), outcome.rejected.len()), (kept, 1 - kept), "{answer}");
            let Variables::JudgeQuestion(variables) = &*asked.requests()[0].variables else { panic!("another task") };
            assert_eq!(variables.calls.len(), 2);
        }
    }

    #[tokio::test]
    async fn what_a_template_wrote_passes() {
        let (context, asked) = context(|_| "False".to_owned());
        let mut item = question_item();
        item.provenance.template = true;
        let outcome = JudgeQuestionsConfig {}.each(&context, item).await.unwrap();
        assert_eq!((outcome.kept.len(), asked.count()), (1, 0));
    }
}
