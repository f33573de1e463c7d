//! A place in a text, and what may be passed over on the way.

use super::super::is_space;
use std::borrow::Cow;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark, is_nfkc};

/// How many brackets Python has open at most.
const MOST_OPEN: usize = 200;
/// How deep expressions may nest: a text of signs alone must not fill the stack.
const DEEPEST: usize = 400;
/// Where a text stops being an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{expected} expected")]
pub struct SyntaxFault {
    /// The byte.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
}

/// Which names may stand where no keyword can be meant: before `=` in a call, and behind a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Those that Python takes.
    Pythons,
    /// Any: parameters of tools are called `class` and `from` as well.
    All,
}

pub(super) type Parsed<T> = Result<T, SyntaxFault>;

pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) words: Words,
    open: usize,
    depth: usize,
    /// Whether any white space is space and `#` a letter: a comment would hide what somebody said.
    loose: bool,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize, words: Words) -> Self {
        Self { text, at, words, open: 0, depth: 0, loose: false }
    }

    /// The beginning of a text that is read loosely, as if it stood in brackets.
    pub(super) fn loose(text: &'t str) -> Self {
        Self { open: 1, loose: true, ..Self::new(text, 0, Words::All) }
    }

    pub(super) fn fault<T>(&self, expected: &'static str) -> Parsed<T> {
        Err(SyntaxFault { at: self.at, expected })
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn from(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Passes over space and comments; within brackets the end of a line is space too.
    pub(super) fn skip(&mut self) {
        if self.loose {
            self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
            return;
        }
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\x0c' => self.at += 1,
                b'\n' | b'\r' if self.open > 0 => self.at += 1,
                b'#' => self.at += self.rest().find(['\n', '\r']).unwrap_or(self.text.len() - self.at),
                b'\\' if self.rest().starts_with("\\\n") || self.rest().starts_with("\\\r") => self.at += 2,
                _ => return,
            }
        }
    }

    /// Nothing but space, comments and ends of lines may follow.
    pub(super) fn ends(&mut self) -> Parsed<()> {
        self.open = 1;
        self.skip();
        if self.at == self.text.len() { Ok(()) } else { self.fault("the end") }
    }

    pub(super) fn is_next(&mut self, byte: u8) -> bool {
        self.skip();
        self.peek() == Some(byte)
    }

    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.is_next(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn opens(&mut self) -> Parsed<()> {
        if self.open == MOST_OPEN {
            return self.fault("fewer brackets");
        }
        self.open += 1;
        self.at += 1;
        Ok(())
    }

    /// Takes the closing bracket, if it is next.
    pub(super) fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.takes(bracket);
        self.open -= usize::from(closes);
        closes
    }

    pub(super) fn deeper(&mut self) -> Parsed<()> {
        if self.depth == DEEPEST {
            return self.fault("a shorter expression");
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn back_to(&mut self, depth: usize) {
        self.depth = depth;
    }

    /// The word that stands here, keyword or not.
    pub(super) fn word(&mut self) -> &'t str {
        self.skip();
        let rest = self.rest();
        let ascii = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if rest.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
            let word = rest.get(..ascii).unwrap_or_default();
            return if word.starts_with(|letter: char| letter.is_ascii_digit()) { "" } else { word };
        }
        let end = rest.find(|letter| !continues(letter)).unwrap_or(rest.len());
        rest.get(..end).filter(|word| word.starts_with(begins)).unwrap_or_default()
    }

    /// Takes a keyword, if it is next.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.word() == word;
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Takes a name that is nobody's.
    pub(super) fn name(&mut self) -> Parsed<Cow<'t, str>> {
        let word = self.word();
        if word.is_empty() || (self.words == Words::Pythons && is_keyword(word)) {
            return self.fault("a name");
        }
        self.at += word.len();
        Ok(plain(word))
    }
}

/// Names that differ only in how their letters are encoded are one name.
pub(super) fn plain(word: &str) -> Cow<'_, str> {
    if word.is_ascii() || is_nfkc(word) { Cow::Borrowed(word) } else { Cow::Owned(word.nfkc().collect()) }
}

/// Whether Python keeps a name for itself.
pub fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "False"
            | "None"
            | "True"
            | "and"
            | "as"
            | "assert"
            | "async"
            | "await"
            | "break"
            | "class"
            | "continue"
            | "def"
            | "del"
            | "elif"
            | "else"
            | "except"
            | "finally"
            | "for"
            | "from"
            | "global"
            | "if"
            | "import"
            | "in"
            | "is"
            | "lambda"
            | "nonlocal"
            | "not"
            | "or"
            | "pass"
            | "raise"
            | "return"
            | "try"
            | "while"
            | "with"
            | "yield"
    )
}

fn begins(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic()
}

/// Letters, decimal digits and marks; the digit of an exponent is none.
fn continues(letter: char) -> bool {
    begins(letter) || letter.is_ascii_digit() || is_combining_mark(letter) || letter == '\u{b7}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        Cursor::new(text, 0, Words::Pythons).name().ok().map(Cow::into_owned)
    }

    #[test]
    fn names_are_of_letters_of_any_script_and_no_keywords() {
        assert_eq!(name("get_2 x").unwrap(), "get_2");
        assert_eq!(name("중文_é(").unwrap(), "중文_é");
        assert_eq!(name("\u{ff46}\u{ff42}").unwrap(), "fb");
        for text in ["2a", "", "class", "None", "-a", "²", "\u{a0}a"] {
            assert_eq!(name(text), None, "{text}");
        }
        assert!(["if", "nonlocal", "True"].into_iter().all(is_keyword) && !is_keyword("iff"));
    }

    #[test]
    fn the_end_of_a_line_is_space_within_brackets_alone() {
        let mut cursor = Cursor::new("(\n # word\n \\\n x)\n#c\n", 0, Words::Pythons);
        cursor.opens().unwrap();
        assert_eq!(cursor.name().unwrap(), "x");
        assert!(cursor.closes(b')') && !cursor.is_next(b'#'));
        assert_eq!(cursor.peek(), Some(b'\n'));
        assert_eq!(cursor.ends(), Ok(()));
    }

    #[test]
    fn brackets_and_depth_have_a_bound() {
        let text = "(".repeat(500);
        let mut cursor = Cursor::new(&text, 0, Words::Pythons);
        assert_eq!((0..500).take_while(|_| cursor.opens().is_ok()).count(), MOST_OPEN);
        assert_eq!((0..500).take_while(|_| cursor.deeper().is_ok()).count(), DEEPEST);
        assert_eq!(cursor.deeper().unwrap_err().to_string(), "a shorter expression expected");
    }

    #[test]
    fn a_keyword_is_a_whole_word() {
        let mut cursor = Cursor::new("iffy if x", 0, Words::Pythons);
        assert!(!cursor.takes_word("if"));
        assert_eq!(cursor.name().unwrap(), "iffy");
        assert!(cursor.takes_word("if") && cursor.word() == "x" && !cursor.takes_word("y"));
    }
}
