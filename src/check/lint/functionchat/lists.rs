//! A list of tools has the length that its name says; the queries of a function share their lists, and a short list of close
//! tools is part of the longer one.

use super::super::super::entry::{Entry, Place};
use super::super::super::finding::{Finding, Findings, Severity};
use super::Rule;
use crate::format::functionchat::Set;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// The lists of each function; memory grows with the functions.
#[derive(Default)]
pub(super) struct Lists(BTreeMap<(String, String), IndexMap<String, List>>);

/// A list as it was first seen.
struct List {
    names: Vec<String>,
    place: Place,
    id: String,
}

/// How the names of lists with close tools end.
const CLOSE: &str = "_close";

impl Rule for Lists {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let sample = &entry.sample;
        let kind = sample.data_type.0.as_str();
        if Set::of(&sample.data_type) != Set::Singlecall {
            return;
        }
        let (found, wanted) = (sample.candidates.len(), length(kind));
        findings.tally("lists have as many tools as their name says", found == wanted);
        if found != wanted {
            findings.error("list_length", entry, format!("`{kind}` has {found} tools; expected {wanted}"));
        }
        let Some(call) = entry.call() else { return };
        let names: Vec<String> = sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        let (place, id) = (entry.place.clone(), sample.id.to_string());
        let lists = self.0.entry((sample.group.clone(), call.name.clone())).or_default();
        let known = lists.entry(kind.to_owned()).or_insert_with(|| List { names: names.clone(), place, id });
        if known.names != names {
            let message = format!("`{kind}` is another list than that of `{}`, a query of the same function", known.id);
            findings.error("shared_list", entry, message);
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for ((_, function), lists) in &self.0 {
            let mut close: Vec<(&String, &List)> = lists.iter().filter(|(kind, _)| kind.ends_with(CLOSE)).collect();
            close.sort_by_key(|(_, list)| list.names.len());
            close.windows(2).for_each(|pair| nested(function, pair[0], pair[1], findings));
        }
    }
}

/// How many tools a list of this name has.
fn length(kind: &str) -> usize {
    kind.split('_').next().and_then(|count| count.parse().ok()).unwrap_or(1)
}

fn nested(function: &str, (short, list): (&String, &List), (long, other): (&String, &List), findings: &mut Findings) {
    let lone = list.names.iter().find(|name| !other.names.contains(name));
    findings.tally("short lists of close tools are within the longer ones", lone.is_none());
    if let Some(name) = lone {
        let message = format!("`{name}` is in `{short}` of `{function}` and not in its `{long}`");
        findings.add(Finding::new("nested_list", Severity::Error, &list.place, &list.id, message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_is_as_long_as_it_says() {
        let mut long = single("a", "exact");
        long.candidates.extend(single("b", "2_random").candidates);
        let samples = vec![long, single("c", "1_exact"), decision("CALL")];
        let told = found(Lists::default(), &entries(samples));
        assert_eq!(
            told,
            ["list_length: `exact` has 3 tools; expected 1", "list_length: `1_exact` has 2 tools; expected 1"]
        );
    }

    #[test]
    fn queries_of_a_function_share_their_lists() {
        let mut other = single("b", "2_close");
        other.candidates.reverse();
        let told = found(Lists::default(), &entries(vec![single("a", "2_close"), other]));
        assert_eq!(told, ["shared_list: `2_close` is another list than that of `a`, a query of the same function"]);
    }

    #[test]
    fn close_lists_are_nested() {
        let mut long = single("b", "3_close");
        long.candidates = decision("REJECT").candidates;
        long.candidates[0] = single("c", "exact").candidates[0].clone();
        let told = found(Lists::default(), &entries(vec![single("a", "2_close"), long]));
        assert_eq!(told, ["nested_list: `find_barge` is in `2_close` of `find_boat` and not in its `3_close`"]);
    }

    proptest! {
        #[test]
        fn any_length_but_the_right_one_is_told(wanted in 1_usize..12, found_length in 1_usize..12) {
            let mut sample = single("a", &format!("{wanted}_random"));
            let tool = sample.candidates[1].clone();
            sample.candidates = vec![tool; found_length];
            let told = found(Lists::default(), &entries(vec![sample]));
            prop_assert_eq!(told.len(), usize::from(wanted != found_length));
        }
    }
}
