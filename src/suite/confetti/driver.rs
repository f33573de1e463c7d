//! Judges the lines of a file of results, in its order.

use super::board::Board;
use super::gold::{Entry, Gold};
use super::repair;
use crate::format::bfcl::ResultLine;
use crate::record::{BorrowedValue, Object, Value};
use crate::score::bfcl::{
    Call, DecodeFault, Verdict, decode_calls, decode_calls_strictly, decode_text, decode_text_strictly, strict,
    upstream,
};
use crate::score::confetti::{Act, Combine, StringScore, acts_match, call_score, read_acts};
use crate::suite::bfcl::{Give, Missing, Profile, Results, fields};
use std::collections::BTreeSet;

/// How is scored.
#[derive(Debug, Clone)]
pub struct Options {
    /// By which rules calls are checked.
    pub profile: Profile,
    /// How strings are scored.
    pub string_score: StringScore,
    /// How the scores of a call's strings become one.
    pub combine: Combine,
    /// What becomes of calls without a prediction.
    pub missing: Missing,
}

/// Scores a file of results. Each verdict is handed out as it is found.
pub fn score(
    gold: &Gold,
    results: &Results,
    board: &mut Board,
    options: &Options,
    give: Give<'_>,
) -> std::io::Result<()> {
    for (place, text) in results.lines() {
        let line = match ResultLine::read(text) {
            Ok(Some(line)) => line,
            Ok(None) => {
                board.faults.push((place, "no result".to_owned()));
                continue;
            }
            Err(error) => {
                board.faults.push((place, error.to_string()));
                continue;
            }
        };
        if line.error.is_some() {
            board.transport += 1;
        } else if let Some(entry) = gold.calls.get(&*line.id) {
            give(call(entry, &line, board, options))?;
        } else if let Some(wanted) = gold.acts.get(&*line.id) {
            give(acts(wanted, &line, board))?;
        } else {
            board.unknown += 1;
        }
    }
    board.close(gold, options.missing);
    Ok(())
}

/// Reads the calls of a line, as the profile reads them.
fn calls<'t>(line: &'t ResultLine<'_>, profile: Profile) -> Result<Vec<Call<'t>>, DecodeFault> {
    match (profile, &line.given) {
        // Calls that are decoded already have their arguments as objects.
        (_, given) if line.decoded => decode_calls_strictly(given),
        (Profile::Upstream, given) if line.native => decode_calls(given),
        (Profile::Upstream, BorrowedValue::String(text)) => decode_text(text),
        (Profile::Strict, BorrowedValue::String(_)) if line.native => Ok(Vec::new()),
        (Profile::Strict, BorrowedValue::String(text)) => decode_text_strictly(text).map(|found| found.calls),
        (Profile::Strict, given) => decode_calls_strictly(given),
        (Profile::Upstream, _) => Err(DecodeFault::NoList),
    }
}

fn call(entry: &Entry, line: &ResultLine<'_>, board: &mut Board, options: &Options) -> Object {
    let read = calls(line, options.profile);
    let is_strict = options.profile == Profile::Strict;
    let fault = read.as_ref().err().map(ToString::to_string);
    let found = read.ok().map(|calls| if is_strict { repair::calls(calls) } else { calls });
    let underscores = line.underscores.unwrap_or_default();
    let verdict = match (&found, is_strict) {
        (Some(calls), true) => strict::check_calls(&entry.item, calls, underscores),
        (found, _) => upstream::check_calls(&entry.item, found.as_deref(), underscores),
    };
    let score = soft(entry, found.as_deref().unwrap_or_default(), options);
    board.take(&line.id, &verdict, score);
    let mut object: Object = [("id".to_owned(), Value::from(&*line.id))].into();
    object.extend(line.pid.as_deref().map(|pid| ("pid".to_owned(), pid.into())));
    object.extend(fields(&verdict));
    object.insert("item_score".to_owned(), score.into());
    object.extend(fault.map(|fault| ("detail".to_owned(), fault.into())));
    object
}

