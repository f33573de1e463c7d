//! Whose benchmark it is: what somebody says, or what its first sample does.

use crate::cli::console::exit::{Complaint, INPUT};
use clap::ValueEnum;
use fcgen::format::{Bench, BenchError};
use fcgen::record::{SuiteId, SuiteName};
use std::collections::BTreeMap;

/// The suites that are scored, as `--suite` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteFlag {
    /// HammerBench: one call per conversation turn
    Hammerbench,
    /// CallNavi: ordered calls, and the names of their APIs
    Callnavi,
    /// ComplexFuncBench: several steps of calls, each with results
    #[value(alias = "complexfunc")]
    Complexfuncbench,
    /// FunctionChat-Bench: single calls, dialog turns, call decisions
    Functionchat,
    /// BFCL: single-turn calls, in Python syntax or as native tool calls
    Bfcl,
    /// CONFETTI: calls and replies in conversations, turn by turn
    Confetti,
}

/// Why reading ends at the first sample.
enum Stop {
    First(SuiteName),
    Bench(BenchError),
}

impl From<BenchError> for Stop {
    fn from(error: BenchError) -> Self {
        Self::Bench(error)
    }
}

impl From<SuiteFlag> for SuiteId {
    fn from(flag: SuiteFlag) -> Self {
        match flag {
            SuiteFlag::Hammerbench => Self::HammerBench,
            SuiteFlag::Callnavi => Self::CallNavi,
            SuiteFlag::Complexfuncbench => Self::ComplexFuncBench,
            SuiteFlag::Functionchat => Self::FunctionChat,
            SuiteFlag::Bfcl => Self::Bfcl,
            SuiteFlag::Confetti => Self::Confetti,
        }
    }
}

/// The suite of a benchmark: that of its layout, or of its first sample.
pub(super) fn of(bench: &Bench) -> anyhow::Result<SuiteName> {
    if let Some(suite) = bench.suite().filter(|_| bench.is_authors()) {
        return Ok(suite);
    }
    match bench.each(&mut |sample| Err(Stop::First(sample.suite))) {
        Ok(()) => Err(Complaint::new(INPUT, "the benchmark has no samples").into()),
        Err(Stop::Bench(error)) => Err(Complaint::from(error).into()),
        Err(Stop::First(name)) => Ok(name),
    }
}

/// How many samples of a benchmark are of other suites, by their names.
pub(super) fn others(suite: &SuiteName, bench: &Bench) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut others = BTreeMap::new();
    let read = bench.each::<BenchError>(&mut |sample| {
        if sample.suite != *suite {
            *others.entry(sample.suite.to_string()).or_default() += 1;
        }
        Ok(())
    });
    read.map_err(Complaint::from)?;
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(lines: &str) -> Result<SuiteName, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), lines).unwrap();
        of(&Bench::open(folder.path()).unwrap()).map_err(|error| error.to_string())
    }

    fn line(suite: &str) -> String {
        format!(
            r#"{{"id": "q", "suite": "{suite}", "data_type": "", "locale": "en", "messages": [], "candidates": [], "expected": "refusal", "group": "", "licence": "", "source": "", "provenance": {}}}"#,
            serde_json::to_string(&fcgen::record::Provenance::default()).unwrap()
        )
    }

    #[test]
    fn the_first_sample_tells_it() {
        assert_eq!(suite(&line("callnavi")), Ok(SuiteId::CallNavi.into()));
        assert_eq!(suite(&line("other")), Ok("other".into()));
        assert_eq!(suite(&format!("{}\noops", line("hammerbench"))), Ok(SuiteId::HammerBench.into()));
        assert!(suite("oops").is_err());
    }

    #[test]
    fn a_bench_without_samples_is_of_no_suite() {
        assert_eq!(suite("").unwrap_err(), "the benchmark has no samples");
    }

    #[test]
    fn samples_of_other_suites_are_counted_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let lines = ["hammerbench", "other", "callnavi", "other"].map(line).join("\n");
        std::fs::write(folder.path().join("samples.jsonl"), lines).unwrap();
        let others = others(&SuiteId::HammerBench.into(), &Bench::open(folder.path()).unwrap()).unwrap();
        assert_eq!(others, [("callnavi".to_owned(), 1), ("other".to_owned(), 2)].into());
    }
}
