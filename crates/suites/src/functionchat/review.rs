//! The sheet on which people look at verdicts: written as a TSV file with an empty column, and read back.

use super::board::{Found, Verdict};
use super::lines::Judged;
use super::said::{Answer, Line};
use crate::functionchat::layout::{Acceptable, WireMessage};
use crate::record::Sample;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The headings, in the order of the columns.
const COLUMNS: [&str; 14] = [
    "predictions",
    "id",
    "set",
    "type",
    "type_of_output",
    "verdict",
    "by",
    "human",
    "model_output",
    "ground_truth",
    "acceptable_arguments",
    "reason",
    "reasoning",
    "query",
];
/// Words for right and wrong that people write.
const RIGHT: [&str; 4] = ["pass", "p", "1", "o"];
const WRONG: [&str; 4] = ["fail", "f", "0", "x"];

/// A verdict for a person to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRow {
    id: String,
    /// All cells between the id and the last one, in the order of the columns.
    cells: Vec<String>,
}

/// What people said, by predictions and sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Review {
    said: BTreeMap<(String, String), bool>,
}

/// Why a sheet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// It cannot be read or written.
    #[error("`{}`: {problem}", path.display())]
    File {
        /// The sheet.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A column is missing.
    #[error("`{}`: missing column `{column}`", path.display())]
    Column {
        /// The sheet.
        path: PathBuf,
        /// Its heading.
        column: &'static str,
    },
    /// Somebody wrote neither right nor wrong.
    #[error("`{}`, line {line}: `{word}` is neither `pass` nor `fail`", path.display())]
    Word {
        /// The sheet.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What stands there.
        word: String,
    },
}

impl ReviewRow {
    pub(super) fn of(sample: &Sample, found: &Found, judged: &Judged, said: &Line) -> Self {
        let output = match &said.answer {
            Answer::Heard(heard) => heard.shown().to_string(),
            Answer::Failed(detail) => detail.clone(),
            Answer::Missing => String::new(),
        };
        let by = match found.verdict {
            _ if !found.judged => "rule",
            Verdict::Unjudged => "nobody",
            _ => "judge",
        };
        let human = found.human.map_or("", |is_right| if is_right { "pass" } else { "fail" });
        let json = |value: serde_json::Result<String>| value.unwrap_or_default();
        let cells = [
            found.set.as_str().to_owned(),
            found.data_type.clone(),
            found.output.as_str().to_owned(),
            found.verdict.as_str().to_owned(),
            by.to_owned(),
            human.to_owned(),
            output,
            json(serde_json::to_string(&WireMessage::gold(sample))),
            Acceptable::of(sample).wire().as_str().unwrap_or_default().to_owned(),
            format!("{} {}", judged.ruled.reason.as_str(), judged.ruled.detail).trim().to_owned(),
            judged.replies.join("\n---\n"),
            json(serde_json::to_string(&WireMessage::all(&sample.messages))),
        ];
        Self { id: sample.id.to_string(), cells: cells.to_vec() }
    }
}

impl Review {
    /// What a person says of a sample in some predictions.
    pub fn of(&self, predictions: &str, id: &str) -> Option<bool> {
        self.said.get(&(predictions.to_owned(), id.to_owned())).copied()
    }

    /// How many verdicts somebody looked at.
    pub fn len(&self) -> usize {
        self.said.len()
    }

