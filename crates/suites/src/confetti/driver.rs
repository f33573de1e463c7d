//! Judges the lines of a file of results, in its order, and then what is missing.

use super::board::Board;
use super::gold::Gold;
use super::helpers::Helpers;
use super::options::Options;
use super::{calls, turns};
use crate::Missing;
use crate::VerdictSink;
use crate::bfcl::layout::ResultLine;
use crate::bfcl::{Results, absent};
use crate::record::Mark;
use std::collections::BTreeSet;

/// Which ids there are lines for.
#[derive(Default)]
struct Seen {
    calls: BTreeSet<String>,
    turns: BTreeSet<String>,
}

/// Scores one run of a file of results. Each verdict is handed out as it is found.
pub fn score(
    gold: &Gold,
    results: &Results,
    run: u32,
    board: &mut Board,
    options: &Options,
    helpers: &mut Helpers,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let mut seen = Seen::default();
    for (place, text) in results.lines() {
        match ResultLine::read(text) {
            Ok(Some(line)) if line.run == run => one(gold, &line, &mut seen, board, options, helpers, sink)?,
            Ok(Some(_)) => {}
            Ok(None) => board.faults.push((place, "no result".to_owned())),
            Err(error) => board.faults.push((place, error.to_string())),
        }
    }
    close(gold, &seen, board, options, sink)
}

fn one(
    gold: &Gold,
    line: &ResultLine<'_>,
    seen: &mut Seen,
    board: &mut Board,
    options: &Options,
    helpers: &mut Helpers,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let id = line.id.to_string();
    let (entry, turn) = (gold.calls.get(&id), gold.acts.get(&id));
    if line.error.is_some() && (entry.is_some() || turn.is_some()) {
        // Whoever could not be reached may have been reached later.
        board.unreachable.insert(id);
        return Ok(());
    }
    if let Some(entry) = entry {
        seen.calls.insert(id);
        calls::judge(entry, line, board, options, helpers, sink)
    } else if let Some(turn) = turn {
        seen.turns.insert(id);
        turns::judge(turn, line, board, helpers, sink)
    } else {
        board.unknown += 1;
        Ok(())
    }
}

/// Counts what is missing, and puts calls together to chains. Who was asked for calls alone misses no turn, and the other
/// way round.
fn close(gold: &Gold, seen: &Seen, board: &mut Board, options: &Options, sink: VerdictSink<'_>) -> std::io::Result<()> {
    board.unreachable.retain(|id| !seen.calls.contains(id) && !seen.turns.contains(id));
    let fails = options.missing == Missing::Fail;
    let was_asked = |ids: &BTreeSet<String>, board: &Board, is_own: &dyn Fn(&String) -> bool| {
        !ids.is_empty() || board.unreachable.iter().any(is_own)
    };
    if was_asked(&seen.calls, board, &|id| gold.calls.contains_key(id)) {
        for id in gold.calls.keys().filter(|id| !seen.calls.contains(*id)) {
            let why = board.why_absent(id);
            board.missing += u64::from(why == MISSING);
            if fails {
                board.ast.add(false);
                *board.errors.entry(why.to_owned()).or_default() += 1;
                board.items.insert(id.clone(), 0.0);
                sink(&|| absent(id, ("valid", Mark::Valid), why))?;
            }
        }
        board.chain(gold, options.missing);
    }
    if was_asked(&seen.turns, board, &|id| gold.acts.contains_key(id)) {
        for id in gold.acts.keys().filter(|id| !seen.turns.contains(*id)) {
            let why = board.why_absent(id);
            board.acts.missing += u64::from(why == MISSING);
            if fails {
                board.acts.matched.add(false);
                sink(&|| absent(id, ("match", Mark::Acts), why))?;
            }
        }
    }
    Ok(())
}

const MISSING: &str = "missing";

impl Board {
    fn why_absent(&self, id: &str) -> &'static str {
        if self.unreachable.contains(id) { "unreachable" } else { MISSING }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::gold::tests::write;
    use super::super::profile::string_score;
    use super::*;
    use crate::bfcl::{Profile, Tally};
    use crate::confetti::metric::{Act, Combine};
    use crate::format::Bench;
    use crate::record::{Value, Verdict};

    /// What is usual.
    pub(in crate::confetti) fn options(profile: Profile) -> Options {
        Options {
            profile,
            string_score: string_score(crate::fixtures::assets(), "guarded_token_f1").unwrap(),
            combine: Combine::Product,
            missing: Missing::Fail,
            validity: false,
            classifies_gold: false,
        }
    }

