//! In the layout ids are regular: the domain's letters and a number of at least three digits.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::callnavi::{Prefixes, domain};

/// The letters of each domain.
pub(super) struct Ids(Prefixes);

impl Default for Ids {
    fn default() -> Self {
        Self(Prefixes::new())
    }
}

impl Rule for Ids {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let (id, domain) = (entry.sample.id.as_str(), domain(&entry.sample));
        let digits = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let regular = self.0.id(domain, digits.parse().unwrap_or_default());
        findings.tally("ids are regular", id == regular);
        if id != regular {
            findings.warning("irregular_id", entry, format!("`{id}` is no regular id; expected one like `{regular}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entry, questions};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::ItemId;

    fn of(id: &str) -> Vec<String> {
        let mut sample = questions("easy");
        sample.id = ItemId::root(id);
        found(Ids::default(), &[entry(sample)])
    }

    #[test]
    fn numbers_have_three_digits_and_no_more_zeros_than_they_need() {
        for id in ["ban001", "ban099", "ban115", "ban1000"] {
            assert_eq!(of(id), Vec::<String>::new(), "{id}");
        }
        for (id, regular) in [("ban01", "ban001"), ("ban0115", "ban115"), ("hr007", "ban007"), ("x", "ban000")] {
            assert_eq!(of(id), [format!("irregular_id: `{id}` is no regular id; expected one like `{regular}`")]);
        }
    }
}
