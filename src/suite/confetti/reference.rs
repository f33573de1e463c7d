//! The same judges on the gold: the rate of its own arguments, and how well the classifier knows what its agents do.

use super::gold::{Entry, Gold, Turn};
use super::helpers::Helpers;
use super::options::Options;
use super::shown::{arguments, named};
use crate::record::{Expected, FunctionCall};
use crate::score::confetti::{Act, Agreement, Validity};

/// What judges say of the gold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reference {
    /// The arguments of its calls.
    pub validity: Validity,
    /// What the classifier finds in what its agents say.
    pub classifier: Agreement,
}

/// Judges the gold, as far as the options want it.
pub fn reference(gold: &Gold, options: &Options, helpers: &mut Helpers) -> Reference {
    let mut reference = Reference::default();
    if options.validity {
        gold.calls.values().for_each(|entry| validity(entry, &mut reference.validity, helpers));
    }
    if options.classifies_gold {
        gold.acts.values().for_each(|turn| classify(turn, &mut reference.classifier, helpers));
    }
    reference
}

fn validity(entry: &Entry, validity: &mut Validity, helpers: &mut Helpers) {
    let Expected::Call(FunctionCall { name, arguments: given }) = &entry.sample.expected else { return };
    let calls = vec![named(name, given.clone())];
    let count = arguments(&calls);
    let hallucinated = if count == 0 { Some(0) } else { helpers.hallucinated(&entry.sample, calls) };
    validity.add(1, count, hallucinated);
}

/// A turn's words alone: that it calls is seen by anybody.
fn classify(turn: &Turn, agreement: &mut Agreement, helpers: &mut Helpers) {
    let mut there = turn.acts.clone();
    there.remove(&Act::FunctionCalling);
    let Some(text) = turn.text().filter(|_| !there.is_empty()) else { return };
    match helpers.acts(&turn.sample, text) {
        Some((found, unknown)) => {
            agreement.add(&there, &found);
            for label in unknown {
                *agreement.unknown.entry(label).or_default() += 1;
            }
        }
        None => agreement.unanswered += 1,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::driver::tests::options;
    use super::super::gold::tests::write;
    use super::super::questions::tests::sample;
    use super::*;
    use crate::format::Bench;
    use crate::record::Sample;
    use crate::suite::bfcl::Profile;
    use crate::suite::replies::Question;
    use std::sync::Arc;

    fn gold() -> Gold {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let mut gold = Gold::read(&Bench::open(folder.path()).unwrap(), None, true).unwrap();
        for entry in gold.calls.values_mut() {
            let Sample { messages, .. } = sample();
            let known = Sample { messages, ..Sample::clone(&entry.sample) };
            entry.sample = Arc::new(known);
        }
        gold
    }

    /// What comes of it where judges say this.
    pub(in crate::suite::confetti) fn judged(lists: &str, labels: &str) -> Reference {
        let (gold, mut helpers) = (gold(), Helpers::default());
        let options = Options { validity: true, classifies_gold: true, ..options(Profile::Strict) };
        for question in [Question::Validity, Question::DialogActs] {
            helpers.replies.ask_for(question);
        }
        reference(&gold, &options, &mut helpers);
        for pending in helpers.replies.take_all() {
            let reply = if pending.question == Question::Validity { lists } else { labels };
            helpers.replies.add(&pending.answered(reply.to_owned(), "j"));
        }
        reference(&gold, &options, &mut helpers)
    }

    #[test]
    fn the_gold_is_judged_by_the_same_judges() {
        let found = judged(r#"{"hallucinated_parameters": [[]]}"#, "agent_other");
        assert_eq!(found.validity, Validity { calls: 3, judged: 3, valid: 3, unjudged: 0 });
        assert_eq!((found.classifier.texts, found.classifier.matched, found.classifier.unanswered), (2, 1, 0));
        assert_eq!(found.classifier.acts[&Act::Other].found, 2);
        assert!(!found.classifier.acts.contains_key(&Act::FunctionCalling));
    }

    #[test]
    fn what_names_no_argument_of_the_call_judges_nothing() {
        let found = judged(r#"{"hallucinated_parameters": [["stars"]]}"#, "hums");
        assert_eq!(found.validity, Validity { calls: 3, judged: 2, valid: 0, unjudged: 1 });
        assert_eq!((found.classifier.matched, found.classifier.unknown["hums"]), (0, 2));
    }

    #[test]
    fn nobody_is_asked_unless_it_is_wanted() {
        let mut helpers = Helpers::default();
        helpers.replies.ask_for(Question::DialogActs);
        assert_eq!(reference(&gold(), &options(Profile::Strict), &mut helpers), Reference::default());
        let wanted = Options { classifies_gold: true, ..options(Profile::Strict) };
        let found = reference(&gold(), &wanted, &mut helpers);
        assert_eq!((found.classifier.unanswered, helpers.waiting()), (2, 2));
    }
}
