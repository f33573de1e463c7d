//! Puts finished files in their places, and takes away what an earlier run left where this one has none.

use super::RunError;
use super::store::Store;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What an earlier run into this folder wrote besides the files that every run writes, and what this one does.
pub(super) struct Shelf<'a> {
    folder: &'a Path,
    files: Vec<String>,
}

impl<'a> Shelf<'a> {
    /// Nothing so far.
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder, files: Vec::new() }
    }

    /// Notes a file that stands in its place already.
    pub(super) fn note(&mut self, name: &str) {
        self.files.push(name.to_owned());
    }

    /// Moves every file below `part` to where it belongs below `name`, each whole, and takes `part` away.
    pub(super) fn publish(&mut self, part: &Path, name: &str) -> Result<(), RunError> {
        if part.is_dir() {
            self.move_all(part, name).map_err(|error| at(part, &error))?;
            fs::remove_dir_all(part).map_err(|error| at(part, &error))?;
        }
        Ok(())
    }

    /// Removes what the store knows an earlier run to have written and this one has not; then the store knows this one's.
    pub(super) fn clear(mut self, store: &Store) -> Result<(), RunError> {
        self.files.sort();
        let before: Vec<String> = match store.meta("files")? {
            Some(text) => serde_json::from_str(&text)?,
            None => Vec::new(),
        };
        for name in before.iter().filter(|name| self.files.binary_search(name).is_err()) {
            // Somebody may have taken it away already.
            fs::remove_file(self.folder.join(name)).unwrap_or_default();
        }
        store.set_meta("files", &serde_json::to_string(&self.files)?)
    }

    fn move_all(&mut self, part: &Path, name: &str) -> io::Result<()> {
        make_folder(&self.folder.join(name))?;
        for entry in fs::read_dir(part)? {
            let entry = entry?;
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.move_all(&entry.path(), &name)?;
            } else {
                fs::File::open(entry.path())?.sync_all()?;
                fs::rename(entry.path(), self.folder.join(&name))?;
                self.files.push(name);
            }
        }
        Ok(())
    }
}

// Files that appear whole or not at all: written aside, synced, renamed.

/// A file under another name until it is finished; dropped before that, it leaves nothing behind.
pub struct Aside {
    writer: BufWriter<File>,
    part: PathBuf,
    path: PathBuf,
    finished: bool,
}

impl Aside {
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

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.finished {
            // It may be gone already; a leftover would do no harm either.
            fs::remove_file(&self.part).unwrap_or_default();
        }
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

/// Makes a folder and those above it.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| at(folder, &error))
}

/// The same error with the place that it happened at.
pub(super) fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::super::store::tests::store;
    use super::*;

    fn publish(folder: &tempfile::TempDir, store: &Store, names: &[&str]) {
        let part = folder.path().join("benchmark.part");
        for name in names {
            make_folder(part.join(name).parent().unwrap()).unwrap();
            fs::write(part.join(name), "new").unwrap();
        }
        let mut shelf = Shelf::new(folder.path());
        shelf.publish(&part, "benchmark").unwrap();
        shelf.clear(store).unwrap();
        assert!(!part.exists());
    }

    #[test]
    fn what_an_earlier_run_wrote_goes_and_what_people_put_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder, "run.db");
        let stands = |name: &str| folder.path().join("benchmark").join(name).exists();
        publish(&folder, &store, &["en/a.json", "b.json"]);
        fs::write(folder.path().join("benchmark/notes.txt"), "mine").unwrap();
        publish(&folder, &store, &["ko/a.json", "b.json"]);
        assert!(stands("ko/a.json") && stands("b.json") && stands("notes.txt") && !stands("en/a.json"));
    }

    #[test]
    fn a_file_that_was_noted_is_kept_until_a_run_does_not_note_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder, "run.db");
        let path = folder.path().join("defects.jsonl");
        fs::write(&path, "").unwrap();
        let mut shelf = Shelf::new(folder.path());
        shelf.note("defects.jsonl");
        shelf.clear(&store).unwrap();
        assert!(path.exists());
        Shelf::new(folder.path()).clear(&store).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn where_nothing_was_written_nothing_is_published() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::new(folder.path());
        shelf.publish(&folder.path().join("benchmark.part"), "benchmark").unwrap();
        assert!(!folder.path().join("benchmark").exists() && shelf.files.is_empty());
    }

    #[test]
    fn what_is_gone_already_is_no_fault_and_a_broken_list_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder, "run.db");
        store.set_meta("files", r#"["benchmark/gone.json"]"#).unwrap();
        Shelf::new(folder.path()).clear(&store).unwrap();
        assert_eq!(store.meta("files").unwrap().unwrap(), "[]");
        store.set_meta("files", "oops").unwrap();
        let error = Shelf::new(folder.path()).clear(&store).unwrap_err();
        assert!(matches!(error, RunError::Json(_)), "{error}");
    }
}

#[cfg(test)]
mod aside_tests {
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

    #[test]
    fn a_file_that_is_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "old").unwrap();
        let mut aside = Aside::create(&path).unwrap();
        aside.write_all(b"half").unwrap();
        drop(aside);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn errors_name_the_place() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = Aside::create(&folder.path().join("file/a.json")).err().unwrap().to_string();
        assert!(error.contains("/file`: ") && !error.contains("a.json"), "{error}");
        fs::create_dir(folder.path().join("b.json.part")).unwrap();
        let error = Aside::create(&folder.path().join("b.json")).err().unwrap().to_string();
        assert!(error.contains("/b.json`: "), "{error}");
    }

    #[test]
    fn a_place_that_is_taken_by_a_folder_is_told_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::create_dir_all(path.join("inside")).unwrap();
        let error = Aside::create(&path).unwrap().finish().unwrap_err().to_string();
        assert!(error.contains("/a.json`: "), "{error}");
        assert!(path.join("inside").is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_leftover_of_a_killed_run_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(folder.path().join("a.json.part"), "half of something much longer").unwrap();
        let mut aside = Aside::create(&path).unwrap();
        aside.write_all(b"new").unwrap();
        aside.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
