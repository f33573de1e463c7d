//! Values that stand elsewhere: a turn points at a message, and the message holds the value.

use crate::read::answer::{View, value_of};
use crate::read::question::sentences;
use crate::record::{UserTurn, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How many letters of a word tell which word it is.
const STEM: usize = 5;
/// The fewest letters of a word that tells anything.
const LEAST: usize = 4;

/// A turn whose message is reduced to the sentence that its words point at; any other turn as it is.
pub(crate) fn pertinent(turn: &str) -> Cow<'_, str> {
    let UserTurn { words, external: Some(message) } = UserTurn::read(turn) else { return Cow::Borrowed(turn) };
    Cow::Owned(UserTurn { words, external: Some(meant(words, message)) }.opening())
}

/// The sentence of a message that has most in common with the words that point at it; all of it where none has anything.
fn meant<'m>(pointer: &str, message: &'m str) -> &'m str {
    let wanted = pieces(pointer);
    let shared = |sentence: &&str| pieces(sentence).intersection(&wanted).count();
    let mut sentences = sentences(message);
    // Of equals the first one is taken.
    sentences.reverse();
    let most = sentences.into_iter().max_by_key(shared);
    most.filter(|sentence| shared(sentence) > 0).unwrap_or(message)
}

/// The pieces by which texts are compared: the beginnings of words in letters that words are spelt with, pairs of others.
fn pieces(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let of = |word: &str| -> Vec<String> {
        let letters: Vec<char> = word.to_lowercase().chars().collect();
        if word.is_ascii() {
            let stem = letters.iter().take(STEM).collect();
            return if letters.len() < LEAST { Vec::new() } else { vec![stem] };
        }
        letters.windows(2).map(|pair| pair.iter().collect()).collect()
    };
    words.flat_map(of).collect()
}

/// What a message says to the parameter that was asked for, or that the pointer names.
pub(crate) fn pointed(view: &View<'_>, pointer: &str, message: &str) -> Vec<(usize, Value)> {
    let message = meant(pointer, message);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_is_read_that_the_words_point_at() {
        let message = "My train gets in at 7:40. Let's meet at 8 by the side entrance. I'll bring the tickets.";
        assert_eq!(
            meant("wake me at the time we meet, from Lena's text", message).trim(),
            "Let's meet at 8 by the side entrance."
        );
        assert_eq!(meant("it", message), message);
        let message = "동창회는 다음 달 4일로 잡혔어. 신청은 내일까지야.";
        assert_eq!(meant("민정이가 알려 준 동창회 날짜", message), "동창회는 다음 달 4일로 잡혔어.");
        let turn = "EK:A nap. We meet at 8.\nquery:the time we meet";
        assert_eq!(pertinent(turn), "EK:We meet at 8.\nquery:the time we meet");
        assert_eq!(pertinent("no message"), "no message");
    }
}
