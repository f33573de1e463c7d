//! Nothing comes twice within a data type, and little comes nearly twice for one tool.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::ground::Ground;
use super::super::hash::hash;
use super::Rule;
use crate::locale::{NearDuplicates, RougeL};
use crate::record::history;
use std::collections::{BTreeMap, BTreeSet};

/// Conversations so far as hashes, one for each. Texts are kept for as long as samples of their group come; in the
/// authors' files a group's samples do not stand together, and all texts are kept.
pub(super) struct Duplicates {
    seen: BTreeSet<u64>,
    rouge: RougeL,
    threshold: f64,
    pools: BTreeMap<(String, String), Pool>,
    group: String,
    keeps: bool,
}

struct Pool {
    texts: NearDuplicates,
    ids: Vec<String>,
}

impl Duplicates {
    pub(super) fn new(ground: &Ground, keeps: bool) -> Self {
        Self {
            seen: BTreeSet::new(),
            rouge: ground.language.rouge_l(),
            threshold: ground.language.rouge.near_duplicate_rouge_l,
            pools: BTreeMap::new(),
            group: String::new(),
            keeps,
        }
    }
}

impl Rule for Duplicates {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if !entry.is_last() {
            return;
        }
        let (data_type, tool) = (&entry.sample.data_type.0, tool(entry));
        let text = history(&entry.sample.messages);
        let label = match entry.label() {
            Some(call) => serde_json::to_string(call),
            None => serde_json::to_string(&entry.sample.expected),
        };
        let label = label.unwrap_or_default();
        if !self.seen.insert(hash(&[data_type, tool, &text, &label])) {
            findings.error("duplicate", entry, format!("another {data_type} says and wants the same"));
        }
        // Variants are alike by design; what they are variants of is looked at.
        if data_type.starts_with("ST_") || data_type == "Based" {
            self.near(entry, &text, findings);
        }
    }
}

impl Duplicates {
    fn near(&mut self, entry: &Entry, text: &str, findings: &mut Findings) {
        let (data_type, group) = (&entry.sample.data_type.0, &entry.sample.group);
        if !self.keeps && self.group != *group {
            self.pools.clear();
            self.group.clone_from(group);
        }
        let new = || Pool { texts: NearDuplicates::new(self.rouge.clone()), ids: Vec::new() };
        let pool = self.pools.entry((data_type.clone(), tool(entry).to_owned())).or_insert_with(new);
        let alike = pool.texts.insert_if_new(text, self.threshold).err();
        findings.tally("queries and conversations are new", alike.is_none());
        match alike.and_then(|at| pool.ids.get(at)) {
            Some(id) => findings.warning("near_duplicate", entry, format!("it is much like `{id}`")),
            None => pool.ids.push(entry.sample.id.to_string()),
        }
    }
}

/// The tool that the sample is about.
fn tool(entry: &Entry) -> &str {
    let shown = entry.sample.snapshot.as_ref().map(|snapshot| snapshot.tool.as_str());
    entry.label().map(|call| call.name.as_str()).or(shown).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said, snapshots};
    use super::super::testing::found;
    use super::*;

    fn of(texts: &[(&str, &str)]) -> Vec<String> {
        let entries = texts.iter().enumerate().map(|(index, (group, words))| {
            let mut sample = said(&format!("s{index}"), "ST_Perfect", words, "{}");
            (*group).clone_into(&mut sample.group);
            entry(sample)
        });
        let entries: Vec<Entry> = entries.collect();
        found(Duplicates::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), false), &entries)
    }

    #[test]
    fn what_comes_again_is_found_within_a_tool() {
        let same = "please get me a seat on the next train to Porto right now";
        let near = "please get me a seat on the next train to Porto right away";
        assert_eq!(of(&[("a", same), ("a", near)]), ["near_duplicate: it is much like `s0`"]);
        assert_eq!(
            of(&[("a", same), ("a", same)]),
            ["duplicate: another ST_Perfect says and wants the same", "near_duplicate: it is much like `s0`"]
        );
        assert_eq!(of(&[("a", same), ("b", near)]), Vec::<String>::new());
    }

    #[test]
    fn a_conversation_is_one_thing() {
        let entries = snapshots("b/0", "Based", &["{}", r#"{"to": "Porto"}"#]);
        assert_eq!(
            found(Duplicates::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), true), &entries),
            Vec::<String>::new()
        );
        let twice = [&entries[..], &entries[..]].concat();
        let found = found(Duplicates::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), true), &twice);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
