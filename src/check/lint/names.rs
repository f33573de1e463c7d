//! Names that a text in Python's syntax, or a server with native tools, cannot hold.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::hash::hash;
use super::Rule;
use crate::record::Tool;
use crate::score::bfcl::syntax::is_keyword;
use std::collections::BTreeSet;

/// How long a name may be that servers take.
const LONGEST: usize = 64;

/// Tells of each tool once, in the first sample that offers it.
#[derive(Default)]
pub(super) struct Names(BTreeSet<u64>);

impl Rule for Names {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        for tool in &entry.sample.candidates {
            if self.0.insert(hash(&[&tool.name])) {
                for fault in faults(tool) {
                    findings.warning("names", entry, fault);
                }
            }
        }
    }
}

fn faults(tool: &Tool) -> Vec<String> {
    let mut faults = Vec::new();
    if !tool.name.split('.').all(is_name) {
        faults.push(format!("`{}` is no dotted name of Python's: no text can call it", tool.name));
    }
    // Dots are put as underscores where servers are asked.
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if tool.name.len() > LONGEST || !tool.name.bytes().all(is_letter) {
        faults.push(format!(
            "`{}` is no name for a native tool: letters, digits, `_` and `-`, {LONGEST} at most",
            tool.name
        ));
    }
    let odd = tool.parameters.properties.keys().filter(|name| !is_name(name));
    faults.extend(odd.map(|name| format!("`{name}` of `{}` is no name of Python's: no text can give it", tool.name)));
    faults
}

fn is_name(name: &str) -> bool {
    let begins = |letter: char| letter == '_' || letter.is_alphabetic();
    name.starts_with(begins) && name.chars().all(|letter| begins(letter) || letter.is_numeric()) && !is_keyword(name)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::entry;
    use super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::call_item;
    use std::sync::Arc;

    fn told(name: &str, parameter: Option<&str>) -> Vec<String> {
        let mut sample = call_item("t/0", 0);
        let tool = Arc::make_mut(&mut sample.candidates[1]);
        name.clone_into(&mut tool.name);
        tool.parameters.properties.shift_remove("class");
        tool.parameters.properties.extend(parameter.map(|name| (name.to_owned(), crate::record::Parameter::default())));
        sample.candidates.retain(|tool| tool.name == name);
        found(Names::default(), &[entry(sample.clone()), entry(sample)])
    }

    #[test]
    fn each_tool_is_told_of_once() {
        assert_eq!(told("Travel_book_seats", None), Vec::<String>::new());
        assert_eq!(told("a.b.c_1", Some("from")).len(), 1);
        assert!(told("a_b", Some("class"))[0].starts_with("names: `class` of `a_b` is no name"));
    }

    #[test]
    fn names_that_no_text_or_no_server_can_hold_are_told() {
        for (name, count) in [("a.if", 1), ("a-b", 1), ("a b", 2), ("한", 1), (&"a".repeat(65), 1), ("a..b", 1)] {
            assert_eq!(told(name, None).len(), count, "{name}");
        }
    }
}
