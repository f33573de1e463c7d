//! Puts finished files in their places, and takes away what an earlier run left where this one has none.

use crate::failure::RunError;
use crate::fs::{at, make_folder};
use crate::run::store::Store;
use std::fs;
use std::io;
use std::path::Path;

/// What an earlier run into this folder wrote besides the files that every run writes, and what this one does.
pub(crate) struct Shelf<'a> {
    folder: &'a Path,
    files: Vec<String>,
}

impl<'a> Shelf<'a> {
    /// Nothing so far.
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, files: Vec::new() }
    }

    /// Notes a file that stands in its place already.
    pub(crate) fn note(&mut self, name: &str) {
        self.files.push(name.to_owned());
    }

    /// Moves every file below `part` to where it belongs below `name`, each whole, and takes `part` away.
    pub(crate) fn publish(&mut self, part: &Path, name: &str) -> Result<(), RunError> {
        if part.is_dir() {
            self.move_all(part, name).map_err(|error| at(part, &error))?;
            fs::remove_dir_all(part).map_err(|error| at(part, &error))?;
        }
        Ok(())
    }

    /// Removes what the store knows an earlier run to have written and this one has not; then the store knows this one's.
    pub(crate) fn clear(mut self, store: &Store) -> Result<(), RunError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::store;

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
