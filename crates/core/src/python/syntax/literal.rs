//! Literals of numbers, strings and bytes.

use super::super::escape::unescape;
use super::super::value::PythonValue;
use super::cursor::{Cursor, Parsed};
use super::parser::Expression;
use std::borrow::Cow;

// Literals of numbers.

/// Python refuses whole numbers with more digits.
const MOST_DIGITS: usize = 4300;

impl<'t> Cursor<'t> {
    pub(super) fn number(&mut self) -> Parsed<Expression<'t>> {
        let (start, bytes) = (self.at, self.rest().as_bytes());
        let radix = match bytes {
            [b'0', b'x' | b'X', ..] => Some(16),
            [b'0', b'o' | b'O', ..] => Some(8),
            [b'0', b'b' | b'B', ..] => Some(2),
            _ => None,
        };
        let value = match radix {
            Some(radix) => self.based(radix)?,
            None => self.decimal()?,
        };
        if self.rest().starts_with(|letter: char| letter == '_' || letter.is_alphanumeric()) {
            return self.fault("the end of a number");
        }
        Ok(Expression::Constant(value, self.from(start)))
    }

    fn based(&mut self, radix: u32) -> Parsed<PythonValue<'static>> {
        self.at += 2;
        if self.peek() == Some(b'_') {
            self.at += 1;
        }
        let digits = self.digits(radix)?;
        if digits.is_empty() {
            return self.fault("a digit");
        }
        if let Ok(number) = i64::from_str_radix(&digits, radix) {
            return Ok(PythonValue::Int(number));
        }
        Ok(PythonValue::whole(&decimal_of(&digits, radix)))
    }

    fn decimal(&mut self) -> Parsed<PythonValue<'static>> {
        let start = self.at;
        let whole = self.digits(10)?;
        let mut is_float = false;
        if self.peek() == Some(b'.') {
            self.at += 1;
            is_float = true;
            if self.digits(10)?.is_empty() && whole.is_empty() {
                return self.fault("a digit");
            }
        }
        is_float |= self.exponent()?;
        let text = self.from(start);
        if matches!(self.peek(), Some(b'j' | b'J')) {
            self.at += 1;
            return Ok(PythonValue::Complex(0.0, double(text)));
        }
        if is_float {
            return Ok(PythonValue::Float(double(text)));
        }
        let is_padded = whole.starts_with('0') && whole.bytes().any(|byte| byte != b'0');
        if is_padded || whole.len() > MOST_DIGITS {
            return self.fault("a whole number");
        }
        Ok(PythonValue::whole(if whole.starts_with('0') { "0" } else { &whole }))
    }

    fn exponent(&mut self) -> Parsed<bool> {
        let rest = self.rest().as_bytes();
        let sign = usize::from(matches!(rest.get(1), Some(b'+' | b'-')));
        let begins = matches!(rest.first(), Some(b'e' | b'E')) && rest.get(1 + sign).is_some_and(u8::is_ascii_digit);
        if begins {
            self.at += 1 + sign;
            self.digits(10)?;
        }
        Ok(begins)
    }

    /// Digits, without the single underscores that may stand between them.
    fn digits(&mut self, radix: u32) -> Parsed<String> {
        let mut digits = String::new();
        while let Some(byte) = self.peek() {
            let is_digit = char::from(byte).is_digit(radix);
            let next = self.text.as_bytes().get(self.at + 1).copied().unwrap_or(b' ');
            let is_between = byte == b'_' && !digits.is_empty() && char::from(next).is_digit(radix);
            if is_digit {
                digits.push(char::from(byte));
            } else if !is_between {
                return if byte == b'_' { self.fault("a digit") } else { Ok(digits) };
            }
            self.at += 1;
        }
        Ok(digits)
    }
}

fn double(text: &str) -> f64 {
    text.replace('_', "").parse().unwrap_or(f64::NAN)
}

/// The decimal digits of a number that 64 bits do not hold.
fn decimal_of(digits: &str, radix: u32) -> String {
    const BASE: u64 = 1_000_000_000;
    let mut parts: Vec<u64> = vec![0];
    for digit in digits.chars().take(MOST_DIGITS).filter_map(|digit| digit.to_digit(radix)) {
        let mut carry = u64::from(digit);
        for part in &mut parts {
            let sum = *part * u64::from(radix) + carry;
            (*part, carry) = (sum % BASE, sum / BASE);
        }
        if carry > 0 {
            parts.push(carry);
        }
    }
    let first = parts.pop().unwrap_or_default();
    parts.iter().rev().fold(first.to_string(), |text, part| format!("{text}{part:09}"))
}

// Literals of strings and bytes.

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
            return Ok(Expression::Constant(PythonValue::Text(whole), self.from(start)));
        }
        let bytes: Option<Vec<u8>> = whole.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect();
        let text = self.from(start);
        let constant = |bytes| Ok(Expression::Constant(PythonValue::Bytes(bytes), text));
        bytes.map_or_else(|| self.fault("a letter of ASCII"), constant)
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

    fn read(text: &str) -> Option<PythonValue<'_>> {
        match parse(text, Words::Pythons).ok()? {
            Expression::Constant(value, _) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn numbers_of_all_kinds_are_read() {
        for (text, value) in [
            ("0", PythonValue::Int(0)),
            ("00_0", PythonValue::Int(0)),
            ("1_000", PythonValue::Int(1000)),
            ("0x1F", PythonValue::Int(31)),
            ("0x_fF", PythonValue::Int(255)),
            ("0b101", PythonValue::Int(5)),
            ("0o17", PythonValue::Int(15)),
            ("1e3", PythonValue::Float(1000.0)),
            ("1_0.5e1_0", PythonValue::Float(105e9)),
            (".5", PythonValue::Float(0.5)),
            ("5.", PythonValue::Float(5.0)),
            ("007.5", PythonValue::Float(7.5)),
            ("1e400", PythonValue::Float(f64::INFINITY)),
            ("1E-2", PythonValue::Float(0.01)),
            ("2j", PythonValue::Complex(0.0, 2.0)),
            ("010j", PythonValue::Complex(0.0, 10.0)),
            ("99999999999999999999", PythonValue::Big("99999999999999999999".to_owned())),
            ("0xFFFFFFFFFFFFFFFFFF", PythonValue::Big("4722366482869645213695".to_owned())),
            ("0x10000000000000000", PythonValue::Big("18446744073709551616".to_owned())),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["007", "1__0", "1_", "1_.0", "0x", "0b2", "0o8", "1x", "1e", "1.e", "0x_", "1.5.5", "1한"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"9".repeat(4301)), None);
        assert!(read(&"9".repeat(4300)).is_some());
    }
}

#[cfg(test)]
mod string_tests {
    use super::super::cursor::Words;
    use super::super::parse;
    use super::*;

    fn read(text: &str) -> Option<String> {
        match parse(text, Words::Pythons).ok()? {
            Expression::Constant(PythonValue::Text(text), _) => Some(text.into_owned()),
            Expression::Constant(PythonValue::Bytes(bytes), _) => Some(format!("{bytes:?}")),
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
