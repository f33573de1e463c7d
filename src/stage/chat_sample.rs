//! Samples of FunctionChat-Bench, from what was said.

use super::context::Context;
use super::speaker::Speaker;
use crate::format::functionchat::GOLD_TEXT_FACT;
use crate::record::{
    ArgumentNotes, DataType, Expected, Item, ItemId, Message, Provenance, Record, Review, Sample, SuiteId, Tool,
};
use indexmap::IndexMap;
use std::sync::Arc;

/// What is said, shown and expected in one sample of a chat, with the notes on the gold arguments; its data type first.
pub(super) type Content = (&'static str, Vec<Message>, Vec<Arc<Tool>>, Expected, ArgumentNotes);

/// The sample with this id, grown from `item`.
pub(super) fn chat_sample(context: &Context, item: &Item, id: &ItemId, content: Content) -> Sample {
    let (data_type, messages, candidates, expected, arguments) = content;
    let toolset = context.toolset();
    let template = context.is_template(context.role());
    Sample {
        id: id.clone(),
        suite: SuiteId::FunctionChat.into(),
        data_type: DataType(data_type.to_owned()),
        locale: context.pack().code.clone(),
        reference_time: None,
        messages,
        candidates,
        expected,
        arguments,
        acceptable: IndexMap::new(),
        difficulty: None,
        tags: Vec::new(),
        mentions: Vec::new(),
        group: item.root.to_string(),
        base: None,
        snapshot: None,
        label: None,
        authors_candidates: None,
        review: Review::default(),
        licence: toolset.licence.clone(),
        source: toolset.name.clone(),
        provenance: Provenance { template, parents: vec![item.id.to_string()], ..Provenance::default() },
    }
}

/// The sample as an item, with who said what, and the right words where it has some.
pub(super) fn finished(item: &Item, mut sample: Sample, text: Option<String>, speaker: &Speaker<'_>) -> Item {
    let facts = [("style", Some(speaker.style().to_owned())), (GOLD_TEXT_FACT, text)];
    let facts = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?)));
    sample.provenance.facts.extend(facts);
    sample.provenance.draws.clone_from(&speaker.draws);
    Item {
        id: sample.id.clone(),
        root: item.root.clone(),
        provenance: sample.provenance.clone(),
        record: Record::Sample(Box::new(sample)),
    }
}
