//! Files that appear whole or not at all: written aside, synced, renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file under another name until it is finished.
pub struct Aside {
    writer: BufWriter<File>,
    part: PathBuf,
    path: PathBuf,
}

impl Aside {
    /// Begins the file that will stand at `path`; folders on the way are made.
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        Ok(Self { writer: BufWriter::with_capacity(1 << 16, File::create(&part)?), part, path: path.to_owned() })
    }

    /// Puts the finished file in its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()?;
        fs::rename(&self.part, &self.path)
    }
}

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_only_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/a.json");
        let mut aside = Aside::create(&path).unwrap();
        aside.write_all(b"[]").unwrap();
        assert!(!path.exists());
        aside.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[]");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
