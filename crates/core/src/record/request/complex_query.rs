//! Requests that want several calls in steps, some in parallel, with what each call answers.

use super::super::item::ItemId;
use super::super::sample::Step;
use super::plan::{Plan, SaidValue};
use super::question::Catalogue;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A request of many constraints, with its calls, their answers, and the answer in words (`ComplexFuncBench`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComplexQuery {
    /// The domain that it is about, with all its functions.
    pub catalogue: Arc<Catalogue>,
    /// The words.
    pub text: String,
    /// What whoever wrote it thought of it, where a model did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thought: String,
    /// Names of the functions that its writer had in mind, until there are calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// The calls, step by step, with their answers and where their arguments come from.
    pub steps: Vec<Step>,
    /// What a good assistant says in the end.
    #[serde(default)]
    pub answer: String,
    /// What the words say, by slot.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub slots: IndexMap<String, SaidValue>,
    /// The plan that it comes from, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Plan>>,
    /// Free labels for slices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Id of the query that this one is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ItemId>,
}

impl ComplexQuery {
    /// How many calls there are.
    pub fn call_count(&self) -> usize {
        self.steps.iter().map(|step| step.calls.len()).sum()
    }

    /// The step and the place in it of a call, by its ordinal through all steps.
    pub fn place(&self, call: usize) -> Option<(usize, usize)> {
        let mut left = call;
        for (step, calls) in self.steps.iter().map(|step| step.calls.len()).enumerate() {
            if left < calls {
                return Some((step, left));
            }
            left -= calls;
        }
        None
    }

    /// The names of the functions, step by step, sorted within each: the path.
    pub fn path(&self) -> Vec<Vec<&str>> {
        self.steps.iter().map(names).collect()
    }

    /// The calls that feed each call, as the notes tell; calls are counted through all steps.
    pub fn feeders(&self) -> Vec<Vec<usize>> {
        let notes = self.steps.iter().flat_map(|step| &step.notes);
        let of = |notes: &super::super::call::ArgumentNotes| {
            let mut calls: Vec<usize> = notes.values().filter_map(|note| Some(note.origin.answer()?.0)).collect();
            calls.sort_unstable();
            calls.dedup();
            calls
        };
        notes.map(of).collect()
    }
}

fn names(step: &Step) -> Vec<&str> {
    let mut names: Vec<&str> = step.calls.iter().map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_knows_its_path_and_what_feeds_what() {
        let query: ComplexQuery = serde_json::from_str(
            r#"{"catalogue": {"domain": "d", "title": "D", "tools": []}, "text": "t", "steps": [
                {"calls": [{"name": "b", "arguments": {}}, {"name": "a", "arguments": {}}], "answers": [1, 2], "notes": [{}, {}]},
                {"calls": [{"name": "c", "arguments": {"x": 2}}], "answers": [3],
                 "notes": [{"x": {"origin": {"answer": {"call": 1, "field": ""}}}}]}]}"#,
        )
        .unwrap();
        assert_eq!(query.path(), [vec!["a", "b"], vec!["c"]]);
        assert_eq!([0, 1, 2, 3].map(|call| query.place(call)), [Some((0, 0)), Some((0, 1)), Some((1, 0)), None]);
        assert_eq!((query.call_count(), query.feeders()), (3, vec![vec![], vec![], vec![1]]));
        assert!(!serde_json::to_string(&query).unwrap().contains("plan"));
    }
}
