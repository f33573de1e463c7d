//! Which calls of a request are needed: those that others take from, and those whose answers the person is told.

use crate::complexfunc::FunctionFacts;
use crate::complexfunc::stage::model::trace::{Made, Tracer, arrange, is_telling, leaves, made_of};
use crate::failure::ItemError;
use crate::gate::Gold;
use crate::llm::tasks::read_served;
use crate::llm::{Reply, Served, ServedVariables, Task, Variables};
use crate::locale::numbers_in;
use crate::record::{ComplexQuery, FunctionCall, ItemId, Origin, Step, Tool, Value};
use crate::stage::context::{Context, Question as Asked};
use crate::stage::outcome::Fault;
use std::sync::Arc;

/// The fact that tells who found that the request settles which items of answers are meant.
pub(crate) const CHOICES: &str = "choices";

/// How often a verdict is asked for.
const ASKS: u32 = 2;

/// The calls without those that nothing comes of: no later argument and no part of the answer in words. A model that sees
/// everything is asked once whether the request is served in full; where the words do not tell, what it finds needless goes.
///
/// Beside the calls: whether the request settles which item of an answer each call takes.
pub(crate) async fn needed(
    context: &Context,
    item: &ItemId,
    query: &ComplexQuery,
    mut made: Vec<Made>,
) -> Result<(Vec<Made>, bool), ItemError> {
    let verdict = judged(context, item, query, &made).await?;
    for [call, source] in &verdict.takes {
        let source = source.checked_sub(1).and_then(|at| made.get(at)).map(|it| it.call.clone());
        let taker = call.checked_sub(1).and_then(|at| made.get_mut(at));
        if let (Some(source), Some(taker)) = (source, taker) {
            taker.rests_on.push(source);
        }
    }
    let needless = verdict.needless.iter().filter_map(|number| made.get(number.checked_sub(1)?));
    let needless: Vec<FunctionCall> = needless.map(|it| it.call.clone()).collect();
    // What fed only a call that goes, goes as well.
    let ends: Vec<FunctionCall> =
        (0..made.len()).filter(|at| is_end(context, query, &made, *at)).map(|at| made[at].call.clone()).collect();
    let mut judged: Vec<FunctionCall> = Vec::new();
    while let Some(at) = next(context, query, &made, &judged) {
        let call = &made[at].call;
        let is_wanted = || is_told(context, query, &made[at]) || (ends.contains(call) && !needless.contains(call));
        if is_end(context, query, &made, at) && is_wanted() {
            judged.push(made[at].call.clone());
        } else {
            made.remove(at);
            context.count("cut");
        }
    }
    Ok((made, verdict.unsettled.is_empty()))
}

/// What a model finds of calls and their answers; a fault where the request is not served in full.
pub(crate) async fn judged(
    context: &Context,
    item: &ItemId,
    query: &ComplexQuery,
    made: &[Made],
) -> Result<Served, ItemError> {
    let variables = |common| {
        Variables::JudgeServed(ServedVariables {
            common,
            query: query.text.clone(),
            calls: made.iter().map(|it| it.call.clone()).collect(),
            answers: made.iter().map(|it| it.answer.clone()).collect(),
            said: query.answer.clone(),
        })
    };
    let asked = Asked { task: Task::JudgeServed, role: "judge", item, asks: ASKS };
    let read = |reply: &Reply| Ok(read_served(&reply.text)?.0);
    let (verdict, _) = context.obtain(&asked, asked.task.reply_schema(), variables, read).await?;
    if verdict.served { Ok(verdict) } else { Err(Fault::new("not_served", verdict.lacks).into()) }
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

/// Whether nobody takes anything from a call.
fn is_end(context: &Context, query: &ComplexQuery, made: &[Made], at: usize) -> bool {
    let steps = arrange(&Tracer::new(context, &query.text, &[]), made);
    let arranged = ComplexQuery { steps, ..query.clone() };
    let fed: Vec<usize> = arranged.feeders().into_iter().flatten().collect();
    let calls = arranged.steps.iter().flat_map(|step| &step.calls);
    calls.enumerate().any(|(ordinal, call)| *call == made[at].call && !fed.contains(&ordinal))
}

/// A request without one of its calls, with everything else as it was; none where another call takes from it.
pub(crate) fn without_call(context: &Context, query: &ComplexQuery, made: &[Made], at: usize) -> Option<ComplexQuery> {
    let rest: Vec<Made> = made.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, it)| it.clone()).collect();
    let mut steps = arrange(&Tracer::new(context, &query.text, &[]), &rest);
    let known = |call: &FunctionCall, name: &String| {
        let calls = query.steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes));
        calls.filter(|(other, _)| *other == call).find_map(|(_, notes)| notes.get(name)).cloned()
    };
    for step in &mut steps {
        for (call, notes) in step.calls.iter().zip(&mut step.notes) {
            for (name, note) in notes.iter_mut().filter(|(_, note)| note.origin == Origin::Missing) {
                // What a model pointed at in the words is known from before.
                let said = known(call, name).filter(|it| it.origin.answer().is_none() && it.origin != Origin::Missing);
                *note = said?;
            }
        }
    }
    Some(ComplexQuery { steps, ..query.clone() })
}

