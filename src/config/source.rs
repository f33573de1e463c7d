//! The text that problems point into: the pipeline file, and behind it the overrides of the command line.
//!
//! Both share one numbering of bytes, so that a value given with `--set` carries a place like any other.

use super::overrides::Overrides;
use std::ops::Range;

/// A pipeline file with its overrides.
#[derive(Debug, Clone)]
pub struct Source {
    pieces: Vec<Piece>,
}

/// One stretch of text with the name that people know it by.
#[derive(Debug, Clone)]
struct Piece {
    name: String,
    text: String,
    start: usize,
    is_file: bool,
}

/// Where a byte is, in people's terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot<'s> {
    /// The file, or the flag.
    pub name: &'s str,
    /// Line from 1; absent for a flag.
    pub line: Option<usize>,
    /// The text of that line, without its end.
    pub text: &'s str,
    /// Byte at which the spot begins within the line.
    pub offset: usize,
}

impl Source {
    /// Puts the overrides behind the file's text.
    pub fn new(name: &str, text: &str, overrides: &Overrides) -> Self {
        let mut pieces = vec![Piece { name: name.to_owned(), text: text.to_owned(), start: 0, is_file: true }];
        let mut start = text.len() + 1;
        for given in overrides.iter() {
            pieces.push(Piece { name: given.flag.clone(), text: given.text.clone(), start, is_file: false });
            start += given.text.len() + 1;
        }
        Self { pieces }
    }

    /// Name of the pipeline file.
    pub fn name(&self) -> &str {
        self.pieces.first().map_or("", |piece| &piece.name)
    }

    /// Text of the pipeline file.
    pub fn text(&self) -> &str {
        self.pieces.first().map_or("", |piece| &piece.text)
    }

    /// Text of the override at `index`, with its first byte's number.
    pub(crate) fn given(&self, index: usize) -> Option<(&str, usize)> {
        self.pieces.get(index + 1).map(|piece| (piece.text.as_str(), piece.start))
    }

    /// Finds the line that holds the first byte of `span`.
    pub fn spot(&self, span: &Range<usize>) -> Option<Spot<'_>> {
        let piece = self.pieces.iter().rfind(|piece| piece.start <= span.start)?;
        let mut offset = (span.start - piece.start).min(piece.text.len());
        while !piece.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let (before, _) = piece.text.split_at(offset);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let (_, from_start) = piece.text.split_at(start);
        let text = from_start.lines().next().unwrap_or("");
        let line = piece.is_file.then(|| before.matches('\n').count() + 1);
        Some(Spot { name: &piece.name, line, text, offset: (offset - start).min(text.len()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_of_the_file_is_found_on_its_line() {
        let source = Source::new("a.toml", "one\ntwo = 2\n", &Overrides::default());
        let spot = source.spot(&(8..9)).unwrap();
        assert_eq!((spot.line, spot.text, spot.offset), (Some(2), "two = 2", 4));
    }

    #[test]
    fn a_byte_behind_the_file_belongs_to_an_override() {
        let source = Source::new("a.toml", "one", &["scale=3", "seed=x"].into_iter().collect());
        let (text, start) = source.given(1).unwrap();
        assert_eq!(text, "seed=x");
        let spot = source.spot(&(start + 5..start + 6)).unwrap();
        assert_eq!(spot, Spot { name: "--set", line: None, text: "seed=x", offset: 5 });
    }

    #[test]
    fn the_end_of_a_file_and_of_its_last_line_are_places_too() {
        let source = Source::new("a.toml", "one\r\n", &Overrides::default());
        assert_eq!(source.spot(&(3..4)).unwrap().text, "one");
        assert_eq!(source.spot(&(5..5)).unwrap().line, Some(2));
        assert_eq!(source.spot(&(900..901)).unwrap().text, "");
    }

    #[test]
    fn a_byte_within_a_letter_is_its_letter() {
        let source = Source::new("a.toml", "가나", &Overrides::default());
        assert_eq!(source.spot(&(4..5)).unwrap().offset, 3);
    }
}
