//! Values that stand elsewhere: a turn points at a message, and the message holds the value.

use crate::read::answer::{View, value_of};
use crate::read::question::sentences;
use crate::record::Value;

/// What a message says to the parameter that was asked for, or that the pointer names.
pub(crate) fn pointed(view: &View<'_>, pointer: &str, message: &str) -> Vec<(usize, Value)> {
    let slots = view.meant(pointer);
    let asked = slots.iter().filter(|slot| view.asked.contains(slot));
    let sure = |slot: &usize| Some((*slot, view.sure_value(*slot, message)?));
    let any = || slots.iter().find_map(|slot| Some((*slot, value_in(view, *slot, message)?)));
    let asked = asked.into_iter().find_map(sure);
    asked.or_else(|| slots.iter().find_map(sure)).or_else(any).into_iter().collect()
}

/// A value that a list knows; else what stands behind a colon, or in the sentence that says most of the slot.
fn value_in(view: &View<'_>, slot: usize, message: &str) -> Option<Value> {
    if let Some(value) = view.sure_value(slot, message) {
        return Some(value);
    }
    let sentences = sentences(message);
    let named = sentences.iter().find_map(|sentence| sentence.split_once([':', '：']).map(|(_, value)| value));
    let about =
        || sentences.iter().copied().max_by(|one, other| view.named(slot, one).total_cmp(&view.named(slot, other)));
    value_of(view, slot, named.or_else(about)?)
}
