//! Files of lines: how they are read, and why one cannot be.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Why a file in the layout of a benchmark cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read at all.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system reports.
        #[source]
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("`{}`, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl FileError {
    /// The error of a file that the system does not give.
    pub fn io(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |source| Self::Io { path: path.to_owned(), source }
    }

    /// The error of a line with this problem.
    pub fn line(path: &Path, line: usize, problem: impl Display) -> Self {
        Self::Line { path: path.to_owned(), line, problem: problem.to_string() }
    }

    /// What is wrong, without the place.
    pub fn problem(&self) -> String {
        match self {
            Self::Io { .. } => self.to_string(),
            Self::Line { problem, .. } => problem.clone(),
        }
    }

    /// The file and the line, 1 where it is about the whole file.
    pub fn place(&self) -> (&Path, usize) {
        match self {
            Self::Io { path, .. } => (path, 1),
            Self::Line { path, line, .. } => (path, *line),
        }
    }
}

/// The lines that are not blank, with their numbers, from 1. One is held at a time.
pub fn lines(path: &Path) -> Result<impl Iterator<Item = Result<(usize, String), FileError>> + '_, FileError> {
    let io = FileError::io(path);
    let reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(&io)?);
    let lines = reader.lines().enumerate().map(move |(at, line)| Ok((at + 1, line.map_err(&io)?)));
    Ok(lines.filter(|line| line.as_ref().map_or(true, |(_, line)| !line.trim().is_empty())))
}

/// The first line that is not blank.
pub(crate) fn first_line(path: &Path) -> Option<String> {
    Some(lines(path).ok()?.next()?.ok()?.1)
}
