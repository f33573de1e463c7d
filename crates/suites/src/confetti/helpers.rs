//! What others say besides the rules: how alike strings are, which arguments were made up, which acts a text performs.

use super::questions;
use crate::confetti::metric::{Act, Measure, read_acts, read_unit};
use crate::llm::Pair;
use crate::question::Question;
use crate::record::{Sample, Value};
use crate::replies::Replies;
use crate::text::without_thought;
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// What others said so far, and what they are to be asked.
#[derive(Debug, Default)]
pub struct Helpers {
    /// What judges said.
    pub replies: Replies,
    scores: IndexMap<Pair, f64>,
    open: IndexSet<Pair>,
}

/// Dialog acts, and labels that nobody knows.
pub(super) type Labels = (BTreeSet<Act>, Vec<String>);

impl Helpers {
    /// How much of the gold a prediction says. Nothing where that is still to be asked, or where nothing usable was said.
    pub(super) fn string(&mut self, measure: Measure, sample: &Sample, gold: &str, predicted: &str) -> Option<f64> {
        if measure == Measure::Judge {
            let pending = || questions::string(sample, gold, predicted);
            return read_unit(self.replies.ask(Question::TextScore, pending)?);
        }
        let pair = (gold.to_owned(), predicted.to_owned());
        let known = self.scores.get(&pair).copied();
        if known.is_none() {
            self.open.insert(pair);
        }
        known
    }

    /// How many arguments of these calls were made up. Nobody can tell who does not know what was said before.
    pub(super) fn hallucinated(&mut self, sample: &Sample, calls: Vec<Value>) -> Option<u64> {
        if sample.messages.is_empty() {
            return None;
        }
        let pending = questions::validity(sample, calls);
        let reply = self.replies.ask(Question::Validity, || pending.clone())?;
        pending.hallucinated(reply)
    }

    /// The acts that a text performs besides calling; nothing where that is still to be asked.
    pub(super) fn acts(&mut self, sample: &Sample, text: &str) -> Option<Labels> {
        let reply = self.replies.ask(Question::DialogActs, || questions::acts(sample, text))?;
        let (mut acts, unknown) = read_acts(without_thought(reply));
        // Whether something is called is seen and need not be guessed.
        acts.remove(&Act::FunctionCalling);
        Some((acts, unknown))
    }

    /// The pairs of strings, gold and predicted, that wait for a score.
    pub fn take_pairs(&mut self) -> Vec<Pair> {
        std::mem::take(&mut self.open).into_iter().collect()
    }

    /// Takes a score in.
    pub fn add(&mut self, pair: Pair, score: f64) {
        self.open.shift_remove(&pair);
        self.scores.insert(pair, score);
    }

    /// Forgets what waits and what was used: the same items are gone through once more.
    pub fn again(&mut self) {
        self.replies.again();
        self.open.clear();
    }

    /// How much waits for an answer.
    pub fn waiting(&self) -> usize {
        self.replies.waiting() + self.open.len()
    }
}

impl From<Replies> for Helpers {
    fn from(replies: Replies) -> Self {
        Self { replies, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::questions::tests::sample;
    use super::*;

    fn answered(helpers: &mut Helpers, reply: &str) {
        for pending in helpers.replies.take_all() {
            helpers.replies.add(&pending.answered(reply.to_owned(), "j"));
        }
    }

    #[test]
    fn pairs_wait_once_each_until_their_score_is_there() {
        let (mut helpers, sample) = (Helpers::default(), sample());
        for _ in 0..2 {
            assert_eq!(helpers.string(Measure::Http, &sample, "red", "blue"), None);
        }
        assert_eq!(helpers.waiting(), 1);
        let pairs = helpers.take_pairs();
        assert_eq!(pairs, [("red".to_owned(), "blue".to_owned())]);
        helpers.add(pairs[0].clone(), 0.25);
        assert_eq!(helpers.string(Measure::Embedding, &sample, "red", "blue"), Some(0.25));
        assert_eq!((helpers.string(Measure::Http, &sample, "blue", "red"), helpers.waiting()), (None, 1));
        helpers.again();
        assert_eq!(helpers.waiting(), 0);
    }

    #[test]
    fn judges_say_numbers_and_lists_and_labels() {
        let (mut helpers, sample) = (Helpers::from(Replies::new(crate::fixtures::prompts())), sample());
        let call = || vec![Value::read(r#"{"name": "find", "arguments": {"city": "Rome"}}"#).unwrap()];
        for question in [Question::TextScore, Question::Validity, Question::DialogActs] {
            helpers.replies.ask_for(question);
        }
        assert_eq!((helpers.string(Measure::Judge, &sample, "a", "b"), helpers.waiting()), (None, 1));
        answered(&mut helpers, r#"{"score": 0.5}"#);
        assert_eq!(helpers.string(Measure::Judge, &sample, "a", "b"), Some(0.5));
        assert_eq!(helpers.hallucinated(&sample, call()), None);
        answered(&mut helpers, r#"{"hallucinated_parameters": [["city"]]}"#);
        assert_eq!(helpers.hallucinated(&sample, call()), Some(1));
        assert_eq!(helpers.acts(&sample, "Which?"), None);
        answered(&mut helpers, "<think>it asks</think>agent_seek_information, agent_function_calling, sings");
        let (acts, unknown) = helpers.acts(&sample, "Which?").unwrap();
        assert_eq!((acts, unknown), (BTreeSet::from([Act::Seek]), vec!["sings".to_owned()]));
    }

    #[test]
    fn who_does_not_know_what_was_said_is_not_asked_what_was_made_up() {
        let (mut helpers, mut sample) = (Helpers::default(), sample());
        helpers.replies.ask_for(Question::Validity);
        sample.messages.clear();
        assert_eq!((helpers.hallucinated(&sample, Vec::new()), helpers.waiting()), (None, 0));
    }
}
