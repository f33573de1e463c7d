//! The manifest of hashes, the texts behind them, and what differs.

use crate::groups::Products;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/manifest.txt");
const HEAD: &str = "# Group, product, lines, hash of the bytes. Written by `cargo test --test golden -- --renew`.\n";
/// Differing lines that are shown of a group.
const SHOWN: usize = 3;
/// Letters of a line that are shown around its first difference.
const AROUND: usize = 160;

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) lines: usize,
    pub(crate) hash: String,
}

/// The products of each group.
#[derive(Clone)]
pub(crate) struct Manifest(BTreeMap<String, Products>);

impl Manifest {
    pub(crate) fn read() -> Self {
        let mut groups: BTreeMap<String, Products> = BTreeMap::new();
        for line in fs::read_to_string(FILE).unwrap_or_default().lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [group, product, lines, hash] = words.as_slice() else { panic!("{FILE}: `{line}` is no product") };
            let product_of = Product { lines: lines.parse().unwrap(), hash: (*hash).to_owned() };
            groups.entry((*group).to_owned()).or_default().insert((*product).to_owned(), product_of);
        }
        Self(groups)
    }

    pub(crate) fn write(&self) {
        let mut text = HEAD.to_owned();
        for (group, products) in &self.0 {
            for (name, product) in products {
                writeln!(text, "{group} {name} {} {}", product.lines, product.hash).unwrap();
            }
        }
        fs::write(FILE, text).unwrap();
    }

    pub(crate) fn put(&mut self, group: &str, products: &Products) {
        self.0.insert(group.to_owned(), products.clone());
    }

    /// What is not as it was in this group: counts, yields, and a few lines; empty where all is.
    pub(crate) fn differences(&self, group: &str, now: &Products, kept: &Kept) -> String {
        let none = Products::default();
        let before = self.0.get(group).unwrap_or(&none);
        let mut text = String::new();
        let mut shown = 0;
        for name in before.keys().chain(now.keys().filter(|name| !before.contains_key(*name))) {
            match (before.get(name), now.get(name)) {
                (Some(before), Some(now)) if before != now => {
                    writeln!(text, "    {name}: {} lines, {} before", now.lines, before.lines).unwrap();
                    if shown < SHOWN {
                        shown += kept.show(before, now, SHOWN - shown, &mut text);
                    }
                }
                (None, Some(now)) => writeln!(text, "    {name}: new, {} lines", now.lines).unwrap(),
                (Some(before), None) => writeln!(text, "    {name}: gone, {} lines before", before.lines).unwrap(),
                _ => {}
            }
        }
        if !text.is_empty() {
            let (before, now) = (accepted(before), accepted(now));
            text = format!("    accepted and rejected: {now}; before: {before}\n{text}");
        }
        text
    }
}

/// How many samples there are of how many that were drawn.
fn accepted(products: &Products) -> String {
    let lines = |name: &str| products.get(name).map_or(0, |product| product.lines);
    let (samples, rejects) = (lines("run/samples.jsonl"), lines("run/rejects.jsonl"));
    let drawn = (samples + rejects).max(1);
    format!("{samples} and {rejects} ({} %)", samples * 100 / drawn)
}

/// The texts of products by their hashes, compressed, below `target/`.
pub(crate) struct Kept(PathBuf);

impl Kept {
    pub(crate) fn open() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn keep(&self, bytes: &[u8]) -> Product {
        let hash: String = blake3::hash(bytes).to_hex().chars().take(16).collect();
        let path = self.0.join(&hash);
        if !path.exists() {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            io::copy(&mut &*bytes, &mut encoder).unwrap();
            fs::write(path, encoder.finish().unwrap()).unwrap();
        }
        Product { lines: bytes.split(|byte| *byte == b'\n').count() - 1, hash }
    }

    /// Removes texts that the manifest does not name.
    pub(crate) fn prune(&self, manifest: &Manifest) {
        let named = |name: &str| manifest.0.values().flat_map(BTreeMap::values).any(|product| product.hash == name);
        for entry in fs::read_dir(&self.0).unwrap().map(Result::unwrap) {
            if !named(&entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    /// Shows the first lines that differ, at most so many; gives how many it showed.
    fn show(&self, before: &Product, now: &Product, most: usize, text: &mut String) -> usize {
        let read = |product: &Product| {
            let packed = fs::read(self.0.join(&product.hash)).ok()?;
            let mut bytes = Vec::new();
            DeflateDecoder::new(&*packed).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        };
        let (Some(old), Some(new)) = (read(before), read(now)) else {
            writeln!(text, "        (no earlier text: run this test once at the commit before)").unwrap();
            return 0;
        };
        let (Ok(old), Ok(new)) = (String::from_utf8(old), String::from_utf8(new)) else { return 0 };
        let mut pairs = old.lines().zip(new.lines()).filter(|(old, new)| old != new).take(most).peekable();
        if pairs.peek().is_none() {
            return 0;
        }
        let mut shown = 0;
        for (old, new) in pairs {
            let at =
                old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count().saturating_sub(AROUND / 2);
            for (sign, line) in [('-', old), ('+', new)] {
                let part: String = line.chars().skip(at).take(AROUND).collect();
                writeln!(text, "        {sign} {}{part}", if at > 0 { "… " } else { "" }).unwrap();
            }
            shown += 1;
        }
        shown
    }
}
