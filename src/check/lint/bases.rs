//! Variants have their base: a twin the query that it repeats, a changed conversation the one that it was.

use super::super::entry::{Entry, Place};
use super::super::finding::{Finding, Findings, Severity};
use super::super::hash::hash;
use super::Rule;
use crate::record::ItemId;
use std::collections::{BTreeMap, BTreeSet};

/// What there is, as hashes, and what is still looked for. A base usually comes before its variants, so that little
/// waits; what is there grows by a hash or two for each sample.
#[derive(Default)]
pub(super) struct Bases {
    /// Single-turn samples by id: what they say and want.
    samples: BTreeMap<u64, u64>,
    conversations: BTreeSet<u64>,
    waiting: Vec<Waiting>,
}

struct Waiting {
    place: Place,
    id: ItemId,
    base: ItemId,
    content: Option<u64>,
    severity: Severity,
}

impl Rule for Bases {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let sample = &entry.sample;
        match &sample.snapshot {
            Some(snapshot) => {
                self.conversations.insert(hash(&[snapshot.conversation.as_str()]));
            }
            None => {
                self.samples.insert(hash(&[sample.id.as_str()]), content(entry));
            }
        }
        let Some(base) = sample.base.clone().filter(|_| entry.turn() == 1) else { return };
        let twin = sample.snapshot.is_none() && entry.refuses();
        // A query may have been let go of after another grew from it.
        let severity = if twin || sample.snapshot.is_some() { Severity::Error } else { Severity::Warning };
        let waiting = Waiting {
            place: entry.place.clone(),
            id: sample.id.clone(),
            base,
            content: twin.then(|| content(entry)),
            severity,
        };
        if !self.settled(&waiting, findings) {
            self.waiting.push(waiting);
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for waiting in std::mem::take(&mut self.waiting) {
            if !self.settled(&waiting, findings) {
                waiting.complain("base", format!("its base `{}` is not in the bench", waiting.base), findings);
            }
        }
    }
}

impl Bases {
    /// Whether the base is there; a twin that differs from it is told at once.
    fn settled(&self, waiting: &Waiting, findings: &mut Findings) -> bool {
        let key = hash(&[waiting.base.as_str()]);
        let sample = self.samples.get(&key);
        if let (Some(content), Some(own)) = (sample, waiting.content) {
            if *content != own {
                let message = format!("its base `{}` says something else or has another label", waiting.base);
                waiting.complain("twin", message, findings);
            }
        }
        sample.is_some() || (waiting.content.is_none() && self.conversations.contains(&key))
    }
}

impl Waiting {
    fn complain(&self, rule: &'static str, message: String, findings: &mut Findings) {
        findings.add(Finding::new(rule, self.severity, &self.place, self.id.as_str(), message));
    }
}

/// What a sample says and wants.
fn content(entry: &Entry) -> u64 {
    let messages = serde_json::to_string(&entry.sample.messages).unwrap_or_default();
    let label = serde_json::to_string(&entry.label()).unwrap_or_default();
    hash(&[&messages, &label])
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, sample, snapshots};
    use super::super::testing::found;
    use super::*;
    use crate::record::Expected;

    fn twin(id: &str, base: &str) -> Entry {
        let mut twin = sample(id, "ir_ST_Perfect");
        let Expected::Call(call) = std::mem::replace(&mut twin.expected, Expected::Refusal) else { panic!("no call") };
        (twin.label, twin.base) = (Some(call), Some(ItemId::root(base)));
        entry(twin)
    }

    #[test]
    fn a_twin_repeats_its_base_wherever_that_stands() {
        let base = entry(sample("a", "ST_Perfect"));
        assert_eq!(found(Bases::default(), &[twin("t", "a"), base.clone()]), Vec::<String>::new());
        let mut other = twin("t", "a");
        other.sample.messages[0].content = Some("something else".to_owned());
        let found = found(Bases::default(), &[base, other]);
        assert_eq!(found, ["twin: its base `a` says something else or has another label"]);
    }

    #[test]
    fn a_base_that_is_not_there_is_named() {
        assert_eq!(found(Bases::default(), &[twin("t", "x")]), ["base: its base `x` is not in the bench"]);
    }

    #[test]
    fn a_conversation_varies_another() {
        let mut variant = snapshots("v/0", "mQmA", &["{}", "{}"]);
        for entry in &mut variant {
            entry.sample.base = Some(ItemId::root("b/0"));
        }
        let base = snapshots("b/0", "Based", &["{}"]);
        assert_eq!(found(Bases::default(), &[&variant[..], &base[..]].concat()), Vec::<String>::new());
        assert_eq!(found(Bases::default(), &variant).len(), 1, "once for a conversation");
    }
}
