//! Files by name: prompts, locales, toolsets, pipelines, and the words of scoring profiles.
//!
//! A file on disk wins over the copy built into the program, so that people can change any of them.

mod packed;

pub use packed::Packed;

use std::path::{Path, PathBuf};

/// Where files are looked up by their path from the project's root (`locales/en/pack.toml`).
/// By default they are the files of the working folder.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    root: PathBuf,
    packed: Option<&'static Packed>,
}

impl Assets {
    /// The files below a folder, and no others.
    pub fn disk(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), packed: None }
    }

    /// The files of the working folder, and where it has none the packed ones.
    pub fn packed(packed: &'static Packed) -> Self {
        Self { root: PathBuf::new(), packed: Some(packed) }
    }

    /// The text of a file; `None` if there is none, or it is no UTF-8.
    pub fn read(&self, path: &str) -> Option<String> {
        let packed = || Some(str::from_utf8(self.packed?.find(path)?).ok()?.to_owned());
        std::fs::read_to_string(self.place(path)).ok().or_else(packed)
    }

    /// Whether there is such a file; a folder counts on disk.
    pub fn holds(&self, path: &str) -> bool {
        self.place(path).exists() || self.packed.is_some_and(|packed| packed.holds(path))
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.place(path)).ok().or_else(|| Some(self.packed?.find(path)?.to_vec()))
    }

    /// Names of the files and folders directly below a folder, sorted.
    pub fn list(&self, path: &str) -> Vec<String> {
        let own = std::fs::read_dir(self.place(path)).into_iter().flatten();
        let mut names: Vec<String> = own.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.extend(self.packed.map(|packed| packed.list(path)).unwrap_or_default());
        names.sort();
        names.dedup();
        names
    }

    fn place(&self, path: &str) -> PathBuf {
        if self.root.as_os_str().is_empty() { Path::new(path).to_owned() } else { self.root.join(path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_and_an_unknown_one_is_not() {
        let assets = crate::fixtures::assets();
        assert!(
            assets.read("locales/README.md").is_some()
                && assets.bytes("locales/README.md").is_some()
                && assets.bytes("locales/no").is_none()
        );
        assert!(assets.read("locales/no/such.toml").is_none());
        assert!(assets.read("elsewhere/file").is_none());
        assert!(assets.holds("locales/README.md") && !assets.holds("locales/no/such.toml"));
    }

    #[test]
    fn a_folder_is_listed_in_order() {
        let names = crate::fixtures::assets().list("locales");
        assert!(names.contains(&"README.md".to_owned()));
        assert!(names.is_sorted());
        assert_eq!(Assets::disk("no/such/folder").list("locales"), Vec::<String>::new());
    }
}
