//! Models besides the one under test: judges, and one that says how alike calls are.

use super::embedded::Embedded;
use crate::assets::Assets;
use crate::suite::replies::{Pending, Question, Replies, read_same};

/// What others said so far, and what they are to be asked.
#[derive(Debug, Default)]
pub struct Helpers {
    /// What judges said.
    pub replies: Replies,
    /// Calls as vectors.
    pub embedded: Embedded,
}

impl Helpers {
    /// Where words and prompts are read.
    pub(super) fn assets(&self) -> &Assets {
        self.replies.prompts().assets()
    }

    /// Whether a judge takes two calls for the same; one that says neither does not. Nothing where it is to be asked, or
    /// where nobody judges.
    pub fn is_equal(&mut self, pending: impl FnOnce() -> Pending) -> Option<bool> {
        let reply = self.replies.ask(Question::SameCall, pending)?;
        Some(read_same(reply).unwrap_or(false))
    }

    /// Forgets what waits and what was used: the same samples are gone through once more.
    pub fn again(&mut self) {
        self.replies.again();
        self.embedded.take_open();
    }

    /// How much waits for an answer.
    pub fn waiting(&self) -> usize {
        self.replies.waiting() + self.embedded.waiting()
    }
}

impl From<Replies> for Helpers {
    fn from(replies: Replies) -> Self {
        Self { replies, embedded: Embedded::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FunctionCall, Object};

    fn pending() -> Pending {
        let (id, locale) = ("a".to_owned(), "en".to_owned());
        Pending {
            question: Question::SameCall,
            id,
            locale,
            variables: Object::new(),
            besides: Object::new(),
            draw: 0,
            temperature: 0.0,
            hashed: std::sync::OnceLock::new(),
        }
    }

    #[test]
    fn calls_are_the_same_if_a_judge_says_so_and_nobody_says_it_unasked() {
        let mut helpers = Helpers::default();
        assert_eq!((helpers.is_equal(pending), helpers.waiting()), (None, 0));
        helpers.replies.ask_for(Question::SameCall);
        assert_eq!((helpers.is_equal(pending), helpers.waiting()), (None, 1));
        for (said, wanted) in [("{\"is_equal\": true}", true), ("{\"is_equal\": false}", false), ("well", false)] {
            let mut helpers = Helpers::from(Replies::default());
            helpers.replies.ask_for(Question::SameCall);
            helpers.replies.add(&pending().answered(said.to_owned(), "j"));
            assert_eq!((helpers.is_equal(pending), helpers.waiting()), (Some(wanted), 0), "{said}");
        }
    }

    #[test]
    fn what_waits_may_be_forgotten() {
        let mut helpers = Helpers::default();
        helpers.replies.ask_for(Question::SameCall);
        assert_eq!(helpers.is_equal(pending), None);
        let call = FunctionCall { name: "f".to_owned(), arguments: Object::new() };
        assert_eq!((helpers.embedded.similarity(&[&call], &[&call]), helpers.waiting()), (None, 2));
        helpers.again();
        assert_eq!(helpers.waiting(), 0);
    }
}
