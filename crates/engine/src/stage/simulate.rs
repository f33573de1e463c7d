//! A model stands in for an API that no world answers.
//!
//! The same call in the same state gets the same answer within a run, whoever asks first: a question holds only those
//! earlier calls that have to do with the call, and its answer is remembered.

use super::context::{Context, Question};
use super::outcome::Fault;
use crate::failure::ItemError;
use crate::llm::{AnsweredCall, Reply, SimulateVariables, Task, Variables};
use crate::record::{Draw, FunctionCall, ItemId, Object, Tool, Value};
use crate::text::read_json;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A text that is shorter says nothing about what it belongs to.
const WORD: usize = 3;

/// The simulated calls of one session, with their answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulation {
    earlier: Vec<AnsweredCall>,
}

/// What was answered in a run, by state and call.
#[derive(Debug, Default)]
pub struct Simulated(Mutex<BTreeMap<String, (Value, Draw)>>);

impl Simulation {
    /// Answers a call of a tool; a reply that is no such answer is asked for again, at most `asks` times.
    pub async fn call(
        &mut self,
        context: &Context,
        tool: &Arc<Tool>,
        call: &FunctionCall,
        asks: u32,
    ) -> Result<(Value, Draw), ItemError> {
        let call = FunctionCall { name: call.name.clone(), arguments: sorted(&call.arguments) };
        let earlier: Vec<AnsweredCall> = related(&self.earlier, &call).into_iter().cloned().collect();
        let state = state(&earlier, tool, &call);
        let memo = &context.domains().simulated;
        let known = memo.0.lock().unwrap_or_else(PoisonError::into_inner).get(&state).cloned();
        let (answer, draw) = if let Some(known) = known {
            known
        } else {
            let asked = ask(context, tool, &call, &earlier, &state, asks).await?;
            // Where two ask at once, the first answer stands for both.
            memo.0.lock().unwrap_or_else(PoisonError::into_inner).entry(state).or_insert(asked).clone()
        };
        self.earlier.push(AnsweredCall { call, answer: answer.clone() });
        Ok((answer, draw))
    }
}

async fn ask(
    context: &Context,
    tool: &Arc<Tool>,
    call: &FunctionCall,
    earlier: &[AnsweredCall],
    state: &str,
    asks: u32,
) -> Result<(Value, Draw), ItemError> {
    let returns = tool.returns.clone();
    let validator = match returns.as_ref().map(jsonschema::validator_for).transpose() {
        Ok(validator) => validator,
        Err(error) => return Err(Fault::new("returns", format!("`returns` of `{}`: {error}", tool.name)).into()),
    };
    // The item is the state and not the item at hand, so that the built-in model answers alike as well.
    let item = ItemId::root(format!("simulate-{state}"));
    let question = Question { task: Task::Simulate, role: "simulator", item: &item, asks };
    let variables = |common| {
        let (tool, returns, earlier, call) = (tool.clone(), returns.clone(), earlier.to_vec(), call.clone());
        Variables::Simulate(SimulateVariables { common, tool, returns, earlier, call })
    };
    let schema = returns.clone().filter(|schema| schema.get("properties").is_some()).map(Arc::new);
    context.obtain(&question, schema, variables, |reply: &Reply| read(reply, validator.as_ref())).await
}

fn read(reply: &Reply, validator: Option<&jsonschema::Validator>) -> Result<Value, Fault> {
    let (answer, _) = read_json(&reply.text)?;
    let json = Json::from(&answer);
    match validator.and_then(|validator| validator.iter_errors(&json).next()) {
        Some(error) => Err(Fault::new("schema", format!("{error} at `{}`", error.instance_path()))),
        None => Ok(answer),
    }
}

/// The earlier calls that a call hangs on: those that share a value with it, and those that share one with these. What
/// the same call was answered before is no reason for another answer.
fn related<'e>(earlier: &'e [AnsweredCall], call: &FunctionCall) -> Vec<&'e AnsweredCall> {
    let others: Vec<&AnsweredCall> = earlier.iter().filter(|it| it.call != *call).collect();
    let mut known = BTreeSet::new();
    call.arguments.values().for_each(|value| collect(value, &mut known));
    let mut taken = vec![false; others.len()];
    loop {
        let before = taken.iter().filter(|taken| **taken).count();
        for (step, taken) in others.iter().zip(&mut taken) {
            let mut own = BTreeSet::new();
            step.call.arguments.values().for_each(|value| collect(value, &mut own));
            let mut given = own.clone();
            collect(&step.answer, &mut given);
            if !*taken && !given.is_disjoint(&known) {
                *taken = true;
                known.extend(own);
            }
        }
        if taken.iter().filter(|taken| **taken).count() == before {
            break;
        }
    }
    others.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(step, _)| step).collect()
}

