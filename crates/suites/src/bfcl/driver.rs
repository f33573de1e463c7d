//! Judges the lines of a file of results, in its order, and then what is missing.

use super::board::Board;
use super::gold::Gold;
use super::lines;
use super::results::Results;
use crate::bfcl::layout::ResultLine;
use crate::bfcl::metric::{Item, Manner, Reply, Verdict, strict, upstream};
use crate::record::Mark;
use crate::{Missing, VerdictSink};

/// How is scored.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// By which rules.
    pub profile: Profile,
    /// What becomes of items without a prediction.
    pub missing: Missing,
    /// Whether dots of functions' names were put as underscores, where the results do not say it.
    pub underscores: bool,
}

/// Scores one run of a file of results. Each verdict is handed out as it is found.
pub fn score(
    gold: &Gold,
    results: &Results,
    run: u32,
    board: &mut Board,
    options: Options,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let mut seen = vec![false; gold.len()];
    for (place, text) in results.lines() {
        let line = match ResultLine::read(text) {
            Ok(Some(line)) if line.run == run => line,
            Ok(Some(_)) => continue,
            Ok(None) => {
                board.counts.faults.push((place, "no result".to_owned()));
                continue;
            }
            Err(error) => {
                board.counts.faults.push((place, error.to_string()));
                continue;
            }
        };
        let Some((at, item)) = gold.get(&line.id) else {
            board.counts.unknown += 1;
            continue;
        };
        let is_repeated = seen.get_mut(at).is_some_and(|seen| std::mem::replace(seen, true));
        // Several predictions for one item have ids of their own.
        if is_repeated && line.pid.is_none() {
            board.counts.repeated += 1;
        } else if line.error.is_some() {
            board.counts.coverage.transport += 1;
            if options.missing == Missing::Fail {
                absent(&line.id, item, "unreachable", board, sink)?;
            }
        } else {
            one(item, &line, board, options, sink)?;
        }
    }
    missing(gold, &seen, board, options, sink)
}

fn one(
    item: &Item,
    line: &ResultLine<'_>,
    board: &mut Board,
    options: Options,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let underscores = line.underscores.unwrap_or(options.underscores);
    let reply = Reply { given: &line.given, native: line.native, underscores };
    let (verdict, judged) = match options.profile {
        Profile::Upstream => (upstream::judge(item, reply), None),
        Profile::Strict => {
            let judged = strict::judge(item, reply);
            (judged.verdict.clone(), Some(judged))
        }
    };
    board.take(item, &verdict);
    if item.category.manner() == Manner::Irrelevance {
        let readings = [upstream::judge(item, reply).is_valid(), strict::judge(item, reply).verdict.is_valid()];
        let tallies = board.abstentions.entry(item.category).or_default();
        tallies.iter_mut().zip(readings).for_each(|(tally, is_right)| tally.add(is_right));
    }
    for wrapper in judged.iter().flat_map(|judged| &judged.wrappers) {
        *board.counts.wrappers.entry(wrapper.as_str()).or_default() += 1;
    }
    let fault = judged.and_then(|judged| judged.fault);
    sink(&|| {
        let fault = fault.as_ref().map(ToString::to_string);
        lines::judged(line, &verdict, ("category", item.category.as_str().into()), fault.as_deref())
    })
}

/// Items without a prediction. A category of which there is no prediction at all was not run.
fn missing(
    gold: &Gold,
    seen: &[bool],
    board: &mut Board,
    options: Options,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let unseen = |at: usize| !seen.get(at).copied().unwrap_or_default();
    for (_, (id, item)) in gold.items().enumerate().filter(|(at, _)| unseen(*at)) {
        if !board.categories.contains_key(&item.category) {
            continue;
        }
        board.counts.coverage.missing += 1;
        if options.missing == Missing::Fail {
            absent(id, item, "missing", board, sink)?;
        }
    }
    Ok(())
}

fn absent(id: &str, item: &Item, why: &'static str, board: &mut Board, sink: VerdictSink<'_>) -> std::io::Result<()> {
    board.categories.entry(item.category).or_default().add(false);
    sink(&|| lines::absent(id, ("valid", Mark::Valid), why))
}

