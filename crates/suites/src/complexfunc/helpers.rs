//! Models besides the one under test: judges, and one that says how alike calls are.

use crate::assets::Assets;
use crate::complexfunc::metric::call_text;
use crate::llm::Vector;
use crate::question::{Pending, Question, read_same};
use crate::record::FunctionCall;
use crate::replies::Replies;
use indexmap::{IndexMap, IndexSet};

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

// Calls as vectors, by which an embedding model says how alike they are.

/// The vectors at hand, by the texts of calls, and the texts that wait for theirs.
#[derive(Debug, Default)]
pub struct Embedded {
    known: IndexMap<String, Vector>,
    open: IndexSet<String>,
}

impl Embedded {
    /// How alike each predicted call is to each golden one, a row for each predicted call; nothing where vectors are
    /// missing, which wait then.
    pub fn similarity(&mut self, predicted: &[&FunctionCall], golden: &[&FunctionCall]) -> Option<Vec<f64>> {
        let texts = |calls: &[&FunctionCall]| -> Vec<String> { calls.iter().map(|call| call_text(call)).collect() };
        let (predicted, golden) = (texts(predicted), texts(golden));
        let missing = predicted.iter().chain(&golden).filter(|text| !self.known.contains_key(*text));
        self.open.extend(missing.cloned());
        let of = |texts: &[String]| texts.iter().map(|text| self.known.get(text)).collect::<Option<Vec<&Vector>>>();
        let (predicted, golden) = (of(&predicted)?, of(&golden)?);
        Some(predicted.iter().flat_map(|one| golden.iter().map(|other| one.dot(other))).collect())
    }

    /// Takes a text's vector in.
    pub fn add(&mut self, text: String, vector: Vector) {
        self.open.shift_remove(&text);
        self.known.insert(text, vector);
    }

    /// The texts that wait, in the order in which they were asked about.
    pub fn take_open(&mut self) -> Vec<String> {
        std::mem::take(&mut self.open).into_iter().collect()
    }

    /// How many texts wait.
    pub fn waiting(&self) -> usize {
        self.open.len()
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
            let mut helpers = Helpers::from(Replies::new(crate::fixtures::prompts()));
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

#[cfg(test)]
mod embedded_tests {
    use super::*;

    fn call(name: &str) -> FunctionCall {
        FunctionCall {
            name: name.to_owned(),
            arguments: [("b".to_owned(), 1.into()), ("a".to_owned(), 2.into())].into(),
        }
    }

    #[test]
    fn texts_wait_once_each_until_their_vectors_are_there() {
        let (mut embedded, calls) = (Embedded::default(), ["f", "g", "h"].map(call));
        let [f, g, h] = calls.each_ref();
        assert_eq!((embedded.similarity(&[f, g], &[g, h]), embedded.waiting()), (None, 3));
        let open = embedded.take_open();
        assert_eq!(open[1], r#"{"name": "g", "arguments": {"b": 1, "a": 2}}"#);
        for (text, numbers) in open.into_iter().zip([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]) {
            embedded.add(text, Vector::new(numbers.to_vec()));
        }
        assert_eq!(embedded.similarity(&[f, g], &[g, h]), Some(vec![0.0, 1.0, 1.0, 0.0]));
        assert_eq!((embedded.similarity(&[], &[h]), embedded.waiting()), (Some(Vec::new()), 0));
    }

    #[test]
    fn a_text_whose_vector_came_meanwhile_waits_no_more() {
        let (mut embedded, f) = (Embedded::default(), call("f"));
        assert_eq!(embedded.similarity(&[&f], &[&f]), None);
        embedded.add(call_text(&f), Vector::new(vec![1.0]));
        assert_eq!((embedded.waiting(), embedded.similarity(&[&f], &[&f])), (0, Some(vec![1.0])));
    }
}