/// The request if its calls are right, or without a call that is needless.
pub(crate) fn trimmed(context: &Context, query: ComplexQuery) -> Result<ComplexQuery, Fault> {
    let Err(fault) = gold_of(context, &query) else { return Ok(query) };
    let made = made_of(&query);
    let ends = (0..made.len()).rev().filter(|_| fault.reason == NEEDLESS);
    let found = ends.filter_map(|at| without_call(context, &query, &made, at)).find(|it| is_right(context, it));
    if found.is_some() {
        context.count("cut");
    }
    found.ok_or(fault)
}

/// The reason of a call whose answer is known without it.
const NEEDLESS: &str = "needless_call";

/// Whether the calls and the closing answer of a request without a plan are right.
pub(crate) fn is_right(context: &Context, query: &ComplexQuery) -> bool {
    gold_of(context, query).is_ok()
}

fn gold_of(context: &Context, query: &ComplexQuery) -> Result<(), Fault> {
    check_gold(context, &query.catalogue.tools, (&query.text, &query.steps, &query.answer), false)
}

// Whether the gold of a request in several steps is right, by what the run knows of its functions.

/// Checks calls, arguments and the closing answer; an empty answer is not judged. What a request that was planned asks for
/// is declared by its functions; what others ask for is seen from what they are told.
pub(crate) fn check_gold(
    context: &Context,
    tools: &[Arc<Tool>],
    (request, steps, answer): (&str, &[Step], &str),
    is_planned: bool,
) -> Result<(), Fault> {
    let facts = context.toolset().world.as_deref().map(FunctionFacts::of);
    let FunctionFacts { mut goal_fields, changes, tallies, .. } = facts.unwrap_or_default();
    if !is_planned {
        goal_fields.clear();
    }
    let language = context.language();
    Gold { request, steps, answer, tools, goal_fields: &goal_fields, tallies: &tallies, changes: &changes, language }
        .check()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{coarse, greyford, inn, made};
    use crate::stage::testing::{Asked as Heard, context};

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
        let (left, _) = needed(&context, &ItemId::root("a"), &query, made).await.unwrap();
        (left.into_iter().map(|it| it.call.name).collect(), asked)
    }

    fn price() -> String {
        let context = inn(crate::stage::testing::silent());
        let (_, search) = greyford(&context);
        let made = made(&context, &[(0, "Search_Inns", search)]);
        crate::gate::pointed(&made[0].answer, "/data/inns/0/total").unwrap().to_string()
    }

    const ALL_NEEDED: &str = r#"{"served": true, "needless": [], "lacks": ""}"#;

    #[tokio::test]
    async fn one_question_is_asked_and_what_feeds_or_is_told_stays() {
        let needless = r#"{"served": true, "needless": [1, 2], "lacks": ""}"#;
        let (left_, asked) = left(&format!("The cheapest costs {}.", price()), needless, &[]).await;
        assert_eq!(
            (left_, asked.tasks()),
            (vec!["Find_Town".to_owned(), "Search_Inns".to_owned()], vec![Task::JudgeServed])
        );
    }

    #[tokio::test]
    async fn where_the_words_do_not_tell_what_is_found_needless_goes() {
        let (left_, _) = left("There is one.", ALL_NEEDED, &[]).await;
        assert_eq!(left_.len(), 2);
        let (left_, asked) = left("There is one.", r#"{"served": true, "needless": [2], "lacks": ""}"#, &[]).await;
        assert_eq!((left_.len(), asked.count()), (0, 1), "what fed the search alone goes with it");
    }

    #[tokio::test]
    async fn a_call_that_nothing_comes_of_goes() {
        let more = [(0, "Find_Town", r#"{"query": "Millbrook"}"#)];
        let verdict = r#"{"served": true, "needless": [3], "lacks": ""}"#;
        let (left, asked) = left(&format!("It costs {}.", price()), verdict, &more).await;
        assert_eq!((left, asked.count()), (vec!["Find_Town".to_owned(), "Search_Inns".to_owned()], 1));
    }

    #[tokio::test]
    async fn what_is_not_served_in_full_or_cannot_be_judged_is_a_fault() {
        for (reply, reason) in [
            ("perhaps", "unparsable_verdict"),
            (r#"{"served": false, "needless": [], "lacks": "the room"}"#, "not_served"),
        ] {
            let (context, _) = context(move |_| reply.to_owned());
            let context = inn(context);
            let query = coarse(&context, TEXT, &[]);
            let made = made(&context, &[(0, "Find_Town", r#"{"query": "Greyford"}"#)]);
            let failure = needed(&context, &ItemId::root("a"), &query, made).await.unwrap_err();
            assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == reason));
        }
    }
}
