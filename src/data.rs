//! The files that ship with fcgen: prompts, locales, toolsets, pipelines, and the words of
//! scoring profiles.
//!
//! A file in the working folder wins over the copy built into the binary, so that people can change any of them.

mod depth;
mod packed;

pub use depth::from_toml;
pub(crate) use depth::{MOST_PARTS, deep_key, too_deep};

use std::path::Path;

/// Reads a shipped file by its path from the project's root (`locales/en/pack.toml`).
pub fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().or_else(|| Some(str::from_utf8(packed::find(path)?).ok()?.to_owned()))
}

/// Whether there is such a file, in the working folder or among what is shipped.
pub fn holds(path: &str) -> bool {
    Path::new(path).exists() || packed::holds(path)
}

/// The bytes of a shipped file, which need be no text.
pub fn bytes(path: &str) -> Option<Vec<u8>> {
    std::fs::read(path).ok().or_else(|| Some(packed::find(path)?.to_vec()))
}

/// Names of the files and folders directly below a folder, in the working folder and among what is shipped, sorted.
pub fn list(path: &str) -> Vec<String> {
    let own = std::fs::read_dir(path).into_iter().flatten();
    let mut names: Vec<String> = own.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.extend(packed::list(path));
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_file_is_found_and_an_unknown_one_is_not() {
        assert!(
            read("locales/README.md").is_some()
                && bytes("locales/README.md").is_some()
                && bytes("locales/no").is_none()
        );
        assert!(read("locales/no/such.toml").is_none());
        assert!(read("elsewhere/file").is_none());
        assert!(holds("locales/README.md") && !holds("locales/no/such.toml") && !holds("elsewhere"));
    }

    #[test]
    fn a_folder_is_listed_in_order() {
        let names = list("locales");
        assert!(names.contains(&"README.md".to_owned()));
        assert!(names.is_sorted());
        assert_eq!(list("locales/no"), Vec::<String>::new());
    }
}
