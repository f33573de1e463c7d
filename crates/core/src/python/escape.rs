//! Escapes in literals of strings and bytes.

use super::character::character;

/// What a literal without a prefix `r` stands for; nothing if an escape is none. Bytes know fewer of them.
pub fn unescape(text: &str, bytes: bool) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
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
            '0'..='7' => rest = octal(after, bytes, &mut out)?,
            'x' => rest = hexadecimal(rest, 2, &mut out)?,
            'u' if !bytes => rest = hexadecimal(rest, 4, &mut out)?,
            'U' if !bytes => rest = hexadecimal(rest, 8, &mut out)?,
            'N' if !bytes => rest = named(rest, &mut out)?,
            // Python keeps what it does not know.
            _ => out.extend(['\\', letter]),
        }
    }
    out.push_str(rest);
    Some(out)
}

fn octal<'t>(text: &'t str, bytes: bool, out: &mut String) -> Option<&'t str> {
    let length = text.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let code = u32::from_str_radix(digits, 8).ok()?;
    out.push(char::from_u32(if bytes { code & 0xff } else { code })?);
    Some(rest)
}

fn hexadecimal<'t>(text: &'t str, length: usize, out: &mut String) -> Option<&'t str> {
    let (digits, rest) = text.split_at_checked(length)?;
    let code = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())??;
    let is_half = (0xd800..0xe000).contains(&code);
    // Half of a surrogate pair, which Python holds and no Rust string does.
    out.push(if is_half { char::REPLACEMENT_CHARACTER } else { char::from_u32(code)? });
    Some(rest)
}

fn named<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let (name, rest) = text.strip_prefix('{')?.split_once('}')?;
    out.push(character(name)?);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_strings_are_pythons() {
        for (text, wanted) in [
            (r"\n\x41\u00e9\101\'\\\q\0\N{BULLET}", "\nAéA'\\\\q\0•"),
            (r"\a\b\f\r\t\v", "\u{7}\u{8}\u{c}\r\t\u{b}"),
            ("a\\\nb", "ab"),
            (r"\ud800\U0001F600\777", "\u{fffd}😀\u{1ff}"),
            ("한", "한"),
        ] {
            assert_eq!(unescape(text, false).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn bytes_know_fewer_escapes_and_have_eight_bits() {
        assert_eq!(unescape(r"\u00e9\N{BULLET}\777\x41", true).unwrap(), "\\u00e9\\N{BULLET}\u{ff}A");
    }

    #[test]
    fn what_is_no_escape_is_refused() {
        for text in [r"\x4", r"\u12", r"\U00110000", r"\N{NO SUCH LETTER}", r"\N", "\\"] {
            assert_eq!(unescape(text, false), None, "{text}");
        }
    }
}