/// The texts and the great numbers of a value.
fn collect(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.chars().count() >= WORD => drop(into.insert(text.clone())),
        Value::Number(number) if number.as_str().len() > WORD => drop(into.insert(number.as_str().to_owned())),
        Value::List(list) => list.iter().for_each(|value| collect(value, into)),
        Value::Object(object) => object.values().for_each(|value| collect(value, into)),
        _ => {}
    }
}

/// Arguments without those that say nothing, by name.
fn sorted(arguments: &Object) -> Object {
    let mut sorted: Object = arguments
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    sorted.sort_keys();
    sorted
}

fn state(earlier: &[AnsweredCall], tool: &Tool, call: &FunctionCall) -> String {
    let text = serde_json::to_string(&(earlier, &tool.name, &tool.returns, call)).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex().chars().take(24).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, context};
    use super::*;

    fn tool() -> Arc<Tool> {
        let json = r#"{"name": "findRoom", "returns": {"type": "object", "required": ["roomId"], "properties": {"roomId": {"type": "string"}}}}"#;
        Arc::new(serde_json::from_str(json).unwrap())
    }

    fn call(arguments: &str) -> FunctionCall {
        FunctionCall { name: "findRoom".to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    /// A context whose model numbers its answers.
    fn counting() -> (Context, Asked) {
        let count = std::sync::atomic::AtomicUsize::new(0);
        context(move |_| {
            let at = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            format!(r#"{{"roomId": "ROOM-{at}"}}"#)
        })
    }

    async fn answered(simulation: &mut Simulation, context: &Context, arguments: &str) -> String {
        simulation.call(context, &tool(), &call(arguments), 3).await.unwrap().0.to_string()
    }

    #[tokio::test]
    async fn the_same_call_gets_the_same_answer_in_every_session_of_a_run() {
        let (context, asked) = counting();
        let (mut one, mut two) = (Simulation::default(), Simulation::default());
        let first = answered(&mut one, &context, r#"{"city": "Porto", "beds": 2}"#).await;
        assert_eq!(answered(&mut one, &context, r#"{"city": "Lisbon"}"#).await, r#"{"roomId":"ROOM-1"}"#);
        assert_eq!(answered(&mut one, &context, r#"{"beds": 2, "city": "Porto"}"#).await, first);
        assert_eq!(answered(&mut two, &context, r#"{"beds": 2, "city": "Porto", "pets": null}"#).await, first);
        assert_eq!((asked.count(), one.earlier.len()), (2, 3));
    }

    #[tokio::test]
    async fn a_call_that_hangs_on_others_is_asked_with_them() {
        let (context, asked) = counting();
        let mut session = Simulation::default();
        answered(&mut session, &context, r#"{"city": "Porto"}"#).await;
        answered(&mut session, &context, r#"{"city": "Lisbon"}"#).await;
        answered(&mut session, &context, r#"{"room": "ROOM-0"}"#).await;
        let earlier = |at: usize| match &*asked.requests()[at].variables {
            Variables::Simulate(it) => it.earlier.iter().map(|it| it.answer.to_string()).collect::<Vec<_>>(),
            _ => panic!("another task"),
        };
        assert_eq!((earlier(1), earlier(2)), (vec![], vec![r#"{"roomId":"ROOM-0"}"#.to_owned()]));
        let mut other = Simulation::default();
        let apart = answered(&mut other, &context, r#"{"room": "ROOM-0"}"#).await;
        assert_eq!(apart, r#"{"roomId":"ROOM-3"}"#, "nothing was found before: the state is another");
    }

    #[tokio::test]
    async fn an_answer_must_keep_to_what_the_function_returns() {
        let (bad, asked) =
            context(|request| if request.draw < 2 { "{}" } else { r#"Here: {"roomId": "R-1"}"# }.to_owned());
        let (answer, draw) = Simulation::default().call(&bad, &tool(), &call("{}"), 3).await.unwrap();
        assert_eq!((answer.to_string().as_str(), draw.draw), (r#"{"roomId":"R-1"}"#, 2));
        assert_eq!(asked.faults()[1], "\"roomId\" is a required property at ``");
        let mut session = Simulation::default();
        let lost = session.call(&context(|_| "no".to_owned()).0, &tool(), &call("{}"), 2).await;
        assert!(matches!(lost, Err(ItemError::Item { .. })) && session.earlier.is_empty());
    }

    #[test]
    fn short_words_and_small_numbers_tie_nothing_together() {
        let step = |arguments: &str, answer: &str| AnsweredCall {
            call: call(arguments),
            answer: Value::read(answer).unwrap(),
        };
        let earlier =
            [step(r#"{"city": "Porto"}"#, r#"[{"id": 48213, "n": 2}]"#), step(r#"{"a": "ab"}"#, r#"{"b": 2}"#)];
        assert_eq!(related(&earlier, &call(r#"{"a": "ab", "n": 2}"#)).len(), 0);
        assert_eq!(related(&earlier, &call(r#"{"id": 48213}"#)).len(), 1);
        assert_eq!(related(&earlier, &call(r#"{"city": "Porto"}"#)).len(), 0, "the same call is no other");
    }
}
