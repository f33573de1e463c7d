//! Plain scalars: words without quotes, over several lines perhaps.

use super::cursor::{Cursor, is_blank, is_break};

/// Takes a plain scalar. The second part says whether a line has ended behind it, so that a key may stand there.
pub(super) fn plain(cursor: &mut Cursor, indent: isize, is_flow: bool) -> (String, bool) {
    let (mut text, mut space) = (String::new(), String::new());
    let mut crosses_lines = false;
    while cursor.here() != '#' {
        let words = words(cursor, is_flow);
        if words.is_empty() {
            break;
        }
        text.push_str(&space);
        text.push_str(&words);
        let between = between(cursor);
        crosses_lines = between.crosses_lines;
        space = between.text;
        let is_outside = !is_flow && isize::try_from(cursor.column).unwrap_or(isize::MAX) <= indent;
        if space.is_empty() || is_outside {
            break;
        }
    }
    (text, crosses_lines)
}

/// Letters up to the next space, or to what ends the scalar.
fn words(cursor: &mut Cursor, is_flow: bool) -> String {
    let mut words = String::new();
    loop {
        let (here, next) = (cursor.here(), cursor.ahead(1));
        let is_colon = here == ':' && (is_blank(next) || (is_flow && ",[]{}".contains(next)));
        if is_blank(here) || is_colon || (is_flow && ",?[]{}".contains(here)) {
            return words;
        }
        words.push(here);
        cursor.step();
    }
}

/// What stands between two words.
struct Between {
    text: String,
    crosses_lines: bool,
}

/// Takes space and ends of lines: one end is a space, further ones stay.
fn between(cursor: &mut Cursor) -> Between {
    let space = cursor.take_while(|letter| letter == ' ');
    let Some(first) = cursor.take_break() else { return Between { text: space, crosses_lines: false } };
    let ends = |text: &str| Between { text: text.to_owned(), crosses_lines: true };
    if cursor.is_document_mark() {
        return ends("");
    }
    let mut breaks = String::new();
    while cursor.here() == ' ' || is_break(cursor.here()) {
        match cursor.take_break() {
            None => cursor.step(),
            Some(end) => {
                breaks.push(end);
                if cursor.is_document_mark() {
                    return ends("");
                }
            }
        }
    }
    match first {
        '\n' if breaks.is_empty() => ends(" "),
        '\n' => ends(&breaks),
        other => ends(&format!("{other}{breaks}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, indent: isize, is_flow: bool) -> (String, bool) {
        plain(&mut Cursor::new(text).unwrap(), indent, is_flow)
    }

    #[test]
    fn words_end_at_a_colon_a_comment_or_to_the_left() {
        for (text, wanted, crosses_lines) in [
            ("a b c", "a b c", false),
            ("a: b", "a", false),
            ("a:b # c", "a:b", false),
            ("a#b", "a#b", false),
            ("a\n b\n\n c", "a b\nc", false),
            ("a\nb", "a", true),
            ("a\n--- b", "a", true),
            ("a, [b]", "a, [b]", false),
            ("a\tb", "a", false),
            ("a \u{2028} b", "a\u{2028}b", false),
        ] {
            assert_eq!(read(text, 0, false), (wanted.to_owned(), crosses_lines), "{text}");
        }
    }

    #[test]
    fn brackets_and_commas_end_words_in_flows() {
        for (text, wanted) in
            [("a b, c", "a b"), ("a]", "a"), ("a:b", "a:b"), ("a:]", "a"), ("a?b", "a"), ("a\nb]", "a b")]
        {
            assert_eq!(read(text, 5, true).0, wanted, "{text}");
        }
    }
}
