//! Python's string literals.

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
        Some((Cow::Owned(unescape(inside)?), after))
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

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('\\') {
        out.push_str(plain);
        let letter = after.chars().next()?;
        rest = after.get(letter.len_utf8()..)?;
        match letter {
            '\n' => {}
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\u{b}'),
            '\\' | '\'' | '"' => out.push(letter),
            '0'..='7' => rest = push_octal(after, &mut out)?,
            'x' => rest = push_hexadecimal(rest, 2, &mut out)?,
            'u' => rest = push_hexadecimal(rest, 4, &mut out)?,
            'U' => rest = push_hexadecimal(rest, 8, &mut out)?,
            // Python keeps what it does not know.
            _ => out.extend(['\\', letter]),
        }
    }
    out.push_str(rest);
    Some(out)
}

fn push_octal<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let length = text.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    let (digits, rest) = text.split_at_checked(length)?;
    out.push(char::from_u32(u32::from_str_radix(digits, 8).ok()?)?);
    Some(rest)
}

fn push_hexadecimal<'t>(text: &'t str, length: usize, out: &mut String) -> Option<&'t str> {
    let (digits, rest) = text.split_at_checked(length)?;
    let code = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())??;
    // Half of a surrogate pair, which no Rust string holds.
    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(rest)
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
