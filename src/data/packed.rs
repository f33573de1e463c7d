//! The copies that are built into the binary, as `build.rs` packs them.

use flate2::read::DeflateDecoder;
use std::io::Read;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// All files that ship, those of a folder compressed as one.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shipped.bin"));
/// Their paths, sorted, each with its length; behind the files of a folder stands `= N`, the length of what they became.
static LINES: &str = include_str!(concat!(env!("OUT_DIR"), "/shipped.txt"));
static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| shipped(LINES, PACKED));

#[derive(Default)]
struct Shipped {
    files: Vec<File>,
    folders: Vec<Folder>,
}

struct File {
    path: &'static str,
    folder: usize,
    place: Range<usize>,
}

/// The files of a folder, one behind the other. They are unpacked when the first of them is read.
struct Folder {
    packed: &'static [u8],
    unpacked: OnceLock<Vec<u8>>,
}

impl Folder {
    fn bytes(&self) -> &[u8] {
        self.unpacked.get_or_init(|| {
            let mut bytes = Vec::new();
            // What `build.rs` packed is sound; if it were not, its files would count as missing.
            DeflateDecoder::new(self.packed).read_to_end(&mut bytes).map_or_else(|_| Vec::new(), |_| bytes)
        })
    }
}

/// The bytes of a shipped file.
pub(super) fn find(path: &str) -> Option<&'static [u8]> {
    let file = SHIPPED.files.get(place(path)?)?;
    SHIPPED.folders.get(file.folder)?.bytes().get(file.place.clone())
}

/// Whether it ships.
pub(super) fn holds(path: &str) -> bool {
    place(path).is_some()
}

/// Names of the files and folders directly below a shipped folder, sorted.
pub(super) fn list(path: &str) -> Vec<String> {
    let folder = format!("{}/", path.trim_end_matches('/'));
    let first = SHIPPED.files.partition_point(|file| file.path < folder.as_str());
    let below = SHIPPED.files.iter().skip(first).map_while(|file| file.path.strip_prefix(folder.as_str()));
    let mut names: Vec<String> = below.filter_map(|rest| rest.split('/').next().map(str::to_owned)).collect();
    names.dedup();
    names
}

fn place(path: &str) -> Option<usize> {
    SHIPPED.files.binary_search_by(|file| file.path.cmp(path)).ok()
}

fn shipped(lines: &'static str, mut packed: &'static [u8]) -> Shipped {
    let (mut shipped, mut end) = (Shipped::default(), 0);
    for (path, length) in lines.lines().filter_map(|line| line.rsplit_once(' ')) {
        let Ok(length) = length.parse::<usize>() else { continue };
        if path == "=" {
            let (folder, rest) = packed.split_at_checked(length).unwrap_or((packed, &[]));
            shipped.folders.push(Folder { packed: folder, unpacked: OnceLock::new() });
            (packed, end) = (rest, 0);
        } else {
            shipped.files.push(File { path, folder: shipped.folders.len(), place: end..end + length });
            end += length;
        }
    }
    shipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_what_lies_in_the_project() {
        assert!(SHIPPED.files.len() > 100 && SHIPPED.folders.len() > 10);
        assert!(SHIPPED.files.iter().map(|file| file.path).is_sorted());
        for file in &SHIPPED.files {
            assert_eq!(find(file.path).unwrap(), std::fs::read(file.path).unwrap(), "{}", file.path);
        }
        assert!(find("locales/no/such.toml").is_none() && !holds("locales/no") && holds("locales/README.md"));
    }

    #[test]
    fn a_folder_lists_what_lies_in_the_project() {
        for folder in ["locales", "toolsets/mobile", "prompts"] {
            assert_eq!(list(folder), crate::data::list(folder));
        }
        assert_eq!(list("local"), Vec::<String>::new());
    }
}
