//! Python's string literals.

use super::escape::unescape;
use std::borrow::Cow;

/// Reads the string literal that a text begins with; what follows it is the second part. Bytes and formatted strings are
/// none.
pub(super) fn read_string(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let prefix = text.find(['\'', '"']).filter(|at| *at <= 1)?;
    let (prefix, rest) = text.split_at_checked(prefix)?;
    let raw = match prefix {
        "" | "u" | "U" => false,
        "r" | "R" => true,
        _ => return None,
    };
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| rest.starts_with(quote))?;
    let (inside, after) = split_at_quote(rest.strip_prefix(quote)?, quote)?;
    if raw || !inside.contains('\\') {
        Some((Cow::Borrowed(inside), after))
    } else {
        Some((Cow::Owned(unescape(inside, false)?), after))
    }
}

/// Splits at the closing quote. A backslash takes the next letter's meaning away, also in raw strings.
fn split_at_quote<'t>(text: &'t str, quote: &str) -> Option<(&'t str, &'t str)> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        let (inside, rest) = text.split_at_checked(at)?;
        match letter {
            '\\' => drop(letters.next()),
            '\n' if quote.len() == 1 => return None,
            _ => {
                if let Some(after) = rest.strip_prefix(quote) {
                    return Some((inside, after));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, &str)> {
        read_string(text).map(|(text, rest)| (text.into_owned(), rest))
    }

    #[test]
    fn quotes_of_all_kinds_end_where_they_began() {
        assert_eq!(read("'a\"b' + c"), Some(("a\"b".to_owned(), " + c")));
        assert_eq!(read(r#""it's" "#), Some(("it's".to_owned(), " ")));
        assert_eq!(read("'''a'b\nc'''"), Some(("a'b\nc".to_owned(), "")));
        assert_eq!(read("u'x'"), Some(("x".to_owned(), "")));
    }

    #[test]
    fn escapes_are_pythons() {
        assert_eq!(read(r"'\n\x41\u00e9\101\'\\\q\0'").unwrap().0, "\nAéA'\\\\q\0");
        assert_eq!(read(r"r'\n\''").unwrap().0, r"\n\'");
        assert_eq!(read("'a\\\nb'").unwrap().0, "ab");
    }

    #[test]
    fn what_is_no_string_is_none() {
        for text in ["", "x", "'open", "'line\nbreak'", "b'x'", "f'x'", "xy'z'", r"'\x4'", r"'\u12'", r"'\U00110000"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
