//! Samples as items: the snapshots of a conversation are one dialogue again.

use crate::format::hammerbench::MULTI_TURN;
use crate::record::{Dialogue, Expected, Item, ItemId, REFUSAL_FACT, Record, Role, Sample, Tool, Turn, UserTurn};
use std::sync::Arc;

/// The items of these samples: one dialogue where they are the snapshots of one that the suite writes whole.
pub(super) fn items(root: &ItemId, samples: Vec<Sample>) -> Vec<Item> {
    let whole = |sample: &Sample| MULTI_TURN.iter().any(|(name, _)| *name == sample.data_type.0);
    if let Some(last) = samples.last().filter(|last| last.snapshot.is_some() && samples.iter().all(whole)) {
        let (id, provenance) = (root.clone(), without_refusal(last));
        let record = Record::Dialogue(Box::new(dialogue(&samples, last)));
        return vec![Item { root: root.clone(), id, record, provenance }];
    }
    let item = |sample: Sample| Item {
        id: sample.id.clone(),
        root: root.clone(),
        provenance: sample.provenance.clone(),
        record: Record::Sample(Box::new(sample)),
    };
    samples.into_iter().map(item).collect()
}

fn without_refusal(sample: &Sample) -> crate::record::Provenance {
    let mut provenance = sample.provenance.clone();
    provenance.facts.shift_remove(REFUSAL_FACT);
    provenance
}

fn dialogue(samples: &[Sample], last: &Sample) -> Dialogue {
    let name = last.snapshot.as_ref().map(|place| place.tool.clone()).unwrap_or_default();
    let known = last.candidates.iter().find(|tool| tool.name == name).cloned();
    let frame = Sample {
        messages: Vec::new(),
        expected: Expected::Refusal,
        arguments: crate::record::ArgumentNotes::new(),
        snapshot: None,
        base: None,
        ..last.clone()
    };
    Dialogue {
        data_type: last.data_type.clone(),
        tool: known.unwrap_or_else(|| Arc::new(Tool { name, ..Tool::default() })),
        frame: Box::new(frame),
        turns: samples.iter().map(turn).collect(),
        base: last.base.clone().unwrap_or_else(|| last.id.clone()),
        style: String::new(),
    }
}

/// The turn that a snapshot closes.
fn turn(sample: &Sample) -> Turn {
    let mut said = sample.messages.iter().rev();
    let text = said.next().and_then(|message| message.content.clone()).unwrap_or_default();
    let before = said.next().filter(|message| message.role == Role::Assistant);
    let UserTurn { words, external } = UserTurn::read(&text);
    let call = if let Expected::Call(call) = &sample.expected { Some(call.clone()) } else { None };
    Turn {
        question: before.and_then(|message| message.content.clone()),
        text: words.to_owned(),
        external: external.map(str::to_owned),
        slots: Vec::new(),
        call,
        refusal: sample.provenance.facts.get(REFUSAL_FACT).cloned(),
        notes: sample.arguments.clone(),
        marked: sample.snapshot.as_ref().is_some_and(|place| place.marked == Some(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::{dialogue_item, sample_of};

    fn snapshots() -> (ItemId, Vec<Sample>) {
        let mut item = dialogue_item(&[("to", "Porto".into()), ("from", "Faro".into())]);
        let Record::Dialogue(dialogue) = &mut item.record else { panic!("no dialogue") };
        dialogue.turns[0].external = Some("A note.".to_owned());
        dialogue.turns[1].external = Some("Another.".to_owned());
        dialogue.turns[2].call = None;
        dialogue.turns[2].refusal = Some("I cannot.".to_owned());
        let dialogue = dialogue.clone();
        (item.id.clone(), dialogue.samples(&item))
    }

    #[test]
    fn a_conversation_has_the_snapshots_that_it_is_made_of() {
        let (id, samples) = snapshots();
        let items = items(&id, samples.clone());
        let Record::Dialogue(dialogue) = &items[0].record else { panic!("no dialogue") };
        assert_eq!((items.len(), dialogue.turns.len()), (1, samples.len()));
        assert_eq!(dialogue.samples(&items[0]), samples);
    }

    #[test]
    fn other_samples_are_items_of_their_own() {
        let (id, mut samples) = snapshots();
        let alone = sample_of("a train", "{}");
        assert_eq!(items(&alone.id, vec![alone.clone()])[0].id, alone.id);
        for sample in &mut samples {
            sample.data_type.0 = "chat".to_owned();
        }
        let items = items(&id, samples.clone());
        assert_eq!(
            items.iter().map(|item| &item.id).collect::<Vec<_>>(),
            samples.iter().map(|it| &it.id).collect::<Vec<_>>()
        );
    }
}