    pub(in crate::confetti) fn scored_with(
        lines: &str,
        run: u32,
        options: &Options,
        helpers: &mut Helpers,
    ) -> (Board, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, lines).unwrap();
        let bench = Bench::open(folder.path()).unwrap();
        let gold = Gold::read(&bench, None, options.profile == Profile::Strict).unwrap();
        let (mut board, mut verdicts) = (Board::new("m", options), Vec::new());
        let mut give = |verdict: &dyn Fn() -> Verdict| {
            verdicts.push(Value::from(verdict().line).to_string());
            Ok(())
        };
        score(&gold, &Results::open(&path).unwrap(), run, &mut board, options, helpers, &mut give).unwrap();
        (board, verdicts)
    }

    pub(in crate::confetti) fn scored(lines: &str, profile: Profile) -> (Board, Vec<String>) {
        scored_with(lines, 0, &options(profile), &mut Helpers::default())
    }

    pub(in crate::confetti) const LINES: &str = r#"{"id": "conversationsclean_0", "result": "Well: [A_find(name='red hotel')]"}
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
                r#"{"id":"dialogacts_1","match":false,"gold_labels":["agent_function_calling","agent_other"],"labels":["agent_inform_user"],"unknown_labels":["agent_sings"]}"#,
            ]
        );
        assert_eq!((board.unknown, board.acts.matched, board.acts.unknown.len()), (1, Tally { right: 1, of: 2 }, 1));
        assert_eq!(board.acts.confusion.count(Act::Other, Act::Inform), 1);
    }

    #[test]
    fn upstream_reads_what_it_reads() {
        let (board, verdicts) = scored(LINES, Profile::Upstream);
        assert!(verdicts[0].contains("ast_decoder:decoder_failed") && verdicts[0].contains("\"item_score\":0.0"));
        assert_eq!((board.ast, board.missing), (Tally { right: 1, of: 3 }, 0));
    }

    #[test]
    fn what_is_missing_is_wrong_where_its_kind_was_asked_for() {
        let lines: Vec<&str> = LINES.lines().collect();
        let (board, verdicts) = scored(lines[1], Profile::Strict);
        assert_eq!((board.ast, board.missing, board.items.len()), (Tally { right: 1, of: 3 }, 2, 3));
        assert_eq!((board.acts.matched.of, board.acts.missing), (0, 0));
        assert_eq!(verdicts[1], r#"{"id":"conversationsclean_0","valid":false,"error_type":"missing"}"#);
        let (board, verdicts) = scored(lines[3], Profile::Strict);
        assert_eq!((board.ast.of, board.acts.matched, board.acts.missing), (0, Tally { right: 1, of: 2 }, 1));
        assert_eq!((verdicts.len(), board.chains.all.estimate()), (2, None));
        assert_eq!(verdicts[1], r#"{"id":"dialogacts_1","match":false,"error_type":"missing"}"#);
    }

    #[test]
    fn who_could_not_be_reached_is_counted_apart_and_may_be_reached_later() {
        let failed = "{\"id\": \"conversationsclean_1\", \"turns\": [], \"error\": \"HTTP 500\"}\n";
        let (board, verdicts) = scored(failed, Profile::Strict);
        assert_eq!((board.unreachable.len(), board.missing, board.ast.of, verdicts.len()), (1, 2, 3, 3));
        assert_eq!(board.errors["unreachable"], 1);
        let again = format!("{failed}{}", LINES.lines().nth(1).unwrap());
        let (board, _) = scored(&again, Profile::Strict);
        assert_eq!((board.unreachable.len(), board.missing, board.items["conversationsclean_1"]), (0, 2, 1.0));
        let skip = Options { missing: Missing::Skip, ..options(Profile::Strict) };
        let (board, verdicts) = scored_with(failed, 0, &skip, &mut Helpers::default());
        assert_eq!((board.ast.of, board.missing, verdicts.len(), board.chains.all.estimate()), (0, 2, 0, None));
    }

    #[test]
    fn each_run_is_scored_by_itself() {
        let line = |run: u32, stars: u32| {
            format!(
                r#"{{"id": "conversationsclean_1", "run": {run}, "turns": [{{"tool_calls": [["A_get", "{{\"stars\": {stars}}}"]]}}]}}"#
            ) + "\n"
        };
        let lines = line(0, 4) + &line(2, 3) + "oops";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, &lines).unwrap();
        assert_eq!(Results::open(&path).unwrap().runs(), [0, 2]);
        for (run, right) in [(0, 1), (2, 0)] {
            let (board, _) = scored_with(&lines, run, &options(Profile::Strict), &mut Helpers::default());
            assert_eq!((board.ast.right, board.faults.len()), (right, 1));
        }
    }
}
