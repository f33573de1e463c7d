//! Where a reader of YAML stands in its text.

use super::YamlError;

/// A text letter by letter, with line and column. Behind its end stands a letter that no YAML holds.
#[derive(Debug)]
pub(super) struct Cursor {
    letters: Vec<char>,
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// What stands behind the end.
pub(super) const END: char = '\0';

impl Cursor {
    pub(super) fn new(text: &str) -> Result<Self, YamlError> {
        let mut letters: Vec<char> = text.chars().collect();
        let unprintable = letters.iter().position(|letter| !is_printable(*letter));
        if let Some(at) = unprintable {
            let line = letters.iter().take(at).filter(|letter| **letter == '\n').count() + 1;
            return Err(YamlError { problem: "a letter that cannot be printed", line });
        }
        letters.push(END);
        Ok(Self { letters, at: 0, line: 0, column: 0 })
    }

    pub(super) fn error(&self, problem: &'static str) -> YamlError {
        YamlError { problem, line: self.line + 1 }
    }

    /// The letter here.
    pub(super) fn here(&self) -> char {
        self.ahead(0)
    }

    /// A letter further on.
    pub(super) fn ahead(&self, by: usize) -> char {
        self.letters.get(self.at + by).copied().unwrap_or(END)
    }

    /// Goes on by one letter.
    pub(super) fn step(&mut self) {
        let letter = self.here();
        if letter == END {
            return;
        }
        self.at += 1;
        let ends_line = is_break(letter) && !(letter == '\r' && self.here() == '\n');
        if ends_line {
            self.line += 1;
            self.column = 0;
        } else if letter != '\u{feff}' {
            self.column += 1;
        }
    }

    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    /// Passes over letters as long as they are wanted.
    pub(super) fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.here() != END && wanted(self.here()) {
            self.step();
        }
    }

    /// Takes letters as long as they are wanted.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while self.here() != END && wanted(self.here()) {
            taken.push(self.here());
            self.step();
        }
        taken
    }

    /// Takes the end of a line; most ends are a line feed to YAML.
    pub(super) fn take_break(&mut self) -> Option<char> {
        let letter = self.here();
        if !is_break(letter) {
            return None;
        }
        if letter == '\r' && self.ahead(1) == '\n' {
            self.step();
        }
        self.step();
        Some(if matches!(letter, '\u{2028}' | '\u{2029}') { letter } else { '\n' })
    }

    /// Whether three dashes or dots stand here by themselves.
    pub(super) fn is_marker(&self, mark: char) -> bool {
        (0..3).all(|by| self.ahead(by) == mark) && is_blank(self.ahead(3))
    }

    /// Whether a document begins or ends here.
    pub(super) fn is_document_mark(&self) -> bool {
        self.is_marker('-') || self.is_marker('.')
    }
}

/// Whether a letter ends a line.
pub(super) fn is_break(letter: char) -> bool {
    matches!(letter, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a letter is space, or ends the line or the text.
pub(super) fn is_blank(letter: char) -> bool {
    matches!(letter, END | ' ' | '\t') || is_break(letter)
}

fn is_printable(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted() {
        let mut cursor = Cursor::new("a\u{feff}b\r\nc\u{85}d").unwrap();
        cursor.skip(3);
        assert_eq!((cursor.line, cursor.column, cursor.here()), (0, 2, '\r'));
        assert_eq!(cursor.take_break(), Some('\n'));
        assert_eq!((cursor.line, cursor.column, cursor.here()), (1, 0, 'c'));
        cursor.step();
        assert_eq!((cursor.take_break(), cursor.line, cursor.take_break()), (Some('\n'), 2, None));
        cursor.skip(9);
        assert_eq!((cursor.here(), cursor.ahead(3)), (END, END));
    }

    #[test]
    fn a_mark_stands_by_itself() {
        let is_mark = |text| Cursor::new(text).unwrap().is_document_mark();
        assert!(is_mark("---") && is_mark("... x") && is_mark("---\n"));
        assert!(!is_mark("--- x".trim_start_matches('-')) && !is_mark("----") && !is_mark("--.") && !is_mark("---x"));
    }

    #[test]
    fn letters_that_cannot_be_printed_are_refused() {
        for text in ["\u{0}", "a\u{7}", "\u{7f}", "\u{84}", "\u{fffe}"] {
            assert!(Cursor::new(text).is_err(), "{text:?}");
        }
        assert_eq!(Cursor::new("a\n\u{1}").unwrap_err().line, 2);
        assert!(Cursor::new("\t\r\n é가\u{85}\u{1f600}").is_ok());
    }

    #[test]
    fn letters_are_taken_as_long_as_they_are_wanted() {
        let mut cursor = Cursor::new("aab").unwrap();
        assert_eq!(cursor.take_while(|letter| letter == 'a'), "aa");
        cursor.skip_while(|_| true);
        assert_eq!(cursor.here(), END);
    }
}
