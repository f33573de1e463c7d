//! A prediction of a turn: which dialog acts it performs, and whether one of them is wanted.

use super::board::Board;
use super::calls::{arguments, named};
use super::gold::{Entry, Gold, Turn};
use super::helpers::{Helpers, Labels};
use super::options::Options;
use crate::VerdictSink;
use crate::bfcl::layout::ResultLine;
use crate::bfcl::metric::{Wrapper, decode_text_strictly};
use crate::confetti::metric::{Act, Agreement, Validity, acts_match, read_acts};
use crate::record::{BorrowedValue, Expected, FunctionCall, Mark, Object, Sample, Value, Verdict};
use crate::text::without_thought;
use std::collections::BTreeSet;

/// Judges a line, counts what comes of it, and hands out its verdict.
pub(super) fn judge(
    turn: &Turn,
    line: &ResultLine<'_>,
    board: &mut Board,
    helpers: &mut Helpers,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let Some((found, unknown)) = acts(&turn.sample, line, helpers) else {
        board.acts.unclassified += 1;
        return sink(&|| Verdict::new(&line.id, None, object(line, [("unclassified", Value::Bool(true))])));
    };
    let is_match = acts_match(&turn.acts, &found);
    board.acts.matched.add(is_match);
    board.acts.confusion.add(&turn.acts, &found);
    sink(&|| {
        let names = |acts: &BTreeSet<Act>| Value::List(acts.iter().map(|act| act.as_str().into()).collect());
        let fields = [("match", Value::Bool(is_match)), ("gold_labels", names(&turn.acts)), ("labels", names(&found))];
        let mut object = object(line, fields);
        if !unknown.is_empty() {
            let unknown_labels = unknown.iter().map(|label| label.as_str().into()).collect();
            object.insert("unknown_labels".to_owned(), Value::List(unknown_labels));
        }
        Verdict::new(&line.id, Some(is_match), object).marked(Mark::Acts, is_match)
    })?;
    for label in unknown {
        *board.acts.unknown.entry(label).or_default() += 1;
    }
    Ok(())
}

fn object<const N: usize>(line: &ResultLine<'_>, fields: [(&str, Value); N]) -> Object {
    let id = ("id", Value::from(&*line.id));
    std::iter::once(id).chain(fields).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The acts that the line names; else calling where it calls, and what the classifier finds in its words. Nothing where
/// nobody has classified them.
fn acts(sample: &Sample, line: &ResultLine<'_>, helpers: &mut Helpers) -> Option<Labels> {
    if let Some(labels) = &line.labels {
        return Some(read_acts(labels));
    }
    let (calls, text) = said(line);
    let calling = calls.then_some(Act::FunctionCalling);
    let (mut acts, unknown) = match text {
        Some(text) => helpers.acts(sample, text)?,
        None => Labels::default(),
    };
    acts.extend(calling);
    Some((acts, unknown))
}

/// Whether a line calls, and what it says besides.
fn said<'l>(line: &'l ResultLine<'_>) -> (bool, Option<&'l str>) {
    let (calls, text) = match &line.given {
        BorrowedValue::List(list) => (!list.is_empty(), line.words.as_deref()),
        BorrowedValue::String(text) if line.native => (false, Some(&**text)),
        BorrowedValue::String(text) => match decode_text_strictly(text) {
            Ok(found) if !found.calls.is_empty() => {
                (true, Some(&**text).filter(|_| found.wrappers.contains(&Wrapper::Prose)))
            }
            _ => (false, Some(&**text)),
        },
        _ => (false, None),
    };
    (calls, text.map(|text| without_thought(text).trim()).filter(|text| !text.is_empty()))
}

// The same judges on the gold: the rate of its own arguments, and how well the classifier knows what its agents do.

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
mod turns_tests {
    use super::super::driver::tests::{options, scored, scored_with};
    use super::*;
    use crate::bfcl::{Profile, Tally};
    use crate::question::Question;

    fn labels(verdicts: &[String]) -> Vec<&str> {
        verdicts.iter().map(|line| line.rsplit_once("\"labels\":").map_or("", |(_, labels)| labels)).collect()
    }

