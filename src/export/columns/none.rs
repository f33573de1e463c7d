//! A build without the feature `parquet` writes no columns, and says so.

use crate::fs::AtomicFile;
use crate::record::Object;
use std::io;

/// A file under way, of which there is none in this build.
pub(in crate::export) enum Columns {}

impl Columns {
    /// Names the feature that is missing.
    pub(in crate::export) fn create(_file: AtomicFile) -> io::Result<Self> {
        let message = "this build of fcgen does not support Parquet; rebuild it with the feature `parquet`";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }

    /// Adds a row.
    pub(in crate::export) fn row(&mut self, _row: Object) -> io::Result<()> {
        match *self {}
    }

    /// Ends the file.
    pub(in crate::export) fn finish(self) -> io::Result<()> {
        match self {}
    }
}
