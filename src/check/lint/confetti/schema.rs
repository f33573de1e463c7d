//! Every gold call obeys the schema of its function.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::Rule;

/// Looks at each item by itself.
pub(super) struct Schema;

impl Rule for Schema {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let violation = entry.sample.gold_violation(false);
        findings.tally("gold calls obey the schemas of their functions", violation.is_none());
        if let Some(violation) = violation {
            findings.error("schema", entry, violation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::entry;
    use super::super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::call_item;
    use crate::record::{Expected, Sample};

    fn violations(change: impl Fn(&mut Sample)) -> Vec<String> {
        let mut sample = call_item("t/0", 1);
        change(&mut sample);
        found(Schema, &[entry(sample)])
    }

    #[test]
    fn a_gold_call_that_breaks_its_schema_is_found() {
        assert_eq!(violations(|_| {}), Vec::<String>::new());
        let found = violations(|sample| {
            let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
            call.arguments.insert("by".to_owned(), "sea".into());
        });
        assert!(found[0].ends_with(": `by` is not declared"), "{found:?}");
    }
}
