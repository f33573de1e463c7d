//! Snapshots that variants of a conversation share with it, or with each other: a file of samples has them once.

use super::item::ItemId;
use super::request::dialogue::REFUSAL_FACT;
use super::sample::{Sample, Shared, Snapshot};
use std::collections::BTreeMap;

/// The conversations of a group. Samples come in the order of their file, where groups and conversations are contiguous and
/// a base precedes its variants; memory holds one group.
#[derive(Debug, Default)]
pub struct SharedSnapshots {
    group: String,
    conversations: BTreeMap<ItemId, Vec<Sample>>,
    /// A base and its variants so far, by the base.
    families: BTreeMap<ItemId, Vec<ItemId>>,
}

impl SharedSnapshots {
    /// Which of a conversation's first snapshots its base or another variant of that has. The last one is never counted, so
    /// that every conversation has a line of its own.
    pub fn find(&mut self, snapshots: &[Sample]) -> Option<Shared> {
        let (first, last) = snapshots.first().zip(snapshots.len().checked_sub(1))?;
        self.enter(&first.group);
        let family = first.base.as_ref().and_then(|base| self.families.get(base)).into_iter().flatten();
        let count = |id: &&ItemId| {
            let theirs = self.conversations.get(*id).into_iter().flatten();
            snapshots.iter().take(last).zip(theirs).take_while(|(own, theirs)| is_shared(own, theirs)).count()
        };
        let counts = family.map(|id| (id.clone(), count(&id)));
        // The first of the longest.
        let longest = counts.reduce(|best, next| if next.1 > best.1 { next } else { best });
        for sample in snapshots {
            self.keep(sample);
        }
        let (conversation, turns) = longest.filter(|(_, turns)| *turns > 0)?;
        Some(Shared { conversation, turns: u32::try_from(turns).unwrap_or(u32::MAX) })
    }

    /// The sample, behind the snapshots that its file leaves out before it.
    pub fn restore(&mut self, mut sample: Sample) -> Vec<Sample> {
        self.enter(&sample.group);
        let shared = sample.snapshot.as_mut().and_then(|snapshot| snapshot.shared.take());
        let turns = shared.as_ref().map_or(0, |shared| usize::try_from(shared.turns).unwrap_or(usize::MAX));
        let theirs = shared.and_then(|shared| self.conversations.get(&shared.conversation));
        let mut whole: Vec<Sample> = theirs
            .into_iter()
            .flatten()
            .take(turns)
            .enumerate()
            .filter_map(|(turn, theirs)| {
                let id = sample.snapshot.as_ref()?.conversation.child("turn", turn);
                let original = theirs.copy_of.as_ref().unwrap_or(&theirs.id).clone();
                let provenance = theirs.provenance.clone();
                Some(Sample { id, copy_of: Some(original), provenance, ..copied(theirs, &sample)? })
            })
            .collect();
        whole.push(sample);
        for sample in &whole {
            self.keep(sample);
        }
        whole
    }

    fn enter(&mut self, group: &str) {
        if self.group != group {
            group.clone_into(&mut self.group);
            self.conversations.clear();
            self.families.clear();
        }
    }

    fn keep(&mut self, sample: &Sample) {
        let Some(place) = &sample.snapshot else { return };
        let turns = self.conversations.entry(place.conversation.clone()).or_default();
        if turns.is_empty() {
            let is_variant = sample.base.as_ref().filter(|base| self.families.contains_key(*base));
            let base = is_variant.unwrap_or(&place.conversation);
            self.families.entry(base.clone()).or_default().push(place.conversation.clone());
        }
        turns.push(sample.clone());
    }
}

/// A snapshot as another conversation would have it, with id and provenance of a sample of that.
fn copied(theirs: &Sample, own: &Sample) -> Option<Sample> {
    let (place, their_place) = (own.snapshot.as_ref()?, theirs.snapshot.as_ref()?);
    let snapshot = Snapshot { turn: their_place.turn, marked: their_place.marked, shared: None, ..place.clone() };
    Some(Sample {
        id: own.id.clone(),
        data_type: own.data_type.clone(),
        base: own.base.clone(),
        snapshot: Some(snapshot),
        provenance: own.provenance.clone(),
        ..theirs.clone()
    })
}