    /// What comes of lines for `dialogacts_0` (calling, informing) where a classifier says this of every text.
    fn classified(line: &str, reply: &str) -> (Board, Vec<String>, Vec<String>) {
        let mut helpers = Helpers::default();
        helpers.replies.ask_for(Question::DialogActs);
        scored_with(line, 0, &options(Profile::Strict), &mut helpers);
        let open = helpers.replies.take_all();
        let texts = open.iter().map(|it| it.variables["text"].as_str().unwrap().to_owned()).collect();
        for it in &open {
            helpers.replies.add(&it.answered(reply.to_owned(), "j"));
        }
        let (board, verdicts) = scored_with(line, 0, &options(Profile::Strict), &mut helpers);
        (board, verdicts, texts)
    }

    #[test]
    fn words_that_nobody_classified_are_not_counted() {
        let lines = "{\"id\": \"dialogacts_0\", \"result\": \"Done.\"}\noops";
        let (board, verdicts) = scored(lines, Profile::Strict);
        assert_eq!((board.acts.unclassified, board.faults.len()), (1, 1));
        assert_eq!(verdicts[0], r#"{"id":"dialogacts_0","unclassified":true}"#);
    }

    #[test]
    fn calls_need_no_classifier_in_whatever_form_they_come() {
        for said in [
            r#""result": [{"A_find": "{}"}]"#,
            r#""result": "[A_find(name='x')]""#,
            r#""result": "<think>hm, A</think>[A_find(name='x')]""#,
            r#""turns": [{"tool_calls": [["A_find", "{}"]]}]"#,
            r#""turns": [{"content": "[A_find(name='x')]"}], "variant": "prompt""#,
        ] {
            let (board, verdicts, texts) = classified(&format!("{{\"id\": \"dialogacts_0\", {said}}}"), "agent_other");
            assert_eq!((labels(&verdicts)[0], texts.len()), (r#"["agent_function_calling"]}"#, 0), "{said}");
            assert_eq!(board.acts.matched, Tally { right: 1, of: 2 });
        }
    }

    #[test]
    fn words_are_classified_alone_and_beside_calls() {
        let both = r#"["agent_function_calling","agent_inform_user"]}"#;
        for (said, found, text) in [
            (r#""turns": [{"content": "Done."}]"#, r#"["agent_inform_user"]}"#, "Done."),
            (r#""turns": [{"content": "A_find()"}], "variant": "tools""#, r#"["agent_inform_user"]}"#, "A_find()"),
            (r#""turns": [{"content": "Hm.", "tool_calls": [["A_find", "{}"]]}]"#, both, "Hm."),
            (r#""result": "I look: [A_find(name='x')]""#, both, "I look: [A_find(name='x')]"),
            (r#""result": "<think>?</think> Done. ""#, r#"["agent_inform_user"]}"#, "Done."),
        ] {
            let (_, verdicts, texts) =
                classified(&format!("{{\"id\": \"dialogacts_0\", {said}}}"), "Agent_Inform_User.");
            assert_eq!((labels(&verdicts)[0], texts), (found, vec![text.to_owned()]), "{said}");
        }
    }

    #[test]
    fn who_says_nothing_does_nothing_and_labels_nobody_knows_are_none() {
        let (board, verdicts, texts) = classified(r#"{"id": "dialogacts_0", "turns": [{"content": " "}]}"#, "");
        assert_eq!((labels(&verdicts)[0], texts.len(), board.acts.matched.right), ("[]}", 0, 0));
        let (board, verdicts, _) = classified(r#"{"id": "dialogacts_0", "turns": [{"content": "Hm."}]}"#, "sings");
        assert_eq!(
            (board.acts.unknown["sings"], board.acts.matched, board.acts.unclassified),
            (1, Tally { right: 0, of: 2 }, 0)
        );
        assert!(verdicts[0].ends_with(r#""labels":[],"unknown_labels":["sings"]}"#), "{}", verdicts[0]);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::driver::tests::options;
    use super::super::gold::tests::write;
    use super::super::questions::tests::sample;
    use super::*;
    use crate::bfcl::Profile;
    use crate::format::Bench;
    use crate::question::Question;
    use crate::record::Sample;
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
    pub(in crate::confetti) fn judged(lists: &str, labels: &str) -> Reference {
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
