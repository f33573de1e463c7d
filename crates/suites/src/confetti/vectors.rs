//! Verdicts on CONFETTI's vectors: predictions of calls by BFCL's checker, and calls that are scored string by string.

use super::board::Board;
use super::driver::score;
use super::gold::Gold;
use super::helpers::Helpers;
use super::options::Options;
use super::profile::string_score;
use super::summary::chains;
use crate::Missing;
use crate::VectorError;
use crate::assets::Assets;
use crate::bfcl::{Profile, Results};
use crate::confetti::metric::Combine;
use crate::format::{Bench, BenchError, FileError};
use crate::record::{Object, Value, Verdict};
use std::path::Path;

/// Judges a set: its predictions, and after them the softly scored calls with their figures.
pub fn verdicts(assets: &Assets, folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let bench = |error: BenchError| VectorError::line(folder, 1, error);
    let gold = Gold::read(&Bench::open(folder).map_err(bench)?, None, false).map_err(bench)?;
    judged((assets, &gold), folder, &format!("predictions-{set}.jsonl"), "", give)?;
    let soft = format!("soft-predictions-{set}.jsonl");
    if folder.join(&soft).is_file() {
        let board = judged((assets, &gold), folder, &soft, "soft/", give)?;
        give(summary(&board));
    }
    Ok(())
}

fn judged(
    (assets, gold): (&Assets, &Gold),
    folder: &Path,
    name: &str,
    prefix: &str,
    give: &mut dyn FnMut(Object),
) -> Result<Board, VectorError> {
    let path = folder.join(name);
    let results = Results::open(&path).map_err(|_| FileError::io(&path)(std::io::ErrorKind::NotFound.into()))?;
    let string_score = string_score(assets, "token_f1").map_err(|error| VectorError::line(&path, 1, error))?;
    let options = Options {
        profile: Profile::Upstream,
        string_score,
        combine: Combine::Product,
        missing: Missing::Skip,
        validity: false,
        classifies_gold: false,
    };
    let mut board = Board::new(name, &options);
    let mut put = |verdict: &dyn Fn() -> Verdict| {
        let line = verdict().line;
        let key = line.get("pid").or_else(|| line.get("id")).and_then(Value::as_str).unwrap_or_default();
        let mut keyed: Object = [("key".to_owned(), Value::from(format!("{prefix}{key}").as_str()))].into();
        keyed.extend(line);
        give(keyed);
        Ok(())
    };
    score(gold, &results, 0, &mut board, &options, &mut Helpers::default(), &mut put).map_err(FileError::io(&path))?;
    Ok(board)
}

fn summary(board: &Board) -> Object {
    let mut line: Object = [("key".to_owned(), Value::from("summary"))].into();
    line.extend(chains(board));
    line
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::LINES;
    use super::super::gold::tests::write;
    use super::*;

    #[test]
    fn both_files_are_judged_and_the_second_has_figures() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("confetti");
        write(&own);
        std::fs::write(own.join("predictions-A.jsonl"), LINES.lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
        std::fs::write(own.join("soft-predictions-A.jsonl"), LINES.lines().nth(1).unwrap()).unwrap();
        let mut lines = Vec::new();
        let mut give = |line: Object| lines.push(Value::from(line).to_string());
        crate::verdicts(crate::fixtures::assets(), "confetti", folder.path(), "A", &mut give).unwrap();
        assert_eq!(lines.len(), 5);
        assert_eq!(
            lines[3],
            r#"{"key":"soft/conversationsclean_1","id":"conversationsclean_1","valid":true,"item_score":1.0}"#
        );
        assert_eq!(
            lines[4],
            r#"{"key":"summary","chains":1,"ast_soft":0.0,"item_mean":1.0,"by_chain_length":{"2":[1,0.0]},"string_score":"token_f1","combine":"product"}"#
        );
        assert!(crate::verdicts(crate::fixtures::assets(), "confetti", folder.path(), "B", &mut |_| {}).is_err());
    }
}
