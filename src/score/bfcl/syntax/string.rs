//! Literals of strings and bytes.

use super::super::value::PythonValue;
use super::cursor::{Cursor, Parsed};
use super::expression::Expression;
use crate::python::unescape;
use std::borrow::Cow;

/// What stands before the opening quote.
#[derive(Clone, Copy, Default)]
struct Prefix {
    raw: bool,
    bytes: bool,
    formatted: bool,
}

impl Prefix {
    fn of(word: &str) -> Option<Self> {
        let mut prefix = Self::default();
        let mut seen = String::new();
        for letter in word.chars().map(|letter| letter.to_ascii_lowercase()) {
            match letter {
                'r' => prefix.raw = true,
                'b' => prefix.bytes = true,
                'f' => prefix.formatted = true,
                'u' if word.len() == 1 => {}
                _ => return None,
            }
            if seen.contains(letter) || (prefix.bytes && prefix.formatted) {
                return None;
            }
            seen.push(letter);
        }
        Some(prefix)
    }
}

impl<'t> Cursor<'t> {
    /// Literals side by side are one; of bytes and strings none is.
    pub(super) fn strings(&mut self) -> Parsed<Expression<'t>> {
        let start = self.at;
        let (prefix, first) = self.literal()?;
        let (mut whole, mut is_formatted) = (first, prefix.formatted);
        let mut end = self.at;
        while self.begins_string() {
            let (next, text) = self.literal()?;
            if next.bytes != prefix.bytes {
                return self.fault("a literal of the same kind");
            }
            is_formatted |= next.formatted;
            whole = Cow::Owned(format!("{whole}{text}"));
            end = self.at;
        }
        self.at = end;
        if is_formatted {
            return Ok(Expression::Other(self.from(start)));
        }
        if !prefix.bytes {
            return Ok(Expression::Constant(PythonValue::Text(whole)));
        }
        let bytes: Option<Vec<u8>> = whole.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect();
        bytes.map_or_else(|| self.fault("a letter of ASCII"), |it| Ok(Expression::Constant(PythonValue::Bytes(it))))
    }

    fn begins_string(&mut self) -> bool {
        self.skip();
        match self.peek() {
            Some(b'\'' | b'"') => true,
            Some(byte) if byte.is_ascii_alphabetic() => {
                let word = self.word();
                let next = self.text.as_bytes().get(self.at + word.len());
                word.len() <= 2 && matches!(next, Some(b'\'' | b'"'))
            }
            _ => false,
        }
    }

    fn literal(&mut self) -> Parsed<(Prefix, Cow<'t, str>)> {
        let word = self.word();
        let Some(prefix) = Prefix::of(word) else { return self.fault("a value") };
        self.at += word.len();
        let rest = self.rest();
        let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| rest.starts_with(quote)).unwrap_or("'");
        self.at += quote.len();
        let inside = self.inside(quote)?;
        if prefix.bytes && !inside.is_ascii() {
            return self.fault("a letter of ASCII");
        }
        let lines = if inside.contains('\r') { Cow::Owned(unix(inside)) } else { Cow::Borrowed(inside) };
        if prefix.raw || prefix.formatted || !lines.contains('\\') {
            return Ok((prefix, lines));
        }
        match unescape(&lines, prefix.bytes) {
            Some(text) => Ok((prefix, Cow::Owned(text))),
            None => self.fault("an escape that exists"),
        }
    }

    /// What stands before the closing quote. A backslash takes the next letter's meaning away.
    fn inside(&mut self, quote: &str) -> Parsed<&'t str> {
        let start = self.at;
        let mark = quote.as_bytes().first().copied().unwrap_or(b'\'');
        loop {
            match self.peek() {
                None => return self.fault("a closing quote"),
                Some(b'\\') => {
                    let is_line = self.rest().starts_with("\\\r\n");
                    self.at += if is_line { 3 } else { 2 };
                }
                Some(b'\n' | b'\r') if quote.len() == 1 => return self.fault("a closing quote"),
                Some(byte) if byte == mark && (quote.len() == 1 || self.rest().starts_with(quote)) => {
                    let inside = self.from(start);
                    self.at += quote.len();
                    return Ok(inside);
                }
                Some(_) => self.at += 1,
            }
        }
    }
}

/// Python reads every end of a line as one letter.
fn unix(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::super::cursor::Words;
    use super::super::parse;
    use super::*;

    fn read(text: &str) -> Option<String> {
        match parse(text, Words::Pythons).ok()? {
            Expression::Constant(PythonValue::Text(text)) => Some(text.into_owned()),
            Expression::Constant(PythonValue::Bytes(bytes)) => Some(format!("{bytes:?}")),
            _ => None,
        }
    }

    #[test]
    fn quotes_of_all_kinds_end_where_they_began() {
        for (text, value) in [
            ("'a\"b'", "a\"b"),
            (r#""it's""#, "it's"),
            ("'''a'b\nc'''", "a'b\nc"),
            ("'''a\r\nb\rc'''", "a\nb\nc"),
            ("''", ""),
            ("u'x'", "x"),
            ("'it''s'", "its"),
            ("('a'\n r'\\d')", "a\\d"),
            ("b'x\\xff'", "[120, 255]"),
            ("Rb'\\n'", "[92, 110]"),
            ("b'\\u00e9\\777'", "[92, 117, 48, 48, 101, 57, 255]"),
        ] {
            assert_eq!(read(text).as_deref(), Some(value), "{text}");
        }
    }

    #[test]
    fn escapes_are_pythons() {
        assert_eq!(
            read(r"'\n\x41\u00e9\101\'\\\q\0\N{BULLET}\a\b\f\r\t\v'").unwrap(),
            "\nAéA'\\\\q\0•\u{7}\u{8}\u{c}\r\t\u{b}"
        );
        assert_eq!(read(r"r'\n\''").unwrap(), r"\n\'");
        assert_eq!(read("'a\\\nb\\\r\nc'").unwrap(), "abc");
        assert_eq!(read(r"'\ud800\U0001F600\777'").unwrap(), "\u{fffd}😀\u{1ff}");
    }

    #[test]
    fn what_is_no_string_is_refused() {
        for text in [
            "'open",
            "'a\nb'",
            "'a\rb'",
            r"'\x4'",
            r"'\u12'",
            r"'\U00110000'",
            r"'\N{NO SUCH LETTER}'",
            r"'\N'",
            "b'é'",
            "'a' b'b'",
            "ub'x'",
            "x'a'",
            "fb'x'",
            "rr'x'",
            "'''a''",
            "'a\\",
            "'\\",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
