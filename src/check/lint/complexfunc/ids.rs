//! A row's id is its domain with a number, and the numbers of a domain follow each other.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::complexfunc::{FINAL_ANSWER_FACT, domain_of};
use indexmap::IndexMap;

/// How many of each domain there were. In our own samples ids say where they grew, and nothing of the kind.
pub(super) struct Ids {
    is_authors: bool,
    next: IndexMap<String, usize>,
}

impl Ids {
    pub(super) fn new(is_authors: bool) -> Self {
        Self { is_authors, next: IndexMap::new() }
    }

    fn number(&mut self, entry: &Entry, findings: &mut Findings) {
        let id = entry.sample.id.as_str();
        let domain = domain_of(id);
        let number =
            id.strip_prefix(domain).and_then(|rest| rest.strip_prefix('-')).and_then(|it| it.parse::<usize>().ok());
        let Some(number) = number.filter(|_| !domain.is_empty()) else {
            findings.error("row_id", entry, format!("`{id}` is no id of a row; expected one such as `Hotels-0`"));
            return;
        };
        let next = self.next.entry(domain.to_owned()).or_default();
        if number != *next {
            findings.warning("row_number", entry, format!("it is number {next} of `{domain}`"));
        }
        *next = number.max(*next) + 1;
    }
}

impl Rule for Ids {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if self.is_authors {
            self.number(entry, findings);
        }
        if entry.sample.data_type.0.trim().is_empty() {
            findings.error("domain", entry, "it has no domain");
        }
        let answer = entry.sample.provenance.facts.get(FINAL_ANSWER_FACT);
        if answer.is_none_or(|answer| answer.trim().is_empty()) {
            findings.error("final_answer", entry, "there is no answer in words at its end");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{complex, entry};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::ItemId;

    fn told(is_authors: bool, ids: &[&str]) -> Vec<String> {
        let of = |id: &&str| {
            let mut sample = complex();
            sample.id = ItemId::root(*id);
            entry(sample)
        };
        found(Ids::new(is_authors), &ids.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn numbers_of_each_domain_follow_each_other() {
        assert_eq!(told(true, &["Inns-0", "Car-Rental-0", "Inns-1", "Car-Rental-1"]), Vec::<String>::new());
        assert_eq!(told(true, &["Inns-0", "Inns-2", "Inns-3"]), ["row_number: it is number 1 of `Inns`"]);
        assert_eq!(told(true, &["Inns"]).len(), 1);
        assert_eq!(told(false, &["inns/complex_queries/0"]), Vec::<String>::new());
    }

    #[test]
    fn a_domain_and_an_answer_in_words_are_there() {
        let mut sample = complex();
        sample.data_type.0.clear();
        sample.provenance.facts.clear();
        let told = found(Ids::new(false), &[entry(sample)]);
        assert_eq!(told, ["domain: it has no domain", "final_answer: there is no answer in words at its end"]);
    }
}
