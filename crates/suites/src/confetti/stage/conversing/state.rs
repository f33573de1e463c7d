//! One thing that a person wants, on its way: what was said of it, what was answered.

use super::aim::Aim;
use crate::llm::PlannedValue;
use crate::record::{Argument, ArgumentNotes, Followup, FunctionCall, Object, Origin, Tool, Value};
use crate::stage::outcome::Fault;
use crate::stage::writing::speaker::Given;
use crate::toolset::Feed;
use indexmap::IndexMap;
use std::sync::Arc;

/// One thing that a person wants, on its way.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub aim: Aim,
    /// What was said so far.
    pub said: Object,
    pub notes: ArgumentNotes,
    /// The values that are settled by what the person knows.
    pub given: Vec<PlannedValue>,
    /// Whether the person will ask on about the answer.
    pub asked_on: bool,
    /// Whether twice.
    pub is_asked_twice: bool,
    /// The questions that were kept for that.
    pub followups: Vec<Followup>,
    /// The answers so far, by step.
    pub answers: Value,
    /// Which call of the conversation gave each step's answer.
    ordinals: IndexMap<String, usize>,
}

impl State {
    /// Nothing was said yet.
    pub(crate) fn new(aim: Aim, given: Vec<PlannedValue>) -> Self {
        let answers = Value::Object(Object::new());
        Self {
            aim,
            said: Object::new(),
            notes: ArgumentNotes::new(),
            given,
            asked_on: false,
            is_asked_twice: false,
            followups: Vec::new(),
            answers,
            ordinals: IndexMap::new(),
        }
    }

    /// What the person says of it, as a tool.
    pub(crate) fn tool(&self) -> &Arc<Tool> {
        &self.aim.goal.tool
    }

    /// Takes in what the person gave.
    pub(crate) fn take(&mut self, given: &Given) {
        self.said.extend(given.arguments.clone());
        self.notes.extend(given.notes.clone());
    }

    /// Takes over what the person said of it before.
    pub(crate) fn carry(&mut self, name: &str, value: Value, note: Argument) {
        self.said.insert(name.to_owned(), value);
        self.notes.insert(name.to_owned(), note);
    }

    /// The value that is settled for a parameter.
    pub(crate) fn settled(&self, name: &str) -> Option<&Value> {
        self.given.iter().find(|it| it.name == name)?.value.as_ref()
    }

    /// What is still to be asked for.
    pub(crate) fn missing(&self) -> Vec<String> {
        let required = &self.tool().parameters.required;
        required.iter().filter(|name| !self.said.contains_key(*name)).cloned().collect()
    }

    /// The call of a step, with what is known by now.
    pub(crate) fn call(&self, at: usize) -> Result<(FunctionCall, ArgumentNotes), Fault> {
        let lacking = || Fault::new("no_answer", "an earlier answer does not hold what the next call takes");
        let step = self.aim.goal.calls.get(at).ok_or_else(lacking)?;
        let arguments = self.aim.goal.arguments(step, &self.said, &self.answers).ok_or_else(lacking)?;
        let note = |name: &String| Some((name.clone(), self.note(step.with.get(name)?)));
        let notes = arguments.keys().filter_map(note).collect();
        Ok((FunctionCall { name: step.tool.clone(), arguments }, notes))
    }

    fn note(&self, feed: &Feed) -> Argument {
        match feed {
            Feed::Said(name) => self.notes.get(name).cloned().unwrap_or_default(),
            Feed::Answer(path) => {
                let (step, field) = path.split_once('.').unwrap_or((path, ""));
                let call = self.ordinals.get(step).copied().unwrap_or_default();
                let field = format!("/{}", field.replace('.', "/"));
                Argument { origin: Origin::Answer { call, field }, ..Argument::default() }
            }
            Feed::Fixed(_) => Argument { origin: Origin::Inferred, ..Argument::default() },
        }
    }

    /// Takes in a step's answer; `ordinal` counts the calls of the conversation from 0.
    pub(crate) fn learn(&mut self, at: usize, answer: Value, ordinal: usize) {
        let Some(step) = self.aim.goal.calls.get(at) else { return };
        self.ordinals.insert(step.step.clone(), ordinal);
        if let Value::Object(answers) = &mut self.answers {
            answers.insert(step.step.clone(), answer);
        }
    }

    /// What its sentences speak of: the one answer of a tool, or all answers of a goal by their steps.
    pub(crate) fn told(&self) -> &Value {
        let first = self.aim.goal.calls.first().filter(|_| self.aim.is_tool);
        first.and_then(|call| self.answers.as_object()?.get(&call.step)).unwrap_or(&self.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let mut state = State::new(Aim::find(&toolset, "findFlights").unwrap(), Vec::new());
        let given = Given {
            arguments: serde_json::from_str(r#"{"origin": "Boston", "destination": "Rome"}"#).unwrap(),
            ..Given::default()
        };
        state.take(&given);
        state
    }

    #[test]
    fn calls_take_what_was_said_and_what_was_answered_and_say_where_from() {
        let mut state = state();
        assert_eq!(state.missing(), ["date"]);
        let (call, _) = state.call(0).unwrap();
        assert_eq!(serde_json::to_string(&call.arguments).unwrap(), r#"{"city":"Boston"}"#);
        assert_eq!(state.call(2).unwrap_err().reason, "no_answer");
        state.learn(0, Value::read(r#"{"code": "BOS"}"#).unwrap(), 4);
        state.learn(1, Value::read(r#"{"code": "FCO"}"#).unwrap(), 5);
        state.said.insert("date".to_owned(), "2026-03-01".into());
        let (call, notes) = state.call(2).unwrap();
        assert_eq!(call.arguments["destination"], Value::from("FCO"));
        assert_eq!(notes["destination"].origin, Origin::Answer { call: 5, field: "/code".to_owned() });
    }

    #[test]
    fn a_goal_is_told_by_its_steps_and_a_tool_by_its_answer() {
        let mut state = state();
        state.learn(0, Value::read(r#"{"code": "BOS"}"#).unwrap(), 0);
        assert_eq!(state.told().at_path("from.code"), Some(&Value::from("BOS")));
        let toolset = crate::fixtures::toolset("assistant", "en");
        let mut tool = State::new(Aim::find(&toolset, "Flights_get_airport_code").unwrap(), Vec::new());
        tool.learn(0, Value::read(r#"{"code": "BOS"}"#).unwrap(), 0);
        assert_eq!(tool.told().at_path("code"), Some(&Value::from("BOS")));
    }
}
