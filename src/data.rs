//! The files that ship with fcgen: prompts, locales, toolsets, pipelines, and the words of
//! scoring profiles.
//!
//! A file in the working folder wins over the copy built into the binary, so that people can change any of them.

mod depth;

pub use depth::from_toml;
pub(crate) use depth::{MOST_PARTS, deep_key, too_deep};

use include_dir::{Dir, include_dir};
use std::borrow::Cow;
use std::path::Path;

static PROMPTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/prompts");
static LOCALES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/locales");
static TOOLSETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/toolsets");
static PROFILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/profiles");
static PIPELINES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/pipelines");

/// Reads a shipped file by its path from the project's root (`locales/en/pack.toml`).
pub fn read(path: &str) -> Option<Cow<'static, str>> {
    if let Ok(text) = std::fs::read_to_string(path) {
        return Some(Cow::Owned(text));
    }
    let (folder, rest) = path.split_once('/')?;
    embedded(folder)?.get_file(rest)?.contents_utf8().map(Cow::Borrowed)
}

/// Names of the files and folders directly below a shipped folder, sorted; empty where there is none.
pub fn list(path: &str) -> Vec<String> {
    let mut names = match std::fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(_) => list_embedded(path),
    };
    names.sort();
    names
}

fn list_embedded(path: &str) -> Vec<String> {
    let (folder, rest) = path.split_once('/').unwrap_or((path, ""));
    let Some(root) = embedded(folder) else { return Vec::new() };
    let Some(dir) = (if rest.is_empty() { Some(root) } else { root.get_dir(rest) }) else { return Vec::new() };
    dir.entries().iter().filter_map(|entry| Path::new(entry.path()).file_name()?.to_str().map(str::to_owned)).collect()
}

fn embedded(folder: &str) -> Option<&'static Dir<'static>> {
    match folder {
        "prompts" => Some(&PROMPTS),
        "locales" => Some(&LOCALES),
        "toolsets" => Some(&TOOLSETS),
        "profiles" => Some(&PROFILES),
        "pipelines" => Some(&PIPELINES),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_file_is_found_and_an_unknown_one_is_not() {
        assert!(read("locales/README.md").is_some());
        assert!(read("locales/no/such.toml").is_none());
        assert!(read("elsewhere/file").is_none());
    }

    #[test]
    fn a_folder_is_listed_in_order() {
        let names = list("locales");
        assert!(names.contains(&"README.md".to_owned()));
        assert!(names.is_sorted());
        assert_eq!(list("locales/no"), Vec::<String>::new());
    }
}