fn is_shared(own: &Sample, theirs: &Sample) -> bool {
    let refusal = |sample: &Sample| sample.provenance.facts.get(REFUSAL_FACT).cloned();
    own.messages == theirs.messages && copied(theirs, own).as_ref() == Some(own) && refusal(own) == refusal(theirs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Message, Provenance};

    fn conversation(id: &str, base: &str, said: &[&str]) -> Vec<Sample> {
        let sample = |at: usize| {
            let snapshot = serde_json::json!({
                "conversation": id, "turn": at + 1, "turns": said.len(), "marked": false, "tool": "book",
            });
            let mut sample: Sample = serde_json::from_value(serde_json::json!({
                "id": format!("{id}/turn/{at}"), "suite": "s", "data_type": id, "locale": "en", "messages": [],
                "candidates": [], "expected": "refusal", "group": "t", "licence": "", "source": "", "base": base,
                "snapshot": snapshot, "provenance": Provenance::default(),
            }))
            .unwrap();
            sample.messages = said[..=at].iter().map(|text| Message::user(*text)).collect();
            sample.provenance.parents = vec![id.to_owned()];
            sample
        };
        (0..said.len()).map(sample).collect()
    }

    /// What a file has of some conversations, and what is read from it again.
    fn written(conversations: &[Vec<Sample>]) -> (Vec<Sample>, Vec<Sample>) {
        let (mut writer, mut reader) = (SharedSnapshots::default(), SharedSnapshots::default());
        let mut lines = Vec::new();
        for snapshots in conversations {
            let shared = writer.find(snapshots);
            let mut rest = snapshots[shared.as_ref().map_or(0, |it| it.turns as usize)..].to_vec();
            rest[0].snapshot.as_mut().unwrap().shared = shared;
            lines.extend(rest);
        }
        let read = lines.iter().cloned().flat_map(|line| reader.restore(line)).collect();
        (lines, read)
    }

    #[test]
    fn what_variants_share_is_written_once_and_read_as_before() {
        let all = [
            conversation("b", "t/0", &["a train", "to Porto", "at noon"]),
            conversation("b/v/0", "b", &["a train", "at one", "to Porto", "for three"]),
            conversation("b/w/0", "b", &["a train", "at one", "to Faro"]),
            conversation("b/x/0", "b", &["a train", "to Porto", "at noon"]),
            conversation("b/y/0", "b", &["a train to Porto", "at noon"]),
        ];
        let (lines, read) = written(&all);
        let ids: Vec<&str> = lines.iter().skip(3).map(|it| it.id.as_str()).collect();
        let own = ["b/v/0/turn/1", "b/v/0/turn/2", "b/v/0/turn/3", "b/w/0/turn/2", "b/x/0/turn/2"];
        assert_eq!(ids[..5], own, "one line at least, and nothing twice");
        assert_eq!(ids[5..], ["b/y/0/turn/0", "b/y/0/turn/1"]);
        let whole: Vec<Sample> = all.into_iter().flatten().collect();
        assert_eq!(read.len(), whole.len());
        for (read, whole) in read.iter().zip(&whole) {
            assert_eq!((&read.id, &read.messages, &read.snapshot), (&whole.id, &whole.messages, &whole.snapshot));
            assert_eq!((&read.data_type, &read.base), (&whole.data_type, &whole.base));
        }
        let origins: Vec<_> = read[7..10].iter().map(|it| it.copy_of.as_ref().map(ItemId::as_str)).collect();
        assert_eq!(origins, [Some("b/turn/0"), Some("b/v/0/turn/1"), None], "of a copy the first one");
        assert_eq!(read[7].provenance, whole[0].provenance, "it was written where the base was");
    }

    #[test]
    fn what_differs_in_a_label_or_a_refusal_is_no_copy() {
        let base = conversation("b", "t/0", &["a train", "sing"]);
        let count = |change: &dyn Fn(&mut Sample)| {
            let (mut shared, mut variant) =
                (SharedSnapshots::default(), conversation("b/v/0", "b", &["a train", "sing"]));
            change(&mut variant[0]);
            shared.find(&base);
            shared.find(&variant).map_or(0, |it| it.turns)
        };
        assert_eq!(count(&|_| {}), 1);
        assert_eq!(count(&|it| it.expected = crate::record::Expected::Answer("no".to_owned())), 0);
        assert_eq!(count(&|it| it.snapshot.as_mut().unwrap().marked = Some(true)), 0);
        assert_eq!(count(&|it| drop(it.provenance.facts.insert(REFUSAL_FACT.to_owned(), "no".to_owned()))), 0);
        assert_eq!(count(&|it| it.group = "u".to_owned()), 0, "another group");
    }

    #[test]
    fn where_the_base_was_taken_out_of_the_file_the_variant_begins_later() {
        let (lines, _) = written(&[
            conversation("b", "t/0", &["a train", "to Porto"]),
            conversation("b/v/0", "b", &["a train", "to Faro"]),
        ]);
        let last = lines[2].clone();
        assert_eq!(last.snapshot.as_ref().unwrap().shared.as_ref().map(|it| it.turns), Some(1));
        let read = SharedSnapshots::default().restore(last);
        assert_eq!((read.len(), &read[0].snapshot.as_ref().unwrap().shared), (1, &None));
    }
}
