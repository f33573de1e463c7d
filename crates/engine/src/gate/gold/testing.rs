//! A request with its gold, for the tests of this folder: a town is looked up, then its inns are searched.

use super::Gold;
use crate::record::{Argument, FunctionCall, Step, Tool, Value};
use crate::toolset::Tally;
use indexmap::IndexMap;
use std::sync::Arc;

pub(super) struct Query {
    pub request: String,
    pub steps: Vec<Step>,
    pub answer: String,
    pub goal_fields: Vec<(&'static str, &'static str)>,
    pub changes: Vec<String>,
    pub tallies: IndexMap<String, Vec<Tally>>,
}

impl Query {
    pub(super) fn inns() -> Self {
        let mut query = Self {
            request: "Inns in Millbrook, please.".to_owned(),
            steps: Vec::new(),
            answer: "The Red Fox has rooms.".to_owned(),
            goal_fields: Vec::new(),
            changes: vec!["Book_Inn".to_owned()],
            tallies: IndexMap::new(),
        };
        let towns = r#"{"data": [{"id": "T104", "name": "Millbrook", "currency": "USD"}]}"#;
        query.step("Find_Town", r#"{"query": "Millbrook"}"#, towns);
        let inns = r#"{"data": {"inns": [
            {"name": "The Red Fox", "token": "tok-red-fox-1", "total": 240.5, "stars": 4, "opens": "14:45"},
            {"name": "The Old Owl", "token": "tok-old-owl-2", "total": 199.9, "stars": 3, "opens": "16:00"}]}}"#;
        query.step("Search_Inns", r#"{"town_id": "T104"}"#, inns);
        query.note(0, "query", r#"{"origin": "verbatim", "surface": "Millbrook"}"#);
        query.note(1, "town_id", r#"{"origin": {"answer": {"call": 0, "field": "/data/0/id"}}}"#);
        query
    }

    /// Adds a step of one call.
    pub(super) fn step(&mut self, name: &str, arguments: &str, answer: &str) {
        let call = FunctionCall { name: name.to_owned(), arguments: serde_json::from_str(arguments).unwrap() };
        let answers = vec![Value::read(answer).unwrap()];
        self.steps.push(Step { calls: vec![call], answers, notes: vec![IndexMap::new()] });
    }

    /// Adds a look at the first inn, with what it answers.
    pub(super) fn details(&mut self, data: &str) {
        self.step("Get_Inn", r#"{"token": "tok-red-fox-1"}"#, &format!(r#"{{"data": {data}}}"#));
        self.note(2, "token", r#"{"origin": {"answer": {"call": 1, "field": "/data/inns/0/token"}}}"#);
    }

    /// Adds a call to the last step that is about the same thing as the one before it.
    pub(super) fn beside(&mut self, name: &str, arguments: &str, answer: &str) {
        self.step(name, arguments, answer);
        let (Some(added), Some(last)) = (self.steps.pop(), self.steps.last_mut()) else { return };
        let notes = last.notes[0].clone();
        last.calls.extend(added.calls);
        last.answers.extend(added.answers);
        last.notes.push(notes);
    }

    /// Gives a call a further argument.
    pub(super) fn argument(&mut self, call: usize, name: &str, value: &str, note: &str) {
        self.steps[call].calls[0].arguments.insert(name.to_owned(), Value::read(value).unwrap());
        self.note(call, name, note);
    }

    /// Notes where an argument comes from.
    pub(super) fn note(&mut self, call: usize, name: &str, note: &str) {
        let note: Argument = serde_json::from_str(note).unwrap();
        self.steps[call].notes[0].insert(name.to_owned(), note);
    }
}

/// The reasons of all faults, each once.
pub(super) fn reasons(query: &Query) -> Vec<&'static str> {
    let tool: Tool = serde_json::from_str(
        r#"{"name": "Search_Inns", "parameters": {"properties": {"town_id": {"type": "string"},
            "currency": {"type": "string", "default": "USD"}}, "required": ["town_id"]}}"#,
    )
    .unwrap();
    let mut goal_fields: IndexMap<String, Vec<String>> = IndexMap::new();
    for (function, path) in &query.goal_fields {
        goal_fields.entry((*function).to_owned()).or_default().push((*path).to_owned());
    }
    let gold = Gold {
        request: &query.request,
        steps: &query.steps,
        answer: &query.answer,
        tools: &[Arc::new(tool)],
        goal_fields: &goal_fields,
        tallies: &query.tallies,
        changes: &query.changes,
        language: &crate::fixtures::language("en"),
    };
    let mut reasons: Vec<&str> = gold.faults().iter().map(|fault| fault.reason).collect();
    reasons.dedup();
    reasons
}
