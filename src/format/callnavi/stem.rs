//! The names of domains: in files, in ids, and before the names of our own tools.

use crate::record::Sample;
use indexmap::IndexMap;

/// The authors' domains, in the order in which their scripts go through them.
pub const STEMS: [&str; 10] =
    ["bank", "shopping", "logistics", "aviation", "hospital", "gov", "hr", "hotel", "insurance", "telecommunications"];

/// Before the domain among a sample's tags.
pub const DOMAIN_TAG: &str = "domain:";

/// How many letters of a domain begin its ids, and how many digits follow at least.
const LETTERS: usize = 3;
const DIGITS: usize = 3;

/// What the ids of each domain begin with; no two domains share it.
#[derive(Debug, Clone, Default)]
pub struct Prefixes(IndexMap<String, String>);

impl Prefixes {
    /// The prefixes of the authors' domains.
    pub fn new() -> Self {
        let mut prefixes = Self::default();
        for stem in STEMS {
            prefixes.of(stem);
        }
        prefixes
    }

    /// The prefix of a domain: its first three letters, and more where another domain begins with the same ones.
    pub fn of(&mut self, domain: &str) -> String {
        if let Some(prefix) = self.0.get(domain) {
            return prefix.clone();
        }
        let letters: Vec<char> = domain.chars().filter(|letter| letter.is_alphabetic()).collect();
        let lower = |count: usize| letters.iter().take(count).flat_map(|letter| letter.to_lowercase()).collect();
        let longer = (LETTERS..=letters.len().max(LETTERS)).map(lower);
        // `a` and `a1` have the same letters: the later one has another at its end.
        let padded = (1..).map(|count| format!("{}{}", lower(letters.len()), "x".repeat(count)));
        let mut fresh = longer.chain(padded).filter(|prefix: &String| !prefix.is_empty() && !self.is_taken(prefix));
        let prefix = fresh.next().unwrap_or_default();
        self.0.insert(domain.to_owned(), prefix.clone());
        prefix
    }

    /// The id of a domain's question: `ban001` is the first one of `bank`.
    pub fn id(&mut self, domain: &str, number: usize) -> String {
        format!("{}{number:0DIGITS$}", self.of(domain))
    }

    fn is_taken(&self, prefix: &str) -> bool {
        self.0.values().any(|taken| taken == prefix)
    }
}

/// The domain of a sample: what its tag says, else its group.
pub fn domain(sample: &Sample) -> &str {
    sample.tags.iter().find_map(|tag| tag.strip_prefix(DOMAIN_TAG)).unwrap_or(&sample.group)
}

/// A tool's name within its domain: ours bear the domain before it, `bank.getBalance`.
pub fn bare<'n>(name: &'n str, domain: &str) -> &'n str {
    name.strip_prefix(domain).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}

/// The name of a domain's files; tools that belong to none have one as well.
pub fn file_stem(domain: &str) -> String {
    if domain.is_empty() { "tools".to_owned() } else { domain.replace(['/', '\\'], "_") }
}

/// A key that puts the authors' domains first, in their order.
pub(super) fn place(domain: &str) -> (usize, &str) {
    (STEMS.iter().position(|stem| *stem == domain).unwrap_or(STEMS.len()), domain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_authors_domains_have_the_authors_prefixes() {
        let mut prefixes = Prefixes::new();
        let ids = STEMS.map(|stem| prefixes.id(stem, 7));
        let authors =
            ["ban007", "sho007", "log007", "avi007", "hos007", "gov007", "hr007", "hot007", "ins007", "tel007"];
        assert_eq!(ids, authors);
        assert_eq!((prefixes.id("bank", 99), prefixes.id("bank", 1000)), ("ban099".to_owned(), "ban1000".to_owned()));
    }

    #[test]
    fn a_domain_of_ones_own_takes_none_of_theirs() {
        let mut prefixes = Prefixes::new();
        assert_eq!((prefixes.of("insights"), prefixes.of("kitchen"), prefixes.of("ins")), {
            ("insi".to_owned(), "kit".to_owned(), "insx".to_owned())
        });
        assert_eq!(prefixes.of("insights"), "insi", "and keeps its own");
    }

    #[test]
    fn names_are_bare_within_their_domain() {
        assert_eq!((bare("bank.getBalance", "bank"), bare("getBalance", "bank")), ("getBalance", "getBalance"));
        assert_eq!((bare("banker.get", "bank"), bare("a.b.get", "a.b")), ("banker.get", "get"));
    }

    #[test]
    fn a_domain_names_files_and_no_folders() {
        assert_eq!([file_stem("bank"), file_stem(""), file_stem("../a")], ["bank", "tools", ".._a"]);
    }

    #[test]
    fn other_domains_come_behind_by_their_names() {
        let mut domains = ["zoo", "telecommunications", "arts", "bank"];
        domains.sort_by_key(|domain| place(domain));
        assert_eq!(domains, ["bank", "telecommunications", "arts", "zoo"]);
    }

    proptest! {
        #[test]
        fn no_two_domains_share_an_id(domains in prop::collection::btree_set("[a-c1. 은]{0,5}", 1..12)) {
            let mut prefixes = Prefixes::new();
            let ids: BTreeSet<String> = domains.iter().map(|domain| prefixes.id(domain, 1)).collect();
            prop_assert_eq!(ids.len(), domains.len());
            prop_assert!(ids.iter().all(|id| id.chars().next().is_some_and(char::is_alphabetic)));
        }
    }
}
