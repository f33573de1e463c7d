//! What only a bench of chats can get wrong: where right tools stand, how close others come, how often the same is said, and
//! whether the form of a request tells what to do.

mod decisions;
mod lengths;
mod lists;
mod wordings;

use super::Measure;
use super::figure::{Cell, Figure, Mark, share};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
pub(super) use lengths::Lengths;
use std::sync::Arc;

/// All of them; entries of other suites are none of their business.
pub(super) struct Chats(Vec<Box<dyn Measure>>);

impl Chats {
    pub(super) fn new(ground: &Arc<Ground>, seed: u64) -> Self {
        Self(vec![
            Box::new(lists::Places::default()),
            Box::new(lists::Closeness::default()),
            Box::new(wordings::Wordings::default()),
            Box::new(decisions::Decisions::new(ground.clone(), seed)),
        ])
    }

    /// Looks at an entry.
    pub(super) fn see(&mut self, entry: &Entry) {
        if entry.is_chat() {
            self.0.iter_mut().for_each(|measure| measure.see(entry));
        }
    }

    /// The figures that there are; none where there was no chat.
    pub(super) fn figures(&self) -> impl Iterator<Item = Figure> {
        self.0.iter().map(|measure| measure.figure()).filter(|figure| figure.missing.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entries, sample, single};

    #[test]
    fn only_chats_are_measured() {
        let mut chats = Chats::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for entry in entries(vec![sample("a", "ST_Perfect")]) {
            chats.see(&entry);
        }
        assert_eq!(chats.figures().count(), 0);
        for entry in entries(vec![single("a", "2_close"), single("b", "2_random")]) {
            chats.see(&entry);
        }
        assert_eq!(chats.figures().map(|figure| figure.name).collect::<Vec<_>>(), ["target places", "close tools"]);
    }
}
