//! Where those who asked wait, and where answers lie that nobody has asked for yet.

use super::Answer;
use crate::key::Key;
use crate::request::ChatError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// What somebody who waits is told.
#[derive(Debug)]
pub(super) enum Word {
    /// This is what became of it.
    Said(Answer),
    /// It came to nothing, and counts for nothing: ask once more.
    Again,
}

/// What somebody who asks is given.
pub(super) enum Seat {
    /// It was answered already.
    Served(Answer),
    /// A place to wait at. Whoever is the first must hand the question in.
    Wait { word: Receiver<Word>, is_first: bool },
}

/// Who waits for what.
#[derive(Default)]
pub(super) struct Desk {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    waiting: BTreeMap<Key, Sender<Word>>,
    /// Questions that were handed in, whether or not somebody still waits.
    handed_in: BTreeSet<Key>,
    unclaimed: BTreeMap<Key, Value>,
    end: Option<ChatError>,
}

impl Desk {
    /// Questions that an earlier process handed in.
    pub(super) fn hand_in(&self, keys: impl IntoIterator<Item = Key>) {
        self.lock().handed_in.extend(keys);
    }

    /// Gives the answer, or a place to wait.
    pub(super) fn sit(&self, key: Key) -> Seat {
        let mut inner = self.lock();
        if let Some(body) = inner.unclaimed.remove(&key) {
            return Seat::Served(Ok(Ok(body)));
        }
        if let Some(end) = &inner.end {
            return Seat::Served(Err(end.clone()));
        }
        let (sender, word) = channel();
        inner.waiting.insert(key, sender);
        Seat::Wait { word, is_first: inner.handed_in.insert(key) }
    }

    /// Tells whoever waits. An answer for which nobody waits is kept.
    pub(super) fn tell(&self, key: Key, word: Word) {
        let mut inner = self.lock();
        inner.handed_in.remove(&key);
        let unheard = match inner.waiting.remove(&key) {
            Some(sender) => sender.send(word).err(),
            None => Some(word),
        };
        if let Some(Word::Said(Ok(Ok(body)))) = unheard {
            inner.unclaimed.insert(key, body);
        }
    }

    /// Tells those who wait for these, and all who come later, that it is over.
    pub(super) fn end(&self, keys: impl IntoIterator<Item = Key>, error: &ChatError) {
        self.lock().end.get_or_insert_with(|| error.clone());
        keys.into_iter().for_each(|key| self.tell(key, Word::Said(Err(error.clone()))));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(number: u8) -> Key {
        Key::from_bytes([number; 32])
    }

    fn said(text: &str) -> Word {
        Word::Said(Ok(Ok(json!(text))))
    }

    fn wait(desk: &Desk, number: u8) -> (Receiver<Word>, bool) {
        match desk.sit(key(number)) {
            Seat::Wait { word, is_first } => (word, is_first),
            Seat::Served(answer) => panic!("{answer:?}"),
        }
    }

    #[test]
    fn who_waits_is_told_and_asks_anew_afterwards() {
        let desk = Desk::default();
        let (mut word, is_first) = wait(&desk, 1);
        assert!(is_first);
        desk.tell(key(1), said("a"));
        assert!(matches!(word.try_recv(), Ok(Word::Said(Ok(Ok(body)))) if body == "a"));
        assert!(wait(&desk, 1).1, "it is a new question");
    }

    #[test]
    fn who_comes_back_waits_for_what_was_handed_in() {
        let desk = Desk::default();
        drop(wait(&desk, 1));
        let (mut word, is_first) = wait(&desk, 1);
        assert!(!is_first);
        desk.tell(key(1), Word::Again);
        assert!(matches!(word.try_recv(), Ok(Word::Again)));
        desk.hand_in([key(2)]);
        assert!(!wait(&desk, 2).1);
    }

    #[test]
    fn an_answer_that_nobody_waits_for_is_kept_and_a_fault_is_not() {
        let desk = Desk::default();
        desk.hand_in([key(1), key(2)]);
        drop(wait(&desk, 1));
        desk.tell(key(1), said("a"));
        desk.tell(key(2), Word::Again);
        assert!(matches!(desk.sit(key(1)), Seat::Served(Ok(Ok(body))) if body == "a"));
        assert!(wait(&desk, 1).1 && wait(&desk, 2).1);
    }

    #[test]
    fn the_end_is_told_to_all_but_takes_no_answer_away() {
        let desk = Desk::default();
        let (mut word, _) = wait(&desk, 1);
        desk.tell(key(3), said("c"));
        desk.end([key(1)], &ChatError::Interrupted);
        assert!(matches!(word.try_recv(), Ok(Word::Said(Err(ChatError::Interrupted)))));
        assert!(matches!(desk.sit(key(2)), Seat::Served(Err(ChatError::Interrupted))));
        assert!(matches!(desk.sit(key(3)), Seat::Served(Ok(_))));
    }
}
