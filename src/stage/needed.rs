//! Which calls of a request are needed: those that others take from, and those whose answers the person is told.

use super::context::{Context, Question as Asked};
use super::outcome::Fault;
use super::trace::{Made, Tracer, arrange, is_telling, leaves};
use crate::failure::ItemError;
use crate::gate::Gold;
use crate::llm::{NeededVariables, Task, Variables};
use crate::locale::numbers_in;
use crate::record::{ComplexQuery, FunctionCall, ItemId, Origin, Step, Tool, Value};
use crate::suite::complexfunc::FunctionFacts;
use std::sync::Arc;

/// How often a verdict is asked for.
const ASKS: u32 = 2;

/// The calls without those that nothing comes of: no later argument and no part of the answer in words. Where the words
/// do not tell, a model is asked.
pub(super) async fn needed(
    context: &Context,
    item: &ItemId,
    query: &ComplexQuery,
    mut made: Vec<Made>,
) -> Result<Vec<Made>, ItemError> {
    let mut judged: Vec<FunctionCall> = Vec::new();
    // From the end, so that what fed only a call that goes can go as well.
    while let Some(at) = next(context, query, &made, &judged) {
        let asking = Asking { context, item, query, made: &made };
        let is_end = asking.is_end(at);
        if is_end && (is_told(context, query, &made[at]) || asking.is_wanted(at).await?) {
            judged.push(made[at].call.clone());
        } else {
            made.remove(at);
            context.count("cut");
        }
    }
    Ok(made)
}

/// The last call that nobody has looked at yet and without which the others have all that they had.
fn next(context: &Context, query: &ComplexQuery, made: &[Made], judged: &[FunctionCall]) -> Option<usize> {
    let tracer = Tracer::new(context, &query.text, &[]);
    let steps = arrange(&tracer, made);
    (0..made.len()).rev().find(|&at| {
        let call = &made[at].call;
        let rest: Vec<Made> = made.iter().filter(|it| it.call != *call).cloned().collect();
        !judged.contains(call) && missing(&arrange(&tracer, &rest), call) <= missing(&steps, call)
    })
}

/// How many arguments nothing tells, in all calls but one.
fn missing(steps: &[Step], but: &FunctionCall) -> usize {
    let placed = steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes));
    let notes = placed.filter(|(call, _)| *call != but).flat_map(|(_, notes)| notes.values());
    notes.filter(|note| note.origin == Origin::Missing).count()
}

/// Whether the answer in words says something that only this call's answer holds.
fn is_told(context: &Context, query: &ComplexQuery, made: &Made) -> bool {
    let said = &query.answer;
    let numbers = numbers_in(said, context.language());
    let own = |leaf: &Value| made.call.arguments.values().any(|value| value.equals(leaf));
    leaves(&made.answer).into_iter().filter(|(_, leaf)| is_telling(leaf) && !own(leaf)).any(|(_, leaf)| match leaf {
        Value::String(text) => said.contains(text.as_str()) && !query.text.contains(text.as_str()),
        Value::Number(number) => numbers.iter().any(|found| found.value.equals(number)),
        _ => false,
    })
}

struct Asking<'a> {
    context: &'a Context,
    item: &'a ItemId,
    query: &'a ComplexQuery,
    made: &'a [Made],
}

impl Asking<'_> {
    /// Whether nobody takes anything from a call.
    fn is_end(&self, at: usize) -> bool {
        let steps = arrange(&Tracer::new(self.context, &self.query.text, &[]), self.made);
        let arranged = ComplexQuery { steps, ..self.query.clone() };
        let fed: Vec<usize> = arranged.feeders().into_iter().flatten().collect();
        let calls = arranged.steps.iter().flat_map(|step| &step.calls);
        calls.enumerate().any(|(ordinal, call)| *call == self.made[at].call && !fed.contains(&ordinal))
    }

    async fn is_wanted(&self, at: usize) -> Result<bool, ItemError> {
        let Made { call, answer, .. } = &self.made[at];
        let variables = |common| {
            Variables::JudgeNeeded(NeededVariables {
                common,
                query: self.query.text.clone(),
                calls: self.made.iter().map(|it| it.call.clone()).collect(),
                call: call.clone(),
                answer: answer.clone(),
                said: self.query.answer.clone(),
            })
        };
        let item = self.item.child("call", at);
        let asked = Asked { task: Task::JudgeNeeded, role: "judge", item: &item, asks: ASKS };
        self.context.verdict(&asked, variables).await
    }
}

