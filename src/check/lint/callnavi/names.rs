//! Calls give the parameters that their APIs declare: none besides them, and none too few.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::callnavi::Gold;
use crate::record::{Object, Tool};

/// Looks at each question by itself.
pub(super) struct Names;

impl Rule for Names {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(gold) = Gold::of(&entry.sample) else { return };
        // A call whose parameters are not there at all is told by another rule.
        let calls = gold.api.iter().zip(&gold.parameters);
        let of: Vec<Disagreement> =
            calls.filter_map(|(name, given)| Some(disagreement(entry.candidate(name)?, given))).collect();
        let (unknown, missing) =
            (of.iter().any(|it| !it.unknown.is_empty()), of.iter().any(|it| !it.missing.is_empty()));
        findings.tally("questions give only declared parameters", !unknown);
        findings.tally("questions give every required parameter", !missing);
        if unknown || missing {
            let told: Vec<String> = of.iter().filter_map(Disagreement::told).collect();
            findings.error("parameter_names", entry, told.join("; "));
        }
    }
}

/// How a call differs from what its API declares.
struct Disagreement<'e> {
    tool: &'e Tool,
    unknown: Vec<&'e str>,
    missing: Vec<&'e str>,
}

fn disagreement<'e>(tool: &'e Tool, given: &'e Object) -> Disagreement<'e> {
    let declared = &tool.parameters;
    let unknown = given.keys().filter(|name| !declared.properties.contains_key(*name)).map(String::as_str).collect();
    let missing = declared.required.iter().filter(|name| !given.contains_key(*name)).map(String::as_str).collect();
    Disagreement { tool, unknown, missing }
}

impl Disagreement<'_> {
    fn told(&self) -> Option<String> {
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let unknown = (!self.unknown.is_empty()).then(|| format!("has no parameter {}", quoted(&self.unknown)));
        let missing = (!self.missing.is_empty()).then(|| format!("wants {}", quoted(&self.missing)));
        let parts: Vec<String> = unknown.into_iter().chain(missing).collect();
        (!parts.is_empty()).then(|| format!("`{}` {}", self.tool.name, parts.join(" and ")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{arguments, entry, questions};
    use super::super::super::testing::found;
    use super::*;

    #[test]
    fn one_finding_tells_all_of_a_question() {
        let mut renamed = questions("medium");
        let value = arguments(&mut renamed, 0).shift_remove("customerId").unwrap();
        arguments(&mut renamed, 0).insert("customer".to_owned(), value.clone());
        arguments(&mut renamed, 1).insert("why".to_owned(), value);
        assert_eq!(
            found(Names, &[entry(renamed)]),
            [
                "parameter_names: `getCard` has no parameter `customer` and wants `customerId`; `blockCard` has no parameter `why`"
            ]
        );
    }

    #[test]
    fn what_may_be_left_out_may_be_left_out() {
        let mut full = questions("easy");
        arguments(&mut full, 0).insert("limit".to_owned(), 3.into());
        assert_eq!(found(Names, &[entry(full), entry(questions("hard"))]), Vec::<String>::new());
    }
}
