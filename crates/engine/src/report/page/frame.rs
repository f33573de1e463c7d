//! The page without its data: markup, looks and script, which only run as they were written here.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, Write};

const SHELL: &str = include_str!("assets/shell.html");
const LOOKS: &str = include_str!("assets/page.css");

/// The script, in parts that know only those before them.
const PARTS: [&str; 8] = [
    include_str!("assets/dom.js"),
    include_str!("assets/store.js"),
    include_str!("assets/plots.js"),
    include_str!("assets/dialogue.js"),
    include_str!("assets/review.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/browser.js"),
    include_str!("assets/main.js"),
];

/// The page up to where its data begins, and what stands behind it.
pub(super) fn frame(title: &str) -> (String, String) {
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", PARTS.join("\n"));
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(LOOKS)
    );
    let (before, after) = SHELL.split_once("@@DATA@@").unwrap_or((SHELL, ""));
    let before = before.replace("@@POLICY@@", &policy).replace("@@STYLE@@", LOOKS);
    (before.replace("@@TITLE@@", &html_text(title)), after.replace("@@SCRIPT@@", &script))
}

/// How a policy names the one text that may run.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

// Texts that stand in a page as texts, whatever is in them.

/// JSON that can stand inside a `<script>`: what could end the element, open a comment or break a line is written as an
/// escape, which JSON reads as the same letter.
pub fn script_text(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(escaped(&text, script_letter).into_owned())
}

/// A text between tags or in an attribute.
pub fn html_text(text: &str) -> Cow<'_, str> {
    escaped(text, html_letter)
}

fn escaped(text: &str, of: fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    if !text.chars().any(|letter| of(letter).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for letter in text.chars() {
        match of(letter) {
            Some(escape) => out.push_str(escape),
            None => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// These letters stand only within strings of JSON, where such an escape means the same.
fn script_letter(letter: char) -> Option<&'static str> {
    match letter {
        '<' => Some("\\u003c"),
        '>' => Some("\\u003e"),
        '&' => Some("\\u0026"),
        '\u{2028}' => Some("\\u2028"),
        '\u{2029}' => Some("\\u2029"),
        _ => None,
    }
}

fn html_letter(letter: char) -> Option<&'static str> {
    match letter {
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '&' => Some("&amp;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

// Rows in packed blocks: of each row a short part that is always at hand, and a body that is unpacked when somebody asks.

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
mod frame_tests {
    use super::*;

    #[test]
    fn the_frame_is_whole_and_asks_for_nothing_from_elsewhere() {
        let (before, after) = frame("a <run>");
        let page = format!("{before}{after}");
        assert!(!page.contains("@@") && page.contains("<title>a &lt;run&gt;"), "{before}");
        assert!(page.ends_with("</html>\n"));
        for word in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://", "fetch("]
        {
            assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(word), "{word}");
        }
    }

    #[test]
    fn the_policy_names_exactly_the_script_and_the_looks() {
        let (before, after) = frame("t");
        let script = after.split_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
        let looks = before.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        for text in [script, looks] {
            assert!(before.contains(&hash(text)), "{}", hash(text));
        }
        assert_eq!(hash("").as_str(), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}

#[cfg(test)]
mod escape_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_could_end_the_element_is_escaped() {
        let text = script_text(&"</script><!-- & \u{2028}\u{2029}").unwrap();
        assert_eq!(text, r#""\u003c/script\u003e\u003c!-- \u0026 \u2028\u2029""#);
        assert_eq!(script_text(&["a", "\"b\""]).unwrap(), r#"["a","\"b\""]"#);
    }

    #[test]
    fn a_title_is_no_markup() {
        assert_eq!(html_text("<b> & \"'"), "&lt;b&gt; &amp; &quot;&#39;");
        assert!(matches!(html_text("plain"), Cow::Borrowed("plain")));
    }

    proptest! {
        #[test]
        fn whatever_it_is_it_stays_inside_and_is_read_as_it_was(
            parts in prop::collection::vec(prop_oneof![
                any::<String>(), Just("</script>".to_owned()), Just("<!--<script".to_owned()), Just("]]>".to_owned()),
                Just("\u{2028}\\u003c\\".to_owned()), Just("&lt;".to_owned()),
            ], 0..6)
        ) {
            let whole = parts.concat();
            let text = script_text(&whole).unwrap();
            let has_none = !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\n']);
            prop_assert!(has_none, "{}", text);
            prop_assert_eq!(serde_json::from_str::<String>(&text).unwrap(), whole);
        }

        #[test]
        fn markup_is_never_left(text in any::<String>()) {
            let shown = html_text(&text);
            let has_none = !shown.contains(['<', '>', '"', '\'']);
            prop_assert!(has_none, "{}", shown);
        }
    }
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
