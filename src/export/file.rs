//! The files of one part: lines, a table, columns, or BFCL's pairs.

use super::row::bfcl::Line;
use super::row::table::COLUMNS;
use crate::fs::AtomicFile;
use crate::record::{Object, Value};
use indexmap::IndexMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An open file, or several that belong together.
pub(super) enum Sink {
    /// A JSON object on each line.
    Lines(AtomicFile),
    /// A row of cells on each line.
    Cells(Box<csv::Writer<AtomicFile>>),
    /// Columns.
    Columns(Box<super::columns::Columns>),
    /// Questions and answers by category, in a folder.
    Bfcl(PathBuf, IndexMap<String, AtomicFile>),
}

impl Sink {
    /// A file of lines.
    pub(super) fn lines(path: &Path) -> io::Result<Self> {
        AtomicFile::create(path).map(Self::Lines)
    }

    /// A file of cells, with its heading.
    pub(super) fn cells(path: &Path) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(AtomicFile::create(path)?);
        writer.write_record(COLUMNS)?;
        Ok(Self::Cells(Box::new(writer)))
    }

    /// Writes a row.
    pub(super) fn row(&mut self, row: Object) -> io::Result<()> {
        match self {
            Self::Lines(file) => writeln!(file, "{}", Value::Object(row)),
            Self::Columns(columns) => columns.row(row),
            Self::Cells(_) | Self::Bfcl(..) => Ok(()),
        }
    }

    /// Writes cells.
    pub(super) fn cells_of(&mut self, cells: &[String]) -> io::Result<()> {
        if let Self::Cells(writer) = self { Ok(writer.write_record(cells)?) } else { Ok(()) }
    }

    /// Writes a question, and its answer beside it.
    pub(super) fn line(&mut self, line: Line) -> io::Result<()> {
        let Self::Bfcl(folder, files) = self else { return Ok(()) };
        let name = crate::suite::bfcl::layout::Version::V4.file_name(line.category);
        let mut write = |name: String, object: Object| -> io::Result<()> {
            if !files.contains_key(&name) {
                files.insert(name.clone(), AtomicFile::create(&folder.join(&name))?);
            }
            files.get_mut(&name).map_or(Ok(()), |file| writeln!(file, "{}", Value::Object(object)))
        };
        write(name.clone(), line.question)?;
        line.answer.map_or(Ok(()), |answer| write(format!("possible_answer/{name}"), answer))
    }

    /// Puts what was written in its place.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Lines(file) => file.finish(),
            Self::Cells(writer) => writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?.finish(),
            Self::Columns(columns) => columns.finish(),
            Self::Bfcl(_, files) => files.into_values().try_for_each(AtomicFile::finish),
        }
    }
}
