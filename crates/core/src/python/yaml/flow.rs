//! Scalars in quotes.

use super::YamlError;
use super::cursor::{Cursor, END, is_blank, is_break};

/// Takes a scalar in quotes of either kind, with its escapes and its lines.
pub(super) fn quoted(cursor: &mut Cursor) -> Result<String, YamlError> {
    let quote = cursor.here();
    cursor.step();
    let mut text = String::new();
    loop {
        letters(cursor, quote, &mut text)?;
        if cursor.here() == quote {
            cursor.step();
            return Ok(text);
        }
        space(cursor, &mut text)?;
    }
}

/// Letters up to the next space or the closing quote.
fn letters(cursor: &mut Cursor, quote: char, text: &mut String) -> Result<(), YamlError> {
    loop {
        let here = cursor.here();
        if is_blank(here) {
            return Ok(());
        }
        if here == quote {
            let is_doubled = quote == '\'' && cursor.ahead(1) == quote;
            if !is_doubled {
                return Ok(());
            }
            cursor.step();
        } else if here == '\\' && quote == '"' {
            escape(cursor, text)?;
            continue;
        }
        text.push(here);
        cursor.step();
    }
}

fn escape(cursor: &mut Cursor, text: &mut String) -> Result<(), YamlError> {
    cursor.step();
    let letter = cursor.here();
    if is_break(letter) {
        cursor.take_break();
        let breaks = breaks(cursor)?;
        text.push_str(&breaks);
        return Ok(());
    }
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    let meant = if digits > 0 { code_point(cursor, digits) } else { named(letter) };
    text.push(meant.ok_or_else(|| cursor.error("an unknown escape"))?);
    cursor.skip(1 + digits);
    Ok(())
}

fn named(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '\\' | '/' => letter,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// Half of a surrogate pair becomes U+FFFD, for no Rust string holds it.
fn code_point(cursor: &Cursor, digits: usize) -> Option<char> {
    let code = (1..=digits).try_fold(0_u32, |code, by| Some((code << 4) | cursor.ahead(by).to_digit(16)?))?;
    let is_half = (0xd800..0xe000).contains(&code);
    if is_half { Some(char::REPLACEMENT_CHARACTER) } else { char::from_u32(code) }
}

/// Space within a line stays; the end of a line is a space, and further ends stay.
fn space(cursor: &mut Cursor, text: &mut String) -> Result<(), YamlError> {
    let space = cursor.take_while(|letter| matches!(letter, ' ' | '\t'));
    if cursor.here() == END {
        return Err(cursor.error("a quote that is not closed"));
    }
    let Some(first) = cursor.take_break() else {
        text.push_str(&space);
        return Ok(());
    };
    let breaks = breaks(cursor)?;
    if first != '\n' {
        text.push(first);
    } else if breaks.is_empty() {
        text.push(' ');
    }
    text.push_str(&breaks);
    Ok(())
}

/// Ends of empty lines.
fn breaks(cursor: &mut Cursor) -> Result<String, YamlError> {
    let mut breaks = String::new();
    loop {
        if cursor.is_document_mark() {
            return Err(cursor.error("a document's mark within quotes"));
        }
        cursor.skip_while(|letter| matches!(letter, ' ' | '\t'));
        match cursor.take_break() {
            Some(end) => breaks.push(end),
            None => return Ok(breaks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, &'static str> {
        quoted(&mut Cursor::new(text).unwrap()).map_err(|error| error.problem)
    }

    #[test]
    fn escapes_are_read_in_double_quotes_alone() {
        assert_eq!(read(r#""a\n\x41\u00e9\U0001F600\"\\\/\_""#), Ok("a\nAé😀\"\\/\u{a0}".to_owned()));
        assert_eq!(read(r"'it''s \n \'"), Ok("it's \\n \\".to_owned()));
        assert_eq!(read(r#""it's""#), Ok("it's".to_owned()));
        assert_eq!(read(r#""\ud83d""#), Ok("\u{fffd}".to_owned()));
    }

    #[test]
    fn lines_are_folded() {
        assert_eq!(read("\"a  \n  b\n\n c\""), Ok("a b\nc".to_owned()));
        assert_eq!(read("\"a\\\n   b\""), Ok("ab".to_owned()));
        assert_eq!(read("'a \t b'"), Ok("a \t b".to_owned()));
        assert_eq!(read("'a\u{2028}b'"), Ok("a\u{2028}b".to_owned()));
    }

    #[test]
    fn what_is_broken_is_refused() {
        for (text, problem) in [
            ("\"a", "a quote that is not closed"),
            ("'a ", "a quote that is not closed"),
            (r#""\q""#, "an unknown escape"),
            (r#""\x4""#, "an unknown escape"),
            (r#""\U00110000""#, "an unknown escape"),
            ("'a\n--- b'", "a document's mark within quotes"),
        ] {
            assert_eq!(read(text), Err(problem), "{text}");
        }
    }
}