    /// Whether nobody said anything.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Reads a sheet that was filled in. A cell that is empty says nothing.
    pub fn read(path: &Path) -> Result<Self, ReviewError> {
        let file = |error: csv::Error| ReviewError::File { path: path.to_owned(), problem: error.to_string() };
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').flexible(true).from_path(path).map_err(file)?;
        let headings = reader.headers().map_err(file)?.clone();
        let column = |column| {
            let at = headings.iter().position(|it| it.trim_start_matches('\u{feff}').trim() == column);
            at.ok_or(ReviewError::Column { path: path.to_owned(), column })
        };
        let [predictions, id, human] = [column("predictions")?, column("id")?, column("human")?];
        let mut said = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(file)?;
            let cell = |at: usize| row.get(at).unwrap_or_default().trim().to_owned();
            let word = cell(human).to_lowercase();
            let line = row.position().map_or(0, csv::Position::line);
            let is_right = match word.as_str() {
                "" => continue,
                word if RIGHT.contains(&word) => true,
                word if WRONG.contains(&word) => false,
                _ => return Err(ReviewError::Word { path: path.to_owned(), line, word }),
            };
            said.insert((cell(predictions), cell(id)), is_right);
        }
        Ok(Self { said })
    }

    /// Writes a sheet: a row for each verdict, by the name of its predictions.
    pub fn write<'r>(
        path: &Path,
        rows: impl IntoIterator<Item = (&'r str, &'r ReviewRow)>,
    ) -> Result<usize, ReviewError> {
        let file = |error: csv::Error| ReviewError::File { path: path.to_owned(), problem: error.to_string() };
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_path(path).map_err(file)?;
        writer.write_record(COLUMNS).map_err(file)?;
        let mut count = 0;
        for (name, row) in rows {
            let cells = [name, &row.id].into_iter().chain(row.cells.iter().map(String::as_str));
            writer.write_record(cells).map_err(file)?;
            count += 1;
        }
        writer.flush().map_err(|error| file(error.into()))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::found;
    use super::super::questions::tests::{call, sample};
    use super::*;
    use crate::functionchat::layout::Set;
    use crate::functionchat::metric::Heard;
    use crate::functionchat::metric::strict::{Ruled, Votes};

    fn row(id: &str, human: Option<bool>) -> ReviewRow {
        let heard = Heard { content: Some("a\tb\n\"c\"".to_owned()), calls: Vec::new() };
        let said = Line { answer: Answer::Heard(heard), ..Line::missing() };
        let replies = vec!["fine\npass".to_owned(), "no\nfail".to_owned()];
        let judged = Judged {
            ruled: Ruled::undecided(),
            rule: None,
            by_judge: true,
            verdict: Verdict::Pass,
            raw_key: None,
            votes: Votes::default(),
            replies,
            crash: None,
        };
        ReviewRow::of(
            &sample(id, "exact", &call(), &serde_json::json!({})),
            &found(Set::Singlecall, "exact", Verdict::Pass, true, human),
            &judged,
            &said,
        )
    }

    fn sheet(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("review.tsv");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn what_a_person_fills_in_is_read_back() {
        let (_folder, path) = sheet("");
        let rows = [row("a", None), row("b", Some(false)), row("c", None)];
        let count = Review::write(&path, [("m", &rows[0]), ("m", &rows[1]), ("n", &rows[2])]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("a\\tb\\n\\\"\"c") && text.contains("fine\npass\n---\nno\nfail"), "{text}");
        let empty = Review::read(&path).unwrap();
        assert_eq!((count, empty.len(), empty.of("m", "b"), empty.of("m", "a")), (3, 1, Some(false), None));
        std::fs::write(&path, text.replace("judge\tfail", "judge\tX").replacen("judge\t\t", "judge\t PASS \t", 1))
            .unwrap();
        let filled = Review::read(&path).unwrap();
        assert_eq!(
            (filled.of("m", "a"), filled.of("m", "b"), filled.of("n", "c"), filled.is_empty()),
            (Some(true), Some(false), None, false)
        );
    }

    #[test]
    fn columns_may_stand_in_any_order_and_some_are_needed() {
        let (_folder, path) = sheet("\u{feff}human\tid\tpredictions\tmore\no\ta\tm\n\tb\tm\tx\n");
        assert_eq!((Review::read(&path).unwrap().of("m", "a"), Review::read(&path).unwrap().len()), (Some(true), 1));
        let (_folder, path) = sheet("id\tpredictions\na\tm\n");
        assert!(Review::read(&path).unwrap_err().to_string().ends_with("review.tsv`: missing column `human`"));
    }

    #[test]
    fn another_word_is_told_with_its_line() {
        let (_folder, path) = sheet("predictions\tid\thuman\nm\ta\tpass\nm\tb\tmaybe\n");
        assert!(Review::read(&path).unwrap_err().to_string().ends_with("line 3: `maybe` is neither `pass` nor `fail`"));
        assert!(matches!(Review::read(Path::new("/no/such")), Err(ReviewError::File { .. })));
        assert!(Review::write(Path::new("/no/such/file"), []).is_err());
    }
}
