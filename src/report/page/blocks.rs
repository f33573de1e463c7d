//! Rows in packed blocks: of each row a short part that is always at hand, and a body that is unpacked when somebody asks.

use super::escape::script_text;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write};

/// Rows in a block.
const ROWS: usize = 1000;

/// Bytes of bodies after which a block ends before it is full, so that opening an item never unpacks much.
const BYTES: usize = 4 << 20;

/// A store of rows that is written out block by block.
pub(super) struct Blocks {
    store: String,
    first: usize,
    rows: usize,
    bytes: usize,
    index: GzEncoder<Vec<u8>>,
    bodies: GzEncoder<Vec<u8>>,
}

/// A block as it stands in the page.
#[derive(Serialize)]
struct Block<'b> {
    store: &'b str,
    first: usize,
    rows: usize,
    index: String,
    bodies: String,
}

impl Blocks {
    pub(super) fn new(store: &str) -> Self {
        Self { store: store.to_owned(), first: 0, rows: 0, bytes: 0, index: packer(), bodies: packer() }
    }

    /// Adds a row, and writes a block where it is full.
    pub(super) fn put(&mut self, index: &impl Serialize, body: &str, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut self.index, index)?;
        self.index.write_all(b"\n")?;
        self.bodies.write_all(body.as_bytes())?;
        self.bodies.write_all(b"\n")?;
        (self.rows, self.bytes) = (self.rows + 1, self.bytes + body.len());
        if self.rows == ROWS || self.bytes >= BYTES { self.flush(out) } else { Ok(()) }
    }

    /// Writes what is left.
    pub(super) fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let index = BASE64_STANDARD.encode(std::mem::replace(&mut self.index, packer()).finish()?);
        let bodies = BASE64_STANDARD.encode(std::mem::replace(&mut self.bodies, packer()).finish()?);
        let block = Block { store: &self.store, first: self.first, rows: self.rows, index, bodies };
        writeln!(out, "<script type=\"application/json\" class=\"block\">{}</script>", script_text(&block)?)?;
        self.first += self.rows;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

fn packer() -> GzEncoder<Vec<u8>> {
    GzEncoder::new(Vec::new(), Compression::new(6))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Read;

    /// The JSON of every script of data in a page.
    pub(crate) fn scripts(page: &str) -> Vec<serde_json::Value> {
        let parts = page.split("<script type=\"application/json\"").skip(1);
        let texts = parts.map(|part| part.split_once('>').unwrap().1.split_once("</script>").unwrap().0);
        texts.map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    /// The lines that were packed into a field of a block.
    pub(crate) fn unpacked(block: &serde_json::Value, field: &str) -> Vec<String> {
        let letters = block[field].as_str().unwrap().trim_end_matches('=');
        let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
        let all = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for letter in letters.bytes() {
            bits = bits << 6 | u32::try_from(all.iter().position(|it| *it == letter).unwrap()).unwrap();
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held & 255) as u8);
            }
        }
        let mut text = String::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn rows_come_back_from_blocks_of_a_thousand() {
        let (mut blocks, mut out) = (Blocks::new("samples"), Vec::new());
        (0..2500).for_each(|at| blocks.put(&at, &format!("body </script> {at}"), &mut out).unwrap());
        blocks.flush(&mut out).unwrap();
        blocks.flush(&mut out).unwrap();
        let scripts = scripts(&String::from_utf8(out).unwrap());
        let places: Vec<_> =
            scripts.iter().map(|it| (it["first"].as_u64().unwrap(), it["rows"].as_u64().unwrap())).collect();
        assert_eq!(places, [(0, 1000), (1000, 1000), (2000, 500)]);
        assert_eq!(unpacked(&scripts[2], "index")[499], "2499");
        assert_eq!(unpacked(&scripts[1], "bodies")[1], "body </script> 1001");
    }

    #[test]
    fn long_bodies_make_short_blocks_and_an_empty_store_makes_none() {
        let (mut blocks, mut out) = (Blocks::new("s"), Vec::new());
        blocks.flush(&mut out).unwrap();
        assert!(out.is_empty());
        let long = "x".repeat(BYTES);
        (0..2).for_each(|at| blocks.put(&at, &long, &mut out).unwrap());
        assert_eq!(scripts(&String::from_utf8(out).unwrap()).len(), 2);
    }
}
