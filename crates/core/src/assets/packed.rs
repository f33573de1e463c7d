//! Files that are built into a program: those of a folder compressed as one, since they are alike.

use flate2::read::DeflateDecoder;
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;

/// Files in one piece of memory, found by their paths.
#[derive(Default)]
pub struct Packed {
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

impl Packed {
    /// Reads what `build.rs` packed. `index` has a line for each file, sorted by path (`PATH LENGTH`); behind the files of a
    /// folder stands `= N`, how many bytes of `packed` they take.
    pub fn new(index: &'static str, mut packed: &'static [u8]) -> Self {
        let (mut all, mut end) = (Self::default(), 0);
        for (path, length) in index.lines().filter_map(|line| line.rsplit_once(' ')) {
            let Ok(length) = length.parse::<usize>() else { continue };
            if path == "=" {
                let (folder, rest) = packed.split_at_checked(length).unwrap_or((packed, &[]));
                all.folders.push(Folder { packed: folder, unpacked: OnceLock::new() });
                (packed, end) = (rest, 0);
            } else {
                all.files.push(File { path, folder: all.folders.len(), place: end..end + length });
                end += length;
            }
        }
        all
    }

    /// Paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.files.iter().map(|file| file.path)
    }

    /// The bytes of a file.
    pub fn find(&self, path: &str) -> Option<&[u8]> {
        let file = self.files.get(self.position(path)?)?;
        self.folders.get(file.folder)?.bytes().get(file.place.clone())
    }

    /// Whether there is such a file.
    pub fn holds(&self, path: &str) -> bool {
        self.position(path).is_some()
    }

    /// Names of the files and folders directly below a folder, sorted.
    pub fn list(&self, path: &str) -> Vec<String> {
        let folder = format!("{}/", path.trim_end_matches('/'));
        let first = self.files.partition_point(|file| file.path < folder.as_str());
        let below = self.files.iter().skip(first).map_while(|file| file.path.strip_prefix(folder.as_str()));
        let mut names: Vec<String> = below.filter_map(|rest| rest.split('/').next().map(str::to_owned)).collect();
        names.dedup();
        names
    }

    fn position(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok()
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Packed({} files)", self.files.len())
    }
}
