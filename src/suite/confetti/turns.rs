//! A prediction of a turn: which dialog acts it performs, and whether one of them is wanted.

use super::board::Board;
use super::gold::Turn;
use super::helpers::{Helpers, Labels};
use crate::format::bfcl::ResultLine;
use crate::record::{BorrowedValue, Mark, Object, Sample, Value, Verdict};
use crate::score::bfcl::{Wrapper, decode_text_strictly};
use crate::score::confetti::{Act, acts_match, read_acts};
use crate::suite::VerdictSink;
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

#[cfg(test)]
mod tests {
    use super::super::driver::tests::{options, scored, scored_with};
    use super::*;
    use crate::suite::bfcl::{Profile, Tally};
    use crate::suite::replies::Question;

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
