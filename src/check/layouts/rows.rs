//! A file of rows in `ComplexFuncBench`'s layout as a stream of samples.

use crate::check::bench::{BenchError, Seen, file_name, open, unreadable};
use crate::check::entry::{Place, Thread};
use crate::suite::complexfunc::layout::{Row, RowFile};
use std::io::BufRead;

/// Shows every row, in the file's order. One is held at a time.
pub(crate) fn each_row(rows: &RowFile, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
    let (name, mut thread) = (file_name(&rows.path), Thread::default());
    for (index, line) in open(&rows.path)?.lines().enumerate() {
        let line = line.map_err(|source| BenchError::Io { path: rows.path.display().to_string(), source })?;
        let place = Place { file: name.clone(), line: index + 1 };
        match Row::read(&line).and_then(|row| row.into_sample(&rows.locale)) {
            _ if line.trim().is_empty() => {}
            Ok(sample) => visit(Ok(&thread.entry(place, sample))),
            Err(error) => visit(Err(&unreadable(&place, &error.to_string()))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_gone_is_told() {
        let rows = RowFile { path: "/no/such.jsonl".into(), locale: "en".to_owned() };
        let error = each_row(&rows, &mut |_| panic!("nothing is there")).unwrap_err();
        assert!(error.to_string().starts_with("`/no/such.jsonl` cannot be read: "), "{error}");
    }

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        std::fs::write(&path, "\n{\"id\": 1}\n").unwrap();
        let mut told = Vec::new();
        each_row(&RowFile { path, locale: "en".to_owned() }, &mut |seen| told.push(seen.unwrap_err().place.line))
            .unwrap();
        assert_eq!(told, [2]);
    }
}