impl Board {
    fn take(&mut self, item: &Item, verdict: &Verdict) {
        let name = match verdict {
            Verdict::Unscorable(_) => {
                self.counts.unscorable += 1;
                return;
            }
            Verdict::Valid => None,
            Verdict::Wrong(kind, _) => Some(kind.as_str()),
            Verdict::Crash(crash) => Some(crash.as_str()),
        };
        self.counts.coverage.scored += 1;
        self.categories.entry(item.category).or_default().add(verdict.is_valid());
        if let Some(name) = name {
            match self.counts.errors.get_mut(name) {
                Some(count) => *count += 1,
                None => drop(self.counts.errors.insert(name.to_owned(), 1)),
            }
        }
    }
}

// By which rules predictions are judged.

/// By which rules predictions are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// The sound ones.
    #[default]
    Strict,
    /// BFCL's own.
    Upstream,
}

impl Profile {
    /// Its name and version, as reports give them.
    pub fn version(self) -> String {
        match self {
            Self::Strict => "bfcl strict, version 1".to_owned(),
            Self::Upstream => "bfcl upstream (as bfcl-eval 2026.3.23), version 1".to_owned(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::gold::tests::write;
    use super::*;
    use crate::bfcl::metric::Category;
    use crate::format::Bench;
    use crate::record::{Value, Verdict};

    /// The board of some lines, and the verdicts.
    pub(in crate::bfcl) fn scored(lines: &str, options: Options) -> (Board, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, lines).unwrap();
        let gold = Gold::read(&Bench::open(folder.path()).unwrap(), None).unwrap();
        let (results, mut board) = (Results::open(&path).unwrap(), Board::new("m", options.profile));
        let mut verdicts = Vec::new();
        let mut give = |verdict: &dyn Fn() -> Verdict| {
            verdicts.push(Value::from(verdict().line).to_string());
            Ok(())
        };
        score(&gold, &results, 0, &mut board, options, &mut give).unwrap();
        (board, verdicts)
    }

    const LINES: &str = r#"{"id": "simple_python_1", "result": "```python\n[f(a=1)]\n```"}
{"id": "irrelevance_0", "result": "f(1, 2"}
oops
{"id": "simple_python_1", "result": "[f(a=1)]"}
{"id": "simple_python_9", "result": "[f(a=1)]"}
{"id": "irrelevance_1"}"#;

    #[test]
    fn every_line_has_its_verdict_and_what_is_missing_is_wrong() {
        let (board, verdicts) = scored(LINES, Options::default());
        assert_eq!(
            verdicts,
            [
                r#"{"id":"simple_python_1","valid":true,"category":"simple_python"}"#,
                r#"{"id":"irrelevance_0","valid":false,"error_type":"irrelevance_error:call_attempt","category":"irrelevance","detail":"no expression at byte 7: `,` or `)` expected"}"#,
                r#"{"id":"irrelevance_1","valid":false,"error_type":"missing"}"#,
                r#"{"id":"simple_python_0","valid":false,"error_type":"missing"}"#,
            ]
        );
        let counts = &board.counts;
        assert_eq!((counts.coverage.scored, counts.coverage.missing, counts.unknown, counts.repeated), (2, 2, 1, 1));
        assert_eq!(counts.faults.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [3, 6]);
        assert_eq!(counts.wrappers["fence"], 1);
        assert!(!board.categories.contains_key(&Category::LiveSimple));
    }

    #[test]
    fn upstream_has_its_own_verdicts_and_both_readings_stand_side_by_side() {
        let (board, _) =
            scored(LINES, Options { profile: Profile::Upstream, missing: Missing::Skip, underscores: false });
        assert_eq!(
            (board.categories[&Category::SimplePython].right, board.counts.errors["ast_decoder:decoder_failed"]),
            (0, 1)
        );
        let [upstream, strict] = board.abstentions[&Category::Irrelevance];
        assert_eq!((upstream.right, strict.right, upstream.of), (1, 0, 1));
        assert_eq!(board.categories[&Category::Irrelevance].of, 1);
    }

    #[test]
    fn a_server_that_was_not_reached_is_no_answer() {
        let line = r#"{"id": "simple_python_0", "turns": [], "error": "gone"}"#;
        let (board, verdicts) = scored(line, Options::default());
        assert_eq!((board.counts.coverage.transport, board.counts.coverage.scored), (1, 0));
        assert_eq!(verdicts[0], r#"{"id":"simple_python_0","valid":false,"error_type":"unreachable"}"#);
    }
}

#[cfg(test)]
mod profile_tests {
    use super::*;

    #[test]
    fn profiles_have_their_versions() {
        assert_eq!(Profile::default().version(), "bfcl strict, version 1");
        assert_eq!(Profile::Upstream.version(), "bfcl upstream (as bfcl-eval 2026.3.23), version 1");
    }
}