// Whether the gold of a request in several steps is right, by what the run knows of its functions.

/// Checks calls, arguments and the closing answer; an empty answer is not judged. What a request that was planned asks for
/// is declared by its functions; what others ask for is seen from what they are told.
pub(super) fn check_gold(
    context: &Context,
    tools: &[Arc<Tool>],
    (request, steps, answer): (&str, &[Step], &str),
    is_planned: bool,
) -> Result<(), Fault> {
    let facts = context.toolset().world.as_deref().map(FunctionFacts::of);
    let FunctionFacts { mut goal_fields, changes, .. } = facts.unwrap_or_default();
    if !is_planned {
        goal_fields.clear();
    }
    let language = context.language();
    Gold { request, steps, answer, tools, goal_fields: &goal_fields, changes: &changes, language }.check()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked as Heard, context};
    use super::super::trace::testing::{coarse, greyford, inn, made};
    use super::*;

    const TEXT: &str = "The cheapest inn in Greyford from November 1, 2024 until November 4, 2024";

    /// The calls that stay, of a search with something on top, where the person is told `said`.
    async fn left(said: &str, verdict: &'static str, more: &[(usize, &str, &str)]) -> (Vec<String>, Heard) {
        let (context, asked) = context(move |_| verdict.to_owned());
        let context = inn(context);
        let (_, search) = greyford(&context);
        let mut calls = vec![(0, "Find_Town", r#"{"query": "Greyford"}"#), (1, "Search_Inns", search)];
        calls.extend(more);
        let query = ComplexQuery { answer: said.to_owned(), ..coarse(&context, TEXT, &[]) };
        let made = made(&context, &calls);
        let left = needed(&context, &ItemId::root("a"), &query, made).await.unwrap();
        (left.into_iter().map(|it| it.call.name).collect(), asked)
    }

    fn price() -> String {
        let context = inn(super::super::testing::silent());
        let (_, search) = greyford(&context);
        let made = made(&context, &[(0, "Search_Inns", search)]);
        crate::gate::pointed(&made[0].answer, "/data/inns/0/total").unwrap().to_string()
    }

    #[tokio::test]
    async fn what_feeds_or_is_told_stays_without_a_question() {
        let (left, asked) = left(&format!("The cheapest costs {}.", price()), "False", &[]).await;
        assert_eq!((left, asked.count()), (vec!["Find_Town".to_owned(), "Search_Inns".to_owned()], 0));
    }

    #[tokio::test]
    async fn where_the_words_do_not_tell_a_model_is_asked() {
        let (left_, asked) = left("There is one.", "True", &[]).await;
        assert_eq!((left_.len(), asked.tasks()), (2, vec![Task::JudgeNeeded]));
        let (left_, asked) = left("There is one.", "False", &[]).await;
        assert_eq!(
            (left_.len(), asked.count()),
            (0, 2),
            "what fed the search alone goes with it, where nobody wants it"
        );
    }

    #[tokio::test]
    async fn a_call_that_nothing_comes_of_goes() {
        let more = [(0, "Find_Town", r#"{"query": "Millbrook"}"#)];
        let (left, asked) = left(&format!("It costs {}.", price()), "False", &more).await;
        assert_eq!((left, asked.count()), (vec!["Find_Town".to_owned(), "Search_Inns".to_owned()], 1));
    }

    #[tokio::test]
    async fn of_two_calls_that_hold_the_same_value_the_one_that_is_no_end_can_go() {
        // Both lookups hold the town's id; the search takes it from the first, and the second is asked about.
        let more = [(0, "Find_Town", r#"{"query": "greyford"}"#)];
        let (left, _) = left(&format!("It costs {}.", price()), "False", &more).await;
        assert_eq!(left, ["Find_Town", "Search_Inns"]);
    }

    #[tokio::test]
    async fn a_verdict_that_cannot_be_read_rejects() {
        let (context, _) = context(|_| "perhaps".to_owned());
        let context = inn(context);
        let query = coarse(&context, TEXT, &[]);
        let made = made(&context, &[(0, "Find_Town", r#"{"query": "Greyford"}"#)]);
        let failure = needed(&context, &ItemId::root("a"), &query, made).await.unwrap_err();
        assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == "unparsable_verdict"));
    }
}
