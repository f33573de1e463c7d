//! The right tool is among the candidates once, or not at all where a model must refuse.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::Rule;

/// Looks at each sample by itself.
pub(super) struct Candidates;

impl Rule for Candidates {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let tools = &entry.sample.candidates;
        let double =
            tools.iter().enumerate().find(|(at, tool)| tools[..*at].iter().any(|other| other.name == tool.name));
        if let Some((_, tool)) = double {
            findings.error("tool_names", entry, format!("`{}` is shown twice; names must differ", tool.name));
        }
        if tools.iter().any(|tool| tool.name.trim().is_empty()) {
            findings.error("tool_names", entry, "a candidate has no name");
        }
        let Some((name, wanted)) = wanted(entry) else { return };
        let times = tools.iter().filter(|tool| tool.name == name).count();
        if times != wanted {
            let message = format!("`{name}` is among the candidates {times} times; expected {wanted}");
            findings.error("gold", entry, message);
        }
    }
}

/// A tool and how often it must be shown. After a shift the tools are still those of the old intent.
fn wanted(entry: &Entry) -> Option<(&str, usize)> {
    let named = |tool: &'_ str| !tool.is_empty();
    match (entry.call(), &entry.sample.snapshot, &entry.sample.label) {
        (Some(call), ..) => Some((&call.name, 1)),
        (None, Some(snapshot), _) => Some((snapshot.tool.as_str(), 1)).filter(|(name, _)| named(name)),
        (None, None, Some(label)) => Some((&label.name, 0)),
        (None, None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, sample, snapshots};
    use super::super::testing::found;
    use super::*;
    use crate::record::Expected;

    #[test]
    fn the_right_tool_is_shown_once() {
        let mut missing = sample("a", "ST_Perfect");
        missing.candidates.remove(1);
        let mut double = sample("b", "ST_Perfect");
        double.candidates.push(double.candidates[1].clone());
        let entries = [entry(sample("c", "ST_Perfect")), entry(missing), entry(double)];
        assert_eq!(
            found(Candidates, &entries),
            [
                "gold: `A.B.book` is among the candidates 0 times; expected 1",
                "gold: `A.B.book` is among the candidates 2 times; expected 1",
                "tool_names: `A.B.book` is shown twice; names must differ",
            ]
        );
    }

    #[test]
    fn a_refused_query_does_not_show_it_and_a_shift_does() {
        let mut twin = sample("a", "ir_ST_Perfect");
        let Expected::Call(call) = std::mem::replace(&mut twin.expected, Expected::Refusal) else { panic!("no call") };
        twin.label = Some(call);
        assert_eq!(found(Candidates, &[entry(twin)]), ["gold: `A.B.book` is among the candidates 1 times; expected 0"]);
        let mut shift = snapshots("s/0", "IS", &["{}", "{}"]);
        shift[1].sample.expected = Expected::Refusal;
        assert_eq!(found(Candidates, &shift), Vec::<String>::new());
    }

    #[test]
    fn a_tool_needs_a_name() {
        let mut nameless = sample("a", "ST_Perfect");
        nameless.candidates[0] = std::sync::Arc::default();
        assert_eq!(found(Candidates, &[entry(nameless)]), ["tool_names: a candidate has no name"]);
    }
}
