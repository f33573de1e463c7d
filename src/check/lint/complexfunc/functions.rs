//! Golden calls are of functions that are offered, in the form that these ask for; every call has its answer, and no two
//! functions that are offered overlap.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::gate::check_type;
use crate::record::{Expected, Step, Tool};
use crate::score::complexfunc::{Golden, Rules};
use std::sync::Arc;

/// Looks at each sample by itself.
pub(super) struct Functions(Arc<Ground>);

impl Functions {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }

    /// The evaluator's own look at the form of a call; a listed value must be one of those that are listed besides.
    fn forms(&self, entry: &Entry, steps: &[Step], findings: &mut Findings) {
        let golden = Golden::new(steps, &entry.sample.candidates, self.0.settings.clone(), Rules::default());
        for (at, called) in entry.calls().iter().enumerate() {
            let fault = golden.own_format_fault(at);
            findings.tally("golden calls have the form that their functions ask for", fault.is_none());
            if let Some(fault) = fault {
                findings.error("form", entry, format!("call {at}: {fault}"));
                continue;
            }
            let Some(tool) = entry.candidate(&called.call.name) else { continue };
            for (name, value) in &called.call.arguments {
                let checked = tool.parameters.properties.get(name).map(|parameter| check_type(name, parameter, value));
                if let Some(Err(fault)) = checked {
                    findings.error("type", entry, format!("call {at}: {}", fault.detail));
                }
            }
        }
    }

    fn overlaps(&self, entry: &Entry, findings: &mut Findings) {
        let tools = &entry.sample.candidates;
        for (at, one) in tools.iter().enumerate() {
            for other in tools.iter().skip(at + 1) {
                if let Some(group) = self.0.functions.shared_group(&one.name, &other.name) {
                    let message =
                        format!("`{}` and `{}` are offered, which overlap in `{group}`", one.name, other.name);
                    findings.error("overlap", entry, message);
                }
            }
        }
    }
}

impl Rule for Functions {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Expected::Steps(steps) = &entry.sample.expected else { return };
        if steps.is_empty() || steps.iter().any(|step| step.calls.is_empty()) {
            findings.error("steps", entry, "there is no step, or one without a call");
        }
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.answers.len() != step.calls.len()) {
            let message = format!("step {at} has {} answers to {} calls", step.answers.len(), step.calls.len());
            findings.error("answers", entry, message);
        }
        for tool in &entry.sample.candidates {
            if let Some(fault) = schema_fault(tool) {
                findings.error("schema", entry, format!("`{}` {fault}", tool.name));
            }
        }
        self.forms(entry, steps, findings);
        self.overlaps(entry, findings);
    }
}

/// What the authors' evaluator could not read of a function.
fn schema_fault(tool: &Tool) -> Option<String> {
    let properties = &tool.parameters.properties;
    let untyped = properties.iter().find(|(_, parameter)| parameter.kind.is_none());
    let undeclared = tool.parameters.required.iter().find(|name| !properties.contains_key(*name));
    untyped
        .map(|(name, _)| format!("declares no type of `{name}`"))
        .or_else(|| undeclared.map(|name| format!("requires `{name}`, which it does not declare")))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{complex, complex_ground, entry, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = complex();
        change(&mut sample);
        found(Functions::new(complex_ground()), &[entry(sample)])
    }

    #[test]
    fn forms_are_looked_at_as_the_evaluator_does() {
        let missing = told(|sample| drop(step(sample, 1).calls[0].arguments.shift_remove("arrival")));
        assert!(missing[0].starts_with("form: call 1: Function Search_Inns requires parameters"), "{missing:?}");
        let unknown = told(|sample| "Fly".clone_into(&mut step(sample, 0).calls[0].name));
        assert_eq!(unknown, ["form: call 0: Function Fly is not defined in the function list."]);
        let unlisted =
            told(|sample| drop(step(sample, 1).calls[0].arguments.insert("sort".to_owned(), "colour".into())));
        assert_eq!(unlisted, ["type: call 1: sort = \"colour\" is not listed"]);
    }

    #[test]
    fn every_call_has_its_answer_and_every_step_a_call() {
        assert_eq!(told(|sample| step(sample, 0).answers.clear()), ["answers: step 0 has 0 answers to 1 calls"]);
        let empty = told(|sample| {
            let step = step(sample, 1);
            (step.calls, step.answers, step.notes) = (Vec::new(), Vec::new(), Vec::new());
        });
        assert_eq!(empty, ["steps: there is no step, or one without a call"]);
    }

    #[test]
    fn functions_that_overlap_are_not_offered_together() {
        let tool = |name: &str| Arc::new(Tool { name: name.to_owned(), ..Tool::default() });
        let overlapping = told(|sample| sample.candidates.push(tool("Locate_Town")));
        assert_eq!(overlapping, ["overlap: `Find_Town` and `Locate_Town` are offered, which overlap in `town`"]);
    }

    #[test]
    fn a_schema_that_the_authors_evaluator_cannot_read_is_told() {
        let broken = r#"{"name": "X", "parameters": {"properties": {"a": {"description": "A."}}, "required": []}}"#;
        let more = r#"{"name": "Y", "parameters": {"properties": {}, "required": ["b"]}}"#;
        let told = told(|sample| {
            sample.candidates.extend([broken, more].map(|json| Arc::new(serde_json::from_str::<Tool>(json).unwrap())));
        });
        assert_eq!(
            told,
            ["schema: `X` declares no type of `a`", "schema: `Y` requires `b`, which it does not declare"]
        );
    }
}