fn soft(entry: &Entry, calls: &[Call<'_>], options: &Options) -> f64 {
    let (Some(function), Some(answer)) = (entry.item.functions.first(), entry.item.answers.first()) else { return 0.0 };
    let mut string = |gold: &str, predicted: &str| options.string_score.of(gold, predicted);
    call_score(function, calls, answer, &mut string, options.combine)
}

impl Board {
    /// Counts a verdict; of several predictions for one call the first has the score.
    fn take(&mut self, id: &str, verdict: &Verdict, score: f64) {
        self.ast.add(verdict.is_valid());
        let name = match verdict {
            Verdict::Valid => None,
            Verdict::Wrong(kind, _) => Some(kind.as_str()),
            Verdict::Crash(crash) => Some(crash.as_str()),
            Verdict::Unscorable(reason) => Some(*reason),
        };
        if let Some(name) = name {
            *self.errors.entry(name.to_owned()).or_default() += 1;
        }
        self.items.entry(id.to_owned()).or_insert(score);
    }
}

/// A reply's dialog acts: those that the line names, or, where it only calls, that alone.
fn acts(wanted: &BTreeSet<Act>, line: &ResultLine<'_>, board: &mut Board) -> Object {
    let (found, unknown) = match (&line.labels, &line.given) {
        (Some(labels), _) => read_acts(labels),
        (None, BorrowedValue::List(list)) if !list.is_empty() => (BTreeSet::from([Act::FunctionCalling]), Vec::new()),
        _ => {
            board.acts.unclassified += 1;
            let entries = [("id", Value::from(&*line.id)), ("unclassified", Value::Bool(true))];
            return entries.map(|(name, value)| (name.to_owned(), value)).into();
        }
    };
    for label in unknown {
        *board.acts.unknown.entry(label).or_default() += 1;
    }
    let is_match = acts_match(wanted, &found);
    board.acts.matched.add(is_match);
    board.acts.confusion.add(wanted, &found);
    let names = |acts: &BTreeSet<Act>| Value::List(acts.iter().map(|act| act.as_str().into()).collect());
    let entries = [
        ("id", Value::from(&*line.id)),
        ("match", Value::Bool(is_match)),
        ("gold_labels", names(wanted)),
        ("labels", names(&found)),
    ];
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::gold::tests::write;
    use super::super::profile::string_score;
    use super::*;
    use crate::format::Bench;

    pub(in crate::suite::confetti) fn scored(lines: &str, profile: Profile) -> (Board, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, lines).unwrap();
        let bench = Bench::open(folder.path()).unwrap();
        let gold = Gold::read(&bench, None, profile == Profile::Strict).unwrap();
        let string_score = string_score("guarded_token_f1").unwrap();
        let options = Options { profile, string_score, combine: Combine::Product, missing: Missing::Fail };
        let (mut board, mut verdicts) = (Board::new("m", profile), Vec::new());
        let mut give = |line: Object| {
            verdicts.push(Value::from(line).to_string());
            Ok(())
        };
        score(&gold, &Results::open(&path).unwrap(), &mut board, &options, &mut give).unwrap();
        (board, verdicts)
    }

    pub(in crate::suite::confetti) const LINES: &str = r#"{"id": "conversationsclean_0", "result": "Well: [A_find(name='red hotel')]"}
{"id": "conversationsclean_1", "calls": [{"A_get": {"stars": 4}}]}
{"id": "conversationsclean_2", "result": [{"A_get": "{\"stars\": \"5\"}"}]}
{"id": "dialogacts_0", "result": [{"A_find": "{}"}]}
{"id": "dialogacts_1", "result": "Bye", "labels": ["agent_inform_user", "agent_sings"]}
{"id": "dialogacts_9", "result": "Bye"}"#;

    #[test]
    fn calls_have_a_verdict_and_a_score_and_turns_a_match() {
        let (board, verdicts) = scored(LINES, Profile::Strict);
        assert_eq!(
            verdicts,
            [
                r#"{"id":"conversationsclean_0","valid":false,"error_type":"value_error:string","item_score":0.8}"#,
                r#"{"id":"conversationsclean_1","valid":true,"item_score":1.0}"#,
                r#"{"id":"conversationsclean_2","valid":false,"error_type":"type_error:simple","item_score":0.0}"#,
                r#"{"id":"dialogacts_0","match":true,"gold_labels":["agent_function_calling","agent_inform_user"],"labels":["agent_function_calling"]}"#,
                r#"{"id":"dialogacts_1","match":false,"gold_labels":["agent_function_calling","agent_other"],"labels":["agent_inform_user"]}"#,
            ]
        );
        assert_eq!((board.unknown, board.acts.matched, board.acts.unknown.len()), (1, Tally { right: 1, of: 2 }, 1));
        assert_eq!(board.acts.confusion.count(Act::Other, Act::Inform), 1);
    }

    use crate::suite::bfcl::Tally;

    #[test]
    fn upstream_reads_what_it_reads() {
        let (board, verdicts) = scored(LINES, Profile::Upstream);
        assert!(verdicts[0].contains("ast_decoder:decoder_failed") && verdicts[0].contains("\"item_score\":0.0"));
        assert_eq!((board.ast, board.missing), (Tally { right: 1, of: 3 }, 0));
    }

    #[test]
    fn words_that_nobody_classified_are_not_counted() {
        let (board, verdicts) = scored("{\"id\": \"dialogacts_0\", \"result\": \"Done.\"}\noops", Profile::Strict);
        assert_eq!((board.acts.unclassified, board.acts.matched.of, board.faults.len()), (1, 0, 1));
        assert_eq!(verdicts, [r#"{"id":"dialogacts_0","unclassified":true}"#]);
    }
}
