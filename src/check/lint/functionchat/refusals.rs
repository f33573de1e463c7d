//! Where a model must decline, no tool is offered that serves the same request elsewhere in the bench.

use super::super::super::entry::{Entry, Place};
use super::super::super::finding::{Finding, Findings, Severity};
use super::super::super::hash::hash;
use super::Rule;
use crate::locale::Folded;
use std::collections::{BTreeMap, BTreeSet};

/// The tools that serve each request, and the requests that are declined with the tools that they show; hashes of texts, so
/// that memory grows by little for each sample.
#[derive(Default)]
pub(super) struct Refusals {
    serving: BTreeMap<u64, BTreeSet<String>>,
    declined: Vec<Declined>,
}

struct Declined {
    place: Place,
    id: String,
    request: u64,
    tools: Vec<String>,
}

impl Rule for Refusals {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let request = hash(&[&Folded::new(entry.said().words).text()]);
        if let Some(call) = entry.call() {
            self.serving.entry(request).or_default().insert(call.name.clone());
        }
        if !entry.refuses() {
            return;
        }
        let tools: Vec<String> = entry.sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        if let Some(label) = entry.sample.label.as_ref().filter(|label| tools.contains(&label.name)) {
            findings.error("serves", entry, format!("`{}` is offered, which serves the request", label.name));
        }
        self.declined.push(Declined { place: entry.place.clone(), id: entry.sample.id.to_string(), request, tools });
    }

    fn end(&mut self, findings: &mut Findings) {
        for declined in &self.declined {
            let serving = self.serving.get(&declined.request);
            let right = declined.tools.iter().find(|name| serving.is_some_and(|tools| tools.contains(*name)));
            findings.tally("what is declined has no tool that serves it elsewhere", right.is_none());
            if let Some(name) = right {
                let message = format!("`{name}` is offered, which serves the same request elsewhere");
                findings.add(Finding::new("serves", Severity::Error, &declined.place, &declined.id, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Expected;

    #[test]
    fn a_tool_that_serves_elsewhere_is_not_offered() {
        let sound = vec![single("a", "exact"), decision("REJECT")];
        assert_eq!(found(Refusals::default(), &entries(sound)), Vec::<String>::new());
        let mut offered = decision("REJECT");
        offered.candidates.push(single("b", "exact").candidates[0].clone());
        let told = found(Refusals::default(), &entries(vec![offered.clone(), single("a", "exact")]));
        assert_eq!(told, ["serves: `find_boat` is offered, which serves the same request elsewhere"]);
        offered.messages[0].content = Some("Sing".to_owned());
        assert_eq!(found(Refusals::default(), &entries(vec![offered, single("a", "exact")])), Vec::<String>::new());
    }

    #[test]
    fn the_call_that_a_label_names_is_not_offered() {
        let mut offered = decision("CALL");
        let Expected::Call(call) = std::mem::replace(&mut offered.expected, Expected::Refusal) else { panic!() };
        offered.label = Some(call);
        let told = found(Refusals::default(), &entries(vec![offered]));
        assert_eq!(told, ["serves: `find_boat` is offered, which serves the request"]);
    }
}
