//! Files that appear whole or not at all: written aside, synced, renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file under another name until it is finished; dropped before that, it leaves nothing behind.
pub struct AtomicFile {
    writer: BufWriter<File>,
    part: PathBuf,
    path: PathBuf,
    finished: bool,
}

impl AtomicFile {
    /// Begins the file that will stand at `path`; folders on the way are made.
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(|error| at(path, &error))?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 16, file), part, path: path.to_owned(), finished: false })
    }

    /// Puts the finished file in its place.
    pub fn finish(mut self) -> io::Result<()> {
        let done = self.writer.flush().and_then(|()| self.writer.get_ref().sync_all());
        done.and_then(|()| fs::rename(&self.part, &self.path)).map_err(|error| at(&self.path, &error))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.finished {
            // It may be gone already; a leftover would do no harm either.
            fs::remove_file(&self.part).unwrap_or_default();
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Makes a folder and those above it.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| at(folder, &error))
}

/// The same error with the place that it happened at.
pub fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_only_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/a.json");
        let mut aside = AtomicFile::create(&path).unwrap();
        aside.write_all(b"[]").unwrap();
        assert!(!path.exists());
        aside.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[]");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "old").unwrap();
        let mut aside = AtomicFile::create(&path).unwrap();
        aside.write_all(b"half").unwrap();
        drop(aside);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn errors_name_the_place() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = AtomicFile::create(&folder.path().join("file/a.json")).err().unwrap().to_string();
        assert!(error.contains("/file`: ") && !error.contains("a.json"), "{error}");
        fs::create_dir(folder.path().join("b.json.part")).unwrap();
        let error = AtomicFile::create(&folder.path().join("b.json")).err().unwrap().to_string();
        assert!(error.contains("/b.json`: "), "{error}");
    }

    #[test]
    fn a_place_that_is_taken_by_a_folder_is_told_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::create_dir_all(path.join("inside")).unwrap();
        let error = AtomicFile::create(&path).unwrap().finish().unwrap_err().to_string();
        assert!(error.contains("/a.json`: "), "{error}");
        assert!(path.join("inside").is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_leftover_of_a_killed_run_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(folder.path().join("a.json.part"), "half of something much longer").unwrap();
        let mut aside = AtomicFile::create(&path).unwrap();
        aside.write_all(b"new").unwrap();
        aside.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
