//! The files that ship with fcgen: prompts, locales, toolsets, pipelines, and the words of
//! scoring profiles.
//!
//! A file in the working folder wins over the copy built into the binary, so that people can change any of them.

mod depth;

pub use depth::from_toml;
pub(crate) use depth::{MOST_PARTS, deep_key, too_deep};

use flate2::read::DeflateDecoder;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

/// All files that ship, each compressed by itself; `build.rs` packs them.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shipped.bin"));
/// Their paths, sorted, each with its place in what is packed.
static INDEX: LazyLock<Vec<(&str, Range<usize>)>> = LazyLock::new(|| {
    let mut end = 0;
    let lines = include_str!(concat!(env!("OUT_DIR"), "/shipped.txt")).lines();
    let place = |line: &'static str| {
        let (path, length) = line.rsplit_once(' ')?;
        let start = end;
        end += length.parse::<usize>().ok()?;
        Some((path, start..end))
    };
    lines.filter_map(place).collect()
});

/// Reads a shipped file by its path from the project's root (`locales/en/pack.toml`).
pub fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().or_else(|| String::from_utf8(unpack(path)?).ok())
}

/// Whether there is such a file, in the working folder or among what is shipped.
pub fn holds(path: &str) -> bool {
    Path::new(path).exists() || find(path).is_some()
}

/// The bytes of a shipped file, which need be no text.
pub fn bytes(path: &str) -> Option<Vec<u8>> {
    std::fs::read(path).ok().or_else(|| unpack(path))
}

/// Names of the files and folders directly below a shipped folder, sorted; empty where there is none.
pub fn list(path: &str) -> Vec<String> {
    let mut names = match std::fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(_) => list_shipped(path),
    };
    names.sort();
    names
}

fn list_shipped(path: &str) -> Vec<String> {
    let folder = format!("{}/", path.trim_end_matches('/'));
    let first = INDEX.partition_point(|(name, _)| *name < folder.as_str());
    let below = INDEX.iter().skip(first).map_while(|(name, _)| name.strip_prefix(folder.as_str()));
    let mut names: Vec<String> = below.filter_map(|rest| rest.split('/').next().map(str::to_owned)).collect();
    names.dedup();
    names
}

fn find(path: &str) -> Option<&'static [u8]> {
    let at = INDEX.binary_search_by(|(name, _)| (*name).cmp(path)).ok()?;
    PACKED.get(INDEX.get(at)?.1.clone())
}

fn unpack(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(find(path)?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
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

    #[test]
    fn what_is_packed_is_what_lies_in_the_project() {
        assert!(INDEX.len() > 100);
        for (path, _) in INDEX.iter() {
            assert_eq!(unpack(path).unwrap(), std::fs::read(path).unwrap(), "{path}");
        }
        for folder in ["locales", "toolsets/mobile", "prompts"] {
            assert_eq!(list_shipped(folder), list(folder));
        }
        assert_eq!(list_shipped("local"), Vec::<String>::new());
    }
}
